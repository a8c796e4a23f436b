package why

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/secret"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

var (
	specPaused   = field.At[bool]("spec", "paused")
	contractRefs = []field.Path[map[string]any]{
		field.At[map[string]any]("spec", "infrastructureRef"), field.At[map[string]any]("spec", "controlPlaneRef"),
		field.At[map[string]any]("spec", "bootstrap", "configRef"),
		field.At[map[string]any]("spec", "template", "spec", "infrastructureRef"), field.At[map[string]any]("spec", "template", "spec", "bootstrap", "configRef"),
	}
	secretKind = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
)

// owns are the kinds of Cluster API whose objects are labelled with their Cluster.
var owns = []schema.GroupVersionKind{clusterv1.GroupVersion.WithKind("MachinePool"), clusterv1.GroupVersion.WithKind("Machine")}

// clusterAPI looks at an object of Cluster API and at what it refers to.
func (w *walk) clusterAPI(link *Link, obj *unstructured.Unstructured) {
	link.Says = append(link.Says, unmet(obj)...)
	for i := range link.Says {
		if link.Says[i].Condition == clusterv1.ClusterTopologyReconciledCondition {
			link.Says[i].own = true
		}
	}
	if specPaused.Value(obj) || hasKey(obj.GetAnnotations(), clusterv1.PausedAnnotation) {
		link.Says = append(link.Says, Saying{Reason: "Paused", Message: "is paused", own: true})
	}
	isTemplateOwner := obj.GetKind() == "MachineDeployment" || obj.GetKind() == "MachineSet"
	for _, path := range contractRefs {
		ref := path.Value(obj)
		if ref == nil || isTemplateOwner {
			continue // Of a template, which is only copied from.
		}
		gvk := schema.GroupVersionKind{Group: field.Text(ref["apiGroup"]), Kind: field.Text(ref["kind"])}
		link.add(w.reference(gvk, obj.GetNamespace(), field.Text(ref["name"])))
	}
	if obj.GetKind() == "Cluster" {
		w.members(link, obj)
		w.kubeconfig(link, obj)
	}
}

// members looks at the machines and pools of a Cluster that are not ready.
func (w *walk) members(link *Link, cluster *unstructured.Unstructured) {
	for _, kind := range owns {
		all, err := w.reader.List(w.ctx, kind, cluster.GetNamespace(), clusterv1.ClusterNameLabel+"="+cluster.GetName())
		switch {
		case err == nil:
		case apierrors.IsForbidden(err):
			w.note("whether the objects of kind %s are ready is not known: %v", kind.Kind, err)
		default:
			w.unread(Object{Group: kind.Group, Kind: kind.Kind, Namespace: cluster.GetNamespace()}, false, err)
		}
		for _, o := range all {
			if kind.Kind == "MachinePool" || len(unmet(o)) > 0 || !reported(o) || o.GetDeletionTimestamp() != nil {
				link.add(w.object(o))
			}
		}
	}
}

// kubeconfig looks whether provider-capz has written the kubeconfig of a Cluster whose control plane is ready. Of others it is Cluster API's.
func (w *walk) kubeconfig(link *Link, cluster *unstructured.Unstructured) {
	ref := contractRefs[1].Value(cluster)
	kind, ours := composite.Lookup(schema.GroupKind{Group: field.Text(ref["apiGroup"]), Kind: field.Text(ref["kind"])})
	controlPlane := Object{Group: kind.Group, Kind: kind.Kind, Namespace: cluster.GetNamespace(), Name: field.Text(ref["name"])}
	ready, looked := w.links[controlPlane]
	if !ours || !looked || ready != nil || cluster.GetDeletionTimestamp() != nil {
		return
	}
	name := secret.Name(cluster.GetName(), secret.Kubeconfig)
	found, err := w.reader.Metadata(w.ctx, secretKind, cluster.GetNamespace(), name)
	o := Object{Kind: secretKind.Kind, Namespace: cluster.GetNamespace(), Name: name}
	switch {
	case apierrors.IsForbidden(err):
		w.note("whether the kubeconfig was written is not known: %v", err)
	case err != nil:
		w.unread(o, false, err)
	case found == nil:
		link.add(&Link{Object: o, Says: []Saying{{Reason: reasonKubeconfigMissing, own: true,
			Message: fmt.Sprintf("does not exist in namespace %q, though the control plane is ready", o.Namespace)}}})
	}
}

func hasKey(m map[string]string, key string) bool {
	_, has := m[key]
	return has
}
