package contract

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// containerserviceVersion is the version at which an ASO object is read that no composite resource has composed.
const containerserviceVersion = "v1api20250801"

// behind returns a reference to the ASO object of the kind, ManagedCluster or agent pool, that stands behind xr: the one
// of spec.resources, else the one that was composed, else the one that the user has written; not ok when it has none.
// Whether it exists, and whose it is, is for the reader to find out.
func behind(xr *unstructured.Unstructured, kind schema.GroupKind) (ref objectRef, ok bool) {
	if !typed(xr) {
		inSpec := firstResource(xr, kind)
		if inSpec == nil {
			return objectRef{}, false
		}
		return refTo(inSpec), true
	}
	refs, _ := composedRefs(xr) // What is wrong with them is said where they are acted on.
	for _, ref := range refs {
		if ref.GroupKind() == kind {
			return ref, true
		}
	}
	return objectRef{GroupVersionKind: kind.WithVersion(containerserviceVersion), name: ownName(xr, kind)}, true
}

// composes reports whether xr has composed an object of the kind.
func composes(xr *unstructured.Unstructured, kind schema.GroupKind) bool {
	refs, _ := composedRefs(xr)
	return slices.ContainsFunc(refs, func(ref objectRef) bool { return ref.GroupKind() == kind })
}

// ownName returns the name that an ASO object has which the user of a typed kind has written.
func ownName(xr *unstructured.Unstructured, kind schema.GroupKind) string {
	annotation := v1beta1.AnnotationManagedCluster
	if kind == agentPoolKind {
		annotation = v1beta1.AnnotationAgentPool
	}
	if name := xr.GetAnnotations()[annotation]; name != "" {
		return name
	}
	return v1beta1.ASOObjectName(xr.GetName())
}

// objectBehind returns the live ASO object of the kind that stands behind xr; nil when it is absent, held, or another composite
// resource's. An object that xr has not composed stands behind a typed kind only: it is the user's, to be read.
func (a api) objectBehind(ctx context.Context, xr *unstructured.Unstructured, kind schema.GroupKind) (*unstructured.Unstructured, error) {
	ref, ok := behind(xr, kind)
	if !ok {
		return nil, nil
	}
	obj, err := a.live.object(ctx, xr.GetNamespace(), ref)
	switch {
	case err != nil || obj == nil:
		return nil, err
	case belongsTo(xr, obj) && !aso.Held(obj), typed(xr) && !composedByAny(obj):
		return obj, nil
	}
	return nil, nil
}

// managedClusterOf returns the live ManagedCluster behind the control plane; nil when it has none.
func (a api) managedClusterOf(ctx context.Context, controlPlane *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return a.objectBehind(ctx, controlPlane, managedClusterKind)
}

// composedByAny reports whether any composite resource of this project's kinds controls obj.
func composedByAny(obj metav1.Object) bool {
	owner := metav1.GetControllerOf(obj)
	if owner == nil {
		return false
	}
	gv, err := schema.ParseGroupVersion(owner.APIVersion)
	return err == nil && gv.Group == infrastructure.Group
}

// watchBehind makes events of an ASO object that the user has written lead to xr. A kind that is not installed is none
// of the contract's to tell: the function says so.
func (r *Reconciler) watchBehind(ctx context.Context, xr *unstructured.Unstructured) error {
	if !r.family().typed || r.mirrored.Empty() {
		return nil
	}
	ref, _ := behind(xr, r.mirrored)
	if err := r.watch(ctx, ref.GroupVersionKind); !meta.IsNoMatchError(err) {
		return err
	}
	return nil
}
