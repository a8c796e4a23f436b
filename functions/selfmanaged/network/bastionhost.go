package network

import (
	"strings"

	bastions "github.com/Azure/azure-service-operator/v2/api/network/v1api20220701"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// bastionHost returns Azure Bastion, by which people reach the machines, if the cluster has it.
func (n *Network) bastionHost() []*plan.Resource {
	bastion := n.spec.BastionSpec.AzureBastion
	if bastion == nil {
		return nil
	}
	return []*plan.Resource{n.objects.Resource("spec.bastionSpec.azureBastion", v1beta1.ASOObjectName(bastion.Name), &bastions.BastionHost{Spec: bastions.BastionHost_Spec{
		AzureName:       bastion.Name,
		Owner:           typed.OwnedBy(n.spec.ResourceGroup),
		Location:        &n.spec.Location,
		Sku:             &bastions.Sku{Name: (*bastions.Sku_Name)(typed.Text(bastion.Sku))},
		EnableTunneling: ptr.To(bastion.EnableTunneling),
		DnsName:         ptr.To(strings.ToLower(bastion.Name) + "-bastion"),
		IpConfigurations: []bastions.BastionHostIPConfiguration{{
			Name:                      ptr.To(bastion.Name + "-bastionIP"),
			Subnet:                    &bastions.SubResource{Reference: typed.ByID(n.subnetID(bastion.Subnet.Name))},
			PublicIPAddress:           &bastions.SubResource{Reference: typed.ByID(n.publicIPID(bastion.PublicIP.Name))},
			PrivateIPAllocationMethod: ptr.To(bastions.IPAllocationMethod_Dynamic),
		}},
		Tags: typed.OwnedTags(n.cluster.Name, bastion.Name, "Bastion"),
	}}, nil)}
}
