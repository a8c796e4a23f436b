package contract

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	clusterctlv1 "sigs.k8s.io/cluster-api/cmd/clusterctl/api/v1alpha3"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/refusal"
)

// reconciler returns the Reconciler of a kind, which mirrors nothing.
func reconciler(m *fixture.Management, kind composite.Kind) *Reconciler {
	return &Reconciler{API: m.API(), kind: kind, mirror: nothing{}, watch: fixture.Watch}
}

// stripped removes what the admission webhook puts on a composite resource.
func stripped(obj *unstructured.Unstructured) {
	obj.SetFinalizers(nil)
	obj.SetAnnotations(nil)
}

func TestClaim(t *testing.T) {
	xr := func(changes ...fixture.Change) *unstructured.Unstructured {
		return fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), changes...)
	}
	patched := []string{"patch AzureASOManagedCluster my-cluster"}
	tests := map[string]struct {
		xr     *unstructured.Unstructured
		filter string
		want   []string
	}{
		"claimed already":            {xr: xr()},
		"not yet":                    {xr: xr(stripped), want: patched},
		"without a finalizer":        {xr: xr(func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"other"}) }), want: patched},
		"externally managed":         {xr: xr(stripped, fixture.Annotated(clusterv1.ManagedByAnnotation, ""))},
		"paused by a person":         {xr: xr(stripped, fixture.Annotated(names.CrossplanePausedAnnotation, "true"))},
		"leaving by clusterctl move": {xr: xr(stripped, fixture.Annotated(clusterctlv1.DeleteForMoveAnnotation, ""))},
		"not of the watch filter":    {xr: xr(stripped, fixture.OfCluster), filter: "mine"},
		"of the watch filter":        {xr: xr(stripped, func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{clusterv1.WatchLabel: "mine"}) }), filter: "mine", want: patched},
		"gone while nothing held it": {xr: xr(stripped, fixture.Deleting("other"))},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, tc.xr, fixture.Cluster())
			r := reconciler(m, composite.AzureASOManagedCluster)
			r.watchFilter = tc.filter
			m.Reconcile(r, "my-cluster")
			if diff := cmp.Diff(tc.want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if tc.want == nil {
				return
			}
			got := m.Find(fixture.ASOCluster, "my-cluster")
			if diff := cmp.Diff("true", got.GetAnnotations()[names.BlockMoveAnnotation]); diff != "" {
				t.Errorf("block-move: -want +got:\n%s", diff)
			}
			m.Reconcile(r, "my-cluster")
			if writes := m.TakeWrites(); len(writes) > 0 {
				t.Errorf("written again though nothing changed: %v", writes)
			}
		})
	}
}

// TestRefusalsAreNoted shows that what Crossplane reports as refused is noted for the function, once, and looked at again.
func TestRefusalsAreNoted(t *testing.T) {
	const message = `cannot compose resources: cannot apply composed resource "a": admission webhook "w" denied the request: no`
	xr := fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), func(o *unstructured.Unstructured) {
		o.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Synced", "status": "False", "message": message}}}
	})
	m := fixture.New(t, xr, fixture.Cluster())
	r := reconciler(m, composite.AzureASOManagedCluster)
	result := m.Reconcile(r, "my-cluster")
	if diff := cmp.Diff([]string{"patch AzureASOManagedCluster my-cluster"}, m.TakeWrites()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := refusal.Of(m.Find(fixture.ASOCluster, "my-cluster")); got["a"] != `admission webhook "w" denied the request: no` || result.RequeueAfter <= 0 || result.RequeueAfter > refusal.Interval {
		t.Errorf("noted %v, again after %s", got, result.RequeueAfter)
	}
	m.Reconcile(r, "my-cluster")
	if writes := m.TakeWrites(); len(writes) > 0 {
		t.Errorf("written again though nothing changed: %v", writes)
	}
}

