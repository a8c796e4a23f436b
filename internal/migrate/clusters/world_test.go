package clusters

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/handover"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// typedCluster is a running cluster with typed fields.
const typedCluster = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c, namespace: "n", uid: cluster}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedCluster, name: c}
  controlPlaneRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedControlPlane, name: c-cp}
status: {conditions: [{type: Available, status: "True"}]}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: {name: mp, namespace: "n", uid: mp, annotations: {cluster.x-k8s.io/replicas-managed-by: "true"}}
spec:
  clusterName: c
  replicas: 2
  template: {spec: {version: v1.33.6, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedMachinePool, name: p}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureManagedCluster
metadata: {name: c, namespace: "n", uid: typed-cluster, finalizers: [infrastructure.cluster.x-k8s.io/provider-capz], labels: {cluster.x-k8s.io/cluster-name: c}, annotations: {clusterctl.cluster.x-k8s.io/block-move: "true"}}
spec: {controlPlaneEndpoint: {host: h, port: 443}}
status: {ready: true, conditions: [{type: Synced, status: "True"}, {type: Ready, status: "True"}]}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureManagedControlPlane
metadata:
  name: c-cp
  namespace: "n"
  uid: typed-cp
  finalizers: [infrastructure.cluster.x-k8s.io/provider-capz]
  labels: {cluster.x-k8s.io/cluster-name: c, team: a}
  annotations: {mine: stays, infrastructure.cluster.x-k8s.io/credential-secret: c-aso-secret, clusterctl.cluster.x-k8s.io/block-move: "true"}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, name: c, uid: cluster}]
spec:
  version: v1.33.6
  subscriptionID: s
  identityRef: {kind: AzureClusterIdentity, name: i}
  crossplane:
    resourceRefs:
    - {apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, name: g}
    - {apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, name: c-cp}
