package asomanaged

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// replicasManagedByAKS is the value of the annotation replicas-managed-by while the cluster autoscaler of AKS scales.
const replicasManagedByAKS = "aks"

// MachinePool composes AzureASOManagedMachinePool: an AKS agent pool and what goes with it.
type MachinePool struct{}

// Compose implements composer.Composer.
func (MachinePool) Compose(in *composer.Request) (*composer.Result, error) {
	status := provisionedStatus(in)
	machinePool, cluster, problem, err := ownerMachinePool(in)
	if err != nil {
		return nil, err
	}
	var controlPlane string
	if problem == nil {
		controlPlane, problem = reference(in, cluster, "controlPlaneRef", asoControlPlaneKind)
	}
	inlines := composer.Inlines(in.XR)
	agentPool := composer.First(inlines, agentPoolKind)
	if problem == nil && agentPool == nil {
		problem = &composer.Problem{Reason: reasonMissingResource,
			Message: "spec.resources has no ManagedClustersAgentPool of group containerservice.azure.com, but an AzureASOManagedMachinePool needs one"}
	}
	if problem != nil {
		return refuse(in, problem, status)
	}

	composer.Ask(in, inlines)
	peers, err := peersOf(in, cluster, controlPlane)
	if err != nil {
		return nil, err
	}
	observed := in.Observed[agentPool.Name()]
	if agentPool.Problem == nil {
		agentPool.Problem = setAgentPool(machinePool, agentPool, observed)
	}
	plan := composer.Plan{Inlines: inlines, Cluster: cluster.GetName(), Paused: paused(in, cluster), Peers: peers,
		Awaits: func(i *composer.Inline) []composer.Reference { return clusterByID(i, peers) }}
	out, err := plan.Make(in)
	if err != nil {
		return nil, err
	}
	setMachinePoolStatus(in, status, out, observed)
	ready := readiness(status, out, composer.False(composer.ConditionReady, reasonWaitingNodes,
		"waits for spec.providerIDList, which comes from the nodes of the pool"))
	return composer.Finish(in, out, status, ready, out.Condition(), pausedCondition(plan.Paused)), nil
}

// ownerMachinePool returns the MachinePool that owns the composite and its Cluster; a problem says what is missing.
func ownerMachinePool(in *composer.Request) (machinePool, cluster *unstructured.Unstructured, problem *composer.Problem, err error) {
	name := ownerName(in.XR, machinePoolKind)
	if name == "" {
		return nil, nil, &composer.Problem{Reason: reasonWaitingForOwner, Message: fmt.Sprintf(
			"waits for a MachinePool to own it: a MachinePool in namespace %q must refer to %s %q", in.XR.GetNamespace(), in.XR.GetKind(), in.XR.GetName())}, nil
	}
	machinePool, err = in.Get("machinepool", machinePoolKind, name)
	if err != nil {
		return nil, nil, nil, err
	}
	if machinePool == nil {
		return nil, nil, &composer.Problem{Reason: reasonWaitingForOwner, Message: fmt.Sprintf(
			"waits for MachinePool %q, which owns it and does not exist in namespace %q", name, in.XR.GetNamespace())}, nil
	}
	clusterName, _, _ := unstructured.NestedString(machinePool.Object, "spec", "clusterName")
	cluster, problem, err = namedCluster(in, clusterName)
	return machinePool, cluster, problem, err
}

// peersOf returns the composites whose resources a pool may refer to.
func peersOf(in *composer.Request, cluster *unstructured.Unstructured, controlPlane string) ([]composer.Peer, error) {
	xr, err := in.Get("controlplane", asoControlPlaneKind, controlPlane)
	if err != nil && !errors.Is(err, composer.ErrPending) {
		return nil, err
	}
	peers := []composer.Peer{{Kind: asoControlPlaneKind.Kind, Name: controlPlane, XR: xr}}
	if infra, problem := reference(in, cluster, "infrastructureRef", asoClusterKind); problem == nil {
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
	if id == "" || !i.Is(agentPoolKind) || peers[0].XR == nil {
		return nil
	}
	managed := composer.First(composer.Inlines(peers[0].XR), managedClusterKind)
	if managed == nil || !strings.HasSuffix(strings.ToLower(id), strings.ToLower("/managedClusters/"+azureName(managed.Object))) {
		return nil
	}
	return []composer.Reference{{GroupKind: managedClusterKind, Name: managed.Object.GetName(), Path: "spec.owner.armId"}}
}

// setAgentPool sets on an agent pool what its MachinePool decides, in CAPZ's order.
func setAgentPool(machinePool *unstructured.Unstructured, agentPool *composer.Inline, observed *unstructured.Unstructured) *composer.Problem {
	if problem := setOrchestratorVersion(machinePool, agentPool); problem != nil {
		return problem
	}
	manager, managed := machinePool.GetAnnotations()[annotationReplicasBy]
	autoscaled, _, _ := unstructured.NestedBool(agentPool.Object.Object, "spec", "enableAutoScaling")
	switch {
	case autoscaled && managed && manager != replicasManagedByAKS:
		return &composer.Problem{Reason: composer.ReasonReplicasManagedBy, Message: fmt.Sprintf(
			"%s.spec.enableAutoScaling is true, but must be false or absent because annotation %s of MachinePool %q says that %q manages the replicas",
			agentPool.Path, annotationReplicasBy, machinePool.GetName(), manager)}
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
		setProvisioned(status)
	}
}
