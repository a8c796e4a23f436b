package contract

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	clusterctlv1 "sigs.k8s.io/cluster-api/cmd/clusterctl/api/v1alpha3"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// stripped removes what the admission webhook puts on a composite resource.
func stripped(obj *unstructured.Unstructured) {
	obj.SetFinalizers(nil)
	obj.SetAnnotations(nil)
}

func TestClaim(t *testing.T) {
	xr := func(changes ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
		return with(parse(t, infrastructureYAML), changes...)
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
		"externally managed":         {xr: xr(stripped, annotated(clusterv1.ManagedByAnnotation, ""))},
		"paused by a person":         {xr: xr(stripped, annotated(CrossplanePausedAnnotation, "true"))},
		"leaving by clusterctl move": {xr: xr(stripped, annotated(clusterctlv1.DeleteForMoveAnnotation, ""))},
		"not of the watch filter":    {xr: xr(stripped, ofCluster), filter: "mine"},
		"of the watch filter":        {xr: xr(stripped, func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{clusterv1.WatchLabel: "mine"}) }), filter: "mine", want: patched},
		"gone while nothing held it": {xr: xr(stripped, deleting("other"))},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, tc.xr, myCluster())
			r := m.reconciler(asoClusterKind)
			r.watchFilter = tc.filter
			m.reconcile(r, "my-cluster")
			if diff := cmp.Diff(tc.want, m.takeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if tc.want == nil {
				return
			}
			got := m.get(asoClusterKind, "my-cluster")
			if diff := cmp.Diff("true", got.GetAnnotations()[BlockMoveAnnotation]); diff != "" {
				t.Errorf("block-move: -want +got:\n%s", diff)
			}
			m.reconcile(r, "my-cluster")
			if writes := m.takeWrites(); len(writes) > 0 {
				t.Errorf("written again though nothing changed: %v", writes)
			}
		})
	}
}

func TestTranslatePause(t *testing.T) {
	paused := func(c *clusterv1.Cluster) { yes := true; c.Spec.Paused = &yes }
	skip := annotated(reconcilePolicyAnnotation, policySkip)
	ours := annotated(CrossplanePausedAnnotation, "true", PausedByAnnotation, FieldOwner)
	noBlock := func(o *unstructured.Unstructured) { o.SetAnnotations(nil) }
	says := func(status string) []func(*unstructured.Unstructured) {
		return []func(*unstructured.Unstructured){func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedSlice(o.Object, []any{map[string]any{"type": "Ready", "status": "True"}, map[string]any{"type": "Paused", "status": status}}, "status", "v1beta2", "conditions")
		}}
	}
	vnet := func(changes ...func(*unstructured.Unstructured)) client.Object {
		return with(with(parse(t, vnetYAML), controlled(asoClusterKind, "my-cluster")), changes...)
	}
	group := func(changes ...func(*unstructured.Unstructured)) client.Object {
		return with(with(parse(t, groupYAML), controlled(asoClusterKind, "my-cluster")), changes...)
	}
	alive := func(o *unstructured.Unstructured) { o.SetDeletionTimestamp(nil) }
	running := map[string]string{BlockMoveAnnotation: "true"}
	still := map[string]string{CrossplanePausedAnnotation: "true", PausedByAnnotation: FieldOwner}
	tests := map[string]struct {
		cluster *clusterv1.Cluster
		xr      []func(*unstructured.Unstructured)
		objects []client.Object
		want    map[string]string
	}{
		"not paused":                           {cluster: myCluster(), objects: []client.Object{vnet(), group()}, want: running},
		"paused, ASO still acts":               {cluster: myCluster(paused), objects: []client.Object{vnet(skip), group()}, want: running},
		"paused, an object is yet to come":     {cluster: myCluster(paused), objects: []client.Object{vnet(skip)}, want: running},
		"paused, all stands still":             {cluster: myCluster(paused), objects: []client.Object{vnet(skip), group(skip)}, want: still},
		"paused, what is held stands still":    {cluster: myCluster(paused), objects: []client.Object{vnet(skip, annotated(aso.AnnotationHeld, "true")), group(skip)}, want: still},
		"paused, the status has yet to say so": {cluster: myCluster(paused), xr: says("False"), objects: []client.Object{vnet(skip), group(skip)}, want: running},
		"paused, as the status says":           {cluster: myCluster(paused), xr: says("True"), objects: []client.Object{vnet(skip), group(skip)}, want: still},
		"paused, remains so":                   {cluster: myCluster(paused), xr: []func(*unstructured.Unstructured){noBlock, ours}, objects: []client.Object{vnet(skip), group(skip)}, want: still},
		"resumed":                              {cluster: myCluster(), xr: []func(*unstructured.Unstructured){noBlock, ours}, objects: []client.Object{vnet(skip), group(skip)}, want: running},
		"by annotation": {cluster: myCluster(), xr: []func(*unstructured.Unstructured){annotated(clusterv1.PausedAnnotation, "")}, objects: []client.Object{vnet(skip), group(skip)},
			want: map[string]string{CrossplanePausedAnnotation: "true", PausedByAnnotation: FieldOwner, clusterv1.PausedAnnotation: ""}},
		"a person's pause stays": {cluster: myCluster(), xr: []func(*unstructured.Unstructured){annotated(CrossplanePausedAnnotation, "true")}, objects: []client.Object{vnet(), group()},
			want: map[string]string{CrossplanePausedAnnotation: "true", BlockMoveAnnotation: "true"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			xr := with(with(infrastructureWithNetwork(t), alive), tc.xr...)
			m := newManagement(t, append(tc.objects, tc.cluster, xr)...)
			m.reconcile(m.reconciler(asoClusterKind), "my-cluster")
			if diff := cmp.Diff(tc.want, m.get(asoClusterKind, "my-cluster").GetAnnotations()); diff != "" {
				t.Errorf("annotations: -want +got:\n%s", diff)
			}
		})
	}
}

