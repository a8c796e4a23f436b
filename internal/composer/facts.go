package composer

import (
	"errors"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
)

// The names of the requirements for ClusterFacts: of the Cluster, of the composite's own MachinePool, and of all of the Cluster's.
const (
	factsRequirement        = "facts"
	machinePoolRequirement  = "machinepoolfacts"
	machinePoolsRequirement = "machinepoolsfacts"
)

// knowledge is what ClusterFacts say.
type knowledge struct {
	// served is true once it is known that there may be ClusterFacts: to require a kind that is not served fails the whole pipeline.
	served bool
	// unsure is true while it is not known whether there are facts: what is composed then is not yet wanted.
	unsure bool
	// facts are those of the Cluster; nil when there are none.
	facts *unstructured.Unstructured
	// cluster is the name of the Cluster, objects are it, its infrastructure and its control plane; nil when no facts have them.
	cluster string
	objects []*unstructured.Unstructured
	// ownPool is set on the composite of a MachinePool, whose objects are pool.
	ownPool bool
	pool    []*unstructured.Unstructured
	// poolFacts are those of that MachinePool.
	poolFacts *unstructured.Unstructured
}

// Know has Get and List take the Cluster, its infrastructure, its control plane and its MachinePools from ClusterFacts, where there
// are such of the object with the UID. Crossplane composes anew each time that anything changes of what it reads for a function, and
// the facts change least. While it is not known whether there are such, the objects themselves are asked for together with them.
//
// Without a UID they tell only which kinds are served and by whom, see Served and Operator.
func (r *Request) Know(cluster string, about types.UID) error {
	if err := r.knowCluster(cluster); err != nil || r.knows.facts == nil {
		return err
	}
	if objects, ok := clusterfacts.OfCluster(r.knows.facts, about); ok {
		r.knows.objects = objects
	}
	return nil
}

// KnowMachine is Know for the composite of a Machine, which does not know the UID of its Cluster: the Cluster of the name is the one.
func (r *Request) KnowMachine(cluster string) error {
	if err := r.knowCluster(cluster); err != nil || r.knows.facts == nil {
		return err
	}
	if objects, ok := clusterfacts.OfCluster(r.knows.facts, clusterfacts.ClusterUID(r.knows.facts)); ok {
		r.knows.objects = objects
	}
	return nil
}

// KnowMachinePool is Know for the composite of a MachinePool: of the MachinePools it takes its own only, the one with the UID or which the
// composite with the UID belongs to.
func (r *Request) KnowMachinePool(cluster string, about types.UID) error {
	if err := r.knowCluster(cluster); err != nil {
		return err
	}
	r.knows.ownPool = true
	name := clusterfacts.NameOfMachinePool(cluster, r.XR.GetKind(), r.XR.GetName())
	if name == "" || !r.knows.served {
		return nil
	}
	facts, err := r.Get(machinePoolRequirement, clusterfacts.Kind, name)
	switch {
	case errors.Is(err, ErrPending):
		r.knows.unsure = true
		return nil
	case err != nil || facts == nil || r.knows.facts == nil || !clusterfacts.HasMachinePool(facts, about):
		return err
	}
	uid := clusterfacts.ClusterUID(r.knows.facts)
	objects, ofCluster := clusterfacts.OfCluster(r.knows.facts, uid)
	pool, ofPool := clusterfacts.MachinePoolOf(facts, uid)
	if ofCluster && ofPool {
		r.knows.objects, r.knows.pool, r.knows.poolFacts = objects, pool, facts
	}
	return nil
}

// knowCluster reads the facts of a Cluster.
func (r *Request) knowCluster(cluster string) error {
	r.knows.cluster = cluster
	if len(r.req.GetRequiredResources()[factsRequirement].GetItems()) == 0 {
		// To require a kind that is not served fails the whole pipeline.
		served, known, err := r.Schema(clusterfacts.Kind)
		switch {
		case errors.Is(err, ErrPending):
			r.knows.unsure = true
			return nil
		case err != nil || !known || served == nil:
			return err
		}
	}
	r.knows.served = true
	found, err := r.Get(factsRequirement, clusterfacts.Kind, cluster)
	switch {
	case errors.Is(err, ErrPending):
		r.knows.unsure = true
		return nil
	case err != nil:
		return err
	}
	r.knows.facts = found
	return nil
}

