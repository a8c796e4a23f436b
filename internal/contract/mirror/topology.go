package mirror

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/topology"
)

// TopologyOfControlPlane gives the control plane of a topology the version that Azure runs, where Cluster API does not go on from the one
// that it has: AKS has refused that, or has upgraded by itself.
func TopologyOfControlPlane(ctx context.Context, api access.API, s *access.Scope) error {
	versions := topology.Of(s.XR)
	if !topology.Owns(s.Cluster, s.XR) || s.Cluster.Spec.Topology.Version == versions.Asked {
		return nil
	}
	managedCluster, err := ManagedCluster(ctx, api.Live, s.XR)
	if err != nil {
		return err
	}
	refused := managedCluster != nil && aso.StateOf(managedCluster).Failed
	version := versions.ControlPlane(s.Cluster.Spec.Topology.Version, refused)
	if version == "" {
		return nil
	}
	ctrl.LoggerFrom(ctx).Info("Cluster API goes on with the topology from the version that Azure runs",
		"asked", versions.Asked, "version", version, "topology", s.Cluster.Spec.Topology.Version)
	return access.SetField(ctx, api.Client, s.XR, specVersion, version)
}

// topology gives the MachinePool of a topology the version that its nodes run, where Cluster API would wait for ever that they run the
// one that it has: AKS has upgraded by itself.
func (m *MachinePool) topology(ctx context.Context, s *access.Scope, owner *clusterv1.MachinePool, pool *unstructured.Unstructured, nodes []*corev1.Node) error {
	if owner == nil || !topology.Owns(s.Cluster, owner) || owner.Spec.Template.Spec.Version == s.Cluster.Spec.Topology.Version {
		return nil
	}
	controlPlane, err := access.ControlPlaneOf(ctx, m.Client, s.Cluster)
	if err != nil || controlPlane == nil {
		return err
	}
	has, wanted := owner.Spec.Template.Spec.Version, s.Cluster.Spec.Topology.Version
	versions, kubelets := topology.Of(controlPlane), []string(nil)
	if versions.Lags(has, wanted) {
		selector, err := m.nodeSelector(ctx, s, pool)
		if err != nil || selector == nil {
			return err
		}
		kubelets = kubeletVersions(nodes, selector)
	}
	version := versions.MachinePool(has, wanted, kubelets)
	if version == "" {
		return nil
	}
	ctrl.LoggerFrom(ctx).Info("Cluster API goes on with the MachinePool from the version that its nodes run", "asked", has, "version", version, "topology", wanted)
	changed := owner.DeepCopy()
	changed.Spec.Template.Spec.Version = version
	return m.Patch(ctx, changed, client.MergeFromWithOptions(owner, client.MergeFromWithOptimisticLock{}))
}

// kubeletVersions returns the versions of the nodes with the labels.
func kubeletVersions(nodes []*corev1.Node, with labels.Selector) []string {
	var versions []string
	for _, node := range nodes {
		if with.Matches(labels.Set(node.Labels)) {
			versions = append(versions, node.Status.NodeInfo.KubeletVersion)
		}
	}
	return versions
}
