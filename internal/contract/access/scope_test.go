package access_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// TestClusterOf has composite resources that Cluster API does not own yet.
func TestClusterOf(t *testing.T) {
	named := func(o *unstructured.Unstructured, name string) client.Object { o.SetName(name); return o }
	cases := map[string]struct {
		obj  client.Object
		want bool
	}{
		"owned":                             {fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), fixture.OfCluster), true},
		"referred to, of the same name":     {fixture.Parse(t, fixture.InfrastructureYAML), true},
		"control plane":                     {fixture.Parse(t, fixture.ControlPlaneYAML), true},
		"of the same name, not referred to": {named(fixture.Parse(t, fixture.PoolYAML), "my-cluster"), false},
		"of another kind":                   {fixture.Parse(t, fixture.TypedInfrastructureYAML), false},
		"of another name":                   {named(fixture.Parse(t, fixture.InfrastructureYAML), "other"), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			cluster, err := access.ClusterOf(t.Context(), fixture.New(t, fixture.Cluster()), c.obj)
			if err != nil || (cluster != nil) != c.want {
				t.Errorf("want a Cluster: %v, got %v, %v", c.want, cluster, err)
			}
		})
	}
}
