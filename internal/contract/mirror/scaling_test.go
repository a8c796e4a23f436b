package mirror

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// settledAt has ASO have read that a pool has so many nodes, and that AKS does not scale it.
func settledAt(count int64) fixture.Change {
	return func(o *unstructured.Unstructured) {
		fixture.InStatus("count", count)(o)
		fixture.InStatus("enableAutoScaling", false)(o)
		fixture.InStatus("conditions", []any{map[string]any{"type": "Ready", "status": "True", "observedGeneration": int64(1)}})(o)
	}
}

func TestTypedScaling(t *testing.T) {
	mark := func(by string) map[string]string { return map[string]string{clusterv1.ReplicasManagedByAnnotation: by} }
	scaling := fixture.InSpec("scaling", map[string]any{"minSize": int64(1), "maxSize": int64(9)})
	on := fixture.InSpec("enableAutoScaling", true)
	composed := fixture.Controlled(fixture.TypedMachinePool, "my-cluster-pool0")
	counts := fixture.InSpec("count", int64(3)) // As Cluster API decides.
	tests := map[string]struct {
		annotations  map[string]string
		xr           []fixture.Change
		live         []fixture.Change
		want         map[string]string
		wantReplicas int32
		event        string
	}{
		"off":                                {live: fixture.Changes(composed, counts), wantReplicas: 3},
		"on":                                 {xr: fixture.Changes(scaling), live: fixture.Changes(composed, on), want: mark("aks"), wantReplicas: 5},
		"on, not there yet":                  {xr: fixture.Changes(scaling), want: mark("aks"), wantReplicas: 5},
		"on, marked by CAPZ":                 {annotations: mark("true"), xr: fixture.Changes(scaling), live: fixture.Changes(composed, on), want: mark("true"), wantReplicas: 5},
		"on by a patch":                      {live: fixture.Changes(composed, on), want: mark("aks"), wantReplicas: 5},
		"on, but someone else scales":        {annotations: mark("me"), xr: fixture.Changes(scaling), live: fixture.Changes(composed, on), want: mark("me"), wantReplicas: 3, event: `is "me"; remove it, or remove spec.scaling`},
		"on, made just now":                  {xr: fixture.Changes(scaling), live: fixture.Changes(composed, counts, on), want: mark("aks"), wantReplicas: 5},
		"turned off":                         {annotations: mark("aks"), live: fixture.Changes(composed), want: mark("aks"), wantReplicas: 5},
		"turned off, not marked":             {live: fixture.Changes(composed), want: mark("aks"), wantReplicas: 5},
		"turned off, AKS had scaled":         {annotations: mark("aks"), live: fixture.Changes(composed, settledAt(7)), want: mark("aks"), wantReplicas: 7},
		"turned off, taken over":             {annotations: mark("aks"), live: fixture.Changes(composed, counts, settledAt(3)), wantReplicas: 3},
		"turned off, taken over, changed":    {annotations: mark("aks"), live: fixture.Changes(composed, fixture.InSpec("count", int64(7)), settledAt(7)), wantReplicas: 3},
		"turned off, not there":              {annotations: mark("aks"), want: mark("aks"), wantReplicas: 5},
		"turned off, marked by CAPZ":         {annotations: mark("true"), live: fixture.Changes(composed), want: mark("true"), wantReplicas: 5},
		"taken over, marked by CAPZ":         {annotations: mark("true"), live: fixture.Changes(composed, counts), wantReplicas: 3},
		"off, and someone else scales":       {annotations: mark("me"), live: fixture.Changes(composed), want: mark("me"), wantReplicas: 5},
		"the user's own":                     {xr: fixture.Changes(fixture.ComposedNothing), live: fixture.Changes(fixture.Annotated()), want: mark("aks"), wantReplicas: 5},
		"the user's own, spec says nothing":  {xr: fixture.Changes(fixture.ComposedNothing, scaling), live: fixture.Changes(fixture.Annotated()), want: mark("aks"), wantReplicas: 5},
		"the user's own, scaled by AKS":      {xr: fixture.Changes(fixture.ComposedNothing, fixture.Annotated(v1beta1.AnnotationManages, "replicas")), live: fixture.Changes(on), want: mark("aks"), wantReplicas: 5},
		"the user's own, left to decide":     {annotations: mark("aks"), xr: fixture.Changes(fixture.ComposedNothing, fixture.Annotated(v1beta1.AnnotationManages, "replicas")), live: fixture.Changes(counts), wantReplicas: 3},
		"the user's own, AKS had scaled":     {annotations: mark("aks"), xr: fixture.Changes(fixture.ComposedNothing, fixture.Annotated(v1beta1.AnnotationManages, "replicas")), live: fixture.Changes(settledAt(7)), wantReplicas: 7},
		"the user's own, someone else's too": {annotations: mark("me"), xr: fixture.Changes(fixture.ComposedNothing), live: fixture.Changes(fixture.Annotated()), want: mark("me"), wantReplicas: 3, event: "or set annotation infrastructure.cluster.x-k8s.io/manages: replicas"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			three := int32(3)
			owner := &clusterv1.MachinePool{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool0", Annotations: tc.annotations},
				Spec:       clusterv1.MachinePoolSpec{ClusterName: "my-cluster", Replicas: &three},
			}
			objects := []client.Object{fixture.ClusterOfTyped(), owner, fixture.With(fixture.With(fixture.Parse(t, fixture.TypedPoolYAML), fixture.OfMachinePool, fixture.InStatus("replicas", int64(5))), tc.xr...)}
			if tc.live != nil {
				objects = append(objects, fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), tc.live...))
			}
			m := fixture.New(t, objects...)
			r := pools(m, composite.AzureManagedMachinePool, nil)
			m.Reconcile(r, "my-cluster-pool0")
			m.Reconcile(r, "my-cluster-pool0") // What is marked is followed from then on.
			got := &clusterv1.MachinePool{}
			if err := m.Get(t.Context(), client.ObjectKeyFromObject(owner), got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.Annotations); diff != "" {
				t.Errorf("annotations: -want +got:\n%s", diff)
			}
			if *got.Spec.Replicas != tc.wantReplicas {
				t.Errorf("replicas %d, want %d", *got.Spec.Replicas, tc.wantReplicas)
			}
			if events := strings.Join(m.TakeEvents(), "\n"); (events != "") != (tc.event != "") || !strings.Contains(events, tc.event) {
				t.Errorf("event %q, want one with %q", events, tc.event)
			}
		})
	}
}
