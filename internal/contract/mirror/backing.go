package mirror

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// The ASO kinds that back control planes and pools of AKS, at any version.
var (
	managedClusterKind = aso.ManagedCluster.GroupKind()
	agentPoolKind      = aso.ManagedClustersAgentPool.GroupKind()
)

// Mirrored returns the kind of the ASO object of which every change concerns the composite resources of a kind; empty when there is
// none.
func Mirrored(kind composite.Kind) schema.GroupKind {
	switch {
	case kind.Role == composite.ControlPlane:
		return managedClusterKind
	case OfAKS(kind) && kind.Role == composite.InfrastructureMachinePool:
		return agentPoolKind
	}
	return schema.GroupKind{}
}

// OfAKS reports whether Azure runs the control planes of the family of a kind.
func OfAKS(kind composite.Kind) bool {
	_, ok := kind.Sibling(composite.ControlPlane)
	return ok
}

// BackingRef returns a reference to the ASO object of the kind, ManagedCluster or agent pool, that backs xr: the one in
// spec.resources, else the one that was composed, else the one that the user has written; not ok when it has none.
// Whether it exists, and which composite resource controls it, must be checked by the reader.
func BackingRef(xr *unstructured.Unstructured, kind schema.GroupKind) (ref access.Ref, ok bool) {
	if access.KindOf(xr).Inline {
		inSpec := access.FirstResource(xr, kind)
		if inSpec == nil {
			return access.Ref{}, false
		}
		return access.RefTo(inSpec), true
	}
	refs, _ := access.ComposedRefs(xr) // Errors in them are reported where they are acted on.
	for _, ref := range refs {
		if ref.GroupKind() == kind {
			return ref, true
		}
	}
	known, _ := aso.KindOf(kind)
	return access.Ref{GroupVersionKind: kind.WithVersion(known.Version), Name: usersName(xr, kind)}, true
}

// usersName returns the name of the ASO object that the user of a kind with typed fields has written.
func usersName(xr *unstructured.Unstructured, kind schema.GroupKind) string {
	annotation := v1beta1.AnnotationManagedCluster
	if kind == agentPoolKind {
		annotation = v1beta1.AnnotationAgentPool
	}
	if name := xr.GetAnnotations()[annotation]; name != "" {
		return name
	}
	return v1beta1.ASOObjectName(xr.GetName())
}

// BackingObject returns the live ASO object of the kind that backs xr; nil when it is absent, held, or another composite resource's.
// An object that xr has not composed backs a kind with typed fields only: it is the user's, to be read.
func BackingObject(ctx context.Context, live access.LiveReader, xr *unstructured.Unstructured, kind schema.GroupKind) (*unstructured.Unstructured, error) {
	ref, ok := BackingRef(xr, kind)
	if !ok {
		return nil, nil
	}
	obj, err := live.Object(ctx, xr.GetNamespace(), ref)
	switch {
	case err != nil || obj == nil:
		return nil, err
	case access.BelongsTo(xr, obj) && !aso.Held(obj), !access.KindOf(xr).Inline && !access.ControlledByComposite(obj):
		return obj, nil
	}
	return nil, nil
}

// ManagedCluster returns the live ManagedCluster that backs the control plane; nil when there is none.
func ManagedCluster(ctx context.Context, live access.LiveReader, controlPlane *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return BackingObject(ctx, live, controlPlane, managedClusterKind)
}

// BackingIndex indexes composite resources by the name of the ASO object that backs them.
const BackingIndex = "backing"

// IndexBacking returns the function of BackingIndex for an ASO kind.
func IndexBacking(kind schema.GroupKind) client.IndexerFunc {
	return func(obj client.Object) []string {
		xr, ok := obj.(*unstructured.Unstructured)
		if !ok {
			return nil
		}
		if ref, ok := BackingRef(xr, kind); ok {
			return []string{ref.Name}
		}
		return nil
	}
}
