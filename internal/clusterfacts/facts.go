// Package clusterfacts is what a composer knows of its Cluster: ClusterFacts of the Cluster itself, with the composites that are
// there once, and ClusterFacts of each of its MachinePools. Nothing of them grows with the number of MachinePools but their number, and a
// change of one MachinePool is read by its own composite and the control plane only.
package clusterfacts

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Kind is that of the objects.
var Kind = v1alpha1.GroupVersion.WithKind("ClusterFacts")

const (
	// labelOf says what facts beside those of the Cluster itself are of.
	labelOf     = "capz.crossplane.io/facts-of"
	machinePool = "machinepool"
	// longestName is that of an object in Kubernetes.
	longestName = 253
)

// NameOfMachinePool returns the name of the facts of the MachinePool with a composite of the kind and name; empty when Kubernetes would not
// take it.
func NameOfMachinePool(cluster, kind, name string) string {
	full := strings.Join([]string{cluster, strings.ToLower(kind), name}, ".")
	if len(full) > longestName {
		return ""
	}
	return full
}

// LabelsOfMachinePools are the labels of the facts of all MachinePools of a Cluster.
func LabelsOfMachinePools(cluster string) map[string]string {
	return map[string]string{clusterv1.ClusterNameLabel: cluster, labelOf: machinePool}
}

var (
	specFormat   = field.At[int64]("spec", "format")
	specUID      = field.At[string]("spec", "clusterUID")
	specObjects  = field.At[[]any]("spec", "objects")
	specServed   = field.At[[]string]("spec", "served")
	specOperator = field.At[string]("spec", "operatorNamespace")

	specFailureDomains      = field.At[[]string]("spec", "failureDomains")
	specFailureDomainsKnown = field.At[bool]("spec", "failureDomainsKnown")
	specAvailabilitySets    = field.At[[]any]("spec", "availabilitySets")
	specResourceHealth      = field.At[map[string]any]("spec", "resourceHealth")
)

// ServedName returns how spec.served has a kind.
func ServedName(gvk schema.GroupVersionKind) string {
	return gvk.Kind + "." + gvk.Version + "." + gvk.Group
}

// CommonKinds are those that most AKS clusters are made of, without a version. Facts have them as served, in each version, before any
// composite mentions one.
func CommonKinds() []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, k := range []aso.Kind{aso.ResourceGroup, aso.ManagedCluster, aso.ManagedClustersAgentPool, aso.VirtualNetwork, aso.VirtualNetworksSubnet} {
		kinds = append(kinds, k.GroupKind().WithVersion(""))
	}
	return kinds
}

// KindsOfMachines are those that Clusters of machines are made of, in the versions in which they are composed.
func KindsOfMachines() []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, k := range aso.Catalogue() {
		if k.Version != "" && k.Group != aso.ManagedCluster.Group {
			kinds = append(kinds, k.GroupKind().WithVersion(k.Version))
		}
	}
	return kinds
}

// Serves reports whether facts have the kind as one that the management cluster serves. If they do not, it may be served all the same.
func Serves(facts *unstructured.Unstructured, gvk schema.GroupVersionKind) bool {
	return slices.Contains(specServed.Value(facts), ServedName(gvk))
}

// Operator returns where the ASO runs that serves the Cluster's namespace; empty when that is not known.
func Operator(facts *unstructured.Unstructured) string { return specOperator.Value(facts) }

// FailureDomains returns the availability zones of the location of an AzureCluster, sorted; not known until Azure has told them.
func FailureDomains(facts *unstructured.Unstructured) (zones []string, known bool) {
	if facts == nil || specFormat.Value(facts) != v1alpha1.ClusterFactsFormat || !specFailureDomainsKnown.Value(facts) {
		return nil, false
	}
	return specFailureDomains.Value(facts), true
}

