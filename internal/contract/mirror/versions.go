package mirror

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/version"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// The fields of ASO objects that Cluster API may decide.
const (
	kubernetesVersion   = "kubernetesVersion"
	orchestratorVersion = "orchestratorVersion"
	count               = "count"
)

// DecideCluster decides the version of a ManagedCluster that the user has written, where the user asks for it.
func DecideCluster(ctx context.Context, api access.API, s *access.Scope, managedCluster *unstructured.Unstructured) error {
	if access.ControlledByComposite(managedCluster) {
		return nil
	}
	wanted := decisions{}
	if manages(s.XR, v1beta1.ManagesVersion) {
		// Azure may have upgraded it, and takes no older version.
		if v := newest(specVersion.Value(s.XR), currentKubernetesVersion.Value(managedCluster)); v != "" {
			wanted[kubernetesVersion] = v
		}
	}
	return decide(ctx, api, s.XR, managedCluster, wanted)
}

// decidePool decides the version and the number of nodes of an agent pool that the user has written, where the user
// asks for it.
func (m *MachinePool) decidePool(ctx context.Context, s *access.Scope, owner *clusterv1.MachinePool, pool *unstructured.Unstructured) error {
	if access.ControlledByComposite(pool) {
		return nil
	}
	wanted := decisions{}
	if manages(s.XR, v1beta1.ManagesVersion) {
		versioned, err := m.poolVersion(ctx, s, owner, pool)
		if err != nil {
			return err
		}
		maps.Copy(wanted, versioned)
	}
	if manages(s.XR, v1beta1.ManagesReplicas) && decidesCount(owner, pool) {
		wanted[count] = int64(*owner.Spec.Replicas)
	}
	if err := m.warnOfProfiles(ctx, s, pool, wanted); err != nil {
		return err
	}
	return decide(ctx, m.API, s.XR, pool, wanted)
}

// decidesCount reports whether the MachinePool decides how many nodes an agent pool has which the user has written. Where the pool has no
// number AKS has scaled it, so that both must have the same first.
func decidesCount(owner *clusterv1.MachinePool, pool *unstructured.Unstructured) bool {
	if owner.Spec.Replicas == nil || aso.SpecEnableAutoScaling.Value(pool) {
		return false
	}
	has, settled := aso.SettledCount(pool)
	return aso.SpecCount.Has(pool) || settled && has == int64(*owner.Spec.Replicas)
}

// poolVersion returns the decision about the version of an agent pool: AKS takes none above the control plane's, so it
// stays as it is until the control plane is there.
func (m *MachinePool) poolVersion(ctx context.Context, s *access.Scope, owner *clusterv1.MachinePool, pool *unstructured.Unstructured) (decisions, error) {
	wanted := owner.Spec.Template.Spec.Version
	if wanted == "" {
		return nil, nil
	}
	controlPlane, err := access.ControlPlaneOf(ctx, m.Client, s.Cluster)
	if err != nil || controlPlane == nil {
		return decided(pool).only(orchestratorVersion), err
	}
	v := newest(wanted, access.StatusAutoUpgradeVersion.Value(controlPlane), currentOrchestratorVersion.Value(pool))
	if reached := access.StatusVersion.Value(controlPlane); v == "" || newest(v, reached) != trimmed(reached) {
		m.Events.Warn(s.XR, "VersionAwaitsControlPlane", "", fmt.Sprintf(
			"the pool is upgraded to %s when the control plane is, which has %q now", v, reached))
		return decided(pool).only(orchestratorVersion), nil
	}
	m.Events.Clear(s.XR, "VersionAwaitsControlPlane")
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
