package credential

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// user returns, in words, for whom a Secret has to stay; nothing when nobody uses it. The composite resource with the UID does not
// count. A Secret of ours counts as used while its owner lives, which may compose something at any moment.
func (k *Keeper) user(ctx context.Context, secret *metav1.PartialObjectMetadata, but types.UID) (string, error) {
	owner, made := ownerOf(secret)
	if made && owner.UID != but {
		lives, err := k.lives(ctx, secret.Namespace, owner)
		if err != nil {
			return "", err
		}
		if lives {
			return owner.Kind + " " + owner.Name, nil
		}
	}
	users, err := k.users(ctx, secret, but, 1)
	if err != nil || len(users) == 0 {
		return "", err
	}
	return fmt.Sprintf("%s %s", users[0].object.Kind, users[0].object.Name), nil
}

// A use is an ASO object for which ASO signs in with a Secret.
type use struct {
	object *metav1.PartialObjectMetadata
	xr     *unstructured.Unstructured
}

// users returns one object for each composite resource which has composed some that need the Secret, and most of them at most.
func (k *Keeper) users(ctx context.Context, secret *metav1.PartialObjectMetadata, but types.UID, most int) ([]use, error) {
	var users []use
	for _, kind := range composing() {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersionKind)
		err := k.List(ctx, list, client.InNamespace(secret.Namespace), client.UnsafeDisableDeepCopy)
		if meta.IsNoMatchError(err) {
			continue // A Configuration of an older version does not have it.
		}
		if err != nil {
			return nil, fmt.Errorf("cannot list what uses Secret %s: %w", secret.Name, err)
		}
		for i := range list.Items {
			xr := &list.Items[i]
			if xr.GetUID() == but || !mayUse(xr, secret) {
				continue
			}
			objects, err := k.composed(ctx, xr)
			if err != nil {
				return nil, err
			}
			i := slices.IndexFunc(objects, func(obj *metav1.PartialObjectMetadata) bool {
				name, _ := azure.SecretOf(obj)
				return name == secret.Name
			})
			if i < 0 {
				continue
			}
			if users = append(users, use{object: objects[i], xr: xr}); len(users) >= most {
				return users, nil
			}
		}
	}
	return users, nil
}

// composing returns the kinds whose composite resources have ASO objects.
func composing() []composite.Kind {
	return composite.Select(composite.Is(composite.InfrastructureCluster, composite.ControlPlane, composite.InfrastructureMachine, composite.InfrastructureMachinePool))
}

// mayUse reports whether it is worth looking at what a composite resource has composed: what is made for one Cluster is used in
// another one only where a user has named it.
func mayUse(xr *unstructured.Unstructured, secret *metav1.PartialObjectMetadata) bool {
	if _, made := ownerOf(secret); !made {
		return true
	}
	if cluster := xr.GetLabels()[clusterv1.ClusterNameLabel]; cluster == "" || cluster == secret.Labels[clusterv1.ClusterNameLabel] {
		return true
	}
	return slices.ContainsFunc(field.Maps(access.SpecResources.Value(xr)), func(entry map[string]any) bool {
		name, named := azure.SecretOf(&unstructured.Unstructured{Object: entry})
		return named && name == secret.Name
	})
}

// ownerOf returns the composite resource that a Secret is made for, if it is.
func ownerOf(secret metav1.Object) (metav1.OwnerReference, bool) {
	owner := metav1.GetControllerOf(secret)
	if owner == nil || !access.ControlledByComposite(secret) {
		return metav1.OwnerReference{}, false
	}
	return *owner, true
}

// lives reports whether a composite resource is there and not being deleted.
func (k *Keeper) lives(ctx context.Context, namespace string, owner metav1.OwnerReference) (bool, error) {
	xr := access.NewObject(schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind))
	err := k.Get(ctx, client.ObjectKey{Namespace: namespace, Name: owner.Name}, xr)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot read %s %s: %w", owner.Kind, owner.Name, err)
	}
	return xr.GetUID() == owner.UID && xr.GetDeletionTimestamp().IsZero(), nil
}

// composed returns the metadata of the ASO objects that a composite resource has composed or notes to delete.
func (k *Keeper) composed(ctx context.Context, xr *unstructured.Unstructured) ([]*metav1.PartialObjectMetadata, error) {
	refs, err := access.ComposedRefs(xr)
	if err != nil {
		return nil, err
	}
	for _, text := range access.Awaited(xr) {
		if ref, err := access.ParseRef(text); err == nil && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	var objects []*metav1.PartialObjectMetadata
	for _, ref := range refs {
		if !aso.IsASO(ref.Group) {
			continue
		}
		obj, err := k.object(ctx, xr.GetNamespace(), ref)
		if err != nil {
			return nil, err
		}
		if obj != nil {
			objects = append(objects, obj)
		}
	}
	return objects, nil
}

// object returns the metadata of an ASO object; nil when it does not exist. The cache may not have it yet, so that its absence is
// confirmed.
func (k *Keeper) object(ctx context.Context, namespace string, ref access.Ref) (*metav1.PartialObjectMetadata, error) {
	obj := access.Metadata(ref.GroupVersionKind)
	err := k.Metadata.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, obj)
	if err == nil {
		return obj, nil
	}
	if !apierrors.IsNotFound(err) && !meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("cannot read the metadata of %v: %w", ref, err)
	}
	live, err := k.Live.Object(ctx, namespace, ref)
	if err != nil || live == nil {
		return nil, err
	}
	obj = access.Metadata(live.GroupVersionKind())
	obj.SetNamespace(namespace)
	obj.SetName(live.GetName())
	obj.SetAnnotations(live.GetAnnotations())
	return obj, nil
}
