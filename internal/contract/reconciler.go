package contract

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/credential"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/deletion"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/retry"
)

// A Reconciler does provider-capz's part of the contract for one composite kind: what is common to all of them here,
// the rest in mirror.
type Reconciler struct {
	access.API

	kind   composite.Kind
	mirror mirrorer
	// watchFilter is the value of label cluster.x-k8s.io/watch-filter of the objects to act on; empty means all.
	watchFilter string
	// watch makes events of objects of a kind lead here.
	watch access.WatchFunc
}

// A mirrorer copies what Azure and the function have made of a living composite resource to where Cluster API reads it.
type mirrorer interface {
	Reconcile(ctx context.Context, s *access.Scope) (ctrl.Result, error)
}

// nothing is the mirrorer of kinds of which the function alone writes all that Cluster API reads.
type nothing struct{}

// Reconcile implements mirrorer.
func (nothing) Reconcile(context.Context, *access.Scope) (ctrl.Result, error) {
	return ctrl.Result{}, nil
}

// Reconcile does the contract's part for the composite resource that req names.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result, err := r.reconcile(ctx, req)
	switch {
	case apierrors.IsConflict(err):
		ctrl.LoggerFrom(ctx).V(1).Info("Someone else wrote first, trying again", "reason", err.Error())
		return ctrl.Result{RequeueAfter: access.ConflictDelay}, nil
	case access.RefusedByNamespace(err):
		ctrl.LoggerFrom(ctx).V(1).Info("The namespace is being deleted, and so will be what is in it", "reason", err.Error())
		return ctrl.Result{}, nil // The deletion leads here.
	case apierrors.IsForbidden(err):
		r.reportForbidden(ctx, req, err)
	}
	return result, err
}

func (r *Reconciler) reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	xr := access.NewObject(r.kind.GroupVersionKind)
	credentials := &credential.Keeper{API: r.API}
	if err := r.Get(ctx, req.NamespacedName, xr); err != nil {
		if apierrors.IsNotFound(err) { // Its finalizer may have been taken away.
			return ctrl.Result{}, credentials.ReleaseAfter(ctx, req.Namespace)
		}
		return ctrl.Result{}, err
	}
	if !Watched(xr, r.watchFilter) || access.Unmanaged(xr) {
		return ctrl.Result{}, nil
	}
	cluster, err := access.ClusterOf(ctx, r.Client, xr)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("cannot read the Cluster: %w", err)
	}
	s := &access.Scope{XR: xr, Kind: r.kind, Cluster: cluster}
	if err := errors.Join(access.WatchComposed(ctx, xr, r.watch), r.watchBacking(ctx, xr)); err != nil {
		return ctrl.Result{}, err
	}
	if r.kind.Role == composite.InfrastructureMachine && access.AwaitsMachine(xr) && !s.Paused() {
		return ctrl.Result{}, nil // The Machine becomes the owner, which leads here.
	}
	if paused, err := r.translatePause(ctx, s); paused || err != nil {
		return ctrl.Result{}, err
	}
	if xr.GetDeletionTimestamp() != nil {
		return (&deletion.Deleter{API: r.API, Kind: r.kind, Watch: r.watch}).Reconcile(ctx, s)
	}
	if err := r.claim(ctx, xr); err != nil {
		return ctrl.Result{}, err
	}
	if err := credentials.Hold(ctx, xr); err != nil {
		return ctrl.Result{}, err
	}
	after, err := r.retryRefused(ctx, xr)
	if err != nil {
		return ctrl.Result{}, err
	}
	again, err := r.NoteRefusals(ctx, xr, time.Now())
	if err != nil {
		return ctrl.Result{}, err
	}
	after = retry.Sooner(after, again)
	if cluster == nil || !ownedByCAPI(xr) {
		return ctrl.Result{RequeueAfter: after}, nil
	}
	result, err := r.mirror.Reconcile(ctx, s)
	result.RequeueAfter = retry.Sooner(result.RequeueAfter, after)
	return result, err
}

// reportForbidden reports to the user that a right is missing, as when an ASO group is composed that the roles in
// package/ do not have, or the RoleBinding to Secrets was deleted with its namespace.
func (r *Reconciler) reportForbidden(ctx context.Context, req ctrl.Request, forbidden error) {
	xr := access.NewObject(r.kind.GroupVersionKind)
	if err := r.Get(ctx, req.NamespacedName, xr); err != nil {
		return // Without it there is nothing to report on.
	}
	todo := "apply a ClusterRole for it with label infrastructure.cluster.x-k8s.io/aggregate-to-provider-capz: \"true\""
	if status := apierrors.APIStatus(nil); errors.As(forbidden, &status) && status.Status().Details != nil && status.Status().Details.Kind == "secrets" {
		todo = "bind ClusterRole provider-capz:secrets, by a ClusterRoleBinding where the namespace is being deleted, as it takes no RoleBinding then"
	}
	r.Events.Warn(xr, "Forbidden", "", forbidden.Error()+"; "+todo)
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

// watchBacking makes events of an ASO object that the user has written lead to xr. That its kind is not installed is not reported here:
// the function does that.
func (r *Reconciler) watchBacking(ctx context.Context, xr *unstructured.Unstructured) error {
	backing := mirror.Mirrored(r.kind)
	if r.kind.Inline || backing.Empty() {
		return nil
	}
	ref, _ := mirror.BackingRef(xr, backing)
	if err := r.watch(ctx, ref.GroupVersionKind); !meta.IsNoMatchError(err) {
		return err
	}
	return nil
}
