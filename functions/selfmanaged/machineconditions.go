package selfmanaged

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// conditionDisksReady is about the disks, which Azure makes and deletes with the virtual machine: it is as that is.
const conditionDisksReady = "DisksReady"

func withDisks(conditions []composer.Condition) []composer.Condition {
	for _, c := range conditions {
		if c.Type == aso.VirtualMachine.Condition {
			c.Type = conditionDisksReady
			return append(conditions, c)
		}
	}
	return conditions
}

// availabilitySetCondition returns the condition about the availability set that the machine is in, which the AzureCluster has; none for a
// machine in none.
func (m *machineInputs) availabilitySetCondition() []composer.Condition {
	set := m.facts.Machine.AvailabilitySet
	if set == "" {
		return nil
	}
	if waits := m.cluster.Await(aso.AvailabilitySet, set); len(waits) > 0 {
		return []composer.Condition{composer.False(aso.AvailabilitySet.Condition, composer.ReasonWaitingForResource, "waits until "+waits[0].Description)}
	}
	return []composer.Condition{composer.True(aso.AvailabilitySet.Condition, "AllReady", "")}
}

// conditionIdentitiesReady is about the user-assigned identities that the virtual machine has in Azure.
const conditionIdentitiesReady = "VMIdentitiesReady"

var statusIdentities = field.At[map[string]any]("status", "identity", "userAssignedIdentities")

// identitiesCondition says which user-assigned identities of the spec the virtual machine does not have, as somebody may have taken them from
// it in Azure; none before ASO has read the machine, and for one without such identities.
func (m *machineInputs) identitiesCondition(in *composer.Request, resources []*plan.Resource) []composer.Condition {
	vm := plan.First(resources, aso.VirtualMachine)
	if vm == nil || m.xr.Spec.Identity != v1beta1.VMIdentityUserAssigned || aso.StatusID.Value(vm.Live(in)) == "" {
		return nil
	}
	has := slices.Collect(maps.Keys(statusIdentities.Value(vm.Live(in))))
	var missing []string
	for _, identity := range m.xr.Spec.UserAssignedIdentities {
		id := strings.TrimPrefix(identity.ProviderID, azuremachine.ProviderIDPrefix)
		if !slices.ContainsFunc(has, func(other string) bool { return strings.EqualFold(id, other) }) {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return []composer.Condition{composer.False(conditionIdentitiesReady, "UserAssignedIdentityMissing", fmt.Sprintf(
			"the virtual machine does not have %s in Azure, which spec.userAssignedIdentities names; assign it again", strings.Join(missing, ", ")))}
	}
	return []composer.Condition{composer.True(conditionIdentitiesReady, "AllAssigned", "")}
}
