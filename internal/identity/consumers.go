package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	clusterctlv1 "sigs.k8s.io/cluster-api/cmd/clusterctl/api/v1alpha3"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// consumerFinalizer begins the finalizers that keep an AzureClusterIdentity while it is used, one for each composite resource.
const consumerFinalizer = "identity.infrastructure.cluster.x-k8s.io/"

// finalizerOf returns the finalizer of a composite resource. It is the same wherever that is moved to, and has its
// namespace, so that a provider-capz which knows one namespace only leaves those of others alone.
func finalizerOf(kind schema.GroupKind, key client.ObjectKey) string {
	return finalizersOfNamespace(key.Namespace) + digest(kind.Kind+"/"+key.Name)
}

// finalizersOfNamespace returns how the finalizers of the composite resources in a namespace begin.
func finalizersOfNamespace(namespace string) string {
	return consumerFinalizer + digest(namespace) + "."
}

// digest is short enough for two of them in the name of a finalizer.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// A keeper keeps AzureClusterIdentities for as long as composite resources use them: without, these could not even be deleted.
// It is the one writer of its finalizers; those that CAPZ has left are not its own.
type keeper struct {
	// Client reads composite resources from the cache, and writes.
	client.Client

	// live reads AzureClusterIdentities, which may be in a namespace that is not cached.
	live   client.Reader
	events *access.Reporter
	// namespace is the only one whose composite resources are known; empty means all.
	namespace string
	// watched has the kinds that are served; nil for all of them.
	watched *watched
}

// watched are the kinds of composite resources that are watched. Of the others there is none, as they are not served.
type watched struct {
	lock  sync.RWMutex
	kinds map[schema.GroupKind]bool
}

func (w *watched) add(kind composite.Kind) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.kinds == nil {
		w.kinds = map[schema.GroupKind]bool{}
	}
	w.kinds[kind.GroupKind()] = true
}

// among returns those of the kinds that are watched.
func (w *watched) among(kinds []composite.Kind) []composite.Kind {
	if w == nil {
		return kinds
	}
	w.lock.RLock()
	defer w.lock.RUnlock()
	return slices.DeleteFunc(kinds, func(k composite.Kind) bool { return !w.kinds[k.GroupKind()] })
}

// Reconcile gives the AzureClusterIdentity that req names the finalizers that it is to have.
func (k *keeper) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	identity := &v1beta1.AzureClusterIdentity{}
	if err := k.live.Get(ctx, req.NamespacedName, identity); err != nil {
		k.events.Forget(identityObject(req.NamespacedName))
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if moving(identity) {
		return ctrl.Result{}, nil
	}
	users, err := k.users(ctx, req.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	switch err := k.settle(ctx, identity, users); {
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: access.ConflictDelay}, nil
	case err != nil:
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	k.reportUsers(identity, users)
	return ctrl.Result{}, nil
}

// moving reports whether clusterctl move is removing an object, finalizers or not.
func moving(obj client.Object) bool {
	_, has := obj.GetAnnotations()[clusterctlv1.DeleteForMoveAnnotation]
	return has
}

// users returns the composite resources that refer to an AzureClusterIdentity, by their finalizers.
func (k *keeper) users(ctx context.Context, key client.ObjectKey) (map[string]*unstructured.Unstructured, error) {
	users := map[string]*unstructured.Unstructured{}
	for _, kind := range k.watched.among(carriers()) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersionKind)
		if err := k.List(ctx, list, client.MatchingFields{identityIndex: key.String()}); err != nil {
			return nil, fmt.Errorf("cannot list what uses AzureClusterIdentity %s: %w", key, err)
		}
		for i := range list.Items {
			users[finalizerOf(kind.GroupKind(), client.ObjectKeyFromObject(&list.Items[i]))] = &list.Items[i]
		}
	}
	return users, nil
}

// settle takes away the finalizers of composite resources that are gone or use another AzureClusterIdentity, and adds those of the
// ones that may use it, all in one write. Who was never allowed to use it cannot keep it. Who has its finalizer keeps that:
// its clusters need the identity to be deleted.
func (k *keeper) settle(ctx context.Context, identity *v1beta1.AzureClusterIdentity, users map[string]*unstructured.Unstructured) error {
	wanted := slices.DeleteFunc(slices.Clone(identity.Finalizers), func(f string) bool {
		return strings.HasPrefix(f, k.known()) && users[f] == nil
	})
	if identity.DeletionTimestamp.IsZero() { // Else the API server takes no more.
		for _, finalizer := range slices.Sorted(maps.Keys(users)) {
			if slices.Contains(wanted, finalizer) {
				continue
			}
			entitled, err := k.entitled(ctx, identity, users[finalizer])
			if err != nil {
				return err
			}
			if entitled {
				wanted = append(wanted, finalizer)
			}
		}
	}
	if slices.Equal(wanted, identity.Finalizers) {
		return nil
	}
	before := identity.DeepCopy()
	identity.Finalizers = wanted
	if err := k.Patch(ctx, identity, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("cannot write the finalizers of AzureClusterIdentity %s/%s: %w", identity.Namespace, identity.Name, err)
	}
	return nil
}

// known is how the finalizers begin whose composite resources can be seen.
func (k *keeper) known() string {
	if k.namespace == "" {
		return consumerFinalizer
	}
	return finalizersOfNamespace(k.namespace)
}

