package identity

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/credential"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// Indexes by namespace/name: of composite resources by their identity, of identities by their Secret.
const (
	identityIndex = "spec.identityRef"
	secretIndex   = "spec.clientSecret" //nolint:gosec // A path.
)

// Setups returns what adds the reconcilers to mgr, whose client must read unstructured objects from its cache (see
// contract.CacheOptions): one for each kind that carries a credential, so that a kind which is not served yet holds up no other. An identity
// or Secret outside of the cached namespaces is read again every ten minutes. The namespace is the one that is cached, or empty.
func Setups(ctx context.Context, mgr ctrl.Manager, o contract.Options, namespace string) []contract.Setup {
	api := access.New(mgr.GetClient(), mgr.GetAPIReader(), mgr.GetCache(), mgr.GetRESTMapper(), mgr.GetEventRecorder(names.Controller))
	s := &setup{
		mgr: mgr, options: o, api: api,
		keeper: &keeper{Client: api.Client, live: mgr.GetAPIReader(), events: api.Events, namespace: namespace, watched: &watched{}},
	}
	s.identities = sync.OnceValue(func() error { return s.addKeeper(ctx) })
	var setups []contract.Setup
	for _, kind := range carriers() {
		setups = append(setups, contract.Setup{
			Kinds: []schema.GroupVersionKind{identityKind, kind.GroupVersionKind},
			Add:   func() error { return s.add(ctx, kind) },
		})
	}
	return setups
}

// A setup adds the reconcilers of kinds that carry a credential, each when it is served.
type setup struct {
	mgr     ctrl.Manager
	options contract.Options
	api     access.API
	keeper  *keeper
	// identities adds the reconciler of AzureClusterIdentities, once.
	identities func() error

	lock sync.Mutex
	// controller is that of AzureClusterIdentities, claimants are those of the kinds that claim something in Azure.
	controller controller.Controller
	claimants  []claimant
}

// A claimant is the reconciler of a kind that claims something in Azure, and its controller.
type claimant struct {
	*Reconciler

	controller controller.Controller
}

// addKeeper adds the reconciler of AzureClusterIdentities.
func (s *setup) addKeeper(ctx context.Context) error {
	if err := s.mgr.GetFieldIndexer().IndexField(ctx, newObject(identityKind), secretIndex, indexSecret); err != nil {
		return fmt.Errorf("cannot index %s: %w", identityKind.Kind, err)
	}
	c, err := s.keeper.setup(s.mgr, s.options)
	if err != nil {
		return fmt.Errorf("cannot watch %s: %w", identityKind.Kind, err)
	}
	s.controller = c
	return nil
}

// add adds the reconciler of a kind.
func (s *setup) add(ctx context.Context, kind composite.Kind) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, index := range indexes() {
		if index.kind != kind.GroupVersionKind {
			continue
		}
		if err := s.mgr.GetFieldIndexer().IndexField(ctx, newObject(index.kind), index.field, index.value); err != nil {
			return fmt.Errorf("cannot index %s: %w", kind.Kind, err)
		}
	}
	if err := s.identities(); err != nil {
		return err
	}
	r := &Reconciler{
		Client: s.api.Client, kind: kind, live: s.mgr.GetAPIReader(), events: s.api.Events, recorder: s.mgr.GetEventRecorder(names.Controller),
		secrets: &credential.Keeper{API: s.api}, watchFilter: s.options.WatchFilter, keeper: s.keeper,
		operators: azure.Operators{Secrets: s.mgr.GetAPIReader(), Namespaces: s.options.OperatorNamespaces}, told: s.options.Objects,
	}
	if err := s.watch(r); err != nil {
		return fmt.Errorf("cannot watch %s: %w", kind.Kind, err)
	}
	return nil
}

// watch has the reconciler of a kind run, and others that its objects concern be told of them.
func (s *setup) watch(r *Reconciler) error {
	c, err := r.setup(s.mgr, s.options)
	if err != nil {
		return err
	}
	s.keeper.watched.add(r.kind)
	if err := s.tell(s.controller, r.kind, identityOf, respecified); err != nil {
		return err
	}
	if claims[r.kind.GroupKind()] == nil {
		return nil
	}
	own := claimant{r, c}
	for _, other := range append(s.claimants, own) {
		if err := s.tell(other.controller, r.kind, other.fromClaim, notStatus); err != nil {
			return err
		}
		if other.Reconciler == r {
			continue
		}
		if err := s.tell(c, other.kind, r.fromClaim, notStatus); err != nil {
			return err
		}
	}
	s.claimants = append(s.claimants, own)
	return nil
}

// tell has a controller, which may run already, be told of the objects of a kind.
func (s *setup) tell(c controller.Controller, kind composite.Kind, requests handler.MapFunc, relevant func(before, after client.Object) bool) error {
	return c.Watch(ctrlsource.Kind(s.mgr.GetCache(), client.Object(newObject(kind.GroupVersionKind)), handler.EnqueueRequestsFromMapFunc(requests), changes(relevant)))
}

// An index is one of the cache's.
type index struct {
	kind  schema.GroupVersionKind
	field string
	value client.IndexerFunc
}

func indexes() []index {
	all := []index{{identityKind, secretIndex, indexSecret}}
	for _, kind := range carriers() {
		all = append(all, index{kind.GroupVersionKind, identityIndex, indexIdentity})
	}
	for _, kind := range claiming() {
		all = append(all, index{kind.GroupVersionKind, claimsIndex, indexClaims})
	}
	return all
}

