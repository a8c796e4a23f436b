package compute

import (
	"context"
	"fmt"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// Remains deletes what Azure still has of an AzureMachine whose ASO objects are gone, and reports whether there is something. Garbage
// collection, which deletes in the foreground, takes no policy away: ASO leaves in Azure what it may only read. Without the credential of the
// Cluster nothing can be found out, which an Event says.
func (m *Machine) Remains(ctx context.Context, s *access.Scope) (bool, error) {
	azureMachine, ok := read[v1beta1.AzureMachine](s.XR)
	if !ok || s.Cluster == nil {
		return false, nil
	}
	infrastructure, err := access.InfrastructureOf(ctx, m.Client, s.Cluster)
	if err != nil {
		return false, err
	}
	azureCluster, ok := read[v1beta1.AzureCluster](infrastructure)
	if !ok || azureCluster.Spec.SubscriptionID == "" || azureCluster.Spec.ResourceGroup == "" {
		return false, nil
	}
	account, usable, err := m.account(ctx, infrastructure, s.Cluster.Name)
	if err != nil || !usable {
		m.Events.Warn(s.XR, "LeftUnchecked", "DeleteComposite", "without the credential of the Cluster nobody can look whether Azure still has the virtual machine; look for it yourself")
		return false, nil //nolint:nilerr // It is told.
	}
	group := fmt.Sprintf("/subscriptions/%s/resourceGroups/%s/providers/", azureCluster.Spec.SubscriptionID, azureCluster.Spec.ResourceGroup)
	name := azuremachine.Name(azureMachine)
	gone, err := m.remover.VirtualMachine(ctx, account, group+"Microsoft.Compute/virtualMachines/"+name, s.Cluster.Name)
	if err != nil || !gone {
		return true, err
	}
	interfaces := max(1, len(azureMachine.Spec.NetworkInterfaces))
	for i := range interfaces {
		nic := group + "Microsoft.Network/networkInterfaces/" + azuremachine.NetworkInterfaceName(name, i, interfaces)
		if gone, err := m.remover.NetworkInterface(ctx, account, nic, s.Cluster.Name); err != nil || !gone {
			return true, err
		}
	}
	return false, nil
}
