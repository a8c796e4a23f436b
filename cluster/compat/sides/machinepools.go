package sides

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/utils/ptr"
	infrav1exp "sigs.k8s.io/cluster-api-provider-azure/exp/api/v1beta1"
	"sigs.k8s.io/cluster-api-provider-azure/oracle/selfmanaged"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// A PoolAnswer is what one side makes of a pool.
type PoolAnswer struct {
	// Phases are what is sent, by PoolPhases, as far as the side comes.
	Phases map[string]*Sent
	// Refused is why the change is refused.
	Refused error
}

// PoolPhases are those in which a side is asked what it sends: for a pool that does not exist, for the one that it has made, when that is changed,
// and when Azure has carried the change out but instances of the former model are left.
var PoolPhases = []string{"created", "running", "changed", "followed"}

// ErrNoCluster says that a side stops at the Cluster of a pool.
var ErrNoCluster = errors.New("the cluster is not made")

// stateIn returns the state of a pool in a phase.
func stateIn(p *specs.MachinePool, phase string) specs.PoolState {
	if phase == PoolPhases[0] || phase == PoolPhases[1] {
		return p.Created
	}
	return p.Change
}

// machinePoolOf returns the MachinePool of a pool in a state.
func machinePoolOf(p *specs.MachinePool, s specs.PoolState) *clusterv1.MachinePool {
	pool := poolOf(p.Name())
	pool.UID, pool.Labels = "machinepool", map[string]string{clusterv1.ClusterNameLabel: p.Cluster.Cluster}
	pool.Spec.ClusterName, pool.Spec.Replicas, pool.Spec.FailureDomains = p.Cluster.Cluster, ptr.To(s.Replicas), s.FailureDomains
	pool.Spec.Template.Spec.ClusterName, pool.Spec.Template.Spec.Version = p.Cluster.Cluster, s.Version
	pool.Spec.Template.Spec.Bootstrap.DataSecretName = ptr.To(bootstrapSecret)
	if s.ScaledByOthers {
		pool.Annotations = map[string]string{clusterv1.ReplicasManagedByAnnotation: "autoscaler"}
	}
	return pool
}

// bootstrapSecret is the name of the Secret with the bootstrap data of a pool.
const bootstrapSecret = "bootstrap"

// Pool returns what CAPZ sends for a pool. A refusal is CAPZ's, of the pool as it is created or of its cluster.
func (c *SelfManagedCAPZ) Pool(ctx context.Context, p *specs.MachinePool) (answer *PoolAnswer, refusal, err error) {
	err = gatesOf(p.Cluster.AzureCluster).While(func() error {
		answer, refusal, err = c.pool(ctx, p)
		return err
	})
	return answer, refusal, err
}

func (c *SelfManagedCAPZ) pool(ctx context.Context, p *specs.MachinePool) (answer *PoolAnswer, refusal, err error) {
	manifests, refusal := c.Admit(ctx, p.Cluster)
	if refusal != nil {
		return nil, refusal, nil
	}
	created, refusal := c.admit(ctx, pools, p.Created.Object, &infrav1exp.AzureMachinePool{}, nil)
	if refusal != nil {
		return nil, refusal, nil
	}
	world := selfmanaged.NewWorld(manifests, azureOf(p.Cluster))
	if world.Reconcile(ctx); len(world.Failures()) > 0 {
		return nil, ErrNoCluster, nil
	}
	answer = &PoolAnswer{Phases: map[string]*Sent{}}
	azure, admitted := &poolAzure{}, created
	for _, phase := range PoolPhases {
		if phase == PoolPhases[2] {
			if admitted, answer.Refused = c.admit(ctx, pools, p.Change.Object, &infrav1exp.AzureMachinePool{}, created); answer.Refused != nil {
				break
			}
		}
		sent, err := c.poolIn(ctx, world, azure, p, phase, admitted.Typed.(*infrav1exp.AzureMachinePool))
		if err != nil {
			return nil, nil, err
		}
		if answer.Phases[phase] = sent; len(sent.Failures) > 0 {
			break
		}
	}
	return answer, nil, nil
}

// poolIn returns what CAPZ sends for a pool in a phase, and has Azure carry it out.
func (c *SelfManagedCAPZ) poolIn(ctx context.Context, world *selfmanaged.World, azure *poolAzure, p *specs.MachinePool, phase string, xr *infrav1exp.AzureMachinePool) (*Sent, error) {
	state := stateIn(p, phase)
	var have *selfmanaged.ScaleSet
	if azure.set != nil {
		set, err := json.Marshal(azure.set)
		instances, instancesErr := json.Marshal(azure.instances)
		if err := errors.Join(err, instancesErr); err != nil {
			return nil, err
		}
		have = &selfmanaged.ScaleSet{Body: set, Instances: instances}
	}
	sent := &Sent{Resources: arm.Resources{}, Failures: map[string]string{}}
	id, body, err := world.ReconcilePool(ctx, selfmanaged.Pool{MachinePool: machinePoolOf(p, state), XR: xr, Bootstrap: state.Bootstrap}, have)
	switch {
	case err != nil:
		sent.Failures["AzureMachinePool/"+p.Name()] = strings.TrimSpace(err.Error())
	case body != nil:
		if err := azure.put(id, body); err != nil {
			return nil, err
		}
		if err := sent.Resources.AddBody(id, body); err != nil {
			return nil, err
		}
	}
	return sent, c.addRoles(world, phase, sent)
}

// addRoles adds the role assignments of a pool that is created. It is made once, and not changed.
func (c *SelfManagedCAPZ) addRoles(world *selfmanaged.World, phase string, sent *Sent) error {
	if phase != PoolPhases[0] {
		return nil
	}
	bodies, err := world.Sent()
	if err != nil {
		return err
	}
	for id, body := range bodies {
		if !strings.Contains(id, "/roleAssignments/") {
			continue
		}
		if err := sent.Resources.AddBody(id, body); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	return nil
}

// azureOf returns what Azure has and offers where a spec comes to.
func azureOf(s *specs.SelfManaged) selfmanaged.Azure {
	azure := selfmanaged.Azure{Zones: s.Zones, FaultDomains: s.FaultDomains, OwnNetwork: s.OwnNetwork}
	for _, size := range specs.Sizes() {
		azure.Sizes = append(azure.Sizes, selfmanaged.Size(size))
	}
	return azure
}