// TestAnswersOfEventsAreNoted shows that of what is invalid the API server's last answer is taken from Crossplane's Events.
func TestAnswersOfEventsAreNoted(t *testing.T) {
	xr := fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), func(o *unstructured.Unstructured) {
		o.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Synced", "status": "False", "message": "Unsynced resources: a"}}}
	})
	event := func(name string, age time.Duration, answer string) *corev1.Event {
		return &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Namespace: xr.GetNamespace(), Name: name},
			InvolvedObject: corev1.ObjectReference{UID: xr.GetUID()}, Message: `cannot apply composed resource "a": ` + answer,
			LastTimestamp: metav1.NewTime(time.Now().Add(-age)),
		}
	}
	index := fixture.Index{Object: &corev1.Event{}, Field: access.EventsOf, Value: func(o client.Object) []string {
		e, _ := o.(*corev1.Event)
		return []string{string(e.InvolvedObject.UID)}
	}}
	m := fixture.NewIndexed(t, []fixture.Index{index}, xr, fixture.Cluster(),
		event("old", time.Hour, "of an older spec"), event("last", time.Second, "not one of those"), event("before", 9*time.Second, "missing"))
	m.Reconcile(reconciler(m, composite.AzureASOManagedCluster), "my-cluster")
	if got := refusal.Of(m.Find(fixture.ASOCluster, "my-cluster")); got["a"] != "not one of those" {
		t.Errorf("noted %v", got)
	}
}

