package asomanaged

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/agentpool"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// orchestratorVersion is a field of agent pools.
var orchestratorVersion = field.At[string]("spec", "orchestratorVersion")

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
	signsIn := credential{controlPlane: m.peers[0].XR, name: m.peers[0].Name, cluster: m.cluster.GetName()}
	signsIn.set(in, m.resources)
	p := plan.Plan{Resources: m.resources, Cluster: m.cluster.GetName(), Paused: capi.Paused(in, m.cluster), Peers: m.peers}
	out, err := p.Make(in, m.observations)
	if err != nil {
		return nil, err
	}
	status.SetNodes(in, out, m.counting.Nodes(observed, len(capi.ProviderIDs.Value(in.XR))))
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
	// agentPool is the one among the resources, counting who decides how many nodes it has.
	agentPool *plan.Resource
	counting  *agentpool.Counting
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
	if err := errors.Join(observeErr, err, infraErr); err != nil {
		return nil, err
	}
	return m, m.setAgentPool(in, controlPlane.XR)
}

// setAgentPool sets on the agent pool what its MachinePool decides. The error is ErrPending when the ManagedCluster has to be read first.
func (m *poolInputs) setAgentPool(in *composer.Request, controlPlane *unstructured.Unstructured) error {
	m.counting = &agentpool.Counting{
		MachinePool: m.machinePool, Cluster: m.cluster, ByAKS: []string{v1beta1.ReplicasManagedByAKS}, Observed: plan.Created(in, m.agentPool.Name()),
	}
	if m.agentPool.Err != nil {
		return nil //nolint:nilerr // It is the resource's.
	}
	// Before the ManagedCluster is ready nothing is sent for the pool.
	if m.counting.AsksCluster(m.agentPool.Object) && controlPlane != nil && plan.ReportsReady(controlPlane, aso.ManagedCluster) {
		managed := plan.First(plan.FromSpec(controlPlane), aso.ManagedCluster)
		if managed != nil && aso.SpecOwnerName.Value(m.agentPool.Object) == managed.Object.GetName() {
			live, err := in.Get("managedcluster", managed.Object.GroupVersionKind(), managed.Object.GetName())
			if err != nil {
				return err
			}
			m.counting.InCluster = agentpool.InClusterOf(live, aso.AzureName(m.agentPool.Object))
		}
	}
	m.agentPool.Err = setAgentPool(m.machinePool, m.agentPool, m.counting)
	return nil
}

// setAgentPool sets on an agent pool what its MachinePool decides, in CAPZ's order.
func setAgentPool(machinePool *unstructured.Unstructured, agentPool *plan.Resource, counting *agentpool.Counting) *composer.Blocked {
	version := capi.MachinePoolVersion.Value(machinePool)
	because := fmt.Sprintf("because spec.template.spec.version of MachinePool %q is %q", machinePool.GetName(), version)
	if blocked := setVersion(agentPool, orchestratorVersion, version, because, agentpool.Version(counting.Observed)); blocked != nil {
		return blocked
	}
	scaler, scaledByOther := machinePool.GetAnnotations()[clusterv1.ReplicasManagedByAnnotation]
	if aso.SpecEnableAutoScaling.Value(agentPool.Object) && scaledByOther && scaler != v1beta1.ReplicasManagedByAKS {
		return composer.Blockedf(composer.ReasonReplicasManagedBy,
			"%s.spec.enableAutoScaling is true, but must be false or absent because annotation %s of MachinePool %q says that %q manages the replicas",
			agentPool.Source, clusterv1.ReplicasManagedByAnnotation, machinePool.GetName(), scaler)
	}
	if counting.Decide(agentPool) || !capi.MachinePoolReplicas.Has(machinePool) {
		return nil
	}
	replicas := capi.MachinePoolReplicas.Value(machinePool)
	return agentPool.SetField(aso.SpecCount, replicas, fmt.Sprintf("because spec.replicas of MachinePool %q is %v", machinePool.GetName(), replicas))
}