// Served reports whether the API server serves a kind; not known when Crossplane cannot tell. The error is ErrPending when that has to
// be read first. Crossplane reads all of a group to know one kind, so it is asked last.
func (r *Request) Served(gvk schema.GroupVersionKind) (served, known bool, err error) {
	if clusterfacts.Serves(r.knows.facts, gvk) || clusterfacts.Serves(r.knows.poolFacts, gvk) {
		return true, true, nil
	}
	if r.knows.unsure {
		return false, true, ErrPending
	}
	schema, known, err := r.Schema(gvk)
	return schema != nil, known, err
}

// Operator returns where the ASO runs that serves the composite's namespace; empty when that is not known.
func (r *Request) Operator() string { return clusterfacts.Operator(r.knows.facts) }

// FailureDomains returns the availability zones of the location of the AzureCluster of the Cluster that Know was called for, sorted; not
// known until provider-capz has been told them.
func (r *Request) FailureDomains() (zones []string, known bool) {
	return clusterfacts.FailureDomains(r.knows.facts)
}

// AvailabilitySets returns the availability sets that machines of the Cluster are in for which Know was called; not known without facts.
func (r *Request) AvailabilitySets() (sets []v1alpha1.AvailabilitySetFacts, known bool) {
	return clusterfacts.AvailabilitySets(r.knows.facts)
}

// ResourceHealth returns what came of asking Azure Resource Health about the AKS cluster of the Cluster with the UID; not known where nobody has asked.
// Facts are absent while they are being made, and where there are none.
func (r *Request) ResourceHealth(cluster types.UID) (health v1alpha1.ResourceHealthFacts, known, absent bool) {
	health, known = clusterfacts.ResourceHealth(r.knows.facts, cluster)
	return health, known, r.knows.facts == nil
}

// inFacts returns the objects that facts have of a kind, sorted by name; not ok when they do not have the kind. The error is ErrPending when
// they have to be read first.
func (r *Request) inFacts(gvk schema.GroupVersionKind, namespace string) (objects []*unstructured.Unstructured, ok bool, err error) {
	if namespace != r.XR.GetNamespace() {
		return nil, false, nil
	}
	candidates := r.knows.objects
	switch kind := gvk.GroupKind(); {
	case clusterfacts.CoversMachinePools(kind):
		if candidates, ok, err = r.machinePoolsInFacts(); !ok {
			return nil, false, err
		}
	case r.knows.objects == nil || !clusterfacts.Covers(kind):
		return nil, false, nil
	}
	for _, o := range candidates {
		if o.GroupVersionKind() == gvk {
			objects = append(objects, o)
		}
	}
	slices.SortFunc(objects, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return objects, true, nil
}

// machinePoolsInFacts returns the MachinePools and their composites that the composite may know of: its own, or all of the Cluster's.
func (r *Request) machinePoolsInFacts() (objects []*unstructured.Unstructured, ok bool, err error) {
	if r.knows.ownPool {
		return r.knows.pool, r.knows.pool != nil, nil
	}
	if !r.knows.served || !r.knows.unsure && r.knows.objects == nil {
		return nil, false, nil
	}
	labels := &fnv1.MatchLabels{Labels: clusterfacts.LabelsOfMachinePools(r.knows.cluster)}
	all, err := r.require(machinePoolsRequirement, &fnv1.ResourceSelector{Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: labels}}, clusterfacts.Kind, r.XR.GetNamespace())
	if r.knows.unsure {
		return nil, false, nil // Asked for together with the facts of the Cluster.
	}
	if err != nil {
		return nil, false, err
	}
	for _, facts := range all {
		if pool, ok := clusterfacts.MachinePoolOf(facts, clusterfacts.ClusterUID(r.knows.facts)); ok {
			objects = append(objects, pool...)
		}
	}
	return objects, true, nil
}
