package capi

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
)

// apiServerPort is the port of every AKS API server (AKS documentation, "Control outbound traffic").
const apiServerPort = 443

// An InfrastructureStatus is what Cluster API reads of the infrastructure of a Cluster or a MachinePool, in both versions of the contract.
type InfrastructureStatus struct {
	Ready          bool                                  `json:"ready"`
	Initialization *v1beta1.InfrastructureInitialization `json:"initialization"`
	// Replicas is the number of nodes that Azure has; nil while it is not known, and where there are none to count.
	Replicas *int64 `json:"replicas,omitempty"`
}

// ReadInfrastructureStatus returns the status with what the contract calls completed, if it is already
// (CAPI contract, InfraCluster and InfraMachinePool: "initialization completed").
func ReadInfrastructureStatus(in *composer.Request) *InfrastructureStatus {
	done := statusReady.Value(in.XR)
	status := &InfrastructureStatus{Ready: done, Initialization: &v1beta1.InfrastructureInitialization{Provisioned: &done}}
	return status
}

// SetProvisioned records that the infrastructure is there.
func (s *InfrastructureStatus) SetProvisioned() {
	s.Ready, s.Initialization.Provisioned = true, ptr.To(true)
}

// SetNodes counts the nodes of a pool: count is what Azure has, nil where that is not known anew. A pool is provisioned once all is
// ready and Cluster API has its nodes, or it has none.
func (s *InfrastructureStatus) SetNodes(in *composer.Request, out *plan.Outcomes, count *int64) {
	if replicas, found, _ := statusReplicas.Get(in.XR); found {
		s.Replicas = &replicas
	}
	if count != nil {
		s.Replicas = count
	}
	none := s.Replicas != nil && *s.Replicas == 0
	if out.Ready() && (len(ProviderIDs.Value(in.XR)) > 0 || none) {
		s.SetProvisioned()
	}
}

// Result returns the fields of the status.
func (s *InfrastructureStatus) Result() map[string]any { return fieldsOf(s) }

// Condition returns the condition Ready, which is last while all is there and Cluster API has not seen it yet. Once provisioned, ordinary
// updates do not take it away; a mistake in the spec or Azure's refusal does, as somebody has to act.
func (s *InfrastructureStatus) Condition(out *plan.Outcomes, last composer.Condition) composer.Condition {
	resources := out.Condition()
	switch {
	case out.Refused() || !s.Ready && !out.Ready():
		return composer.False(composer.ConditionReady, resources.Reason, resources.Message)
	case !s.Ready:
		return last
	}
	return composer.True(composer.ConditionReady, ReasonProvisioned, resources.Message)
}

// HasEndpoint reports whether the infrastructure of a Cluster has the address of the API server, which comes from the control plane.
func HasEndpoint(in *composer.Request) bool { return endpointHost.Value(in.XR) != "" }

// WaitsForEndpoint is the condition while it has none, WaitsForNodes that of a pool without nodes.
var (
	WaitsForEndpoint = composer.False(composer.ConditionReady, ReasonWaitingEndpoint, "waits for spec.controlPlaneEndpoint, which comes from the control plane")
	WaitsForNodes    = composer.False(composer.ConditionReady, ReasonWaitingNodes, "waits for spec.providerIDList, which comes from the nodes of the pool")
)

// A ControlPlaneStatus is what Cluster API reads of a control plane, in both versions of the contract.
type ControlPlaneStatus struct {
	Ready          bool                                `json:"ready"`
	Initialized    bool                                `json:"initialized"`
	Initialization *v1beta1.ControlPlaneInitialization `json:"initialization"`
	// ExternalManagedControlPlane is true as there are no Machines behind it (CAPI contract, ControlPlane).
	ExternalManagedControlPlane bool `json:"externalManagedControlPlane"`
	// ControlPlaneEndpoint, Version and Versions stay as they were known.
	ControlPlaneEndpoint map[string]any `json:"controlPlaneEndpoint,omitempty"`
	Version              string         `json:"version,omitempty"`
	Versions             []any          `json:"versions,omitempty"`
	// AutoUpgradeVersion is the version that AKS has raised the cluster to by itself.
	AutoUpgradeVersion string                           `json:"autoUpgradeVersion,omitempty"`
	OIDCIssuerProfile  *v1beta1.OIDCIssuerProfileStatus `json:"oidcIssuerProfile,omitempty"`
}

// Fields of the status of a control plane that stay as they are known.
var (
	statusEndpoint    = field.At[map[string]any]("status", "controlPlaneEndpoint")
	statusVersion     = field.At[string]("status", "version")
	statusVersions    = field.At[[]any]("status", "versions")
	statusAutoUpgrade = field.At[string]("status", "autoUpgradeVersion")
	statusIssuer      = field.At[string]("status", "oidcIssuerProfile", "issuerURL")
)

