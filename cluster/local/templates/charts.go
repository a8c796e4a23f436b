package templates

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	addonsv1 "sigs.k8s.io/cluster-api/api/addons/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// appliedSets returns the ClusterResourceSets that are for a Cluster of the template (one of prow-private's is for none), and of those the ones that
// wait for what a chart installs that has been left out.
func (w *world) appliedSets(ctx context.Context) (applied, waiting []*unstructured.Unstructured, err error) {
	sets, err := w.list(ctx, resourceSetKind)
	if err != nil {
		return nil, nil, err
	}
	clusters, err := w.list(ctx, clusterKind)
	if err != nil {
		return nil, nil, err
	}
	for i := range sets {
		selected, err := selects(&sets[i], clusters)
		if err != nil {
			return nil, nil, err
		}
		needs, err := w.needsChart(&sets[i])
		if err != nil {
			return nil, nil, err
		}
		switch {
		case selected && needs:
			waiting = append(waiting, &sets[i])
		case selected:
			applied = append(applied, &sets[i])
		}
	}
	return applied, waiting, nil
}

// selects reports whether a ClusterResourceSet is for any of the Clusters.
func selects(set *unstructured.Unstructured, clusters []unstructured.Unstructured) (bool, error) {
	var spec addonsv1.ClusterResourceSetSpec
	raw, _, err := unstructured.NestedMap(set.Object, "spec")
	if err != nil {
		return false, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &spec); err != nil {
		return false, err
	}
	selector, err := metav1.LabelSelectorAsSelector(&spec.ClusterSelector)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(clusters, func(u unstructured.Unstructured) bool { return selector.Matches(labels.Set(u.GetLabels())) }), nil
}

// needsChart reports whether a ClusterResourceSet has objects that the workload cluster cannot take before a chart is installed that has been left
// out: their kind is none of Kubernetes, or their namespace is none that Kubernetes or the set makes.
func (w *world) needsChart(set *unstructured.Unstructured) (bool, error) {
	if !slices.ContainsFunc(w.leftOut, func(u *unstructured.Unstructured) bool { return u.GetKind() == helmKind }) {
		return false, nil
	}
	objects, err := w.setObjects(set)
	if err != nil {
		return false, err
	}
	own := []string{"", metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease}
	for _, o := range objects {
		if o.GetKind() == "Namespace" {
			own = append(own, o.GetName())
		}
	}
	return slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool {
		return !scheme.Scheme.IsGroupRegistered(o.GroupVersionKind().Group) || !slices.Contains(own, o.GetNamespace())
	}), nil
}

// setObjects returns what a ClusterResourceSet installs, as far as it is in ConfigMaps of the template.
func (w *world) setObjects(set *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	resources, _, err := unstructured.NestedSlice(set.Object, "spec", "resources")
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, r := range resources {
		ref, _ := r.(map[string]any)
		for _, u := range w.applied {
			if u.GetKind() != "ConfigMap" || ref["kind"] != "ConfigMap" || u.GetName() != ref["name"] {
				continue
			}
			data, _, err := unstructured.NestedStringMap(u.Object, "data")
			if err != nil {
				return nil, err
			}
			for _, text := range data {
				some, err := kubeyaml.Parse([]byte(text))
				if err != nil {
					return nil, err
				}
				objects = append(objects, some...)
			}
		}
	}
	return objects, nil
}