func TestDeleteWhoeverOwnsIt(t *testing.T) {
	tests := map[string]func(*unstructured.Unstructured){
		"without a Cluster":                    func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) },
		"externally managed since it was ours": fixture.Annotated(clusterv1.ManagedByAnnotation, "someone"),
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, fixture.With(fixture.NetworkOwner(t), change), fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster")))
			m.Reconcile(reconciler(m, composite.AzureASOManagedCluster), "my-cluster")
			m.Reconcile(reconciler(m, composite.AzureASOManagedCluster), "my-cluster")
			want := []string{"delete VirtualNetwork vnet", "patch AzureASOManagedCluster my-cluster"}
			if diff := cmp.Diff(want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTranslatePause(t *testing.T) {
	paused := func(c *clusterv1.Cluster) { yes := true; c.Spec.Paused = &yes }
	skip := fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip)
	ours := fixture.Annotated(names.CrossplanePausedAnnotation, "true", names.PausedByAnnotation, names.FieldOwner)
	noBlock := func(o *unstructured.Unstructured) { o.SetAnnotations(nil) }
	says := func(status string) []fixture.Change {
		return []fixture.Change{func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedSlice(o.Object, []any{map[string]any{"type": "Ready", "status": "True"}, map[string]any{"type": "Paused", "status": status}}, "status", "v1beta2", "conditions")
		}}
	}
	vnet := func(changes ...fixture.Change) client.Object {
		return fixture.With(fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster")), changes...)
	}
	group := func(changes ...fixture.Change) client.Object {
		return fixture.With(fixture.With(fixture.Parse(t, fixture.GroupYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster")), changes...)
	}
	alive := func(o *unstructured.Unstructured) { o.SetDeletionTimestamp(nil) }
	synced := func(reason string) fixture.Change {
		return func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedSlice(o.Object, []any{map[string]any{"type": "Synced", "reason": reason}}, "status", "conditions")
		}
	}
	unseen := func(o *unstructured.Unstructured) { unstructured.RemoveNestedField(o.Object, "status", "conditions") }
	running := map[string]string{names.BlockMoveAnnotation: "true"}
	still := map[string]string{names.CrossplanePausedAnnotation: "true", names.PausedByAnnotation: names.FieldOwner}
	tests := map[string]struct {
		cluster *clusterv1.Cluster
		xr      []fixture.Change
		objects []client.Object
		want    map[string]string
	}{
		"not paused":                           {cluster: fixture.Cluster(), objects: []client.Object{vnet(), group()}, want: running},
		"paused, ASO still acts":               {cluster: fixture.Cluster(paused), objects: []client.Object{vnet(skip), group()}, want: running},
		"paused, an object is yet to come":     {cluster: fixture.Cluster(paused), objects: []client.Object{vnet(skip)}, want: running},
		"paused, all stands still":             {cluster: fixture.Cluster(paused), objects: []client.Object{vnet(skip), group(skip)}, want: still},
		"paused, it was never composed":        {cluster: fixture.Cluster(paused), xr: []fixture.Change{unseen}, objects: []client.Object{vnet(skip), group(skip)}, want: running},
		"paused again, not composed between":   {cluster: fixture.Cluster(paused), xr: []fixture.Change{synced("ReconcilePaused")}, objects: []client.Object{vnet(skip), group(skip)}, want: running},
		"paused, what is held stands still":    {cluster: fixture.Cluster(paused), objects: []client.Object{vnet(skip, fixture.Annotated(aso.AnnotationHeld, "true")), group(skip)}, want: still},
		"paused, the status has yet to say so": {cluster: fixture.Cluster(paused), xr: says("False"), objects: []client.Object{vnet(skip), group(skip)}, want: running},
		"paused, as the status says":           {cluster: fixture.Cluster(paused), xr: says("True"), objects: []client.Object{vnet(skip), group(skip)}, want: still},
		"paused, remains so":                   {cluster: fixture.Cluster(paused), xr: []fixture.Change{noBlock, ours}, objects: []client.Object{vnet(skip), group(skip)}, want: still},
		"resumed":                              {cluster: fixture.Cluster(), xr: []fixture.Change{noBlock, ours}, objects: []client.Object{vnet(skip), group(skip)}, want: running},
		"by annotation": {cluster: fixture.Cluster(), xr: []fixture.Change{fixture.Annotated(clusterv1.PausedAnnotation, "")}, objects: []client.Object{vnet(skip), group(skip)},
			want: map[string]string{names.CrossplanePausedAnnotation: "true", names.PausedByAnnotation: names.FieldOwner, clusterv1.PausedAnnotation: ""}},
		"a person's pause stays": {cluster: fixture.Cluster(), xr: []fixture.Change{fixture.Annotated(names.CrossplanePausedAnnotation, "true")}, objects: []client.Object{vnet(), group()},
			want: map[string]string{names.CrossplanePausedAnnotation: "true", names.BlockMoveAnnotation: "true"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			xr := fixture.With(fixture.With(fixture.NetworkOwner(t), alive, synced("ReconcileSuccess")), tc.xr...)
			m := fixture.New(t, append(tc.objects, tc.cluster, xr)...)
			m.Reconcile(reconciler(m, composite.AzureASOManagedCluster), "my-cluster")
			if diff := cmp.Diff(tc.want, m.Find(fixture.ASOCluster, "my-cluster").GetAnnotations()); diff != "" {
				t.Errorf("annotations: -want +got:\n%s", diff)
			}
		})
	}
}

// TestMachineAwaited shows that nothing is written to an AzureMachine that Cluster API has just cloned, until its Machine owns it or it goes.
func TestMachineAwaited(t *testing.T) {
	paused := func(c *clusterv1.Cluster) { yes := true; c.Spec.Paused = &yes }
	ofCluster := func(o *unstructured.Unstructured) {
		o.SetLabels(map[string]string{clusterv1.ClusterNameLabel: "my-cluster"})
	}
	cloned := fixture.Annotated(clusterv1.TemplateClonedFromNameAnnotation, "t")
	awaits := fixture.Annotated(names.CrossplanePausedAnnotation, "true", names.PausedByAnnotation, names.FieldOwner)
	ownedBy := func(kind string) fixture.Change {
		return func(o *unstructured.Unstructured) {
			o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: kind, Name: "o", UID: "o"}})
		}
	}
	tests := map[string]struct {
		cluster *clusterv1.Cluster
		changes []fixture.Change
		written bool
	}{
		"its MachineSet owns it":                      {cluster: fixture.Cluster(), changes: fixture.Changes(cloned, awaits, ownedBy("MachineSet"))},
		"its Machine owns it":                         {cluster: fixture.Cluster(), changes: fixture.Changes(cloned, awaits, ownedBy("Machine")), written: true},
		"nobody has kept Crossplane from it":          {cluster: fixture.Cluster(), changes: fixture.Changes(cloned, ownedBy("MachineSet")), written: true},
		"a person wrote it":                           {cluster: fixture.Cluster(), changes: fixture.Changes(awaits), written: true},
		"it goes":                                     {cluster: fixture.Cluster(), changes: fixture.Changes(cloned, awaits, ownedBy("MachineSet"), fixture.Deleting(names.Finalizer)), written: true},
		"it may be moved while its Cluster is paused": {cluster: fixture.Cluster(paused), changes: fixture.Changes(cloned, awaits, ownedBy("MachineSet"), fixture.Annotated(names.BlockMoveAnnotation, "true")), written: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			xr := fixture.With(fixture.Parse(t, "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureMachine, metadata: {name: m0}, spec: {}}"), append(fixture.Changes(ofCluster), tc.changes...)...)
			m := fixture.New(t, tc.cluster, xr)
			m.Reconcile(reconciler(m, composite.AzureMachine), "m0")
			if writes := m.TakeWrites(); (len(writes) > 0) != tc.written {
				t.Errorf("writes %v, want some: %v", writes, tc.written)
			}
		})
	}
}

