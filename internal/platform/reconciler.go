package platform

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/retry"
)

// A Reconciler serves one of the two composite kinds.
type Reconciler struct {
	// Client reads composite resources, claims and Clusters from the cache, and writes.
	client.Client

	// live reads Secrets, and what is deleted on its word.
	live   client.Reader
	events events.EventRecorder
	kind   schema.GroupVersionKind
	// watchFilter is the value of label cluster.x-k8s.io/watch-filter of the objects to act on; empty means all.
	watchFilter string
	// namespace is the only one whose clusters to act on; empty means all.
	namespace string
}

// A team is where an application team sees its cluster.
type team struct {
	// owner is what the team has made: the AKSCluster, or the claim. It is nil when the claim is gone.
	owner *unstructured.Unstructured
	// cluster is the key of the Cluster, empty when the composite resource stands for no claim.
	cluster client.ObjectKey
	// secret is the name of the connection Secret; empty means none.
	secret string
}

// Reconcile does the provider's part for the composite resource that req names.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result, err := r.reconcile(ctx, req)
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		ctrl.LoggerFrom(ctx).V(1).Info("Someone else wrote first, trying again", "reason", err.Error())
		return ctrl.Result{RequeueAfter: access.ConflictDelay}, nil
	}
	if access.RefusedByNamespace(err) {
		return ctrl.Result{}, nil // All that is in it goes, and its deletion leads here.
	}
	return result, err
}

func (r *Reconciler) reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	xr := newObject(r.kind)
	if err := r.Get(ctx, req.NamespacedName, xr); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	// Crossplane's pause is for deletion as well.
	paused := xr.GetAnnotations()[names.CrossplanePausedAnnotation] == "true"
	if paused || !contract.Watched(xr, r.watchFilter) {
		return ctrl.Result{}, nil
	}
	t, err := r.teamOf(ctx, xr)
	if err != nil {
		return ctrl.Result{}, err
	}
	if r.namespace != "" && t.cluster.Namespace != r.namespace {
		return ctrl.Result{}, nil
	}
	if xr.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, r.delete(ctx, xr, t)
	}
	if err := r.claim(ctx, xr); err != nil {
		return ctrl.Result{}, err
	}
	again, err := access.API{Client: r.Client, Live: access.LiveReader{Reader: r.live}}.NoteRefusals(ctx, xr, time.Now())
	if err != nil || t.owner == nil {
		return ctrl.Result{RequeueAfter: again}, err
	}
	cluster := &clusterv1.Cluster{}
	if err := r.Get(ctx, t.cluster, cluster); err != nil {
		return ctrl.Result{RequeueAfter: again}, client.IgnoreNotFound(err)
	}
	if !metav1.IsControlledBy(cluster, xr) {
		return ctrl.Result{RequeueAfter: again}, nil // The function says so on the composite resource.
	}
	result, err := r.connect(ctx, t, cluster)
	result.RequeueAfter = retry.Sooner(result.RequeueAfter, again)
	return result, err
}

// teamOf returns where the team of a composite resource sees it.
func (r *Reconciler) teamOf(ctx context.Context, xr *unstructured.Unstructured) (team, error) {
	if r.kind == namespacedKind {
		return team{owner: xr, cluster: client.ObjectKeyFromObject(xr), secret: secretName(xr)}, nil
	}
	key := claimOf(xr)
	if key.Name == "" {
		return team{}, nil
	}
	claim := newObject(claimKind)
	err := r.Get(ctx, key, claim)
	if apierrors.IsNotFound(err) {
		return team{cluster: key}, nil
	}
	if err != nil {
		return team{}, fmt.Errorf("cannot read the claim: %w", err)
	}
	if specResourceRefName.Value(claim) != xr.GetName() {
		return team{cluster: key}, nil // Another claim of the same name, made since.
	}
	return team{owner: claim, cluster: key, secret: secretName(claim)}, nil
}

// claimOf returns the key of the claim of a composite resource; empty when it has none.
func claimOf(xr *unstructured.Unstructured) client.ObjectKey {
	namespace := specClaimRefNamespace.Value(xr)
	if namespace == "" {
		return client.ObjectKey{}
	}
	return client.ObjectKey{Namespace: namespace, Name: specClaimRefName.Value(xr)}
}

func secretName(owner *unstructured.Unstructured) string {
	return specConnectionSecretName.Value(owner)
}

// claim puts the finalizer on what was created while the webhook was not there.
func (r *Reconciler) claim(ctx context.Context, xr *unstructured.Unstructured) error {
	before := xr.DeepCopy()
	if !controllerutil.AddFinalizer(xr, Finalizer) {
		return nil
	}
	return r.Patch(ctx, xr, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// delete takes the Cluster away, and lets the composite resource go when it is gone. The end of the Cluster leads here.
func (r *Reconciler) delete(ctx context.Context, xr *unstructured.Unstructured, t team) error {
	if !controllerutil.ContainsFinalizer(xr, Finalizer) {
		return nil
	}
	cluster := &clusterv1.Cluster{}
	err := r.live.Get(ctx, t.cluster, cluster)
	switch {
	case t.cluster.Name == "" || apierrors.IsNotFound(err):
	case err != nil:
		return fmt.Errorf("cannot read Cluster %s: %w", t.cluster, err)
	case metav1.IsControlledBy(cluster, xr):
		if !cluster.DeletionTimestamp.IsZero() {
			return nil
		}
		uid := cluster.UID
		return client.IgnoreNotFound(r.Delete(ctx, cluster, client.Preconditions{UID: &uid}))
	}
	before := xr.DeepCopy()
	controllerutil.RemoveFinalizer(xr, Finalizer)
	return client.IgnoreNotFound(r.Patch(ctx, xr, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}
