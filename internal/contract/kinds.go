package contract

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
)

// reconciled is the condition that composite resources of a kind are reconciled: it is the provider's part of a Cluster.
var reconciled = composite.Is(composite.InfrastructureCluster, composite.ControlPlane, composite.InfrastructureMachine, composite.InfrastructureMachinePool)

// Kinds returns the composite kinds that the reconcilers watch from the start. Those of other families are watched as soon as they are
// served: a Configuration of an older version does not have them.
func Kinds() []schema.GroupVersionKind { return kindsOf(composite.ASOManaged) }

// kindsOf returns the reconciled kinds of a family.
func kindsOf(family composite.Family) []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, kind := range composite.Select(composite.Of(family), reconciled) {
		kinds = append(kinds, kind.GroupVersionKind)
	}
	return kinds
}

// neededBy returns the kinds without which the controllers of a family cannot start.
func neededBy(family composite.Family) []schema.GroupVersionKind {
	kinds := kindsOf(family)
	if family == composite.SelfManaged {
		kinds = append(kinds, compute.PoolMachineKind)
	}
	return kinds
}

// otherFamilies returns the families whose kinds are not among Kinds.
func otherFamilies() []composite.Family {
	var families []composite.Family
	for _, kind := range composite.Select(reconciled) {
		if kind.Family != composite.ASOManaged && !slices.Contains(families, kind.Family) {
			families = append(families, kind.Family)
		}
	}
	return families
}
