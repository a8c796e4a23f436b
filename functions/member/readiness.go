package member

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// apiServerPort is the port of every AKS API server (AKS documentation, "Control outbound traffic").
const apiServerPort = 443

// ProvisionedStatus returns a status that holds what the contract calls completed, if it is already
// (CAPI contract, InfraCluster and InfraMachinePool: "initialization completed").
func ProvisionedStatus(in *composer.Request) map[string]any {
	done := composer.Reached(in.XR, "ready")
	return map[string]any{"ready": done, "initialization": map[string]any{"provisioned": done}}
}

// SetProvisioned says that the infrastructure is there.
func SetProvisioned(status map[string]any) {
	status["ready"] = true
	status["initialization"] = map[string]any{"provisioned": true}
}

// Readiness returns the condition Ready. Once provisioned, ordinary updates do not take it away; a mistake in the spec
// or Azure's refusal does, as somebody has to act.
func Readiness(status map[string]any, out *composer.Outcomes, last composer.Condition) composer.Condition {
	resources := out.Condition()
	switch {
	case out.Refused() || status["ready"] != true && !out.Ready():
		return composer.False(composer.ConditionReady, resources.Reason, resources.Message)
	case status["ready"] != true:
		return last
	}
	return composer.True(composer.ConditionReady, ReasonProvisioned, resources.Message)
}

// ControlPlaneStatus returns a status that holds what the contract calls completed, if it is already, and what was
// known of the control plane before, with the further fields of its kind.
func ControlPlaneStatus(in *composer.Request, further ...string) map[string]any {
	done := composer.Reached(in.XR, "initialized")
	status := map[string]any{
		"ready": done, "initialized": done, "initialization": map[string]any{"controlPlaneInitialized": done},
		// CAPI contract, ControlPlane: there are no Machines behind it.
		"externalManagedControlPlane": true,
	}
	for _, field := range append([]string{"controlPlaneEndpoint", "version", "versions"}, further...) {
		if value, found, _ := unstructured.NestedFieldCopy(in.XR.Object, "status", field); found {
			status[field] = value
		}
	}
	return status
}

// AnnounceVersion has status.versions name the version that the control plane of a topology is to have, with no replicas, for as long as
// the control plane has not come up and the topology names a pool that has no MachinePool. Cluster API creates the MachinePools of a
// topology together with the control plane, or else once that has a version (CAPI contract "ControlPlane: version"; MachinePools are on
// hold before): were it stopped in between, or were one pool refused, or had the topology no pools at first, each would wait for the other
// for ever. The error is ErrPending when the MachinePools have to be read first.
func AnnounceVersion(in *composer.Request, cluster *unstructured.Unstructured, status map[string]any) error {
	if status["version"] != nil {
		return nil
	}
	delete(status, "versions")
	version, _, _ := unstructured.NestedString(in.XR.Object, "spec", "version")
	if version == "" {
		return nil
	}
	lacks, err := lacksPools(in, cluster)
	if lacks {
		status["versions"] = []any{map[string]any{"version": "v" + strings.TrimPrefix(version, "v"), "replicas": int64(0)}}
	}
	return err
}

// lacksPools reports whether the Cluster's topology names a pool that has no MachinePool.
func lacksPools(in *composer.Request, cluster *unstructured.Unstructured) (bool, error) {
	wanted, _, _ := unstructured.NestedSlice(cluster.Object, "spec", "topology", "workers", "machinePools")
	if len(wanted) == 0 {
		return false, nil
	}
	machinePools, err := MachinePools(in, cluster.GetName())
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(wanted, func(pool any) bool {
		topology, _ := pool.(map[string]any)
		return !slices.ContainsFunc(machinePools, func(m *unstructured.Unstructured) bool {
			return m.GetLabels()[clusterv1.ClusterTopologyMachinePoolNameLabel] == topology["name"]
		})
	}), nil
}

// ControlPlaneReadiness returns the condition of the given type. A control plane that has come up stays Available when
// a later change is refused, with the refusal as the message; Ready says that somebody has to act.
func ControlPlaneReadiness(status map[string]any, out *composer.Outcomes, conditionType string) composer.Condition {
	resources := out.Condition()
	if status["initialized"] != true || conditionType == composer.ConditionReady && out.Refused() {
		if resources.Message == "" {
			resources = composer.False("", ReasonWaitingEndpoint, "waits for Azure to report the endpoint of the API server")
		}
		return composer.False(conditionType, resources.Reason, resources.Message)
	}
	return composer.True(conditionType, ReasonProvisioned, resources.Message)
}

// SetInitialized says that the API server answers at the host.
func SetInitialized(status map[string]any, host string) {
	status["controlPlaneEndpoint"] = map[string]any{"host": host, "port": int64(apiServerPort)}
	status["ready"], status["initialized"] = true, true
	status["initialization"] = map[string]any{"controlPlaneInitialized": true}
}
