package deletion

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/credential"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/retry"
)

// pollInterval is how often a composite resource looks again at what may change without an event that leads to it.
const pollInterval = 10 * time.Second

// A Deleter deletes what composite resources of one kind have composed.
type Deleter struct {
	access.API

	Kind composite.Kind
	// Watch makes events of objects of a kind lead to Reconcile.
	Watch access.WatchFunc
}

// Reconcile takes the next step of the deletion of a composite resource, once Crossplane has stopped composing, and removes the finalizer when
// all that it has composed is gone.
func (d *Deleter) Reconcile(ctx context.Context, s *access.Scope) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(s.XR, names.Finalizer) || othersFirst(s.XR) {
		return ctrl.Result{}, nil
	}
	xr, err := d.Live.Object(ctx, s.XR.GetNamespace(), access.RefTo(s.XR))
	if err != nil || xr == nil || xr.GetUID() != s.XR.GetUID() || othersFirst(xr) {
		return ctrl.Result{}, err
	}
	s = &access.Scope{XR: xr, Kind: d.Kind, Cluster: s.Cluster}
	objects, orphans, err := d.toDelete(ctx, xr)
	if err != nil {
		return ctrl.Result{}, err
	}
	if d.Kind.Role == composite.InfrastructureCluster && (len(objects) > 0 || !d.Kind.Inline) {
		used, err := d.inUse(ctx, xr)
		if err != nil {
			return ctrl.Result{}, err
		}
		if used {
			return ctrl.Result{RequeueAfter: pollInterval}, nil
		}
	}
	d.reportRefusals(xr, objects)
	left, err := d.deleteObjects(ctx, s, objects)
	if err != nil {
		return ctrl.Result{}, err
	}
	if lost, err := d.reportLost(ctx, xr, objects); err != nil || lost {
		return ctrl.Result{RequeueAfter: pollInterval}, err
	}
	if left > 0 {
		return d.awaitObjects(ctx, xr, objects)
	}
	if wait := d.abandon(xr, orphans); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	if awaits, err := d.awaitsCredential(ctx, s); err != nil || awaits {
		return ctrl.Result{RequeueAfter: pollInterval}, err
	}
	if err := mirror.GiveUp(ctx, d.API, xr); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, d.release(ctx, xr)
}

// othersFirst reports whether somebody else has to finish first, whose end leads to Reconcile: garbage collection, which removes the owner references,
// or Crossplane, as an answer of the function may be on its way, which would undo what is done here.
func othersFirst(xr *unstructured.Unstructured) bool {
	return controllerutil.ContainsFinalizer(xr, metav1.FinalizerOrphanDependents) || controllerutil.ContainsFinalizer(xr, crossplaneFinalizer)
}

// toDelete returns the objects that have to be gone before xr, and orphans that it may have composed.
func (d *Deleter) toDelete(ctx context.Context, xr *unstructured.Unstructured) (objects, orphans []*unstructured.Unstructured, err error) {
	if err := access.WatchComposed(ctx, xr, d.Watch); err != nil {
		return nil, nil, err
	}
	composed, err := d.Live.Composed(ctx, xr)
	if err != nil {
		return nil, nil, err
	}
	if err := d.noteForeground(ctx, xr, composed.Objects); err != nil {
		return nil, nil, err
	}
	objects, err = d.withAwaited(ctx, xr, composed.Objects)
	return objects, composed.Orphans, err
}

// deleteObjects takes the next step towards having no objects, and returns how many must still be waited for.
func (d *Deleter) deleteObjects(ctx context.Context, s *access.Scope, objects []*unstructured.Unstructured) (int, error) {
	if d.Kind.Role == composite.InfrastructureMachinePool && s.Cluster != nil {
		deleted, err := d.deletedWithManagedCluster(ctx, s)
		if err != nil {
			return 0, err
		}
		if deleted {
			return d.detachPool(ctx, s, objects)
		}
	}
	groups, err := d.groupsDeletedWhole(ctx, s, objects)
	if err != nil {
		return 0, err
	}
	if len(groups) > 0 {
		return d.deleteWithGroups(ctx, objects, groups)
	}
	if d.Kind.Role == composite.InfrastructureMachine {
		if err := d.detachExtensions(ctx, objects); err != nil {
			return 0, err
		}
	}
	for _, obj := range wave(objects) {
		waits, err := d.settle(ctx, s.XR, obj)
		if err != nil {
			return 0, err
		}
		if waits {
			continue // What ASO finds leads here.
		}
		if err := d.deleteObject(ctx, obj); err != nil {
			return 0, err
		}
	}
	return len(objects), nil
}

// awaitObjects has ASO try again what Azure has refused to delete and nothing stands in the way of any more: garbage collection may have
// deleted all at once, and Azure refuses to delete what is in use. It returns when to look at the objects again.
func (d *Deleter) awaitObjects(ctx context.Context, xr *unstructured.Unstructured, objects []*unstructured.Unstructured) (ctrl.Result, error) {
	var deleted []*unstructured.Unstructured
	for _, obj := range next(objects) {
		gone, err := d.letGo(ctx, xr, obj)
		if err != nil {
			return ctrl.Result{}, err
		}
		if !gone && obj.GetDeletionTimestamp() != nil {
			deleted = append(deleted, obj)
		}
	}
	after, err := retry.All(ctx, d.Client, deleted)
	return ctrl.Result{RequeueAfter: retry.Sooner(after, pollOrphans(objects))}, err
}

// deleteObject asks for the deletion of obj once; another object that has taken its name since stays.
func (d *Deleter) deleteObject(ctx context.Context, obj *unstructured.Unstructured) error {
	if obj.GetDeletionTimestamp() != nil {
		return nil
	}
	if err := d.resume(ctx, obj); err != nil {
		return err
	}
	uid := obj.GetUID()
	err := d.Delete(ctx, obj, client.Preconditions{UID: &uid})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("cannot delete %v: %w", access.RefTo(obj), err)
	}
	return nil
}

// release removes the finalizer. Those of Secrets go before, or they could stay.
func (d *Deleter) release(ctx context.Context, xr *unstructured.Unstructured) error {
	if err := (&credential.Keeper{API: d.API}).Release(ctx, xr); err != nil {
		return err
	}
	err := d.removeFinalizer(ctx, xr)
	if apierrors.IsConflict(err) { // Crossplane writes to the status, after it has stopped, that the object is being deleted.
		current, readErr := d.Live.Object(ctx, xr.GetNamespace(), access.RefTo(xr))
		if readErr != nil {
			return readErr
		}
		if current != nil && onlyStatusDiffers(xr, current) {
			err = d.removeFinalizer(ctx, current)
		}
	}
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	d.Events.Forget(xr)
	return nil
}

func (d *Deleter) removeFinalizer(ctx context.Context, xr *unstructured.Unstructured) error {
	released := xr.DeepCopy()
	controllerutil.RemoveFinalizer(released, names.Finalizer)
	return d.MergePatch(ctx, released, xr)
}

// onlyStatusDiffers reports whether all that a deletion depends on is the same in both versions of a composite resource.
func onlyStatusDiffers(a, b *unstructured.Unstructured) bool {
	return a.GetUID() == b.GetUID() && a.GetGeneration() == b.GetGeneration() && maps.Equal(a.GetAnnotations(), b.GetAnnotations()) &&
		slices.Equal(a.GetFinalizers(), b.GetFinalizers())
}