func TestPauseStopsDeletion(t *testing.T) {
	paused := func(c *clusterv1.Cluster) { yes := true; c.Spec.Paused = &yes }
	tests := map[string]struct {
		cluster *clusterv1.Cluster
		change  fixture.Change
	}{
		"Cluster":     {cluster: fixture.Cluster(fixture.ClusterDeleting, paused), change: fixture.Annotated()},
		"annotation":  {cluster: fixture.Cluster(fixture.ClusterDeleting), change: fixture.Annotated(clusterv1.PausedAnnotation, "")},
		"Crossplane":  {cluster: fixture.Cluster(fixture.ClusterDeleting), change: fixture.Annotated(names.CrossplanePausedAnnotation, "true")},
		"being moved": {cluster: fixture.Cluster(fixture.ClusterDeleting), change: fixture.Annotated(clusterctlv1.DeleteForMoveAnnotation, "")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			skip := fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip)
			m := fixture.New(t, tc.cluster, fixture.With(fixture.NetworkOwner(t), tc.change),
				fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster"), skip),
				fixture.With(fixture.Parse(t, fixture.GroupYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster"), skip))
			m.Reconcile(reconciler(m, composite.AzureASOManagedCluster), "my-cluster")
			if writes := m.TakeWrites(); len(writes) > 0 {
				t.Errorf("written while paused: %v", writes)
			}
		})
	}
}

// TestNamespaceDeletedWhilePaused checks that what stays in Azure is told of.
func TestNamespaceDeletedWhilePaused(t *testing.T) {
	paused := func(c *clusterv1.Cluster) { yes := true; c.Spec.Paused = &yes }
	deleting := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", DeletionTimestamp: &metav1.Time{Time: time.Unix(1, 0)}, Finalizers: []string{"kubernetes"}}}
	tests := map[string]struct {
		beside []client.Object
		events int
	}{
		"the Cluster is deleted":                  {},
		"the namespace is deleted, and all in it": {beside: []client.Object{deleting}, events: 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, append(tc.beside, fixture.Cluster(fixture.ClusterDeleting, paused), fixture.NetworkOwner(t))...)
			m.Reconcile(reconciler(m, composite.AzureASOManagedCluster), "my-cluster")
			if events := m.TakeEvents(); len(events) != tc.events || tc.events > 0 && !strings.Contains(events[0], "StaysInAzure AzureASOManagedCluster my-cluster: ") {
				t.Errorf("events %q", events)
			}
		})
	}
}

