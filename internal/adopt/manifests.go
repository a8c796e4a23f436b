package adopt

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
)

// A Child is a resource that goes with an AKS cluster.
type Child struct {
	Kind
	Resource
}

// A Network is a virtual network, and those of its subnets that the AKS cluster uses.
type Network struct {
	Resource

	Subnets []Resource
}

// AKSCluster is what Azure answers about an AKS cluster and all that goes with it.
type AKSCluster struct {
	ManagedCluster Resource
	AgentPools     []Resource
	// Children have the cluster as their owner, or join it to what another has.
	Children []Child
	Networks []Network
	// Group is the resource group that the cluster is in; the zero value where it is not brought in.
	Group Resource
}

// Options say how the manifests of an AKS cluster are written.
type Options struct {
	Namespace string
	// Name is that of the Cluster; empty for the name in Azure, as far as Kubernetes takes it.
	Name string
	// PoolNames are the names of the MachinePools by the names of the pools in Azure. Others are called after Cluster and pool.
	PoolNames map[string]string
	// Identity is the name of the AzureClusterIdentity that ASO signs in with, CredentialFrom that of a Secret; at most one of them is not empty.
	Identity, CredentialFrom string
	// Observe has ASO only read all that is brought in.
	Observe bool
}

// Manifests are objects that stand for what there is in Azure.
type Manifests struct {
	Objects []*unstructured.Unstructured
	// Losses are what Azure has and no object says.
	Losses []Loss
}

// manifests are in the making.
type manifests struct {
	Manifests

	options Options
	azure   AKSCluster
	// cluster is the name of the Cluster, managed the object of the AKS cluster.
	cluster string
	managed *unstructured.Unstructured
}

// Make returns the manifests of an AKS cluster. It returns an error that names the resource when an answer is not what Azure answers about
// such a resource, and the option when that is not what it can be.
func Make(azure AKSCluster, options Options) (*Manifests, error) {
	if options.Identity != "" && options.CredentialFrom != "" {
		return nil, errors.New("a Cluster has the credential either of an AzureClusterIdentity or of a Secret, not of both")
	}
	id := aso.ParseID(azure.ManagedCluster.ID)
	if id == nil || id.Name == "" {
		return nil, fmt.Errorf("%q is not the ID of an AKS cluster", azure.ManagedCluster.ID)
	}
	m := &manifests{options: options, azure: azure, cluster: cmp.Or(options.Name, v1beta1.ASOObjectName(id.Name))}
	if m.cluster == "" {
		return nil, fmt.Errorf("the name %q has nothing that a name in Kubernetes may have, so the Cluster must be given one", id.Name)
	}
	if err := m.checkPoolNames(); err != nil {
		return nil, err
	}
	var err error
	if m.managed, err = m.convert(ManagedCluster, azure.ManagedCluster, m.cluster); err != nil {
		return nil, err
	}
	if err := m.infrastructure(); err != nil {
		return nil, err
	}
	if err := m.controlPlane(); err != nil {
		return nil, err
	}
	for _, pool := range azure.AgentPools {
		if err := m.machinePool(pool); err != nil {
			return nil, err
		}
	}
	for _, o := range m.Objects {
		o.SetNamespace(options.Namespace)
	}
	return &m.Manifests, nil
}