// ReadControlPlaneStatus returns the status with what the contract calls completed, if it is already, and what was known of the
// control plane before.
func ReadControlPlaneStatus(in *composer.Request) *ControlPlaneStatus {
	done := statusInitialized.Value(in.XR)
	s := &ControlPlaneStatus{
		Ready: done, Initialized: done, Initialization: &v1beta1.ControlPlaneInitialization{ControlPlaneInitialized: &done},
		ExternalManagedControlPlane: true, ControlPlaneEndpoint: statusEndpoint.Value(in.XR),
		Version: statusVersion.Value(in.XR), Versions: statusVersions.Value(in.XR), AutoUpgradeVersion: statusAutoUpgrade.Value(in.XR),
	}
	s.SetIssuer(statusIssuer.Value(in.XR))
	return s
}

// SetVersion records which version the control plane runs. What is no version is none that Cluster API could read.
func (s *ControlPlaneStatus) SetVersion(version string) {
	if !kubeversion.Valid(version) {
		return
	}
	s.Version = kubeversion.WithV(version)
	s.Versions = []any{map[string]any{"version": s.Version}}
}

// SetIssuer records at which URL the OIDC issuer of the cluster is; empty for none.
func (s *ControlPlaneStatus) SetIssuer(url string) {
	s.OIDCIssuerProfile = nil
	if url != "" {
		s.OIDCIssuerProfile = &v1beta1.OIDCIssuerProfileStatus{IssuerURL: &url}
	}
}

// SetInitialized records that the API server answers at the host.
func (s *ControlPlaneStatus) SetInitialized(host string) {
	s.ControlPlaneEndpoint = map[string]any{"host": host, "port": int64(apiServerPort)}
	s.Ready, s.Initialized, s.Initialization.ControlPlaneInitialized = true, true, ptr.To(true)
}

// Result returns the fields of the status.
func (s *ControlPlaneStatus) Result() map[string]any { return fieldsOf(s) }

// Condition returns the condition of the given type. A control plane that has come up stays Available when a later change is refused,
// with the refusal as the message, but not when its ManagedCluster is gone from Azure; Ready says that somebody has to act.
func (s *ControlPlaneStatus) Condition(out *plan.Outcomes, conditionType string) composer.Condition {
	resources := out.Condition()
	if !s.Initialized || conditionType == composer.ConditionReady && out.Refused() || out.Gone(aso.ManagedCluster) {
		if resources.Message == "" {
			resources = composer.False("", ReasonWaitingEndpoint, "waits for Azure to report the endpoint of the API server")
		}
		return composer.False(conditionType, resources.Reason, resources.Message)
	}
	return composer.True(conditionType, ReasonProvisioned, resources.Message)
}

// AnnounceVersion has status.versions name the version that the control plane of a topology is to have, with no replicas, for as long as
// the control plane has not come up and the topology names a pool that has no MachinePool. Cluster API creates the MachinePools of a
// topology together with the control plane, or else once that has a version (CAPI contract "ControlPlane: version"; MachinePools are on
// hold before): were it stopped in between, or were one pool refused, or had the topology no pools at first, each would wait for the other
// for ever. The error is ErrPending when the MachinePools have to be read first.
func (s *ControlPlaneStatus) AnnounceVersion(in *composer.Request, cluster *unstructured.Unstructured) error {
	if s.Version != "" {
		return nil
	}
	s.Versions = nil
	version := specVersion.Value(in.XR)
	if version == "" {
		return nil
	}
	lacks, err := LacksPools(in, cluster)
	if lacks {
		s.Versions = []any{map[string]any{"version": kubeversion.WithV(version), "replicas": int64(0)}}
	}
	return err
}

// LacksPools reports whether the Cluster's topology names a pool that has no MachinePool. The error is ErrPending when the MachinePools have
// to be read first.
func LacksPools(in *composer.Request, cluster *unstructured.Unstructured) (bool, error) {
	wanted := field.Maps(clusterMachinePools.Value(cluster))
	if len(wanted) == 0 {
		return false, nil
	}
	machinePools, err := MachinePools(in, cluster.GetName())
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(wanted, func(pool map[string]any) bool {
		return !slices.ContainsFunc(machinePools, func(m *unstructured.Unstructured) bool {
			return m.GetLabels()[clusterv1.ClusterTopologyMachinePoolNameLabel] == pool["name"]
		})
	}), nil
}

// fieldsOf returns the fields of a struct as JSON has them.
func fieldsOf(status any) map[string]any {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(status)
	if err != nil {
		panic(err) // A struct of this package, which can be written.
	}
	return fields
}
