package compute

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// Remove has Azure delete the resource of an object of a kind, if it is known to be the Cluster's or has the tag of that, and reports whether it
// is gone. An object that nobody has given an ID yet has no resource.
func (a *Azure) Remove(ctx context.Context, api access.API, kind aso.Kind, obj *unstructured.Unstructured, known bool) (gone bool, err error) {
	id := obj.GetAnnotations()[aso.AnnotationResourceID]
	if id == "" {
		id = aso.StatusID.Value(obj)
	}
	if id == "" {
		if id, err = idOf(ctx, api.Live, kind, obj); err != nil || id == "" {
			return id == "", err
		}
	}
	if parsed := aso.ParseID(id); parsed == nil || !strings.EqualFold(parsed.ResourceType.String(), kind.ARM()) {
		return false, fmt.Errorf("%q is not the ID of a resource of type %s", id, kind.ARM())
	}
	account, err := a.Credentials.Account(ctx, obj)
	if err != nil {
		return false, fmt.Errorf("cannot use the credential of %s %s: %w", kind.Name, obj.GetName(), err)
	}
	unlock := a.lock(id)
	defer unlock()
	gone, err = a.remover.Remove(ctx, machines.Removal{
		ID: id, Version: kind.APIVersion(), Cluster: obj.GetLabels()[clusterv1.ClusterNameLabel], Known: known, As: account,
	})
	if gone {
		a.creator.Forget(id)
		a.scaleSets.Forget(id)
	}
	return gone, err
}

// lock waits until nobody else creates or removes the resource of an ID, and returns what lets the next one.
func (a *Azure) lock(id string) (unlock func()) {
	key := strings.ToLower(id)
	a.locks.LockKey(key)
	return func() { _ = a.locks.UnlockKey(key) }
}

// idOf returns the ID that the resource of an object, which lies in a resource group, has in Azure or will have; empty while the group is not
// there.
func idOf(ctx context.Context, live access.LiveReader, kind aso.Kind, obj *unstructured.Unstructured) (string, error) {
	group := aso.SpecOwnerARMID.Value(obj)
	if name := aso.SpecOwnerName.Value(obj); group == "" && name != "" {
		var err error
		if group, err = idOfObject(ctx, live, obj.GetNamespace(), aso.ResourceGroup.GroupKind(), name); err != nil || group == "" {
			return "", err
		}
	}
	id := aso.ParseID(within(group, kind, aso.AzureName(obj)))
	if id == nil {
		return "", fmt.Errorf("%s %s has no resource group in spec.owner", kind.Name, obj.GetName())
	}
	return id.String(), nil
}

// idOfObject returns the ID of the resource of an ASO object; empty while Azure does not have it.
func idOfObject(ctx context.Context, live access.LiveReader, namespace string, kind schema.GroupKind, name string) (string, error) {
	known, ok := aso.KindOf(kind)
	if !ok {
		return "", fmt.Errorf("%s %s is of no kind that this version knows", kind, name)
	}
	obj, err := live.Object(ctx, namespace, access.Ref{GroupVersionKind: known.GroupVersionKind(), Name: name})
	if err != nil || obj == nil {
		return "", err
	}
	return aso.StatusID.Value(obj), nil
}
