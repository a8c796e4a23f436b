package contract

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ConflictDelay lets the cache catch up with a write that came in between.
const ConflictDelay = 200 * time.Millisecond

// A Reconciler does provider-capz's part of the contract for one composite kind: what is common to all of them here,
// and mirror for what is not.
type Reconciler struct {
	api

	kind   schema.GroupVersionKind
	mirror mirror
	// mirrored is the kind of the ASO object that mirror reads; empty when it reads none.
	mirrored schema.GroupKind
	// watchFilter is the value of label cluster.x-k8s.io/watch-filter of the objects to act on; empty means all.
	watchFilter string
	// watch makes events of objects of the kind lead here.
	watch func(context.Context, schema.GroupVersionKind) error
}

// A mirror hands what Azure and the function have made of a living composite resource on to Cluster API.
type mirror interface {
	reconcile(ctx context.Context, s *scope) (ctrl.Result, error)
}

func (r *Reconciler) family() family { return familyOf(r.kind) }

// Reconcile does the contract's part for the composite resource that req names.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result, err := r.reconcile(ctx, req)
	switch {
	case apierrors.IsConflict(err):
		ctrl.LoggerFrom(ctx).V(1).Info("Someone else wrote first, trying again", "reason", err.Error())
		return ctrl.Result{RequeueAfter: ConflictDelay}, nil
	case apierrors.IsForbidden(err):
		r.tellForbidden(ctx, req, err)
	}
	return result, err
}

func (r *Reconciler) reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	xr := newXR(r.kind)
	if err := r.Get(ctx, req.NamespacedName, xr); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !Watched(xr, r.watchFilter) || untouchable(xr) {
		return ctrl.Result{}, nil
	}
	cluster, err := ClusterOf(ctx, r.Client, xr)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("cannot read the Cluster: %w", err)
	}
	s := &scope{xr: xr, cluster: cluster}
	if err := errors.Join(r.watchComposed(ctx, xr), r.watchBehind(ctx, xr)); err != nil {
		return ctrl.Result{}, err
	}
	if paused, err := r.translatePause(ctx, s); paused || err != nil {
		return ctrl.Result{}, err
	}
	if xr.GetDeletionTimestamp() != nil {
		return r.reconcileDelete(ctx, s)
	}
	if err := r.claim(ctx, xr); err != nil {
		return ctrl.Result{}, err
	}
	if cluster == nil || !ownedByCAPI(xr) {
		return ctrl.Result{}, nil
	}
	return r.mirror.reconcile(ctx, s)
}

// tellForbidden shows a person that a right is missing, as it is when an ASO group is composed that the roles in
// package/ do not have.
func (r *Reconciler) tellForbidden(ctx context.Context, req ctrl.Request, forbidden error) {
	xr := newXR(r.kind)
	if err := r.Get(ctx, req.NamespacedName, xr); err != nil {
		return // Then there is nobody to tell.
	}
	r.events.warn(xr, "Forbidden", "", forbidden.Error()+"; apply a ClusterRole for it with label "+
		"infrastructure.cluster.x-k8s.io/aggregate-to-provider-capz: \"true\"")
}

// ownedByCAPI reports whether Cluster API has taken xr as a part of a Cluster, as the contract asks to wait for.
func ownedByCAPI(xr *unstructured.Unstructured) bool {
	for _, owner := range xr.GetOwnerReferences() {
		gv, err := schema.ParseGroupVersion(owner.APIVersion)
		if err == nil && gv.Group == clusterv1.GroupVersion.Group {
			return true
		}
	}
	return false
}

// watchComposed makes events of everything that xr has composed lead to xr.
func (r *Reconciler) watchComposed(ctx context.Context, xr *unstructured.Unstructured) error {
	refs, err := composedRefs(xr)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if err := r.watch(ctx, ref.GroupVersionKind); err != nil {
			return err
		}
	}
	return nil
}
