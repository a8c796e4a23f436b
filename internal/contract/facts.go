package contract

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/facts"
)

// A factsTeller keeps the ClusterFacts of the Clusters of a family, from which their composite resources are composed.
type factsTeller struct {
	client.Client

	family      family
	watchFilter string
	// mapper knows which kinds are served.
	mapper meta.RESTMapper
	// operators knows where Azure Service Operator runs.
	operators *operators
}

// A Setup adds a controller that needs some kinds to be served.
type Setup struct {
	Kinds []schema.GroupVersionKind
	Add   func() error
}

// Facts returns what adds the controllers of ClusterFacts to mgr, whose client must read unstructured objects from its cache (see
// CacheOptions). Without them everything is composed all the same.
func Facts(mgr ctrl.Manager, o Options) []Setup {
	var setups []Setup
	known := newOperators(azure.Operators{Secrets: mgr.GetAPIReader(), Namespaces: o.OperatorNamespaces})
	for _, f := range families {
		setups = append(setups, Setup{Kinds: append(f.kinds(), facts.Kind), Add: func() error { return setupFacts(mgr, o, f, known) }})
	}
	return setups
}

func setupFacts(mgr ctrl.Manager, o Options, f family, known *operators) error {
	t := &factsTeller{Client: client.WithFieldOwner(mgr.GetClient(), FieldOwner), family: f, watchFilter: o.WatchFilter, mapper: mgr.GetRESTMapper(), operators: known}
	m := mapper{client: mgr.GetClient()}
	b := ctrl.NewControllerManagedBy(mgr).
		Named("facts-"+strings.ToLower(f.controlPlane.Kind)).
		For(&clusterv1.Cluster{}, builder.WithPredicates(specChanged())).
		Watches(&v1alpha1.ClusterFacts{}, &handler.EnqueueRequestForObject{}, builder.WithPredicates(gone())).
		Watches(&clusterv1.MachinePool{}, handler.EnqueueRequestsFromMapFunc(clusterOfMachinePool), builder.WithPredicates(specChanged())).
		WithOptions(o.Controller())
	for _, kind := range f.kinds() {
		b.Watches(newXR(kind), handler.EnqueueRequestsFromMapFunc(m.cluster), builder.WithPredicates(factsChanged()))
	}
	if err := b.Complete(t); err != nil {
		return fmt.Errorf("cannot set up the controller of %s for %s: %w", facts.Kind.Kind, f.controlPlane.Kind, err)
	}
	return nil
}

// cluster returns the Cluster of a composite resource. That of a pool which Cluster API does not own yet is the Cluster of the
// MachinePool of the same name that refers to it.
func (m mapper) cluster(ctx context.Context, obj client.Object) []ctrl.Request {
	cluster, err := ClusterOf(ctx, m.client, obj)
	if err != nil {
		return nil
	}
	if cluster != nil {
		return request(cluster.Namespace, cluster.Name)
	}
	pool := &clusterv1.MachinePool{}
	if err := m.client.Get(ctx, client.ObjectKeyFromObject(obj), pool); err != nil {
		return nil
	}
	if !means(pool.Spec.Template.Spec.InfrastructureRef, obj) {
		return nil
	}
	return clusterOfMachinePool(ctx, pool)
}

func clusterOfMachinePool(_ context.Context, obj client.Object) []ctrl.Request {
	pool, ok := obj.(*clusterv1.MachinePool)
	if !ok {
		return nil
	}
	return request(pool.Namespace, pool.Spec.ClusterName)
}

// factsChanged passes what of a composite resource others are composed by.
func factsChanged() predicate.Predicate {
	return onUpdate(func(before, after client.Object) bool {
		old, oldOK := before.(*unstructured.Unstructured)
		changed, changedOK := after.(*unstructured.Unstructured)
		return oldOK && changedOK && !reflect.DeepEqual(facts.Of(old), facts.Of(changed))
	})
}

