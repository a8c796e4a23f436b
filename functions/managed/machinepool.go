package managed

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/agentpool"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/managed/aks"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
)

// MachinePool composes AzureManagedMachinePool: one agent pool of an AKS cluster.
type MachinePool struct{}

// Compose implements composer.Composer.
func (MachinePool) Compose(in *composer.Request) (*composer.Result, error) {
	status := capi.ReadInfrastructureStatus(in)
	m, err := readMachinePool(in)
	if err != nil {
		return &composer.Result{Status: status.Result()}, err
	}
	r := m.resource(in)
	observations, observeErr := plan.Observe(in, []*plan.Resource{r})
	counting, countErr := m.setCount(in, r)
	if err := errors.Join(m.setOwner(in, r), observeErr, countErr); err != nil {
		return nil, err
	}
	p := plan.Plan{
		Resources: []*plan.Resource{r}, Cluster: m.cluster.GetName(),
		Paused: capi.Paused(in, m.cluster), Gate: m.gate, ReferencesReady: true,
	}
	out, err := p.Make(in, observations)
	if err != nil {
		return nil, err
	}
	status.SetNodes(in, out, counting.Nodes(r.Live(in), len(capi.ProviderIDs.Value(in.XR))))
	conditions := append([]composer.Condition{
		m.credential.Readiness(out, status.Condition(out, capi.WaitsForNodes)),
		out.Condition(),
		capi.PausedCondition(p.Paused),
	}, out.KindConditions(in)...)
	return m.credential.Result(in, out, status.Result(), append(conditions, headerConditions(in)...)...), nil
}

// poolInputs is what the composer reads.
type poolInputs struct {
	pool                 aks.Pool
	machinePool, cluster *unstructured.Unstructured
	cp                   *v1beta1.AzureManagedControlPlane
	// managed is what the control plane says of its ManagedCluster; its name is empty while it says nothing.
	managed    v1beta1.ResourceStatus
	credential capi.Credential
	// gate says what is missing of the credential.
	gate string
}

func readMachinePool(in *composer.Request) (*poolInputs, error) {
	m := &poolInputs{cp: &v1beta1.AzureManagedControlPlane{}}
	var err error
	if m.machinePool, m.cluster, err = capi.OwnerMachinePool(in); err != nil {
		return nil, err
	}
	name, err := capi.Reference(in, m.cluster, "controlPlaneRef", composite.AzureManagedControlPlane)
	if err != nil {
		return nil, err
	}
	cp, err := in.Get("controlplane", composite.AzureManagedControlPlane.GroupVersionKind, name)
	switch {
	case err != nil:
		return nil, err
	case cp == nil:
		return nil, composer.Blockedf(capi.ReasonWaitingForOwner,
			"waits for AzureManagedControlPlane %q, which spec.controlPlaneRef of Cluster %q names and which does not exist", name, m.cluster.GetName())
	}
	if err := capi.Read(cp, m.cp); err != nil {
		return nil, err
	}
	if m.pool, err = poolOf(in.XR, m.machinePool, m.cp.Status.AutoUpgradeVersion); err != nil {
		return nil, err
	}
	m.credential = capi.CredentialOf(m.cp)
	if !m.credential.Usable() {
		m.gate = m.credential.Awaited(composite.AzureManagedControlPlane.Kind, name)
	}
	for _, r := range m.cp.Status.Resources {
		if is(r, aso.ManagedCluster) {
			m.managed = r
		}
	}
	return m, nil
}

// resource returns the agent pool, with what it waits for.
func (m *poolInputs) resource(in *composer.Request) *plan.Resource {
	observed := createdOf(in, aso.ManagedClustersAgentPool)
	later := m.postponeUpgrade(observed)
	r := aks.MachinePool(m.pool, m.cp, clusterOf(m.cluster), aks.LivePool{Version: agentpool.Version(observed)})
	r.Reference, r.ParentOwnership = existingReference(in, v1beta1.AnnotationAgentPool), m.managed.Ownership
	if r.Err == nil {
		r.Err = m.otherScaler()
	}
	m.retargetSubnets(r)
	if m.managed.Reason == aso.ReasonResourceNotFound {
		r.GoneWith = m.managed.Resource.Kind + " " + m.managed.Resource.Name
	}
	if !m.managed.Ready {
		r.After = append(r.After, plan.Precondition{
			Description: fmt.Sprintf("the ManagedCluster of AzureManagedControlPlane %s is ready%s", m.cp.Name, plan.Mistake(m.managed.Reason, m.managed.Message)),
			// Else it may be found to be somebody else's, and to have the pool already.
			OfObject: m.managed.Ownership != v1beta1.OwnershipOwned,
		})
	}
	switch {
	case later == "":
	case observed == nil:
		r.After = append(r.After, plan.Precondition{Description: later})
	default:
		r.Outstanding = "is upgraded when " + later
	}
	return r
}

// retargetSubnets has references to subnets by name mean the objects that the control plane has of them, see plan.OwnName.
func (m *poolInputs) retargetSubnets(r *plan.Resource) {
	for _, ref := range aso.References(r.Object) {
		own := plan.OwnName(ref.Name, m.cp.Name)
		if slices.ContainsFunc(m.cp.Status.Resources, func(s v1beta1.ResourceStatus) bool { return is(s, aso.VirtualNetworksSubnet) && s.Resource.Name == own }) {
			aso.Retarget(r.Object, aso.VirtualNetworksSubnet.GroupKind(), ref.Name, own)
		}
	}
}