// entitled reports whether a composite resource is given a credential, as far as the AzureClusterIdentity and other composite resources
// decide that.
func (k *keeper) entitled(ctx context.Context, identity *v1beta1.AzureClusterIdentity, user *unstructured.Unstructured) (bool, error) {
	allowed, err := allows(ctx, k.Client, identity, user.GetNamespace())
	if err == nil && allowed {
		err = k.claimedByOther(ctx, user)
	}
	if isMistake(err) {
		return false, nil
	}
	return allowed, err
}

// hold puts the finalizer of a composite resource on its AzureClusterIdentity, and those of others that lack it: many are often
// applied at once. Until then no credential is given.
func (k *keeper) hold(ctx context.Context, identity *v1beta1.AzureClusterIdentity, kind schema.GroupKind, user client.ObjectKey) error {
	key, finalizer := client.ObjectKeyFromObject(identity), finalizerOf(kind, user)
	switch {
	case slices.Contains(identity.Finalizers, finalizer):
		return nil
	case !identity.DeletionTimestamp.IsZero() || moving(identity):
		return wrong("AzureClusterIdentity %s, to which spec.identityRef refers, is being deleted, so it gives no credential to clusters that have none from it yet; make it anew when it is gone, or name another",
			key)
	}
	users, err := k.users(ctx, key)
	if err != nil {
		return err
	}
	if err := k.settle(ctx, identity, users); err != nil {
		return err
	}
	if !slices.Contains(identity.Finalizers, finalizer) { // The control plane has changed meanwhile.
		return apierrors.NewConflict(schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, user.Name, errors.New("it has changed"))
	}
	return nil
}

// mostNames is how many users of an AzureClusterIdentity an Event names.
const mostNames = 3

// reportUsers reports once, and again when that changes, what an AzureClusterIdentity that is being deleted waits for.
func (k *keeper) reportUsers(identity *v1beta1.AzureClusterIdentity, users map[string]*unstructured.Unstructured) {
	about := identityObject(client.ObjectKeyFromObject(identity))
	about.SetUID(identity.UID)
	if identity.DeletionTimestamp.IsZero() {
		k.events.Clear(about, identityInUse)
		return
	}
	var named []string
	unknown := 0
	for _, finalizer := range identity.Finalizers {
		switch user := users[finalizer]; {
		case user != nil:
			named = append(named, fmt.Sprintf("%s %s/%s", user.GetKind(), user.GetNamespace(), user.GetName()))
		case strings.HasPrefix(finalizer, consumerFinalizer):
			unknown++
		}
	}
	slices.Sort(named)
	if more := len(named) - mostNames; more > 0 {
		named = append(named[:mostNames], fmt.Sprintf("%d more", more))
	}
	if unknown > 0 {
		named = append(named, fmt.Sprintf("%d in namespaces that another provider-capz is for", unknown))
	}
	if len(named) == 0 {
		k.events.Clear(about, identityInUse)
		return
	}
	k.events.Warn(about, identityInUse, "WaitForDeletion", fmt.Sprintf(
		"waits until it is not used: %s; delete these clusters, or name another AzureClusterIdentity in spec.identityRef", strings.Join(named, ", ")))
}

// identityObject returns what Events about an AzureClusterIdentity are about.
func identityObject(key client.ObjectKey) *unstructured.Unstructured {
	obj := newObject(identityKind)
	obj.SetNamespace(key.Namespace)
	obj.SetName(key.Name)
	return obj
}

// setup watches AzureClusterIdentities. What uses them is watched as it is served.
func (k *keeper) setup(mgr ctrl.Manager, o contract.Options) (controller.Controller, error) {
	return ctrl.NewControllerManagedBy(mgr).
		Named("identity").
		For(newObject(identityKind), builder.WithPredicates(changes(mayBeUsed))).
		WatchesRawSource(ctrlsource.Func(k.leftOver)).
		WithOptions(o.Controller()).
		Build(traces.Reconciler("identity", identityKind.Kind, k))
}

// mayBeUsed notices a finalizer that somebody has taken away, too.
func mayBeUsed(before, after client.Object) bool {
	return notStatus(before, after) || !slices.Equal(before.GetFinalizers(), after.GetFinalizers())
}

func respecified(before, after client.Object) bool {
	return before.GetGeneration() != after.GetGeneration()
}

// identityOf returns the AzureClusterIdentity that a composite resource refers to.
func identityOf(_ context.Context, obj client.Object) []ctrl.Request {
	var requests []ctrl.Request
	for _, key := range indexIdentity(obj) {
		namespace, name, _ := strings.Cut(key, "/")
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: name}})
	}
	return requests
}

// leftOver looks once, in all namespaces, for AzureClusterIdentities that are kept for composite resources which may have gone while
// nobody looked: those in namespaces that are not cached are not read otherwise.
func (k *keeper) leftOver(ctx context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
	if k.namespace == "" {
		return nil
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(identityKind)
	if err := k.live.List(ctx, list); err != nil {
		return fmt.Errorf("cannot list AzureClusterIdentities: %w", err)
	}
	for i := range list.Items {
		if slices.ContainsFunc(list.Items[i].Finalizers, func(f string) bool { return strings.HasPrefix(f, k.known()) }) {
			queue.Add(ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	}
	return nil
}