// AvailabilitySets returns those that machines of the Cluster are in; not known without facts.
func AvailabilitySets(facts *unstructured.Unstructured) (sets []v1alpha1.AvailabilitySetFacts, known bool) {
	if facts == nil || specFormat.Value(facts) != v1alpha1.ClusterFactsFormat {
		return nil, false
	}
	for _, m := range field.Maps(specAvailabilitySets.Value(facts)) {
		set := v1alpha1.AvailabilitySetFacts{Name: field.Text(m["name"]), FaultDomains: int32(field.Integer(m["faultDomains"]))} //nolint:gosec // The API server has checked the range.
		if set.Name != "" {
			sets = append(sets, set)
		}
	}
	return sets, true
}

// ResourceHealth returns what came of asking Azure Resource Health about the AKS cluster of the Cluster with the UID; not known where facts do not
// say.
func ResourceHealth(facts *unstructured.Unstructured, cluster types.UID) (health v1alpha1.ResourceHealthFacts, known bool) {
	if facts == nil || specFormat.Value(facts) != v1alpha1.ClusterFactsFormat || cluster == "" || ClusterUID(facts) != cluster {
		return v1alpha1.ResourceHealthFacts{}, false
	}
	m := specResourceHealth.Value(facts)
	health = v1alpha1.ResourceHealthFacts{State: field.Text(m["state"]), Reason: field.Text(m["reason"]), Message: field.Text(m["message"])}
	return health, health != v1alpha1.ResourceHealthFacts{}
}

// ClusterUID returns the UID of the Cluster that facts are of.
func ClusterUID(facts *unstructured.Unstructured) types.UID { return types.UID(specUID.Value(facts)) }

// OfCluster returns the objects in the facts of a Cluster, and true, if they are of the Cluster with the UID, or have the object with
// the UID. Facts that have no objects yet, of another Cluster of the name, in a format that this version does not know, or whose
// CustomResourceDefinition is of an older version and has no field for the UID, are not used; nor are those with an object of another
// namespace.
func OfCluster(facts *unstructured.Unstructured, about types.UID) (objects []*unstructured.Unstructured, ok bool) {
	objects, ok = read(facts, ofCluster)
	usable := ok && len(objects) > 0 && about != "" && ClusterUID(facts) != ""
	return objects, usable && (ClusterUID(facts) == about || has(objects, about))
}

// MachinePoolOf returns the objects in the facts of a MachinePool, and true, if they are of one of the Cluster with the UID.
func MachinePoolOf(facts *unstructured.Unstructured, cluster types.UID) (objects []*unstructured.Unstructured, ok bool) {
	objects, ok = read(facts, ofMachinePool)
	return objects, ok && cluster != "" && ClusterUID(facts) == cluster
}

// HasMachinePool reports whether the facts of a MachinePool have the object with the UID.
func HasMachinePool(facts *unstructured.Unstructured, about types.UID) bool {
	objects, ok := read(facts, ofMachinePool)
	return ok && about != "" && has(objects, about)
}

// Covers reports whether facts of a Cluster have all objects of the kind that matter; those of MachinePools have the others.
func Covers(kind schema.GroupKind) bool { return ofCluster(kind) }

// CoversMachinePools reports whether facts of MachinePools have all objects of the kind that matter.
func CoversMachinePools(kind schema.GroupKind) bool { return ofMachinePool(kind) }

func has(objects []*unstructured.Unstructured, uid types.UID) bool {
	return slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetUID() == uid })
}

func read(facts *unstructured.Unstructured, expected func(schema.GroupKind) bool) (objects []*unstructured.Unstructured, ok bool) {
	if facts == nil || specFormat.Value(facts) != v1alpha1.ClusterFactsFormat || facts.GetDeletionTimestamp() != nil {
		return nil, false
	}
	for _, content := range specObjects.Value(facts) {
		m, _ := content.(map[string]any)
		object := &unstructured.Unstructured{Object: m}
		// What an object says of its namespace decides where resources are composed.
		if !expected(object.GroupVersionKind().GroupKind()) || object.GetNamespace() != facts.GetNamespace() {
			return nil, false
		}
		objects = append(objects, object)
	}
	return objects, true
}
