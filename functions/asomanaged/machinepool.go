package asomanaged

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/functions/agentpool"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// replicasManagedByAKS is the value of the annotation replicas-managed-by while the cluster autoscaler of AKS scales.
const replicasManagedByAKS = "aks"

// Fields of an agent pool that its MachinePool decides.
var (
	orchestratorVersion = field.At[string]("spec", "orchestratorVersion")
	enableAutoScaling   = field.At[bool]("spec", "enableAutoScaling")
	specCount           = field.At[int64]("spec", "count")
)

// MachinePool composes AzureASOManagedMachinePool: an AKS agent pool and what goes with it.
type MachinePool struct{}

// Compose implements composer.Composer.
func (MachinePool) Compose(in *composer.Request) (*composer.Result, error) {
	status := capi.ReadInfrastructureStatus(in)
	m, err := readMachinePool(in)
	if err != nil {
		return &composer.Result{Status: status.Result()}, err
	}
	observed := plan.Created(in, m.agentPool.Name())
	if m.agentPool.Err == nil {
		m.agentPool.Err = setAgentPool(m.machinePool, m.agentPool, observed)
	}
	signsIn := credential{controlPlane: m.peers[0].XR, name: m.peers[0].Name, cluster: m.cluster.GetName()}
	signsIn.set(in, m.resources)
	p := plan.Plan{Resources: m.resources, Cluster: m.cluster.GetName(), Paused: capi.Paused(in, m.cluster), Peers: m.peers}
	out, err := p.Make(in, m.observations)
	if err != nil {
		return nil, err
	}
	status.SetNodes(in, out, agentpool.Count(observed))
	reported := signsIn.reported()
	return reported.Result(in, out, status.Result(),
		reported.Readiness(out, status.Condition(out, capi.WaitsForNodes)), out.Condition(), capi.PausedCondition(p.Paused)), nil
}

// poolInputs is what the composer reads.
type poolInputs struct {
	machinePool, cluster *unstructured.Unstructured
	// peers are the control plane and, if it is of this family, the infrastructure: what a pool may refer to.
	peers        []plan.Peer
	resources    []*plan.Resource
	observations *plan.Observations
	// agentPool is the one among the resources.
	agentPool *plan.Resource
}

// readMachinePool reads all that there is to read at once: Crossplane asks a function no more than a handful of times.
func readMachinePool(in *composer.Request) (*poolInputs, error) {
	m := &poolInputs{}
	var err error
	if m.machinePool, m.cluster, err = capi.OwnerMachinePool(in); err != nil {
		return nil, err
	}
	name, err := capi.Reference(in, m.cluster, "controlPlaneRef", composite.AzureASOManagedControlPlane)
	if err != nil {
		return nil, err
	}
	m.resources = plan.FromSpec(in.XR)
	m.agentPool = plan.First(m.resources, aso.ManagedClustersAgentPool)
	if m.agentPool == nil {
		return nil, composer.Blockedf(reasonMissingResource,
			"spec.resources has no ManagedClustersAgentPool of group containerservice.azure.com, but an AzureASOManagedMachinePool needs one")
	}
	var observeErr, infraErr error
	m.observations, observeErr = plan.Observe(in, m.resources)
	controlPlane, err := peer(in, "controlplane", composite.AzureASOManagedControlPlane, name)
	m.peers = []plan.Peer{controlPlane}
	if infra, refErr := capi.Reference(in, m.cluster, "infrastructureRef", composite.AzureASOManagedCluster); refErr == nil {
		var infrastructure plan.Peer
		infrastructure, infraErr = peer(in, "infrastructure", composite.AzureASOManagedCluster, infra)
		m.peers = append(m.peers, infrastructure)
	}
	return m, errors.Join(observeErr, err, infraErr)
}

// setAgentPool sets on an agent pool what its MachinePool decides, in CAPZ's order.
func setAgentPool(machinePool *unstructured.Unstructured, agentPool *plan.Resource, observed *unstructured.Unstructured) *composer.Blocked {
	version := capi.MachinePoolVersion.Value(machinePool)
	because := fmt.Sprintf("because spec.template.spec.version of MachinePool %q is %q", machinePool.GetName(), version)
	if blocked := setVersion(agentPool, orchestratorVersion, version, because, agentpool.Version(observed)); blocked != nil {
		return blocked
	}
	scaler, scaledByOther := machinePool.GetAnnotations()[clusterv1.ReplicasManagedByAnnotation]
	autoscaled := enableAutoScaling.Value(agentPool.Object)
	switch {
	case autoscaled && scaledByOther && scaler != replicasManagedByAKS:
		return composer.Blockedf(composer.ReasonReplicasManagedBy,
			"%s.spec.enableAutoScaling is true, but must be false or absent because annotation %s of MachinePool %q says that %q manages the replicas",
			agentPool.Source, clusterv1.ReplicasManagedByAnnotation, machinePool.GetName(), scaler)
	case autoscaled:
		scaledByOther = true
	case scaler == replicasManagedByAKS:
		// provider-capz takes the annotation away: autoscaling is off.
		scaledByOther = false
	}
	return setCount(machinePool, agentPool, observed, scaledByOther)
}

// setCount sets the number of nodes. Somebody else's count is only a start: it seeds the pool's creation.
func setCount(machinePool *unstructured.Unstructured, agentPool *plan.Resource, observed *unstructured.Unstructured, scaledByOther bool) *composer.Blocked {
	if !capi.MachinePoolReplicas.Has(machinePool) {
		return nil
	}
	if scaledByOther && agentpool.Count(observed) != nil {
		agentPool.Release(observed, specCount.Names()...)
		return nil
	}
	replicas := capi.MachinePoolReplicas.Value(machinePool)
	return agentPool.SetField(specCount, replicas, fmt.Sprintf("because spec.replicas of MachinePool %q is %v", machinePool.GetName(), replicas))
}
