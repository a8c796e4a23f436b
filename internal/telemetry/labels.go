package telemetry

import (
	"maps"
	"net/http"
	"slices"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/remedy"
)

// ClusterKind stands for Cluster API's Clusters beside the composite kinds.
const ClusterKind = "Cluster"

// The states of a composite resource.
const (
	StateReady    = "ready"
	StateWaiting  = "waiting"
	StateFailed   = "failed"
	StatePaused   = "paused"
	StateDeleting = "deleting"
	StatePending  = "pending"
)

// The values of label left for what has ended, and for what nobody knows the end of.
const (
	LeftNothing = "expired"
	LeftUnknown = "unknown"
	leftMore    = "more"
)

// A span is a time until the end of something, and what it is called.
type span struct {
	name  string
	below time.Duration
}

const day = 24 * time.Hour

var (
	credentialSpans = []span{{"1d", day}, {"7d", 7 * day}, {"30d", 30 * day}, {"90d", 90 * day}}
	tokenSpans      = []span{{"4m", 4 * time.Minute}, {"15m", 15 * time.Minute}, {"1h", time.Hour}}
)

// CredentialLeft returns the value of label left of a credential that is valid for some time more.
func CredentialLeft(d time.Duration) string { return left(d, credentialSpans) }

// TokenLeft returns the value of label left of a token that is valid for some time more.
func TokenLeft(d time.Duration) string { return left(d, tokenSpans) }

func left(d time.Duration, spans []span) string {
	if d <= 0 {
		return LeftNothing
	}
	for _, s := range spans {
		if d < s.below {
			return s.name
		}
	}
	return leftMore
}

func spanNames(spans []span, others ...string) []string {
	names := []string{LeftNothing}
	for _, s := range spans {
		names = append(names, s.name)
	}
	return append(append(names, leftMore), others...)
}

func families() []string {
	var all []string
	for _, k := range composite.Catalogue() {
		if k.Family != "" && !slices.Contains(all, string(k.Family)) {
			all = append(all, string(k.Family))
		}
	}
	return all
}

// kinds returns the names of the composite kinds that have one of the roles, or all.
func kinds(roles ...composite.Role) []string {
	var all []string
	for _, k := range composite.Catalogue() {
		if len(roles) == 0 || slices.Contains(roles, k.Role) {
			all = append(all, k.Kind)
		}
	}
	return all
}

// alive are the roles of kinds that stand for something in Azure.
var alive = []composite.Role{
	composite.InfrastructureCluster, composite.ControlPlane, composite.InfrastructureMachinePool, composite.InfrastructureMachine, composite.Application,
}

// born returns the values of family and kind of all that becomes ready, Clusters among it.
func born() [][]string {
	var all [][]string
	for _, family := range families() {
		all = append(all, []string{family, ClusterKind})
	}
	for _, k := range composite.Catalogue() {
		if slices.Contains(alive[:4], k.Role) {
			all = append(all, []string{string(k.Family), k.Kind})
		}
	}
	return all
}

func composedKinds() []string {
	var all []string
	for _, k := range aso.Catalogue() {
		all = append(all, k.Name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// reasons are those of which something is known, whoever gives them.
func reasons() []string {
	known := map[string]bool{}
	for _, o := range remedy.Origins() {
		for reason := range o.Remedies {
			known[reason] = true
		}
	}
	return slices.Sorted(maps.Keys(known))
}

// identityTypes are those of spec.type of an AzureClusterIdentity. They are repeated here because what generates files must not depend on
// package apis; a test compares.
var identityTypes = []string{
	"ServicePrincipal", "ManualServicePrincipal", "ServicePrincipalCertificate", "UserAssignedMSI", "WorkloadIdentity", "UserAssignedIdentityCredential",
}

var (
	familyLabel = Label{Name: "family", Help: "the family of the Cluster's kinds", Values: families()}
	kindLabel   = Label{Name: "kind", Help: "the kind of the composite resource", Values: kinds(alive...)}
	bornLabel   = Label{Name: "kind", Help: "the kind of the composite resource, or " + ClusterKind, Values: append(kinds(alive[:4]...), ClusterKind)}
	anyLabel    = Label{Name: "kind", Help: "the kind of the composite resource that is composed", Values: kinds()}

	clusterPhase = Label{Name: "phase", Help: "Cluster API's `status.phase`", Values: []string{
		string(clusterv1.ClusterPhasePending), string(clusterv1.ClusterPhaseProvisioning), string(clusterv1.ClusterPhaseProvisioned),
		string(clusterv1.ClusterPhaseDeleting), string(clusterv1.ClusterPhaseFailed), string(clusterv1.ClusterPhaseUnknown), //nolint:staticcheck // Of Clusters that an older Cluster API wrote.
	}}
	poolPhase = Label{Name: "phase", Help: "Cluster API's `status.phase`", Values: []string{
		string(clusterv1.MachinePoolPhasePending), string(clusterv1.MachinePoolPhaseProvisioning), string(clusterv1.MachinePoolPhaseProvisioned),
		string(clusterv1.MachinePoolPhaseRunning), string(clusterv1.MachinePoolPhaseScalingUp), string(clusterv1.MachinePoolPhaseScalingDown),
		string(clusterv1.MachinePoolPhaseScaling), string(clusterv1.MachinePoolPhaseDeleting), string(clusterv1.MachinePoolPhaseFailed), //nolint:staticcheck // Of Clusters that an older Cluster API wrote.
		string(clusterv1.MachinePoolPhaseUnknown),
	}}
	stateLabel = Label{Name: "state", Values: []string{StateReady, StateWaiting, StateFailed, StatePaused, StateDeleting, StatePending},
		Help: "`ready`; `waiting` if somebody is working or something else comes first; `failed` if somebody has to act, see troubleshooting.md; " +
			"`paused`; `deleting`; `pending` if nothing is reported about it yet"}
	composedLabel = Label{Name: "kind", Help: "the kind of the Azure Service Operator object", Values: composedKinds()}
	reasonLabel   = Label{Name: "reason", Help: "the reason in `status.resources`: Azure's error code, or a reason in troubleshooting.md", Values: reasons()}

	typeLabel = Label{Name: "type", Help: "the type of the resource in Azure Resource Manager", Values: ResourceTypes()}
	methods   = Label{Name: "method", Help: "the HTTP method", Values: []string{http.MethodGet, http.MethodPut, http.MethodPatch, http.MethodPost, http.MethodDelete}}
	codeLabel = Label{Name: "code", Help: "Azure's error code; `Unreachable` without an answer, `SignIn` if Entra ID issued no token", Values: codes()}
)

// Codes of requests without an answer of Azure Resource Manager.
const (
	CodeUnreachable = "Unreachable"
	CodeSignIn      = "SignIn"
)

// codes are the error codes of Azure of which something is known.
func codes() []string {
	all := []string{CodeUnreachable, CodeSignIn}
	for _, o := range remedy.Origins() {
		if o.Name == "Azure" {
			all = append(all, slices.Sorted(maps.Keys(o.Remedies))...)
		}
	}
	return all
}