// controllerName returns the name of the controller of a kind, which is in logs and metrics.
func controllerName(kind composite.Kind) string {
	switch kind.GroupVersionKind {
	case composite.AzureManagedControlPlane.GroupVersionKind:
		return "credential"
	case composite.AzureASOManagedControlPlane.GroupVersionKind:
		return "credential-aso"
	}
	return "credential-" + strings.ToLower(kind.Kind)
}

// setup has the reconciler run.
func (r *Reconciler) setup(mgr ctrl.Manager, o contract.Options) (controller.Controller, error) {
	name := controllerName(r.kind)
	return ctrl.NewControllerManagedBy(mgr).
		Named(name).
		For(newObject(r.kind.GroupVersionKind), builder.WithPredicates(changes(notStatus))).
		Watches(&clusterv1.Cluster{}, handler.EnqueueRequestsFromMapFunc(r.fromCluster), builder.WithPredicates(changes(notStatus))).
		Watches(newObject(identityKind), handler.EnqueueRequestsFromMapFunc(r.fromIdentity), builder.WithPredicates(changes(notStatus))).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.fromSecret)).
		WatchesMetadata(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(r.fromNamespace), builder.WithPredicates(changes(labelled))).
		WithOptions(o.Controller()).
		Build(traces.Reconciler(name, r.kind.Kind, r))
}

func newObject(kind schema.GroupVersionKind) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(kind)
	return obj
}

// changes passes creations and deletions, resyncs, and the updates that are relevant.
func changes(relevant func(before, after client.Object) bool) predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetResourceVersion() == e.ObjectNew.GetResourceVersion() || relevant(e.ObjectOld, e.ObjectNew)
	}}
}

// notStatus leaves changes of the status out, of which there are many.
func notStatus(before, after client.Object) bool {
	return before.GetGeneration() != after.GetGeneration() || labelled(before, after) ||
		!maps.Equal(before.GetAnnotations(), after.GetAnnotations()) ||
		!equality.Semantic.DeepEqual(before.GetOwnerReferences(), after.GetOwnerReferences())
}

func labelled(before, after client.Object) bool {
	return !maps.Equal(before.GetLabels(), after.GetLabels())
}

// indexIdentity is the function of identityIndex.
func indexIdentity(obj client.Object) []string {
	carrier := &carrier{}
	if !read(obj, carrier) {
		return nil
	}
	key, err := identityKeyOf(carrier)
	if err != nil {
		return nil
	}
	return []string{key.String()}
}

// indexSecret is the function of secretIndex.
func indexSecret(obj client.Object) []string {
	identity := &v1beta1.AzureClusterIdentity{}
	if !read(obj, identity) || identity.Spec.ClientSecret.Name == "" {
		return nil
	}
	return []string{secretKeyOf(identity).String()}
}

func read(obj client.Object, into any) bool {
	u, ok := obj.(*unstructured.Unstructured)
	return ok && runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, into) == nil
}

// fromCluster returns the composite resource that carries the credential of a Cluster.
func (r *Reconciler) fromCluster(_ context.Context, obj client.Object) []ctrl.Request {
	cluster, ok := obj.(*clusterv1.Cluster)
	if !ok {
		return nil
	}
	for _, ref := range access.Refs(cluster) {
		if access.RefersTo(ref, r.kind.GroupKind()) {
			return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: cluster.Namespace, Name: ref.Name}}}
		}
	}
	return nil
}

// fromIdentity returns the composite resources that refer to an AzureClusterIdentity.
func (r *Reconciler) fromIdentity(ctx context.Context, obj client.Object) []ctrl.Request {
	return r.listed(ctx, r.kind.GroupVersionKind, client.MatchingFields{identityIndex: client.ObjectKeyFromObject(obj).String()})
}

// fromSecret returns the composite resources whose credential is in a Secret, or is made from it. A person's own is found by its name.
func (r *Reconciler) fromSecret(ctx context.Context, obj client.Object) []ctrl.Request {
	var requests []ctrl.Request
	if r.operators.Has(client.ObjectKeyFromObject(obj)) {
		return r.listed(ctx, r.kind.GroupVersionKind) // In which clouds they may be.
	}
	if owner := metav1.GetControllerOf(obj); owner != nil && owner.Kind == r.kind.Kind &&
		owner.APIVersion == r.kind.GroupVersion().String() {
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKey{Namespace: obj.GetNamespace(), Name: owner.Name}})
	}
	if len(requests) == 0 && strings.HasSuffix(obj.GetName(), v1beta1.CredentialSecretSuffix) {
		requests = r.listed(ctx, r.kind.GroupVersionKind, client.InNamespace(obj.GetNamespace()))
	}
	for _, identity := range r.listed(ctx, identityKind, client.MatchingFields{secretIndex: client.ObjectKeyFromObject(obj).String()}) {
		requests = append(requests, r.listed(ctx, r.kind.GroupVersionKind, client.MatchingFields{identityIndex: identity.String()})...)
	}
	return requests
}

// fromNamespace returns the composite resources in a namespace, whose labels may allow them an identity.
func (r *Reconciler) fromNamespace(ctx context.Context, obj client.Object) []ctrl.Request {
	return r.listed(ctx, r.kind.GroupVersionKind, client.InNamespace(obj.GetName()))
}

// listed returns the keys of objects in the cache. What cannot be listed is left out: its own events come later.
func (r *Reconciler) listed(ctx context.Context, kind schema.GroupVersionKind, options ...client.ListOption) []ctrl.Request {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind)
	if err := r.List(ctx, list, options...); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot list", "kind", kind.Kind)
		return nil
	}
	var requests []ctrl.Request
	for i := range list.Items {
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return requests
}
