package asomanaged

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// replicasManagedByAKS is the value of the annotation replicas-managed-by while the cluster autoscaler of AKS scales.
const replicasManagedByAKS = "aks"

// MachinePool composes AzureASOManagedMachinePool: an AKS agent pool and what goes with it.
type MachinePool struct{}

// Compose implements composer.Composer.
func (MachinePool) Compose(in *composer.Request) (*composer.Result, error) {
	status := member.ProvisionedStatus(in)
	machinePool, cluster, problem, err := member.OwnerMachinePool(in)
	if err != nil {
		return nil, err
	}
	var controlPlane string
	if problem == nil {
		controlPlane, problem = member.Reference(in, cluster, "controlPlaneRef", asoControlPlaneKind)
	}
	inlines := composer.Inlines(in.XR)
	agentPool := composer.First(inlines, member.AgentPoolKind)
	if problem == nil && agentPool == nil {
		problem = &composer.Problem{Reason: reasonMissingResource,
			Message: "spec.resources has no ManagedClustersAgentPool of group containerservice.azure.com, but an AzureASOManagedMachinePool needs one"}
	}
	if problem != nil {
		return member.Refuse(in, problem, status)
	}

	composer.Ask(in, inlines)
	peers, err := peersOf(in, cluster, controlPlane)
	if err != nil {
		return nil, err
	}
	observed := in.Made(agentPool.Name())
	if agentPool.Problem == nil {
		agentPool.Problem = setAgentPool(machinePool, agentPool, observed)
	}
	signsIn := credential{controlPlane: peers[0].XR, name: controlPlane, cluster: cluster.GetName()}
	signsIn.set(in, inlines)
	plan := composer.Plan{Inlines: inlines, Cluster: cluster.GetName(), Paused: member.Paused(in, cluster), Peers: peers,
		Awaits: func(i *composer.Inline) []composer.Reference { return clusterByID(i, peers) }}
	out, err := plan.Make(in)
	if err != nil {
		return nil, err
	}
	setMachinePoolStatus(in, status, out, observed)
	ready := signsIn.said().Readiness(member.Readiness(status, out, composer.False(composer.ConditionReady, member.ReasonWaitingNodes,
		"waits for spec.providerIDList, which comes from the nodes of the pool")))
	return signsIn.said().Finish(in, out, status, ready, out.Condition(), member.PausedCondition(plan.Paused)), nil
}

// peersOf returns the composites whose resources a pool may refer to.
func peersOf(in *composer.Request, cluster *unstructured.Unstructured, controlPlane string) ([]composer.Peer, error) {
	xr, err := in.Get("controlplane", asoControlPlaneKind, controlPlane)
	if err != nil && !errors.Is(err, composer.ErrPending) {
		return nil, err
	}
	peers := []composer.Peer{{Kind: asoControlPlaneKind.Kind, Name: controlPlane, XR: xr}}
	if infra, problem := member.Reference(in, cluster, "infrastructureRef", asoClusterKind); problem == nil {
		infraXR, infraErr := in.Get("infrastructure", asoClusterKind, infra)
		if infraErr != nil {
			return nil, infraErr
		}
		peers = append(peers, composer.Peer{Kind: asoClusterKind.Kind, Name: infra, XR: infraXR})
	}
	return peers, err
}

// clusterByID returns a reference to the control plane's ManagedCluster for an agent pool that names it by armId.
func clusterByID(i *composer.Inline, peers []composer.Peer) []composer.Reference {
	id, _, _ := unstructured.NestedString(i.Object.Object, "spec", "owner", "armId")
	if id == "" || !i.Is(member.AgentPoolKind) || peers[0].XR == nil {
		return nil
	}
	managed := composer.First(composer.Inlines(peers[0].XR), member.ManagedClusterKind)
	if managed == nil || !strings.HasSuffix(strings.ToLower(id), strings.ToLower("/managedClusters/"+member.AzureName(managed.Object))) {
		return nil
	}
	return []composer.Reference{{GroupKind: member.ManagedClusterKind, Name: managed.Object.GetName(), Path: "spec.owner.armId"}}
}

// setAgentPool sets on an agent pool what its MachinePool decides, in CAPZ's order.
func setAgentPool(machinePool *unstructured.Unstructured, agentPool *composer.Inline, observed *unstructured.Unstructured) *composer.Problem {
	if problem := setOrchestratorVersion(machinePool, agentPool); problem != nil {
		return problem
	}
	manager, managed := machinePool.GetAnnotations()[member.AnnotationReplicasBy]
	autoscaled, _, _ := unstructured.NestedBool(agentPool.Object.Object, "spec", "enableAutoScaling")
	switch {
	case autoscaled && managed && manager != replicasManagedByAKS:
		return &composer.Problem{Reason: composer.ReasonReplicasManagedBy, Message: fmt.Sprintf(
			"%s.spec.enableAutoScaling is true, but must be false or absent because annotation %s of MachinePool %q says that %q manages the replicas",
			agentPool.Path, member.AnnotationReplicasBy, machinePool.GetName(), manager)}
	case autoscaled:
		managed = true
	case manager == replicasManagedByAKS:
		// provider-capz takes the annotation away: autoscaling is off.
		managed = false
	}
	return setCount(machinePool, agentPool, observed, managed)
}

func setOrchestratorVersion(machinePool *unstructured.Unstructured, agentPool *composer.Inline) *composer.Problem {
	version, _, _ := unstructured.NestedString(machinePool.Object, "spec", "template", "spec", "version")
	if version == "" {
		return nil
	}
	because := fmt.Sprintf("because spec.template.spec.version of MachinePool %q is %q", machinePool.GetName(), version)
	return agentPool.SetField(strings.TrimPrefix(version, "v"), because, "spec", "orchestratorVersion")
}

// setCount sets the number of nodes. Somebody else's count is only a start: it seeds the pool's creation.
func setCount(machinePool *unstructured.Unstructured, agentPool *composer.Inline, observed *unstructured.Unstructured, managedByOther bool) *composer.Problem {
	replicas, found, _ := unstructured.NestedFieldNoCopy(machinePool.Object, "spec", "replicas")
	if !found {
		return nil
	}
	if managedByOther && observed != nil {
		if _, counted, _ := unstructured.NestedFieldNoCopy(observed.Object, "status", "count"); counted {
			agentPool.Release(observed, "spec", "count")
			return nil
		}
	}
	because := fmt.Sprintf("because spec.replicas of MachinePool %q is %v", machinePool.GetName(), replicas)
	return agentPool.SetField(replicas, because, "spec", "count")
}

func setMachinePoolStatus(in *composer.Request, status map[string]any, out *composer.Outcomes, agentPool *unstructured.Unstructured) {
	replicas, found, _ := unstructured.NestedFieldNoCopy(in.XR.Object, "status", "replicas")
	if agentPool != nil {
		if count, counted, _ := unstructured.NestedFieldNoCopy(agentPool.Object, "status", "count"); counted {
			replicas, found = count, true
		}
	}
	if found {
		status["replicas"] = replicas
	}
	providerIDs, _, _ := unstructured.NestedStringSlice(in.XR.Object, "spec", "providerIDList")
	if out.Ready() && (len(providerIDs) > 0 || found && composer.Integer(replicas) == 0) {
		member.SetProvisioned(status)
	}
}
