package clusterfacts

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/refusal"
)

// ofCluster reports whether the facts of a Cluster have objects of the kind.
func ofCluster(kind schema.GroupKind) bool {
	k, ok := composite.Lookup(kind)
	return kind == clusterKind || ok && composite.Is(composite.InfrastructureCluster, composite.ControlPlane)(k)
}

// ofMachinePool reports whether the facts of a MachinePool have objects of the kind.
func ofMachinePool(kind schema.GroupKind) bool {
	k, ok := composite.Lookup(kind)
	return kind == machinePoolKind || ok && composite.Is(composite.InfrastructureMachinePool)(k)
}

// Cluster API's own kinds.
var (
	clusterKind     = clusterv1.GroupVersion.WithKind("Cluster").GroupKind()
	machinePoolKind = clusterv1.GroupVersion.WithKind("MachinePool").GroupKind()
)

// Pick returns what other composites are composed by of an object; nil when it is of a kind that no facts have. What it returns
// shares values with the object. Composers read nothing else of the other composites of their Cluster.
func Pick(object *unstructured.Unstructured) *unstructured.Unstructured {
	kind := object.GroupVersionKind().GroupKind()
	if !ofCluster(kind) && !ofMachinePool(kind) {
		return nil
	}
	picked := &unstructured.Unstructured{Object: map[string]any{}}
	picked.SetAPIVersion(object.GetAPIVersion())
	picked.SetKind(object.GetKind())
	picked.SetName(object.GetName())
	picked.SetNamespace(object.GetNamespace())
	picked.SetUID(object.GetUID())
	labels := object.GetLabels()
	maps.DeleteFunc(labels, func(label, _ string) bool {
		return label != clusterv1.ClusterNameLabel && label != clusterv1.ClusterTopologyMachinePoolNameLabel
	})
	if len(labels) > 0 {
		picked.SetLabels(labels)
	}
	if annotations := without(object.GetAnnotations(), corev1.LastAppliedConfigAnnotation, refusal.Annotation); len(annotations) > 0 {
		picked.SetAnnotations(annotations)
	}
	picked.SetDeletionTimestamp(object.GetDeletionTimestamp())
	switch spec := object.Object["spec"].(type) {
	case nil:
	case map[string]any:
		// crossplane is about how it is composed itself, and the others are what comes of it.
		picked.Object["spec"] = shallow(without(spec, "crossplane", "controlPlaneEndpoint", "providerIDList"))
	default:
		picked.Object["spec"] = spec // It cannot be read, which is for composers to say.
	}
	if kind.Group == composite.InfrastructureGroup {
		picked.Object["status"] = pickStatus(object)
	}
	return picked
}

// mostLevels is how deep a spec is in facts. Composers refuse an entry of spec.resources of more than 100 levels, whoever's it is, so what lies deeper is of
// use to nobody; and the API server works for a minute on each change of an object of some thousand levels.
const mostLevels = 128

// shallow returns a spec without what lies too deep; the spec itself where nothing does.
func shallow(spec map[string]any) any {
	if field.Deeper(spec, mostLevels) {
		return cut(spec, mostLevels)
	}
	return spec
}

// cut returns a copy of a value in which what has fields or items more levels deep has none.
func cut(value any, levels int) any {
	switch v := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, inner := range v {
			if levels > 0 {
				kept[key] = cut(inner, levels-1)
			}
		}
		return kept
	case []any:
		kept := []any{}
		for _, inner := range v {
			if levels > 0 {
				kept = append(kept, cut(inner, levels-1))
			}
		}
		return kept
	}
	return value
}

var (
	statusResources      = field.At[[]any]("status", "resources")
	statusFailureDomains = field.At[[]any]("status", "failureDomains")
)

// pickStatus returns what others wait for: what is ready, whose it is, where machines may be, and the mistake for which it will not be
// ready; and what they must not outlive: what is gone from Azure. Other reasons and messages change with every step that Azure takes.
func pickStatus(object *unstructured.Unstructured) map[string]any {
	picked := map[string]any{}
	for _, name := range []string{"version", "autoUpgradeVersion"} {
		if path := field.At[string]("status", name); path.Has(object) {
			picked[name] = path.Value(object)
		}
	}
	if domains := statusFailureDomains.Value(object); len(domains) > 0 {
		picked["failureDomains"] = domains
	}
	var kept []any
	for _, m := range field.Maps(statusResources.Value(object)) {
		switch {
		case m["ready"] != true && v1beta1.IsMistake(field.Text(m["reason"])):
			kept = append(kept, m)
		case m["ready"] != true && m["reason"] == aso.ReasonResourceNotFound:
			kept = append(kept, without(m, "message"))
		case m["ready"] == true || m["ownership"] != nil:
			kept = append(kept, without(m, "reason", "message"))
		}
	}
	if len(kept) > 0 {
		picked["resources"] = kept
	}
	return picked
}

// without returns a copy of a map without some keys.
func without[V any](from map[string]V, keys ...string) map[string]V {
	left := maps.Clone(from)
	maps.DeleteFunc(left, func(key string, _ V) bool { return slices.Contains(keys, key) })
	return left
}
