package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

const awaitsSeparator = ","

// goesWithManagedCluster reports whether Azure deletes the agent pools of s with their ManagedCluster: it is about to go, as
// the Cluster or the control plane is being deleted, and ASO may delete it. AKS refuses to delete the last System pool
// alone.
func (r *Reconciler) goesWithManagedCluster(ctx context.Context, s *scope) (bool, error) {
	controlPlane, err := controlPlaneOf(ctx, r.Client, s.cluster)
	if err != nil || controlPlane == nil || !s.clusterDeleted() && controlPlane.GetDeletionTimestamp() == nil {
		return false, err
	}
	managedCluster, err := r.managedClusterOf(ctx, controlPlane)
	if err != nil || managedCluster == nil || !belongsTo(controlPlane, managedCluster) {
		return false, err
	}
	namespace := &corev1.Namespace{}
	if err := r.live.Get(ctx, client.ObjectKey{Name: s.xr.GetNamespace()}, namespace); err != nil {
		return false, fmt.Errorf("cannot read namespace %s: %w", s.xr.GetNamespace(), err)
	}
	return managed(managedCluster) && managed(namespace), nil
}

// managed reports whether obj carries no reconcile policy but manage.
func managed(obj metav1.Object) bool {
	policy := obj.GetAnnotations()[reconcilePolicyAnnotation]
	return policy == "" || policy == policyManage || aso.SkippedByPause(obj)
}

// handOver ends a pool whose ManagedCluster is about to go. The agent pools leave Kubernetes only, as they leave Azure
// with the ManagedCluster. What else the pool has is in use until then, and ASO tries a deletion that Azure refused again
// only much later; so another composite resource takes it over, to delete it in time. It returns how many objects the
// pool itself must still wait for: not for its agent pools, of which nothing more is asked than that ASO lets them go.
func (r *Reconciler) handOver(ctx context.Context, s *scope, objects []*unstructured.Unstructured) (int, error) {
	var pools, others []*unstructured.Unstructured
	for _, obj := range objects {
		if obj.GroupVersionKind().GroupKind() == agentPoolKind {
			pools = append(pools, obj)
		} else {
			others = append(others, obj)
		}
	}
	taken, err := r.bequeath(ctx, s, others)
	if err != nil {
		return 0, err
	}
	if taken {
		others = nil
	}
	for _, pool := range pools {
		if err := r.detach(ctx, pool); err != nil {
			return 0, err
		}
	}
	for _, obj := range append(pools, wave(others)...) {
		if err := r.deleteObject(ctx, obj); err != nil {
			return 0, err
		}
	}
	return len(others), nil
}

// bequeath makes another composite resource the controller of the objects, and returns false when there is none.
func (r *Reconciler) bequeath(ctx context.Context, s *scope, objects []*unstructured.Unstructured) (bool, error) {
	if len(objects) == 0 {
		return true, nil
	}
	heir, err := r.heir(ctx, s.cluster)
	if err != nil || heir == nil {
		return false, err
	}
	if err := r.await(ctx, heir, objects); err != nil {
		return false, err
	}
	for _, obj := range objects {
		taken := obj.DeepCopy()
		owners := slices.DeleteFunc(taken.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.UID == s.xr.GetUID() })
		controller := metav1.NewControllerRef(heir, heir.GroupVersionKind())
		controller.BlockOwnerDeletion = nil // The finalizer does that.
		taken.SetOwnerReferences(append(owners, *controller))
		if err := r.patch(ctx, taken, obj); client.IgnoreNotFound(err) != nil {
			return false, err
		}
	}
	return true, nil
}

// detach tells ASO to leave Azure alone as pool is deleted, unless its policy says so already.
//
// A pool that is being deleted has met Azure's refusal, and ASO may try again only after its sync period. It looks at once when
// the policy becomes skip, and only then (ASO documentation, "Annotations").
func (r *Reconciler) detach(ctx context.Context, pool *unstructured.Unstructured) error {
	if !managed(pool) {
		return nil
	}
	policy := policyDetachOnDelete
	if pool.GetDeletionTimestamp() != nil {
		policy = policySkip
	}
	detached := pool.DeepCopy()
	has := detached.GetAnnotations()
	if has == nil {
		has = map[string]string{}
	}
	has[reconcilePolicyAnnotation] = policy
	delete(has, aso.AnnotationSkippedByPause) // It is no longer the pause's.
	detached.SetAnnotations(has)
	// ASO writes to the object all the time, so a lock would only lose against it.
	if err := r.Patch(ctx, detached, client.MergeFrom(pool)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot detach %v: %w", refTo(pool), err)
	}
	pool.SetAnnotations(has)
	return nil
}

// heir returns the composite resource that takes over what pools leave behind: the infrastructure, which goes last, or
// the control plane when the infrastructure is not ours. Nil means that there is neither.
func (r *Reconciler) heir(ctx context.Context, cluster *clusterv1.Cluster) (*unstructured.Unstructured, error) {
	for _, lookUp := range []func(context.Context, client.Reader, *clusterv1.Cluster) (*unstructured.Unstructured, error){
		infrastructureOf, controlPlaneOf,
	} {
		xr, err := lookUp(ctx, r.Client, cluster)
		if err != nil {
			return nil, err
		}
		if xr != nil && !untouchable(xr) && controllerutil.ContainsFinalizer(xr, Finalizer) {
			return xr, nil
		}
	}
	return nil, nil
}

// await notes the objects on xr, so that it deletes them and waits for their end.
func (r *Reconciler) await(ctx context.Context, xr *unstructured.Unstructured, objects []*unstructured.Unstructured) error {
	return r.annotate(ctx, xr, func(a map[string]string) {
		refs := splitAwaited(a[AwaitsDeletionAnnotation])
		for _, obj := range objects {
			if ref := refTo(obj).String(); !slices.Contains(refs, ref) {
				refs = append(refs, ref)
			}
		}
		slices.Sort(refs)
		a[AwaitsDeletionAnnotation] = strings.Join(refs, awaitsSeparator)
	})
}

// withAwaited returns the objects and those that xr has noted besides, of which pools have left some to it.
func (r *Reconciler) withAwaited(ctx context.Context, xr *unstructured.Unstructured, objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	for _, text := range splitAwaited(xr.GetAnnotations()[AwaitsDeletionAnnotation]) {
		ref, err := parseRef(text)
		if err != nil {
			return nil, fmt.Errorf("annotation %s: %w", AwaitsDeletionAnnotation, err)
		}
		if slices.ContainsFunc(objects, func(obj *unstructured.Unstructured) bool { return refTo(obj) == ref }) {
			continue
		}
		if err := r.watch(ctx, ref.GroupVersionKind); err != nil {
			return nil, err
		}
		obj, err := r.live.object(ctx, xr.GetNamespace(), ref)
		if err != nil {
			return nil, err
		}
		if obj != nil && belongsTo(xr, obj) {
			objects = append(objects, obj)
		}
	}
	return objects, nil
}

func splitAwaited(annotation string) []string {
	if annotation == "" {
		return nil
	}
	return strings.Split(annotation, awaitsSeparator)
}

// parseRef reads what objectRef.String writes.
func parseRef(text string) (objectRef, error) {
	kind, name, found := strings.Cut(text, "/")
	gvk, _ := schema.ParseKindArg(kind)
	if !found || gvk == nil || name == "" {
		return objectRef{}, fmt.Errorf("%q is not of the form Kind.version.group/name", text)
	}
	return objectRef{GroupVersionKind: *gvk, name: name}, nil
}
