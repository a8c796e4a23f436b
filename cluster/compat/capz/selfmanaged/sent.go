package selfmanaged

import (
	"context"
	"fmt"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/authorization/armauthorization/v2"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/network/armnetwork/v4"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/privatedns/armprivatedns"

	"sigs.k8s.io/cluster-api-provider-azure/azure"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/availabilitysets"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/inboundnatrules"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/loadbalancers"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/networkinterfaces"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/privatedns"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/publicips"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/roleassignments"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/routetables"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/securitygroups"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/virtualmachines"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/vmextensions"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/vnetpeerings"
)

// send has CAPZ send what it sends to Azure without ASO: a body for each spec, unless it leaves what Azure has as it is.
func (w *World) send(ctx context.Context, specs ...azure.ResourceSpecGetter) error {
	for _, spec := range specs {
		body, err := spec.Parameters(ctx, w.sent[w.id(spec, nil)])
		if err != nil {
			return err
		}
		if body != nil {
			w.sent[w.id(spec, body)] = withAnswers(body)
		}
	}
	return nil
}

// withAnswers returns what Azure answers to a body when it is asked for it again, as far as CAPZ looks at that.
func withAnswers(body any) any {
	switch b := body.(type) {
	case armnetwork.Interface:
		b.Properties.ProvisioningState = to.Ptr(armnetwork.ProvisioningStateSucceeded)
	case armauthorization.RoleAssignmentCreateParameters:
		return armauthorization.RoleAssignment{Properties: b.Properties}
	}
	return body
}

// withoutAnswers is the reverse.
func withoutAnswers(body any) any {
	if b, isInterface := body.(armnetwork.Interface); isInterface {
		properties := *b.Properties
		properties.ProvisioningState = nil
		b.Properties = &properties
		return b
	}
	return body
}

// id returns the ID of what a spec is of. That of a record depends on the body.
func (w *World) id(spec azure.ResourceSpecGetter, body any) string {
	subscription, group, owner, name := w.manifests.AzureCluster.Spec.SubscriptionID, spec.ResourceGroupName(), spec.OwnerResourceName(), spec.ResourceName()
	switch spec.(type) {
	case *securitygroups.NSGSpec:
		return azure.SecurityGroupID(subscription, group, name)
	case *routetables.RouteTableSpec:
		return azure.RouteTableID(subscription, group, name)
	case *publicips.PublicIPSpec:
		return azure.PublicIPID(subscription, group, name)
	case *vnetpeerings.VnetPeeringSpec:
		return azure.VNetID(subscription, group, owner) + "/virtualNetworkPeerings/" + name
	case *loadbalancers.LBSpec:
		return fmt.Sprintf("/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Network/loadBalancers/%s", subscription, group, name)
	case privatedns.ZoneSpec:
		return "/" + azure.PrivateDNSZoneID(subscription, group, name)
	case privatedns.LinkSpec:
		return "/" + azure.VirtualNetworkLinkID(subscription, group, owner, name)
	case privatedns.RecordSpec:
		kind := "A"
		if set, isSet := body.(armprivatedns.RecordSet); isSet && len(set.Properties.AaaaRecords) > 0 {
			kind = "AAAA"
		}
		return "/" + azure.PrivateDNSZoneID(subscription, group, owner) + "/" + kind + "/" + name
	case *inboundnatrules.InboundNatSpec:
		return azure.NATRuleID(subscription, group, owner, name)
	case *networkinterfaces.NICSpec:
		return azure.NetworkInterfaceID(subscription, group, name)
	case *availabilitysets.AvailabilitySetSpec:
		return azure.AvailabilitySetID(subscription, group, name)
	case *virtualmachines.VMSpec:
		return azure.VMID(subscription, group, name)
	case *vmextensions.VMExtensionSpec:
		return azure.VMID(subscription, group, owner) + "/extensions/" + name
	case *roleassignments.RoleAssignmentSpec:
		return strings.TrimSuffix(owner, "/") + "/providers/Microsoft.Authorization/roleAssignments/" + name
	}
	panic(fmt.Sprintf("nobody says what the ID of a %T is", spec))
}
