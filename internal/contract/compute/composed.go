package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// composedObject returns the object of a kind that is composed for a composite resource; nil when there is none.
func composedObject(ctx context.Context, api access.API, xr *unstructured.Unstructured, kind schema.GroupKind) (*unstructured.Unstructured, error) {
	ref, err := composedRef(xr, kind)
	if err != nil || ref.Name == "" {
		return nil, err
	}
	obj, err := api.Live.Object(ctx, xr.GetNamespace(), ref)
	if err != nil || obj == nil || !access.BelongsTo(xr, obj) {
		return nil, err
	}
	return obj, nil
}

// composedMetadata is composedObject as the cache has it, of which only the metadata are known. It is for what is done again when they change.
func composedMetadata(ctx context.Context, api access.API, xr *unstructured.Unstructured, kind schema.GroupKind) (*metav1.PartialObjectMetadata, error) {
	ref, err := composedRef(xr, kind)
	if err != nil || ref.Name == "" {
		return nil, err
	}
	obj := access.Metadata(ref.GroupVersionKind)
	if err := api.Metadata.Get(ctx, client.ObjectKey{Namespace: xr.GetNamespace(), Name: ref.Name}, obj); err != nil || !metav1.IsControlledBy(obj, xr) {
		return nil, client.IgnoreNotFound(err)
	}
	return obj, nil
}

// composedRef returns the first reference of a composite resource to an object of a kind that it is composed of; an empty one when there is none.
func composedRef(xr *unstructured.Unstructured, kind schema.GroupKind) (access.Ref, error) {
	refs, err := access.ComposedRefs(xr)
	if i := slices.IndexFunc(refs, func(ref access.Ref) bool { return ref.GroupKind() == kind }); i >= 0 {
		return refs[i], err
	}
	return access.Ref{}, err
}

// referredIDs returns the IDs of all that an object refers to.
func referredIDs(ctx context.Context, api access.API, obj *unstructured.Unstructured) (map[machines.Reference]string, error) {
	ids := map[machines.Reference]string{}
	for _, ref := range machines.References(obj) {
		ids[ref] = ref.ARMID
		if ref.ARMID != "" {
			continue
		}
		id, err := idOfObject(ctx, api.Live, obj.GetNamespace(), schema.GroupKind{Group: ref.Group, Kind: ref.Kind}, ref.Name)
		if err != nil {
			return nil, err
		}
		if id == "" {
			return nil, fmt.Errorf("Azure does not have %s yet, to which %s %s refers", ref, obj.GetKind(), obj.GetName())
		}
		ids[ref] = id
	}
	return ids, nil
}

// bootstrapDataKey is the key of the Secret that has the data (CAPI contract, "BootstrapConfig: data secret").
const bootstrapDataKey = "value"

// bootstrapData returns the bootstrap data of a Machine or MachinePool, which is the owner. An error has nothing of them.
func bootstrapData(ctx context.Context, api access.API, namespace, owner string, name *string) ([]byte, error) {
	if name == nil || *name == "" {
		return nil, errors.New("the " + owner + " names no bootstrap data yet")
	}
	secret := &corev1.Secret{}
	err := api.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: *name}, secret)
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("Secret %s with the bootstrap data does not exist", *name) //nolint:staticcheck // A kind's name.
	case err != nil:
		return nil, fmt.Errorf("cannot read Secret %s with the bootstrap data: %w", *name, err)
	case len(secret.Data[bootstrapDataKey]) == 0:
		return nil, fmt.Errorf("Secret %s has no bootstrap data under key %s", *name, bootstrapDataKey) //nolint:staticcheck // A kind's name.
	}
	return secret.Data[bootstrapDataKey], nil
}

// bootstrapDataThere reports whether the Secret with the bootstrap data of a Machine or MachinePool exists, by its metadata.
func bootstrapDataThere(ctx context.Context, api access.API, namespace, name string) (there bool, err error) {
	secret := access.Metadata(corev1.SchemeGroupVersion.WithKind("Secret"))
	key := client.ObjectKey{Namespace: namespace, Name: name}
	err = api.Metadata.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) { // The cache may be late.
		err = api.Live.Get(ctx, key, secret)
	}
	return err == nil, client.IgnoreNotFound(err)
}
