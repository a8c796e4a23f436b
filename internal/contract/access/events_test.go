package access

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// TestReporter shows how often something is reported, and on what.
func TestReporter(t *testing.T) {
	in := func(namespace, uid string) *unstructured.Unstructured {
		obj := NewObject(composite.AzureManagedCluster.GroupVersionKind)
		obj.SetNamespace(namespace)
		obj.SetName("c")
		obj.SetUID(types.UID(uid))
		return obj
	}
	team, ending := in("team", "1"), in("ending", "2")
	now := metav1.Now()
	namespaces := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ending", DeletionTimestamp: &now, Finalizers: []string{"kubernetes"}}},
	).Build()
	recorder := events.NewFakeRecorder(10)
	r := NewReporter(recorder, namespaces)
	for name, tc := range map[string]struct {
		do   func()
		want []string
	}{
		"once":                  {func() { r.Warn(team, "A", "", "a"); r.Warn(team, "A", "", "a") }, []string{"Warning A a"}},
		"again when it differs": {func() { r.Warn(team, "A", "", "a"); r.Warn(team, "A", "", "b") }, []string{"Warning A a", "Warning A b"}},
		"each reason":           {func() { r.Warn(team, "A", "", "a"); r.Warn(team, "B", "", "a") }, []string{"Warning A a", "Warning B a"}},
		"again when it is back": {func() { r.Warn(team, "A", "", "a"); r.Clear(team, "A"); r.Warn(team, "A", "", "a") }, []string{"Warning A a", "Warning A a"}},
		"another of the name":   {func() { r.Warn(team, "A", "", "a"); r.Warn(in("team", "3"), "A", "", "a") }, []string{"Warning A a", "Warning A a"}},
		"a namespace that ends": {func() { r.Warn(ending, "A", "", "a"); r.Warn(ending, "A", "", "a") }, []string{"Warning A AzureManagedCluster c: a"}},
		"nothing to clear":      {func() { r.Clear(team, "A") }, nil},
		"a long one":            {func() { r.Warn(ending, "A", "", strings.Repeat("a", maxNote)) }, []string{"Warning A AzureManagedCluster c: " + strings.Repeat("a", maxNote-len("AzureManagedCluster c: …")) + "…"}},
	} {
		t.Run(name, func(t *testing.T) {
			r.Forget(in("team", ""))
			r.Forget(in("ending", ""))
			tc.do()
			var got []string
			for len(recorder.Events) > 0 {
				got = append(got, <-recorder.Events)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestTerminating shows what is taken for a namespace that is being deleted.
func TestTerminating(t *testing.T) {
	now := metav1.Now()
	namespaces := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "lives"}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ends", DeletionTimestamp: &now, Finalizers: []string{"kubernetes"}}},
	).Build()
	for name, want := range map[string]bool{"lives": false, "ends": true, "unknown": false, "": false} {
		if got := Terminating(namespaces, name); got != want {
			t.Errorf("Terminating(%q) = %v", name, got)
		}
	}
}