// Reconcile has the ClusterFacts tell what is so of the Cluster.
func (t *factsTeller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cluster := &clusterv1.Cluster{}
	if err := t.Get(ctx, req.NamespacedName, cluster); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !refersTo(cluster.Spec.ControlPlaneRef, t.family.controlPlane) || !Watched(cluster, t.watchFilter) {
		return ctrl.Result{}, nil
	}
	current := &v1alpha1.ClusterFacts{}
	err := t.Get(ctx, req.NamespacedName, current)
	absent := apierrors.IsNotFound(err)
	if err != nil && !absent {
		return ctrl.Result{}, fmt.Errorf("cannot read what is told of the Cluster: %w", err)
	}
	objects, err := t.objects(ctx, cluster)
	if err != nil {
		return ctrl.Result{}, err
	}
	if cluster.DeletionTimestamp != nil && !t.uninitialized(objects) {
		objects = t.withPools(objects, current.Spec.Objects)
	}
	told, err := t.tell(objects, len(current.Spec.Objects) > 0)
	if err != nil {
		return ctrl.Result{}, err
	}
	told.OperatorNamespace = t.operators.serving(ctx, cluster.Namespace)
	if absent {
		err = t.create(ctx, cluster, told)
	} else {
		err = t.update(ctx, cluster, current, told)
	}
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return ctrl.Result{RequeueAfter: ConflictDelay}, nil
	}
	return ctrl.Result{}, err
}

// create makes the ClusterFacts.
func (t *factsTeller) create(ctx context.Context, cluster *clusterv1.Cluster, told v1alpha1.ClusterFactsSpec) error {
	if cluster.DeletionTimestamp != nil {
		return nil
	}
	return t.Create(ctx, &v1alpha1.ClusterFacts{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: cluster.Namespace, Name: cluster.Name, Labels: map[string]string{clusterv1.ClusterNameLabel: cluster.Name},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: cluster.Name, UID: cluster.UID,
			}},
		},
		Spec: told,
	})
}

func (t *factsTeller) update(ctx context.Context, cluster *clusterv1.Cluster, current *v1alpha1.ClusterFacts, told v1alpha1.ClusterFactsSpec) error {
	if current.DeletionTimestamp != nil || !slices.ContainsFunc(current.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == cluster.UID }) {
		return nil // It goes with another Cluster of the name, and its end leads here.
	}
	if same(told, current.Spec) {
		return nil
	}
	changed := current.DeepCopy()
	changed.Spec = told
	err := t.Patch(ctx, changed, client.MergeFromWithOptions(current, client.MergeFromWithOptimisticLock{}))
	return client.IgnoreNotFound(err) // In the foreground they go before the Cluster.
}

// objects returns the Cluster and its members, as they are.
func (t *factsTeller) objects(ctx context.Context, cluster *clusterv1.Cluster) ([]*unstructured.Unstructured, error) {
	inCluster := []client.ListOption{client.InNamespace(cluster.Namespace), client.MatchingFields{clusterIndex: cluster.Name}}
	machinePools, pools := &clusterv1.MachinePoolList{}, &unstructured.UnstructuredList{}
	pools.SetGroupVersionKind(t.family.machinePool)
	if err := t.List(ctx, machinePools, inCluster...); err != nil {
		return nil, fmt.Errorf("cannot list MachinePools: %w", err)
	}
	if err := t.List(ctx, pools, inCluster...); err != nil {
		return nil, fmt.Errorf("cannot list %ss: %w", t.family.machinePool.Kind, err)
	}
	objects := []*unstructured.Unstructured{}
	add := func(kind schema.GroupVersionKind, obj any) error {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", kind.Kind, err)
		}
		u := &unstructured.Unstructured{Object: content}
		u.SetGroupVersionKind(kind)
		objects = append(objects, u)
		return nil
	}
	if err := add(clusterv1.GroupVersion.WithKind("Cluster"), cluster); err != nil {
		return nil, err
	}
	for i := range pools.Items {
		objects = append(objects, &pools.Items[i])
	}
	refs := []clusterv1.ContractVersionedObjectReference{cluster.Spec.InfrastructureRef, cluster.Spec.ControlPlaneRef}
	for i := range machinePools.Items {
		if err := add(machinePoolKind, &machinePools.Items[i]); err != nil {
			return nil, err
		}
		refs = append(refs, machinePools.Items[i].Spec.Template.Spec.InfrastructureRef)
	}
	referred, err := t.referred(ctx, cluster.Namespace, refs, objects)
	return append(objects, referred...), err
}