// checkPoolNames returns an error for a name of a pool that there is not.
func (m *manifests) checkPoolNames() error {
	var pools []string
	for _, pool := range m.azure.AgentPools {
		if id := aso.ParseID(pool.ID); id != nil {
			pools = append(pools, id.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.options.PoolNames)) {
		if !slices.Contains(pools, name) {
			return fmt.Errorf("pool %q is to be called %q, but the cluster has only the pools %q", name, m.options.PoolNames[name], pools)
		}
	}
	return nil
}

// convert returns the object of a resource, with what all of them have.
func (m *manifests) convert(kind Kind, r Resource, name string) (*unstructured.Unstructured, error) {
	o, losses, err := Convert(kind, r, name)
	if err != nil {
		return nil, err
	}
	secret := slices.ContainsFunc(losses, func(l Loss) bool { return below(l.Field, kind.secrets) })
	if secret && kind.GroupKind() != ManagedCluster.GroupKind() {
		// Azure keeps of an AKS cluster what it is not sent, but of others it may not.
		losses = append(losses, Loss{ID: r.ID, Reason: fmt.Sprintf("it is brought in with annotation %s: %s, as without its secrets it must not be sent; name them in the spec, then take the annotation away",
			aso.AnnotationReconcilePolicy, aso.PolicySkip)})
	}
	if m.options.Observe || secret && kind.GroupKind() != ManagedCluster.GroupKind() {
		aso.Annotate(o, aso.AnnotationReconcilePolicy, aso.PolicySkip)
	}
	if m.options.CredentialFrom != "" {
		aso.Annotate(o, aso.AnnotationCredentialFrom, m.options.CredentialFrom)
	}
	m.Losses = append(m.Losses, losses...)
	return o, nil
}

// Fields of ASO objects that Cluster API decides.
var (
	kubernetesVersion   = field.At[string]("spec", "kubernetesVersion")
	orchestratorVersion = field.At[string]("spec", "orchestratorVersion")
	agentPoolProfiles   = field.At[any]("spec", "agentPoolProfiles")
	serviceCIDR         = field.At[string]("spec", "networkProfile", "serviceCidr")
	podCIDR             = field.At[string]("spec", "networkProfile", "podCidr")
	owner               = field.At[map[string]any]("spec", "owner")
)

// infrastructure adds the Cluster and its AzureASOManagedCluster.
func (m *manifests) infrastructure() error {
	spec := map[string]any{
		"infrastructureRef": refer(composite.AzureASOManagedCluster, m.cluster), "controlPlaneRef": refer(composite.AzureASOManagedControlPlane, m.cluster),
	}
	network := map[string]any{}
	for name, path := range map[string]field.Path[string]{"services": serviceCIDR, "pods": podCIDR} {
		if cidr := path.Value(m.managed); cidr != "" {
			network[name] = map[string]any{"cidrBlocks": []any{cidr}}
		}
	}
	if len(network) > 0 {
		spec["clusterNetwork"] = network
	}
	m.add(clusterv1.GroupVersion.String(), "Cluster", m.cluster, spec)
	resources, err := m.network()
	if err != nil {
		return err
	}
	infrastructure := map[string]any{}
	if m.azure.Group.ID != "" {
		group, err := m.convert(ResourceGroup, m.azure.Group, m.groupName())
		if err != nil {
			return err
		}
		resources = append([]any{group.Object}, resources...)
	}
	if len(resources) > 0 {
		infrastructure["resources"] = resources
	}
	m.add(v1beta1.GroupVersion.String(), composite.AzureASOManagedCluster.Kind, m.cluster, infrastructure)
	return nil
}

// groupName is the name of the object of the resource group.
func (m *manifests) groupName() string {
	if id := aso.ParseID(m.azure.Group.ID); id != nil {
		return cmp.Or(v1beta1.ASOObjectName(id.Name), m.cluster)
	}
	return m.cluster
}

// network returns the objects of the networks. ASO only reads them: others may use them, and a write must not undo what those have done.
func (m *manifests) network() ([]any, error) {
	var resources []any
	for _, n := range m.azure.Networks {
		id := aso.ParseID(n.ID)
		if id == nil {
			return nil, fmt.Errorf("%q is not the ID of a virtual network", n.ID)
		}
		name := v1beta1.ASOObjectName(m.cluster + "-" + id.Name)
		network, err := m.convert(VirtualNetwork, n.Resource, name)
		if err != nil {
			return nil, err
		}
		_ = owner.Set(network, map[string]any{"armId": id.Parent.String()})
		aso.Annotate(network, aso.AnnotationReconcilePolicy, aso.PolicySkip)
		resources = append(resources, network.Object)
		for _, s := range n.Subnets {
			subnetID := aso.ParseID(s.ID)
			if subnetID == nil {
				return nil, fmt.Errorf("%q is not the ID of a subnet", s.ID)
			}
			subnet, err := m.convert(Subnet, s, v1beta1.ASOObjectName(name+"-"+subnetID.Name))
			if err != nil {
				return nil, err
			}
			_ = owner.Set(subnet, map[string]any{"name": name})
			aso.Annotate(subnet, aso.AnnotationReconcilePolicy, aso.PolicySkip)
			resources = append(resources, subnet.Object)
		}
	}
	return resources, nil
}

// controlPlane adds the AzureASOManagedControlPlane.
func (m *manifests) controlPlane() error {
	spec := map[string]any{}
	if version := kubernetesVersion.Value(m.managed); kubeversion.Valid(version) {
		spec["version"] = kubeversion.WithV(version)
		kubernetesVersion.Remove(m.managed)
	}
	if m.options.Identity != "" {
		spec["identityRef"] = map[string]any{"kind": composite.AzureClusterIdentity.Kind, "name": m.options.Identity}
		if id := aso.ParseID(m.azure.ManagedCluster.ID); id != nil {
			spec["subscriptionID"] = id.SubscriptionID
		}
	}
	agentPoolProfiles.Remove(m.managed)
	if m.azure.Group.ID != "" {
		_ = owner.Set(m.managed, map[string]any{"name": m.groupName()})
	} else {
		_ = owner.Set(m.managed, map[string]any{"armId": aso.ParseID(m.azure.ManagedCluster.ID).Parent.String()})
	}
	resources := []any{m.managed.Object}
	for _, child := range m.azure.Children {
		o, err := m.child(child)
		if err != nil {
			return err
		}
		resources = append(resources, o.Object)
	}
	spec["resources"] = resources
	m.add(v1beta1.GroupVersion.String(), composite.AzureASOManagedControlPlane.Kind, m.cluster, spec)
	return nil
}

func (m *manifests) child(child Child) (*unstructured.Unstructured, error) {
	id := aso.ParseID(child.ID)
	if id == nil {
		return nil, fmt.Errorf("%q is not the ID of a resource", child.ID)
	}
	o, err := m.convert(child.Kind, child.Resource, v1beta1.ASOObjectName(m.cluster+"-"+id.Name))
	if err != nil {
		return nil, err
	}
	of := map[string]any{"name": m.managed.GetName()}
	switch child.GroupKind() {
	case Extension.GroupKind(), FluxConfiguration.GroupKind():
		of["group"], of["kind"] = ManagedCluster.Group, ManagedCluster.Name
	case FleetsMember.GroupKind():
		of = map[string]any{"armId": id.Parent.String()}
	}
	return o, owner.Set(o, of)
}

// replicasOfNobody is the value of Cluster API's annotation on MachinePools whose number of nodes is no single number in Azure.
const replicasOfNobody = "virtualMachinesProfile"

// machinePool adds the MachinePool of an agent pool, and its AzureASOManagedMachinePool.
func (m *manifests) machinePool(pool Resource) error {
	id := aso.ParseID(pool.ID)
	if id == nil {
		return fmt.Errorf("%q is not the ID of an agent pool", pool.ID)
	}
	name := cmp.Or(m.options.PoolNames[id.Name], v1beta1.ASOObjectName(m.cluster+"-"+id.Name))
	o, err := m.convert(AgentPool, pool, name)
	if err != nil {
		return err
	}
	_ = owner.Set(o, map[string]any{"name": m.managed.GetName()})
	template := map[string]any{
		"clusterName": m.cluster, "bootstrap": map[string]any{"dataSecretName": ""}, "infrastructureRef": refer(composite.AzureASOManagedMachinePool, name),
	}
	if version := orchestratorVersion.Value(o); kubeversion.Valid(version) {
		template["version"] = kubeversion.WithV(version)
		orchestratorVersion.Remove(o)
	}
	spec := map[string]any{"clusterName": m.cluster, "template": map[string]any{"spec": template}}
	counted := aso.SpecCount.Has(o)
	if counted {
		spec["replicas"] = aso.SpecCount.Value(o)
		aso.SpecCount.Remove(o)
	}
	machinePool := m.add(clusterv1.GroupVersion.String(), "MachinePool", name, spec)
	switch {
	case aso.SpecEnableAutoScaling.Value(o):
		aso.Annotate(machinePool, clusterv1.ReplicasManagedByAnnotation, v1beta1.ReplicasManagedByAKS)
	case !counted:
		aso.Annotate(machinePool, clusterv1.ReplicasManagedByAnnotation, replicasOfNobody)
	}
	m.add(v1beta1.GroupVersion.String(), composite.AzureASOManagedMachinePool.Kind, name, map[string]any{"resources": []any{o.Object}})
	return nil
}

func (m *manifests) add(apiVersion, kind, name string, spec map[string]any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": spec}}
	o.SetName(name)
	m.Objects = append(m.Objects, o)
	return o
}

// refer returns a reference of Cluster API.
func refer(kind composite.Kind, name string) map[string]any {
	return map[string]any{"apiGroup": kind.Group, "kind": kind.Kind, "name": name}
}
