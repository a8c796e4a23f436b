package deletion

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// groupsDeletedWhole returns the resource groups that Azure deletes with all that is in them as the Cluster of s is deleted: those that were
// made for it, if ASO may delete them. It is none while only a machine is deleted.
func (d *Deleter) groupsDeletedWhole(ctx context.Context, s *access.Scope, objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	if d.Kind.Family != composite.SelfManaged || s.Cluster == nil {
		return nil, nil
	}
	if d.Kind.Role != composite.InfrastructureCluster {
		infrastructure, err := access.InfrastructureOf(ctx, d.Client, s.Cluster)
		if err != nil || infrastructure == nil || !s.ClusterDeleted() && infrastructure.GetDeletionTimestamp() == nil {
			return nil, err
		}
		composed, err := d.Live.Composed(ctx, infrastructure)
		if err != nil {
			return nil, err
		}
		objects = composed.Objects
	}
	var groups []*unstructured.Unstructured
	for _, obj := range objects {
		owned := obj.GetAnnotations()[v1beta1.AnnotationOwnership] == v1beta1.OwnershipOwned
		if obj.GroupVersionKind().GroupKind() == aso.ResourceGroup.GroupKind() && owned && !aso.Held(obj) && deletedInAzure(obj) {
			groups = append(groups, obj)
		}
	}
	if len(groups) == 0 {
		return nil, nil
	}
	namespace := &corev1.Namespace{}
	if err := d.Live.Get(ctx, client.ObjectKey{Name: s.XR.GetNamespace()}, namespace); err != nil {
		return nil, fmt.Errorf("cannot read namespace %s: %w", s.XR.GetNamespace(), err)
	}
	if !deletedInAzure(namespace) {
		return nil, nil
	}
	return groups, nil
}

// deleteWithGroups takes the next step towards having no objects of which some lie in groups that Azure deletes as a whole, with one request.
// What lies in them only leaves Kubernetes. What lies elsewhere is deleted before, if nothing refers to it, else after. It returns how many
// objects must still be waited for.
func (d *Deleter) deleteWithGroups(ctx context.Context, objects, groups []*unstructured.Unstructured) (int, error) {
	var outside, inside, whole []*unstructured.Unstructured
	for _, obj := range objects {
		switch {
		case slices.ContainsFunc(groups, func(g *unstructured.Unstructured) bool { return g.GetUID() == obj.GetUID() }):
			whole = append(whole, obj)
		case liesInAny(obj, groups, objects):
			inside = append(inside, obj)
		default:
			outside = append(outside, obj)
		}
	}
	free, _ := newGraph(objects).next()
	first := slices.DeleteFunc(free, func(obj *unstructured.Unstructured) bool { return !slices.Contains(outside, obj) })
	if len(first) > 0 {
		return len(objects), d.deleteAll(ctx, first)
	}
	for _, obj := range inside {
		if err := d.detach(ctx, obj); err != nil {
			return 0, err
		}
	}
	if err := d.deleteAll(ctx, append(inside, whole...)); err != nil {
		return 0, err
	}
	return len(objects), nil
}

func (d *Deleter) deleteAll(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, obj := range objects {
		if err := d.deleteObject(ctx, obj); err != nil {
			return err
		}
	}
	return nil
}

// liesInAny reports whether the resource of one of the objects is certainly in one of the groups.
func liesInAny(obj *unstructured.Unstructured, groups, objects []*unstructured.Unstructured) bool {
	for range objects { // No chain of owners is longer.
		if slices.ContainsFunc(groups, func(group *unstructured.Unstructured) bool { return liesIn(obj, group) }) {
			return true
		}
		owner := ownerAmong(obj, objects)
		if owner == nil {
			return false
		}
		obj = owner
	}
	return false
}

// ownerAmong returns the object in which one lies by name; nil if it is not among them.
func ownerAmong(obj *unstructured.Unstructured, objects []*unstructured.Unstructured) *unstructured.Unstructured {
	for _, ref := range aso.References(obj) {
		if ref.Path != aso.PathOwner {
			continue
		}
		if i := slices.IndexFunc(objects, ref.Matches); i >= 0 {
			return objects[i]
		}
	}
	return nil
}

// liesIn reports whether the resource of an object is in a group, by its ID or its owner.
func liesIn(obj, group *unstructured.Unstructured) bool {
	for _, text := range []string{obj.GetAnnotations()[aso.AnnotationResourceID], aso.StatusID.Value(obj), aso.SpecOwnerARMID.Value(obj)} {
		id := aso.ParseID(text)
		if id == nil {
			continue
		}
		home := aso.ParseID(aso.StatusID.Value(group))
		return strings.EqualFold(id.ResourceGroupName, aso.AzureName(group)) && (home == nil || strings.EqualFold(home.SubscriptionID, id.SubscriptionID))
	}
	return slices.ContainsFunc(aso.References(obj), func(ref aso.Reference) bool { return ref.Path == aso.PathOwner && ref.Matches(group) })
}

// detachExtensions has the extensions of a virtual machine that is deleted too only leave Kubernetes: they go with it, and to remove one from a
// machine takes Azure minutes.
func (d *Deleter) detachExtensions(ctx context.Context, objects []*unstructured.Unstructured) error {
	deleted := slices.ContainsFunc(objects, func(obj *unstructured.Unstructured) bool {
		return obj.GroupVersionKind().GroupKind() == aso.VirtualMachine.GroupKind() && deletedInAzure(obj)
	})
	if !deleted {
		return nil
	}
	for _, obj := range objects {
		if obj.GroupVersionKind().GroupKind() != aso.VirtualMachinesExtension.GroupKind() {
			continue
		}
		if err := d.detach(ctx, obj); err != nil {
			return err
		}
	}
	return nil
}