// referred returns what the references mean that exists, but for what is among the objects already.
func (t *factsTeller) referred(ctx context.Context, namespace string, refs []clusterv1.ContractVersionedObjectReference, objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	for _, ref := range refs {
		kinds := t.family.kinds()
		i := slices.IndexFunc(kinds, func(kind schema.GroupVersionKind) bool { return refersTo(ref, kind) })
		if i < 0 || slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool { return means(ref, o) }) {
			continue
		}
		xr := newXR(kinds[i])
		err := t.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, xr)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read %s %s: %w", ref.Kind, ref.Name, err)
		}
		found = append(found, xr)
	}
	return found, nil
}

// tell returns what is told of objects, in an order of its own. Until there are both infrastructure and control plane they are composed
// from as they are, unless they were told of before; then it tells only which kinds are served.
func (t *factsTeller) tell(objects []*unstructured.Unstructured, before bool) (v1alpha1.ClusterFactsSpec, error) {
	slices.SortFunc(objects, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetKind(), b.GetKind()), cmp.Compare(a.GetName(), b.GetName()))
	})
	spec := v1alpha1.ClusterFactsSpec{Format: v1alpha1.ClusterFactsFormat}
	var err error
	if spec.Served, err = t.served(objects); err != nil || !before && !t.complete(objects) {
		return spec, err
	}
	for _, o := range objects {
		raw, err := facts.Of(o).MarshalJSON()
		if err != nil {
			return spec, fmt.Errorf("cannot tell of %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		spec.Objects = append(spec.Objects, runtime.RawExtension{Raw: raw})
	}
	return spec, nil
}

// uninitialized reports whether there is a control plane that has never been up.
func (t *factsTeller) uninitialized(objects []*unstructured.Unstructured) bool {
	return slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool {
		return o.GroupVersionKind() == t.family.controlPlane && !statusInitialized.value(o)
	})
}

// withPools returns the objects of a Cluster that is being deleted with its pools and MachinePools as they were last told of, also those that
// are gone. All of it goes, so to compose the others by what is left would only delay that; one that comes up must not be created any more.
func (t *factsTeller) withPools(objects []*unstructured.Unstructured, told []runtime.RawExtension) []*unstructured.Unstructured {
	for _, raw := range told {
		pool := &unstructured.Unstructured{}
		if err := pool.UnmarshalJSON(raw.Raw); err != nil {
			continue // Somebody else has written it.
		}
		kind := pool.GroupVersionKind()
		if kind != t.family.machinePool && kind != machinePoolKind {
			continue
		}
		objects = slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool {
			return o.GroupVersionKind() == kind && o.GetName() == pool.GetName()
		})
		objects = append(objects, pool)
	}
	return objects
}

// complete reports whether both infrastructure and control plane are there.
func (t *factsTeller) complete(objects []*unstructured.Unstructured) bool {
	has := func(kind schema.GroupVersionKind) bool {
		return slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool { return o.GroupVersionKind() == kind })
	}
	return has(t.family.infrastructure) && has(t.family.controlPlane)
}

// same reports whether both tell the same.
func same(a, b v1alpha1.ClusterFactsSpec) bool {
	return a.Format == b.Format && a.OperatorNamespace == b.OperatorNamespace && slices.Equal(a.Served, b.Served) && slices.EqualFunc(a.Objects, b.Objects, func(a, b runtime.RawExtension) bool {
		var x, y any
		return json.Unmarshal(a.Raw, &x) == nil && json.Unmarshal(b.Raw, &y) == nil && equality.Semantic.DeepEqual(x, y)
	})
}
