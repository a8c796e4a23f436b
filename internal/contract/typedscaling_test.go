package contract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

func TestTypedScaling(t *testing.T) {
	mark := func(by string) map[string]string { return map[string]string{clusterv1.ReplicasManagedByAnnotation: by} }
	scaling := inSpec("scaling", map[string]any{"minSize": int64(1), "maxSize": int64(9)})
	on := inSpec("enableAutoScaling", true)
	changes := func(all ...func(*unstructured.Unstructured)) []func(*unstructured.Unstructured) { return all }
	composed := controlled(typedMachinePoolKind, "my-cluster-pool0")
	tests := map[string]struct {
		annotations  map[string]string
		xr           []func(*unstructured.Unstructured)
		live         []func(*unstructured.Unstructured)
		want         map[string]string
		wantReplicas int32
		event        string
	}{
		"off":                                {live: changes(composed), wantReplicas: 3},
		"on":                                 {xr: changes(scaling), live: changes(composed, on), want: mark("aks"), wantReplicas: 5},
		"on, not there yet":                  {xr: changes(scaling), want: mark("aks"), wantReplicas: 5},
		"on, marked by CAPZ":                 {annotations: mark("true"), xr: changes(scaling), live: changes(composed, on), want: mark("true"), wantReplicas: 5},
		"on by a patch":                      {live: changes(composed, on), want: mark("aks"), wantReplicas: 5},
		"on, but someone else scales":        {annotations: mark("me"), xr: changes(scaling), live: changes(composed, on), want: mark("me"), wantReplicas: 3, event: `is "me"; remove it, or remove spec.scaling`},
		"turned off":                         {annotations: mark("aks"), live: changes(composed), wantReplicas: 3},
		"turned off, marked by CAPZ":         {annotations: mark("true"), live: changes(composed), wantReplicas: 3},
		"off, and someone else scales":       {annotations: mark("me"), live: changes(composed), want: mark("me"), wantReplicas: 5},
		"the user's own":                     {xr: changes(composedNothing), live: changes(annotated()), want: mark("aks"), wantReplicas: 5},
		"the user's own, spec says nothing":  {xr: changes(composedNothing, scaling), live: changes(annotated()), want: mark("aks"), wantReplicas: 5},
		"the user's own, scaled by AKS":      {xr: changes(composedNothing, annotated(v1beta1.AnnotationManages, "replicas")), live: changes(on), want: mark("aks"), wantReplicas: 5},
		"the user's own, left to decide":     {annotations: mark("aks"), xr: changes(composedNothing, annotated(v1beta1.AnnotationManages, "replicas")), live: changes(annotated()), wantReplicas: 3},
		"the user's own, someone else's too": {annotations: mark("me"), xr: changes(composedNothing), live: changes(annotated()), want: mark("me"), wantReplicas: 3, event: "or set annotation infrastructure.cluster.x-k8s.io/manages: replicas"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			three := int32(3)
			owner := &clusterv1.MachinePool{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool0", Annotations: tc.annotations},
				Spec:       clusterv1.MachinePoolSpec{ClusterName: "my-cluster", Replicas: &three},
			}
			objects := []client.Object{typedCluster(), owner, with(with(parse(t, typedPoolYAML), ofMachinePool, inStatus("replicas", int64(5))), tc.xr...)}
			if tc.live != nil {
				objects = append(objects, with(parse(t, agentPoolYAML), tc.live...))
			}
			m := newManagement(t, objects...)
			r := m.typedMachinePool(nil)
			m.reconcile(r, "my-cluster-pool0")
			m.reconcile(r, "my-cluster-pool0") // What is marked is followed from then on.
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
			if told := strings.Join(m.takeEvents(), "\n"); (told != "") != (tc.event != "") || !strings.Contains(told, tc.event) {
				t.Errorf("event %q, want one with %q", told, tc.event)
			}
		})
	}
}
