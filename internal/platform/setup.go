package platform

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/refusal"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// claimIndex indexes XAKSClusters by namespace/name of their claims.
const claimIndex = "spec.claimRef"

// SetupWithManager adds the reconcilers of the two composite kinds to mgr, whose client must read unstructured objects from
// its cache (see contract.CacheOptions). Only clusters in the namespace are acted on, unless it is empty.
func SetupWithManager(ctx context.Context, mgr ctrl.Manager, o contract.Options, namespace string) error {
	if err := mgr.GetFieldIndexer().IndexField(ctx, newObject(claimedKind), claimIndex, indexClaim); err != nil {
		return fmt.Errorf("cannot index XAKSClusters: %w", err)
	}
	for _, kind := range []schema.GroupVersionKind{namespacedKind, claimedKind} {
		r := &Reconciler{
			Client: client.WithFieldOwner(mgr.GetClient(), names.FieldOwner), live: mgr.GetAPIReader(),
			events: mgr.GetEventRecorder(names.Controller), kind: kind, watchFilter: o.WatchFilter, namespace: namespace,
		}
		if err := r.setup(mgr, o); err != nil {
			return fmt.Errorf("cannot set up the controller of %s: %w", kind.Kind, err)
		}
		if known, ok := composite.Lookup(kind.GroupKind()); ok {
			if err := o.Objects.Composites(ctx, mgr.GetCache(), known); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Reconciler) setup(mgr ctrl.Manager, o contract.Options) error {
	name := strings.ToLower(r.kind.Kind)
	b := ctrl.NewControllerManagedBy(mgr).
		Named(name).
		For(newObject(r.kind), builder.WithPredicates(metadataOrSpecChanged())).
		Watches(&clusterv1.Cluster{}, handler.EnqueueRequestsFromMapFunc(r.fromCluster), builder.WithPredicates(metadataOrSpecChanged())).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.fromSecret)).
		WithOptions(o.Controller())
	if r.kind == claimedKind {
		b = b.Watches(newObject(claimKind), handler.EnqueueRequestsFromMapFunc(fromClaim), builder.WithPredicates(metadataOrSpecChanged()))
	}
	return b.Complete(traces.Reconciler(name, r.kind.Kind, r))
}

// metadataOrSpecChanged passes everything but changes of the status, of which there are many. A deletion raises the
// generation, too.
func metadataOrSpecChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() ||
			e.ObjectOld.GetResourceVersion() == e.ObjectNew.GetResourceVersion() || // A resync.
			!maps.Equal(e.ObjectOld.GetLabels(), e.ObjectNew.GetLabels()) ||
			!maps.Equal(e.ObjectOld.GetAnnotations(), e.ObjectNew.GetAnnotations()) ||
			!slices.Equal(e.ObjectOld.GetFinalizers(), e.ObjectNew.GetFinalizers()) ||
			refusal.Changed(e.ObjectOld, e.ObjectNew)
	}}
}

// indexClaim is the function of claimIndex.
func indexClaim(obj client.Object) []string {
	xr, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil
	}
	if key := claimOf(xr); key.Name != "" {
		return []string{key.String()}
	}
	return nil
}

// fromCluster returns the composite resource that controls a Cluster.
func (r *Reconciler) fromCluster(_ context.Context, obj client.Object) []ctrl.Request {
	owner := metav1.GetControllerOf(obj)
	if owner == nil || owner.Kind != r.kind.Kind || owner.APIVersion != r.kind.GroupVersion().String() {
		return nil
	}
	key := client.ObjectKey{Name: owner.Name}
	if r.kind == namespacedKind {
		key.Namespace = obj.GetNamespace()
	}
	return []ctrl.Request{{NamespacedName: key}}
}

// fromSecret returns the composite resource of the cluster whose kubeconfig or connection a Secret has.
func (r *Reconciler) fromSecret(ctx context.Context, obj client.Object) []ctrl.Request {
	name := obj.GetLabels()[ClusterLabel]
	if name == "" {
		name = obj.GetLabels()[clusterv1.ClusterNameLabel]
	}
	if name == "" {
		return nil
	}
	key := client.ObjectKey{Namespace: obj.GetNamespace(), Name: name}
	if r.kind == namespacedKind {
		return []ctrl.Request{{NamespacedName: key}}
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(claimedKind)
	if err := r.List(ctx, list, client.MatchingFields{claimIndex: key.String()}); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot look up the XAKSCluster of a claim", "claim", key)
		return nil
	}
	var requests []ctrl.Request
	for i := range list.Items {
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return requests
}

// fromClaim returns the composite resource of a claim.
func fromClaim(_ context.Context, obj client.Object) []ctrl.Request {
	claim, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil
	}
	name := specResourceRefName.Value(claim)
	if name == "" {
		return nil
	}
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Name: name}}}
}