func TestPauseStopsDeletion(t *testing.T) {
	paused := func(c *clusterv1.Cluster) { yes := true; c.Spec.Paused = &yes }
	tests := map[string]struct {
		cluster *clusterv1.Cluster
		change  func(*unstructured.Unstructured)
	}{
		"Cluster":     {cluster: myCluster(clusterDeleting, paused), change: annotated()},
		"annotation":  {cluster: myCluster(clusterDeleting), change: annotated(clusterv1.PausedAnnotation, "")},
		"Crossplane":  {cluster: myCluster(clusterDeleting), change: annotated(CrossplanePausedAnnotation, "true")},
		"being moved": {cluster: myCluster(clusterDeleting), change: annotated(clusterctlv1.DeleteForMoveAnnotation, "")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			skip := annotated(reconcilePolicyAnnotation, policySkip)
			m := newManagement(t, tc.cluster, with(infrastructureWithNetwork(t), tc.change),
				with(parse(t, vnetYAML), controlled(asoClusterKind, "my-cluster"), skip),
				with(parse(t, groupYAML), controlled(asoClusterKind, "my-cluster"), skip))
			m.reconcile(m.reconciler(asoClusterKind), "my-cluster")
			if writes := m.takeWrites(); len(writes) > 0 {
				t.Errorf("written while paused: %v", writes)
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
		controlPlane func(*unstructured.Unstructured)
		xr           func(*unstructured.Unstructured)
		want         []string
	}{
		"not known yet": {controlPlane: annotated(), xr: annotated()},
		"empty": {controlPlane: func(o *unstructured.Unstructured) {
			o.Object["status"] = map[string]any{"controlPlaneEndpoint": map[string]any{"host": "", "port": int64(0)}}
		}, xr: annotated()},
		"known": {controlPlane: with443, xr: annotated(), want: []string{"patch AzureASOManagedCluster my-cluster"}},
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
			m := newManagement(t, myCluster(), with(parse(t, controlPlaneYAML), ofCluster, tc.controlPlane), with(parse(t, infrastructureYAML), ofCluster, tc.xr))
			r := m.reconciler(asoClusterKind)
			r.mirror = &clusterMirror{api: r.api}
			m.reconcile(r, "my-cluster")
			if diff := cmp.Diff(tc.want, m.takeWrites()); diff != "" {
				t.Fatalf("-want +got:\n%s", diff)
			}
			if tc.want == nil {
				return
			}
			if diff := cmp.Diff(endpoint, specControlPlaneEndpoint.value(m.get(asoClusterKind, "my-cluster"))); diff != "" {
				t.Errorf("endpoint: -want +got:\n%s", diff)
			}
			m.reconcile(r, "my-cluster")
			if writes := m.takeWrites(); len(writes) > 0 {
				t.Errorf("written again though nothing changed: %v", writes)
			}
		})
	}
}

func TestMissingRightIsTold(t *testing.T) {
	m := newManagement(t, myCluster(clusterDeleting), infrastructureWithNetwork(t))
	r := m.reconciler(asoClusterKind)
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "compute.azure.com", Resource: "disks"}, "d", errors.New("no right"))
	r.watch = func(context.Context, schema.GroupVersionKind) error { return forbidden }
	for range 2 {
		if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: "my-cluster"}}); err == nil {
			t.Error("Reconcile: no error")
		}
	}
	events := m.takeEvents()
	if len(events) != 1 || !strings.Contains(events[0], `Warning Forbidden disks.compute.azure.com "d" is forbidden`) {
		t.Errorf("events %q, want one", events)
	}
}
