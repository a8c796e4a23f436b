package contract

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

func TestKinds(t *testing.T) {
	if diff := cmp.Diff([]schema.GroupVersionKind{fixture.ASOCluster, fixture.ASOControlPlane, fixture.ASOMachinePool}, Kinds()); diff != "" {
		t.Errorf("from the start: -want, +got:\n%s", diff)
	}
	later := map[composite.Family][]schema.GroupVersionKind{}
	for _, family := range otherFamilies() {
		later[family] = kindsOf(family)
	}
	want := map[composite.Family][]schema.GroupVersionKind{
		composite.Managed:     {fixture.TypedCluster, fixture.TypedControlPlane, fixture.TypedMachinePool},
		composite.SelfManaged: {composite.AzureCluster.GroupVersionKind, composite.AzureMachine.GroupVersionKind, composite.AzureMachinePool.GroupVersionKind},
	}
	if diff := cmp.Diff(want, later); diff != "" {
		t.Errorf("as soon as they are served: -want, +got:\n%s", diff)
	}
}

func TestFollowsNodes(t *testing.T) {
	tests := map[string]struct {
		cluster *clusterv1.Cluster
		want    bool
	}{
		"users write ASO objects":       {cluster: fixture.Cluster(), want: true},
		"typed":                         {cluster: fixture.ClusterOfTyped(), want: true},
		"being deleted":                 {cluster: fixture.Cluster(fixture.ClusterDeleting)},
		"control plane of another kind": {cluster: fixture.Cluster(func(c *clusterv1.Cluster) { c.Spec.ControlPlaneRef.Kind = "KubeadmControlPlane" })},
		"no control plane":              {cluster: fixture.Cluster(func(c *clusterv1.Cluster) { c.Spec.ControlPlaneRef.Name = "" })},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := followsNodes(tc.cluster); got != tc.want {
				t.Errorf("followsNodes = %v, want %v", got, tc.want)
			}
		})
	}
}
