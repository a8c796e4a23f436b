package contract

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/version"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// The fields of ASO objects that Cluster API may decide.
const (
	kubernetesVersion   = "kubernetesVersion"
	orchestratorVersion = "orchestratorVersion"
	count               = "count"
)

// manageCluster decides the version of a ManagedCluster that the user has written, where the user says so.
func (m *controlPlaneMirror) manageCluster(ctx context.Context, s *scope, managedCluster *unstructured.Unstructured) error {
	if composedByAny(managedCluster) {
		return nil
	}
	wanted := decisions{}
	if manages(s.xr, v1beta1.ManagesVersion) {
		// Azure may have upgraded it, and takes no older version.
		if v := newest(specVersion.value(s.xr), currentKubernetesVersion.value(managedCluster)); v != "" {
			wanted[kubernetesVersion] = v
		}
	}
	return m.decide(ctx, s.xr, managedCluster, wanted)
}

// managePool decides the version and the number of nodes of an agent pool that the user has written, where the user
// says so.
func (m *machinePoolMirror) managePool(ctx context.Context, s *scope, owner *clusterv1.MachinePool, pool *unstructured.Unstructured) error {
	if composedByAny(pool) {
		return nil
	}
	wanted := decisions{}
	if manages(s.xr, v1beta1.ManagesVersion) {
		versioned, err := m.poolVersion(ctx, s, owner, pool)
		if err != nil {
			return err
		}
		maps.Copy(wanted, versioned)
	}
	if manages(s.xr, v1beta1.ManagesReplicas) && owner.Spec.Replicas != nil && !enableAutoScaling.value(pool) {
		wanted[count] = int64(*owner.Spec.Replicas)
	}
	return m.decide(ctx, s.xr, pool, wanted)
}

// poolVersion returns the decision about the version of an agent pool: AKS takes none above the control plane's, so it
// stays as it is until the control plane is there.
func (m *machinePoolMirror) poolVersion(ctx context.Context, s *scope, owner *clusterv1.MachinePool, pool *unstructured.Unstructured) (decisions, error) {
	wanted := owner.Spec.Template.Spec.Version
	if wanted == "" {
		return nil, nil
	}
	controlPlane, err := controlPlaneOf(ctx, m.Client, s.cluster)
	if err != nil || controlPlane == nil {
		return decidedOf(pool).keep(orchestratorVersion), err
	}
	v := newest(wanted, statusAutoUpgradeVersion.value(controlPlane), currentOrchestratorVersion.value(pool))
	if reached := statusVersion.value(controlPlane); v == "" || newest(v, reached) != trimmed(reached) {
		m.events.warn(s.xr, "VersionAwaitsControlPlane", "", fmt.Sprintf(
			"the pool is upgraded to %s when the control plane is, which has %q now", v, reached))
		return decidedOf(pool).keep(orchestratorVersion), nil
	}
	m.events.clear(s.xr, "VersionAwaitsControlPlane")
	return decisions{orchestratorVersion: v}, nil
}

// newest returns the highest of the Kubernetes versions as AKS writes them; empty ones and what is none do not count.
func newest(versions ...string) string {
	var highest *version.Version
	var text string
	for _, v := range versions {
		parsed, err := version.ParseGeneric(v)
		if err == nil && (highest == nil || highest.LessThan(parsed)) {
			highest, text = parsed, trimmed(v)
		}
	}
	return text
}

func trimmed(v string) string { return strings.TrimPrefix(v, "v") }
