package facts

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// read returns ClusterFacts; nil when there are none.
func (w writer) read(ctx context.Context, namespace, name string) (*v1alpha1.ClusterFacts, error) {
	current := &v1alpha1.ClusterFacts{}
	err := w.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, current)
	switch {
	case err == nil:
		return current, nil
	case apierrors.IsNotFound(err):
		return nil, nil
	}
	return nil, fmt.Errorf("cannot read ClusterFacts %s: %w", name, err)
}

// specOf returns facts that have the objects, in an order of their own, and which of the common kinds and of those that mentioning objects
// mention are served.
func (w writer) specOf(cluster *clusterv1.Cluster, common []schema.GroupVersionKind, objects, mentioning []*unstructured.Unstructured) (v1alpha1.ClusterFactsSpec, error) {
	spec := v1alpha1.ClusterFactsSpec{Format: v1alpha1.ClusterFactsFormat, ClusterUID: string(cluster.UID)}
	var err error
	if spec.Served, err = w.served(common, mentioning); err != nil {
		return spec, err
	}
	objects = slices.SortedFunc(slices.Values(objects), func(a, b *unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetKind(), b.GetKind()), cmp.Compare(a.GetName(), b.GetName()))
	})
	for _, o := range objects {
		raw, err := clusterfacts.Pick(o).MarshalJSON()
		if err != nil {
			return spec, fmt.Errorf("cannot write %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		spec.Objects = append(spec.Objects, runtime.RawExtension{Raw: raw})
	}
	return spec, nil
}

// write makes the ClusterFacts of the name have the spec, if they do not.
func (w writer) write(ctx context.Context, cluster *clusterv1.Cluster, current *v1alpha1.ClusterFacts, name string, labels map[string]string, spec v1alpha1.ClusterFactsSpec) (ctrl.Result, error) {
	var err error
	if current == nil {
		err = w.create(ctx, cluster, name, labels, spec)
	} else {
		err = w.update(ctx, cluster, current, spec)
	}
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return ctrl.Result{RequeueAfter: access.ConflictDelay}, nil
	}
	if access.RefusedByNamespace(err) {
		return ctrl.Result{}, nil // Nothing is composed any more of what is in it.
	}
	return ctrl.Result{}, err
}

func (w writer) create(ctx context.Context, cluster *clusterv1.Cluster, name string, labels map[string]string, spec v1alpha1.ClusterFactsSpec) error {
	if cluster.DeletionTimestamp != nil {
		return nil
	}
	all := map[string]string{clusterv1.ClusterNameLabel: cluster.Name}
	maps.Copy(all, labels)
	return w.Create(ctx, &v1alpha1.ClusterFacts{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: cluster.Namespace, Name: name, Labels: all,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: cluster.Name, UID: cluster.UID,
			}},
		},
		Spec: spec,
	})
}

func (w writer) update(ctx context.Context, cluster *clusterv1.Cluster, current *v1alpha1.ClusterFacts, spec v1alpha1.ClusterFactsSpec) error {
	ofCluster := slices.ContainsFunc(current.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == cluster.UID })
	if current.DeletionTimestamp != nil || !ofCluster || same(spec, current.Spec) {
		return nil // Those of another Cluster of the name go with it, and their end leads here.
	}
	changed := current.DeepCopy()
	changed.Spec = spec
	err := w.Patch(ctx, changed, client.MergeFromWithOptions(current, client.MergeFromWithOptimisticLock{}))
	return client.IgnoreNotFound(err) // In the foreground they go before the Cluster.
}

// same reports whether both facts are the same.
func same(a, b v1alpha1.ClusterFactsSpec) bool {
	sameObject := func(a, b runtime.RawExtension) bool {
		var x, y any
		return json.Unmarshal(a.Raw, &x) == nil && json.Unmarshal(b.Raw, &y) == nil && equality.Semantic.DeepEqual(x, y)
	}
	return a.FailureDomainsKnown == b.FailureDomainsKnown && slices.Equal(a.FailureDomains, b.FailureDomains) &&
		slices.Equal(a.AvailabilitySets, b.AvailabilitySets) && a.Format == b.Format && a.ClusterUID == b.ClusterUID && a.OperatorNamespace == b.OperatorNamespace &&
		equality.Semantic.DeepEqual(a.ResourceHealth, b.ResourceHealth) && slices.Equal(a.Served, b.Served) && slices.EqualFunc(a.Objects, b.Objects, sameObject)
}

var scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	_ = clusterv1.AddToScheme(s) // It never fails.
	return s
}

// asUnstructured returns an object of Cluster API, or a composite, with its fields as maps.
func asUnstructured(obj client.Object) (*unstructured.Unstructured, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return u, nil
	}
	gvk, err := apiutil.GVKForObject(obj, scheme)
	if err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", gvk.Kind, err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(gvk)
	return u, nil
}
