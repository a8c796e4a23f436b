package aks

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aksnetwork"
)

// An aksCluster is an AzureManagedControlPlane whose defaults are filled in. They depend on names or on other fields,
// which defaults of a schema cannot.
type aksCluster struct {
	name    string
	spec    v1beta1.AzureManagedControlPlaneSpec
	cluster Cluster
}

func newCluster(cp *v1beta1.AzureManagedControlPlane, cluster Cluster) *aksCluster {
	c := &aksCluster{name: cp.GetName(), spec: *cp.Spec.DeepCopy(), cluster: cluster}
	c.defaultNames()
	c.defaultNetwork()
	return c
}

func (c *aksCluster) defaultNames() {
	s := &c.spec
	setDefault(&s.ResourceGroupName, c.cluster.Name)
	setDefault(&s.NodeResourceGroupName, fmt.Sprintf("MC_%s_%s_%s", s.ResourceGroupName, c.name, s.Location))
	if s.DNSPrefix == nil {
		s.DNSPrefix = ptr.To(c.name)
	}
	if s.FleetsMember != nil {
		setDefault(&s.FleetsMember.Name, c.cluster.Name)
	}
	for _, extension := range s.Extensions {
		if extension.Plan != nil {
			setDefault(&extension.Plan.Name, c.name+"-"+extension.Plan.Product)
		}
	}
}

func (c *aksCluster) defaultNetwork() {
	network := &c.spec.VirtualNetwork
	overlay := ptr.Deref(c.spec.NetworkPluginMode, "") == v1beta1.NetworkPluginModeOverlay
	network.CIDRBlock, network.Subnet.CIDRBlock = aksnetwork.Ranges(overlay, network.CIDRBlock, network.Subnet.CIDRBlock)
	setDefault(&network.Name, c.name)
	setDefault(&network.ResourceGroup, c.spec.ResourceGroupName)
	setDefault(&network.Subnet.Name, c.name)
}

func setDefault(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

// preview reports whether the objects of AKS are made in the preview version of the API.
func (c *aksCluster) preview() bool { return ptr.Deref(c.spec.EnablePreviewFeatures, false) }