func TestMirrorEndpoint(t *testing.T) {
	endpoint := map[string]any{"host": "my-cluster.hcp.westeurope.azmk8s.io", "port": int64(443)}
	with443 := func(o *unstructured.Unstructured) {
		o.Object["status"] = map[string]any{"controlPlaneEndpoint": endpoint}
	}
	tests := map[string]struct {
		controlPlane fixture.Change
		xr           fixture.Change
		want         []string
	}{
		"not known yet": {controlPlane: fixture.Annotated(), xr: fixture.Annotated()},
		"empty": {controlPlane: func(o *unstructured.Unstructured) {
			o.Object["status"] = map[string]any{"controlPlaneEndpoint": map[string]any{"host": "", "port": int64(0)}}
		}, xr: fixture.Annotated()},
		"known": {controlPlane: with443, xr: fixture.Annotated(), want: []string{"patch AzureASOManagedCluster my-cluster"}},
		"mirrored before": {controlPlane: with443, xr: func(o *unstructured.Unstructured) {
			o.Object["spec"] = map[string]any{"controlPlaneEndpoint": endpoint}
		}},
		"changed": {controlPlane: with443, xr: func(o *unstructured.Unstructured) {
			o.Object["spec"] = map[string]any{"controlPlaneEndpoint": map[string]any{"host": "old", "port": int64(443)}}
		}, want: []string{"patch AzureASOManagedCluster my-cluster"}},
		"without Cluster": {controlPlane: with443, xr: func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, fixture.Cluster(), fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster, tc.controlPlane), fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), fixture.OfCluster, tc.xr))
			r := reconciler(m, composite.AzureASOManagedCluster)
			r.mirror = &mirror.InfrastructureCluster{API: r.API}
			m.Reconcile(r, "my-cluster")
			if diff := cmp.Diff(tc.want, m.TakeWrites()); diff != "" {
				t.Fatalf("-want +got:\n%s", diff)
			}
			if tc.want == nil {
				return
			}
			if diff := cmp.Diff(endpoint, access.SpecControlPlaneEndpoint.Value(m.Find(fixture.ASOCluster, "my-cluster"))); diff != "" {
				t.Errorf("endpoint: -want +got:\n%s", diff)
			}
			m.Reconcile(r, "my-cluster")
			if writes := m.TakeWrites(); len(writes) > 0 {
				t.Errorf("written again though nothing changed: %v", writes)
			}
		})
	}
}

func TestMissingRightIsReported(t *testing.T) {
	for name, tc := range map[string]struct {
		resource   schema.GroupResource
		says, todo string
	}{
		"to an ASO kind": {schema.GroupResource{Group: "compute.azure.com", Resource: "disks"}, `Warning Forbidden disks.compute.azure.com "d" is forbidden`, "; apply a ClusterRole for it"},
		"to Secrets":     {schema.GroupResource{Resource: "secrets"}, `Warning Forbidden secrets "d" is forbidden`, "; bind ClusterRole provider-capz:secrets"},
	} {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), fixture.NetworkOwner(t))
			r := reconciler(m, composite.AzureASOManagedCluster)
			forbidden := apierrors.NewForbidden(tc.resource, "d", errors.New("no right"))
			r.watch = func(context.Context, schema.GroupVersionKind) error { return forbidden }
			for range 2 {
				if _, err := r.Reconcile(t.Context(), fixture.Request("my-cluster")); err == nil {
					t.Error("Reconcile: no error")
				}
			}
			events := m.TakeEvents()
			if len(events) != 1 || !strings.HasPrefix(events[0], tc.says) || !strings.Contains(events[0], tc.todo) {
				t.Errorf("events %q, want one", events)
			}
		})
	}
}

// TestEndingNamespaceIsNoMissingRight shows that what a namespace which is being deleted refuses is not taken for a right that is missing.
func TestEndingNamespaceIsNoMissingRight(t *testing.T) {
	m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), fixture.NetworkOwner(t))
	r := reconciler(m, composite.AzureASOManagedCluster)
	refused := apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "s", errors.New("the namespace is being terminated"))
	refused.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	r.watch = func(context.Context, schema.GroupVersionKind) error { return refused }
	m.Reconcile(r, "my-cluster")
	if events := m.TakeEvents(); len(events) > 0 {
		t.Errorf("events %q", events)
	}
}