// postponeUpgrade leaves the pool at the version that it was given last, where the MachinePool's is above what the control plane runs,
// which AKS would refuse, and returns what it waits for, in words.
func (m *poolInputs) postponeUpgrade(observed *unstructured.Unstructured) string {
	wanted, runs := m.pool.Version, m.cp.Status.Version
	if runs == "" || wanted == "" || kubeversion.Compare(wanted, runs) <= 0 || kubeversion.Compare(wanted, m.cp.Spec.Version) > 0 {
		return "" // Above what the control plane shall run it is a mistake, which the mapping reports.
	}
	m.pool.Version = orchestratorVersion.Value(observed)
	return fmt.Sprintf("AzureManagedControlPlane %s runs Kubernetes %s (it runs %s)", m.cp.Name, wanted, runs)
}

// foreign reports whether the ManagedCluster was not made for the Cluster.
func (m *poolInputs) foreign() bool {
	return m.managed.Ownership == v1beta1.OwnershipExternal || m.managed.Ownership == v1beta1.OwnershipUser
}

// otherScaler refuses to have two scale the pool.
func (m *poolInputs) otherScaler() *composer.Blocked {
	scaler := m.machinePool.GetAnnotations()[clusterv1.ReplicasManagedByAnnotation]
	if m.pool.XR.Spec.Scaling == nil || scaler == "" || slices.Contains(managedByAKS, scaler) {
		return nil
	}
	return composer.Blockedf(composer.ReasonReplicasManagedBy,
		"spec.scaling is set, but must be absent because annotation %s of MachinePool %q says that %q manages the replicas",
		clusterv1.ReplicasManagedByAnnotation, m.machinePool.GetName(), scaler)
}

// managedByAKS are the values of annotation replicas-managed-by that mean AKS.
var managedByAKS = []string{v1beta1.ReplicasManagedByAKS, v1beta1.ReplicasManagedByCAPZ}

// setCount takes the number of nodes out of the pool while somebody else decides it. The error is ErrPending when the ManagedCluster has
// to be read first.
func (m *poolInputs) setCount(in *composer.Request, r *plan.Resource) (*agentpool.Counting, error) {
	counting := &agentpool.Counting{MachinePool: m.machinePool, Cluster: m.cluster, ByAKS: managedByAKS, Observed: plan.Created(in, r.Name())}
	if counting.AsksCluster(r.Object) && m.managed.Ready && !r.UsesExisting(in) {
		managed, err := m.managedCluster(in)
		if err != nil {
			return counting, err
		}
		counting.InCluster = agentpool.InClusterOf(managed, aso.AzureName(r.Object))
	}
	counting.Decide(r)
	return counting, nil
}

// managedCluster returns the ManagedCluster of the control plane; nil when it is not there.
func (m *poolInputs) managedCluster(in *composer.Request) (*unstructured.Unstructured, error) {
	gvk := schema.GroupVersionKind{Group: m.managed.Resource.Group, Version: m.managed.Resource.Version, Kind: m.managed.Resource.Kind}
	return in.Get("managedcluster", gvk, m.managed.Resource.Name)
}

// Fields of an agent pool, and of the ManagedCluster that it is in.
var (
	orchestratorVersion = field.At[string]("spec", "orchestratorVersion")
	vnetSubnet          = field.At[map[string]any]("spec", "vnetSubnetReference")
)

// setOwner makes the pool one of the ManagedCluster of the control plane.
func (m *poolInputs) setOwner(in *composer.Request, r *plan.Resource) error {
	if r.Err != nil || !m.foreign() {
		return nil //nolint:nilerr // It is the resource's.
	}
	if m.managed.Ownership == v1beta1.OwnershipUser {
		_ = aso.SpecOwnerName.Set(r.Object, m.managed.Resource.Name)
	}
	if m.pool.XR.Spec.SubnetName != nil {
		return nil
	}
	subnet, err := m.subnetOfOthers(in, r)
	switch {
	case err != nil:
		return err
	case subnet == nil:
		vnetSubnet.Remove(r.Object)
		return nil
	}
	return vnetSubnet.Set(r.Object, subnet)
}

// subnetOfOthers returns a reference to where the other nodes of a cluster are that was not made here: AKS has all of a cluster's nodes
// in one network, of which the spec need not know.
func (m *poolInputs) subnetOfOthers(in *composer.Request, r *plan.Resource) (map[string]any, error) {
	if observed := plan.Created(in, r.Name()); observed != nil {
		return vnetSubnet.Value(observed), nil
	}
	managed, err := m.managedCluster(in)
	if err != nil || managed == nil {
		return vnetSubnet.Value(r.Object), err
	}
	for _, profile := range field.Maps(agentpool.StatusProfiles.Value(managed)) {
		if id := field.Text(profile["vnetSubnetID"]); id != "" {
			return map[string]any{"armId": id}, nil
		}
	}
	return nil, nil
}
