package contract

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestClusterOf has members that Cluster API does not own yet.
func TestClusterOf(t *testing.T) {
	named := func(o *unstructured.Unstructured, name string) client.Object { o.SetName(name); return o }
	cases := map[string]struct {
		obj  client.Object
		want bool
	}{
		"owned":                             {with(parse(t, infrastructureYAML), ofCluster), true},
		"referred to, of the same name":     {parse(t, infrastructureYAML), true},
		"control plane":                     {parse(t, controlPlaneYAML), true},
		"of the same name, not referred to": {named(parse(t, poolYAML), "my-cluster"), false},
		"of another kind":                   {parse(t, typedInfrastructureYAML), false},
		"of another name":                   {named(parse(t, infrastructureYAML), "other"), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			cluster, err := ClusterOf(t.Context(), newManagement(t, myCluster()), c.obj)
			if err != nil || (cluster != nil) != c.want {
				t.Errorf("want a Cluster: %v, got %v, %v", c.want, cluster, err)
			}
		})
	}
}