status: {ready: true, conditions: [{type: Synced, status: "True"}, {type: Ready, status: "True"}]}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureManagedMachinePool
metadata: {name: p, namespace: "n", uid: typed-p, finalizers: [infrastructure.cluster.x-k8s.io/provider-capz], labels: {cluster.x-k8s.io/cluster-name: c}, annotations: {clusterctl.cluster.x-k8s.io/block-move: "true"}}
spec:
  providerIDList: [azure:///a]
  crossplane: {resourceRefs: [{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedClustersAgentPool, name: p}]}
status: {ready: true, conditions: [{type: Synced, status: "True"}, {type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Secret
metadata:
  name: c-kubeconfig
  namespace: "n"
  uid: secret
  ownerReferences: [{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane, name: c-cp, uid: typed-cp, controller: true}]
`

// composed are the ASO objects, as Crossplane has applied them, each for the composite resource that its annotation names.
const composed = `
apiVersion: resources.azure.com/v1api20200601
kind: ResourceGroup
metadata:
  name: g
  namespace: "n"
  labels: {cluster.x-k8s.io/cluster-name: c}
  annotations: {infrastructure.cluster.x-k8s.io/ownership: owned, crossplane.io/composition-resource-name: ResourceGroup.resources.azure.com/g, serviceoperator.azure.com/credential-from: c-aso-secret}
spec: {azureName: g, location: westeurope}
---
apiVersion: containerservice.azure.com/v1api20250801
kind: ManagedCluster
metadata:
  name: c-cp
  namespace: "n"
  labels: {cluster.x-k8s.io/cluster-name: c}
  annotations: {crossplane.io/composition-resource-name: ManagedCluster.containerservice.azure.com/c-cp, serviceoperator.azure.com/credential-from: c-aso-secret, note: kept}
spec: {azureName: c-cp, kubernetesVersion: 1.33.6, owner: {name: g}, location: westeurope}
---
apiVersion: containerservice.azure.com/v1api20250801
kind: ManagedClustersAgentPool
metadata:
  name: p
  namespace: "n"
  labels: {cluster.x-k8s.io/cluster-name: c}
  annotations: {crossplane.io/composition-resource-name: ManagedClustersAgentPool.containerservice.azure.com/p, serviceoperator.azure.com/credential-from: c-aso-secret}
spec: {azureName: p, orchestratorVersion: 1.33.6, count: 2, mode: System, owner: {name: c-cp}}
`

// A world is a management cluster whose controllers are played.
type world struct {
	t      *testing.T
	client client.Client
	// left is after how many writes of the migration it is killed; negative for never.
	left   int
	dead   bool
	writes int
	uids   int
}

// errKilled is what everything returns after the migration was killed.
var errKilled = errors.New("killed")

// write counts a write of the migration.
func (w *world) write() error {
	if w.left == 0 {
		w.dead = true
		return errKilled
	}
	w.left--
	w.writes++
	return nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, left: -1}
	objects, err := kubeyaml.Parse([]byte(typedCluster))
	if err != nil {
		t.Fatal(err)
	}
	var all []client.Object
	for _, o := range objects {
		all = append(all, o)
	}
	w.client = fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(all...).WithReturnManagedFields().Build()
	asoObjects, err := kubeyaml.Parse([]byte(composed))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range asoObjects {
		xr := w.get(composite.AzureManagedControlPlane, "c-cp")
		if o.GetKind() == aso.ManagedClustersAgentPool.Name {
			xr = w.get(composite.AzureManagedMachinePool, "p")
		}
		yes := true
		refs := []any{map[string]any{"apiVersion": xr.GetAPIVersion(), "kind": xr.GetKind(), "name": xr.GetName(), "uid": string(xr.GetUID()), "controller": yes, "blockOwnerDeletion": yes}}
		_ = unstructured.SetNestedSlice(o.Object, refs, "metadata", "ownerReferences")
		if err := w.client.Apply(context.Background(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner(handover.ComposedManager(xr)), client.ForceOwnership); err != nil {
			t.Fatal(err)
		}
		o = w.child(o)
		o.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True", "observedGeneration": int64(1)}}}
		o.SetGeneration(1)
		if err := w.client.Update(context.Background(), o, client.FieldOwner("aso")); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *world) child(of *unstructured.Unstructured) *unstructured.Unstructured {
	w.t.Helper()
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(of.GroupVersionKind())
	if err := w.client.Get(context.Background(), client.ObjectKeyFromObject(of), o); err != nil {
		w.t.Fatal(err)
	}
	return o
}

// get returns a composite resource; nil when there is none.
func (w *world) get(kind composite.Kind, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind.GroupVersionKind)
	if err := w.client.Get(context.Background(), client.ObjectKey{Namespace: "n", Name: name}, o); err != nil {
		return nil
	}
	return o
}

// migration returns a migration, killed after so many writes; negative for never.
func (w *world) migration(killedAfter int) *Migration {
	w.left, w.writes, w.dead = killedAfter, 0, false
	wrapped := interceptor.NewClient(w.client.(client.WithWatch), interceptor.Funcs{ //nolint:forcetypeassert // The fake is one.
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, options ...client.CreateOption) error {
			if err := w.write(); err != nil {
				return err
			}
			w.uids++
			o.SetUID(types(o, w.uids))
			return c.Create(ctx, o, options...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, options ...client.PatchOption) error {
			if err := w.write(); err != nil {
				return err
			}
			return c.Patch(ctx, o, patch, options...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, options ...client.DeleteOption) error {
			if err := w.write(); err != nil {
				return err
			}
			return c.Delete(ctx, o, options...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			if !w.dead {
				w.play()
			}
			return c.List(ctx, list, options...)
		},
	})
	return &Migration{
		Walker:    walk.Walker{Client: wrapped, FieldOwner: FieldOwner, Say: func(string) {}, Patience: 5 * time.Second, Poll: time.Millisecond},
		Namespace: "n", Name: "c",
	}
}

// play does what Crossplane, provider-capz and function-capz do.
func (w *world) play() {
	cluster := &unstructured.Unstructured{}
	cluster.SetGroupVersionKind(clusterKind)
	if err := w.client.Get(context.Background(), client.ObjectKey{Namespace: "n", Name: "c"}, cluster); err != nil {
		w.t.Fatal(err)
	}
	for _, kind := range composite.Select(composite.InContract) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		if err := w.client.List(context.Background(), list); err != nil {
			continue
		}
		for i := range list.Items {
			w.playOne(cluster, &list.Items[i])
		}
	}
}

func (w *world) playOne(cluster, xr *unstructured.Unstructured) {
	before := xr.DeepCopy()
	annotations := xr.GetAnnotations()
	_, byItself := annotations[clusterv1.PausedAnnotation]
	paused := clusterPaused.Value(cluster) || byItself
	stopped, ours := annotations[names.CrossplanePausedAnnotation] == "true", annotations[names.PausedByAnnotation] != ""
	switch {
	case stopped && !ours: // A person's pause.
		return
	case stopped && !paused:
		delete(annotations, names.CrossplanePausedAnnotation)
		delete(annotations, names.PausedByAnnotation)
		xr.SetAnnotations(annotations)
	case stopped:
		return
	case xr.GetDeletionTimestamp() != nil && !paused:
		xr.SetFinalizers(nil)
	case xr.GetDeletionTimestamp() == nil:
		w.compose(xr, paused)
		xr.SetFinalizers([]string{names.Finalizer})
		xr.Object["status"] = map[string]any{"ready": true, "conditions": []any{map[string]any{"type": "Synced", "status": "True"}, map[string]any{"type": "Ready", "status": "True"}}}
		if paused {
			walk.Annotate(xr, func(a map[string]string) {
				a[names.CrossplanePausedAnnotation], a[names.PausedByAnnotation] = "true", names.FieldOwner
			})
			_ = unstructured.SetNestedSlice(xr.Object, []any{map[string]any{"type": "Synced", "status": "False", "reason": "ReconcilePaused"}, map[string]any{"type": "Ready", "status": "True"}}, "status", "conditions")
		}
	}
	if !same(before, xr) {
		if err := w.client.Update(context.Background(), xr); err != nil {
			w.t.Fatal(err)
		}
	}
}

// compose has ASO leave alone what a composite resource has, or not.
func (w *world) compose(xr *unstructured.Unstructured, paused bool) {
	kind, _ := composite.Lookup(xr.GroupVersionKind().GroupKind())
	for _, text := range access.SpecResourceRefs.Value(xr) {
		ref, _ := text.(map[string]any)
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": ref["apiVersion"], "kind": ref["kind"]}}
		o.SetNamespace("n")
		o.SetName(ref["name"].(string)) //nolint:forcetypeassert // It is one.
		o = w.child(o)
		if !controls(xr, o) {
			w.t.Fatalf("%s composes %s, which is another's: %v", xr.GetKind(), plan.NameOf(o), o.GetOwnerReferences())
		}
		if !slices.ContainsFunc(o.GetManagedFields(), func(m metav1ManagedFields) bool { return m.Manager == handover.ComposedManager(xr) }) {
			w.t.Fatalf("%s composes %s, which others have applied", kind.Kind, plan.NameOf(o))
		}
		before := o.DeepCopy()
		walk.Annotate(o, func(a map[string]string) {
			delete(a, aso.AnnotationReconcilePolicy)
			delete(a, aso.AnnotationSkippedByPause)
			if paused {
				a[aso.AnnotationReconcilePolicy], a[aso.AnnotationSkippedByPause] = aso.PolicySkip, "true"
			}
		})
		if !same(before, o) {
			if err := w.client.Patch(context.Background(), o, client.MergeFrom(before), client.FieldOwner("pause")); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}
