package facts

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// locate fills in what Azure tells of the location of a Cluster of machines, and the availability sets that these name. What is not known now
// stays as it was: an error is about that.
func (w *clusterWriter) locate(ctx context.Context, cluster *clusterv1.Cluster, current *v1alpha1.ClusterFacts, spec *v1alpha1.ClusterFactsSpec) error {
	if w.family.machine.Kind == "" {
		return nil
	}
	if current != nil && current.Spec.ClusterUID == spec.ClusterUID {
		spec.FailureDomains, spec.FailureDomainsKnown = current.Spec.FailureDomains, current.Spec.FailureDomainsKnown
		spec.AvailabilitySets = current.Spec.AvailabilitySets
	}
	infrastructure, err := access.Referred(ctx, w, cluster.Namespace, cluster.Spec.InfrastructureRef, w.family.infrastructure)
	if err != nil || infrastructure == nil {
		return err
	}
	location, err := w.azure.LocationOf(ctx, infrastructure, cluster.Name)
	if err != nil {
		return err
	}
	if location.Known {
		spec.FailureDomains, spec.FailureDomainsKnown = location.Zones, true
	}
	sets, err := w.availabilitySets(ctx, cluster)
	if err != nil {
		return err
	}
	before := map[string]int32{}
	for _, set := range spec.AvailabilitySets {
		before[set.Name] = set.FaultDomains
	}
	spec.AvailabilitySets = nil
	for _, name := range sets {
		spec.AvailabilitySets = append(spec.AvailabilitySets, v1alpha1.AvailabilitySetFacts{Name: name, FaultDomains: cmp.Or(location.FaultDomains, before[name])})
	}
	return nil
}

// cannotLocate is the reason of Events about why it is not known where machines may be.
const cannotLocate = "ZonesUnknown"

// tell reports on the infrastructure of a Cluster why it is not known where machines may be.
func (w *clusterWriter) tell(ctx context.Context, cluster *clusterv1.Cluster, unknown error) {
	if w.events == nil || w.family.machine.Kind == "" {
		return
	}
	infrastructure, err := access.Referred(ctx, w, cluster.Namespace, cluster.Spec.InfrastructureRef, w.family.infrastructure)
	switch {
	case err != nil || infrastructure == nil:
	case unknown == nil:
		w.events.Clear(infrastructure, cannotLocate)
	default:
		w.events.Warn(infrastructure, cannotLocate, "", unknown.Error())
	}
}

// availabilitySets returns the names of those that machines of a Cluster are in, in order. One that is being deleted still is.
func (w *clusterWriter) availabilitySets(ctx context.Context, cluster *clusterv1.Cluster) ([]string, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(w.family.machine.GroupVersionKind)
	err := w.List(ctx, list, client.InNamespace(cluster.Namespace), client.MatchingFields{access.ClusterIndex: cluster.Name}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("cannot list the machines of Cluster %s: %w", cluster.Name, err)
	}
	var names []string
	for i := range list.Items {
		if name := setOf(&list.Items[i]); name != "" {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, cmp.Compare[string])
	return slices.Compact(names), nil
}

// setOf returns the name of the availability set that a machine is in; empty for none.
func setOf(machine client.Object) string {
	facts, _ := v1alpha1.ReadMachineFacts(machine.GetAnnotations())
	return facts.Machine.AvailabilitySet
}

// setsChanged passes what of a machine the availability sets of its Cluster follow from.
func setsChanged() predicate.Predicate {
	named := func(obj client.Object) bool { return setOf(obj) != "" }
	return predicate.And(
		contract.OnUpdate(func(before, after client.Object) bool { return setOf(before) != setOf(after) }),
		predicate.NewPredicateFuncs(named))
}
