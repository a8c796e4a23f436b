package mirror

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

func TestBackingObject(t *testing.T) {
	named := func(name string) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) { o.SetName(name) }
	}
	ours := fixture.Controlled(fixture.TypedControlPlane, "my-cluster")
	release := func(o *unstructured.Unstructured) {
		yes := true
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "helm.toolkit.fluxcd.io/v2", Kind: "HelmRelease", Name: "r", UID: "r", Controller: &yes}})
	}
	tests := map[string]struct {
		xr     string
		change fixture.Change
		live   *unstructured.Unstructured
		want   string
	}{
		"composed":                            {live: fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), ours), want: "my-cluster"},
		"composed, not there yet":             {},
		"the user's own, of the same name":    {change: fixture.ComposedNothing, live: fixture.Parse(t, fixture.ManagedClusterYAML), want: "my-cluster"},
		"the user's own, of another tool":     {change: fixture.ComposedNothing, live: fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), release), want: "my-cluster"},
		"the user's own, named":               {change: annotatedNothing(v1beta1.AnnotationManagedCluster, "mine"), live: fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), named("mine")), want: "mine"},
		"of that name, but another is named":  {change: annotatedNothing(v1beta1.AnnotationManagedCluster, "mine"), live: fixture.Parse(t, fixture.ManagedClusterYAML)},
		"a name that no object can have":      {change: func(o *unstructured.Unstructured) { fixture.ComposedNothing(o); o.SetName("My.cluster-") }, live: fixture.Parse(t, fixture.ManagedClusterYAML), want: "my-cluster"},
		"another composite resource's":        {change: fixture.ComposedNothing, live: fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Controlled(fixture.TypedControlPlane, "other"))},
		"of spec.resources, and the user's":   {xr: fixture.ControlPlaneYAML, live: fixture.Parse(t, fixture.ManagedClusterYAML)},
		"of spec.resources, and composed":     {xr: fixture.ControlPlaneYAML, live: fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Controlled(fixture.ASOControlPlane, "my-cluster")), want: "my-cluster"},
		"nothing in spec.resources":           {xr: strings.Split(fixture.ControlPlaneYAML, "spec:")[0], live: fixture.Parse(t, fixture.ManagedClusterYAML)},
		"the annotation of another kind only": {xr: fixture.ControlPlaneYAML, change: fixture.Annotated(v1beta1.AnnotationManagedCluster, "mine"), live: fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), named("mine"))},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.xr == "" {
				tc.xr = fixture.TypedControlPlaneYAML
			}
			xr := fixture.Parse(t, tc.xr)
			if tc.change != nil {
				tc.change(xr)
			}
			m := fixture.New(t)
			if tc.live != nil {
				m = fixture.New(t, tc.live)
			}
			obj, err := ManagedCluster(t.Context(), m.API().Live, xr)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if obj != nil {
				got = obj.GetName()
			}
			if got != tc.want {
				t.Errorf("it is backed by %q, want %q", got, tc.want)
			}
		})
	}
}

func annotatedNothing(keysAndValues ...string) fixture.Change {
	return func(o *unstructured.Unstructured) { fixture.ComposedNothing(o); fixture.Annotated(keysAndValues...)(o) }
}

func TestMirrored(t *testing.T) {
	want := map[string]string{
		"AzureASOManagedControlPlane": "ManagedCluster",
		"AzureManagedControlPlane":    "ManagedCluster",
		"AzureManagedMachinePool":     "ManagedClustersAgentPool",
		"AzureASOManagedMachinePool":  "ManagedClustersAgentPool",
		"AzureASOManagedCluster":      "",
		"AzureManagedCluster":         "",
	}
	for name, want := range want {
		kind, ok := composite.Lookup(schema.GroupKind{Group: composite.InfrastructureGroup, Kind: name})
		if got := Mirrored(kind).Kind; !ok || got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	selfManaged := composite.Kind{Role: composite.InfrastructureMachinePool, Family: "Azure"}
	if got := Mirrored(selfManaged); !got.Empty() || OfAKS(selfManaged) {
		t.Errorf("a pool of a family without a control plane mirrors %s", got)
	}
}
