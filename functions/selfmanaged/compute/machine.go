// Package compute turns an AzureMachine or AzureMachinePool into the Azure Service Operator (ASO) objects that it stands for. It is pure: it reads nothing but
// its arguments, and equal arguments give equal objects.
//
// The resources are those that CAPZ makes of the same manifest, with the same names, tags and references; cluster/compat compares the two
// field by field.
package compute

import (
	"slices"
	"strings"

	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/net"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
)

// A Live is what Azure has of a machine already; the zero value stands for nothing.
type Live struct {
	// PublicIP reports that there is an object of its public IP address, in the zones: they stay as they are (Azure documentation, "Public
	// IP addresses": zones cannot be changed).
	PublicIP      bool
	PublicIPZones []string
	// Failed reports that there will be no virtual machine that could serve what a load balancer sends.
	Failed bool
}

// Resources returns the resources that an AzureMachine stands for, those that others refer to first, but for its role assignment. Their
// objects have name, namespace, labels and annotations, but no reconcile policy: whose a resource in Azure is, is not known here.
func Resources(xr *v1beta1.AzureMachine, facts v1alpha1.MachineFacts, cluster Cluster, live Live) []*plan.Resource {
	m := newMachine(xr, facts, cluster, live)
	resources := slices.Concat(m.publicIP(), m.inboundNATRule(), m.networkInterfaces())
	resources = append(resources, m.virtualMachine())
	resources = append(resources, m.extensions()...)
	return typed.WithoutCollisions(resources)
}

// A machine is an AzureMachine with what is known of it and of its Cluster.
type machine struct {
	// name is that of the virtual machine.
	name    string
	xr      *v1beta1.AzureMachine
	spec    v1beta1.AzureMachineSpec
	facts   v1alpha1.MachineFacts
	cluster Cluster
	azure   v1beta1.AzureClusterSpec
	live    Live
	// pool reports that it stands for all instances of a scale set. They are in the zones that its MachinePool says.
	pool bool
	// owner is the kind of Cluster API's that it belongs to, root the field of the user's object that its spec is in.
	owner, root string
}

func newMachine(xr *v1beta1.AzureMachine, facts v1alpha1.MachineFacts, cluster Cluster, live Live) *machine {
	m := &machine{
		name: azuremachine.Name(xr), xr: xr, spec: *xr.Spec.DeepCopy(), facts: facts,
		cluster: cluster, azure: *cluster.Azure.Spec.DeepCopy(), live: live, owner: "Machine", root: "spec",
	}
	defaulting.Machine(&m.spec.AzureMachineClassSpec)
	m.defaultSubnet()
	return m
}

// defaultSubnet puts the first network interface into the only subnet for machines of its role, where the spec names none.
func (m *machine) defaultSubnet() {
	if len(m.spec.NetworkInterfaces) > 0 && m.spec.NetworkInterfaces[0].SubnetName == "" {
		m.spec.NetworkInterfaces[0].SubnetName = m.onlySubnet()
	}
}

// onlySubnet returns the name of the subnet for machines of this one's role, where there is just one; empty otherwise. One for the whole
// cluster does where there is none for the role.
func (m *machine) onlySubnet() string {
	var ofRole, ofCluster []string
	for _, subnet := range m.azure.NetworkSpec.Subnets {
		switch string(subnet.Role) {
		case m.role():
			ofRole = append(ofRole, subnet.Name)
		case string(v1beta1.SubnetCluster):
			ofCluster = append(ofCluster, subnet.Name)
		}
	}
	switch {
	case len(ofRole) == 1:
		return ofRole[0]
	case len(ofRole) == 0 && len(ofCluster) > 0:
		return ofCluster[len(ofCluster)-1]
	}
	return ""
}

// role returns the role of the machine, as its tag and the roles of subnets say it.
func (m *machine) role() string {
	if m.facts.Machine.ControlPlane {
		return string(v1beta1.SubnetControlPlane)
	}
	return string(v1beta1.SubnetNode)
}

// zone returns the availability zone of the machine; empty for none.
func (m *machine) zone() string {
	zone := m.facts.Machine.FailureDomain
	if zone == "" && m.spec.FailureDomain != nil {
		zone = *m.spec.FailureDomain
	}
	return zone
}

// zones returns the availability zones that the machine may be in; none where it is in none.
func (m *machine) zones() []string {
	if m.pool {
		return m.facts.Pool.FailureDomains
	}
	if zone := m.zone(); zone != "" {
		return []string{zone}
	}
	return nil
}

// path returns where in the user's object a field of the machine is.
func (m *machine) path(of string) string { return m.root + "." + of }

// ipv6 reports whether the network of the cluster has IPv6.
func (m *machine) ipv6() bool {
	return slices.ContainsFunc(m.azure.NetworkSpec.Vnet.CIDRBlocks, net.IsIPv6CIDRString)
}

// subnet returns the subnet of the cluster with the name; not ok when it has none.
func (m *machine) subnet(name string) (subnet v1beta1.SubnetSpec, ok bool) {
	for _, s := range m.azure.NetworkSpec.Subnets {
		if s.Name == name && name != "" {
			return s, true
		}
	}
	return v1beta1.SubnetSpec{}, false
}

// cloudProviderTag returns the key of the tag by which the cloud controller manager knows the resources of the cluster.
func cloudProviderTag(cluster string) string { return "kubernetes.io_cluster_" + cluster }

// tags returns the tags of a resource of the machine; role is empty for none. The machine's own go before those of the cluster.
func (m *machine) tags(name, role string) map[string]string {
	return typed.Merged(m.azure.AdditionalTags, m.spec.AdditionalTags, map[string]string{cloudProviderTag(m.cluster.Name): "owned"},
		typed.OwnedTags(m.cluster.Name, name, role))
}

// id returns the ARM ID of a resource in the resource group of the cluster.
func (m *machine) id(provider string, typesAndNames ...string) string {
	return typed.ARMID(m.azure.SubscriptionID, m.azure.ResourceGroup, provider, typesAndNames...)
}

const (
	networkProvider = "Microsoft.Network"
	computeProvider = "Microsoft.Compute"
)

// subnetID returns the ARM ID of a subnet of the cluster.
func (m *machine) subnetID(name string) string {
	network := m.azure.NetworkSpec.Vnet
	return typed.ARMID(m.azure.SubscriptionID, network.ResourceGroup, networkProvider, "virtualNetworks", network.Name, "subnets", name)
}

// resource returns the resource of one typed ASO object; after has what it waits for beside what it refers to.
func (m *machine) resource(path, name string, object runtime.Object, problem *composer.Blocked, after ...[]plan.Precondition) *plan.Resource {
	r := m.cluster.typed().Resource(path, v1beta1.ASOObjectName(name), object, problem)
	r.After, r.ParentOwnership = slices.Concat(after...), m.groupOwnership()
	if kind, known := aso.KindOf(r.Object.GroupVersionKind().GroupKind()); known {
		r.Absent = slices.Contains(m.facts.Absent, v1alpha1.FactOfAbsence(kind.ARM(), aso.AzureName(r.Object)))
	}
	return r
}

// groupOwnership returns whose the resource group of the cluster is; empty while that is not known.
func (m *machine) groupOwnership() string {
	s, _ := m.cluster.status(aso.ResourceGroup, v1beta1.ASOObjectName(m.azure.ResourceGroup))
	return s.Ownership
}

// group refers to the resource group of the cluster: by its object, or by its ID where somebody else makes it.
func (m *machine) group() *genruntime.KnownResourceReference {
	if m.cluster.ExternallyManaged() {
		return &genruntime.KnownResourceReference{ARMID: "/subscriptions/" + m.azure.SubscriptionID + "/resourceGroups/" + m.azure.ResourceGroup}
	}
	return &genruntime.KnownResourceReference{Name: m.objectName(aso.ResourceGroup, m.azure.ResourceGroup)}
}

// objectName is Cluster.objectName, and await Cluster.Await.
func (m *machine) objectName(kind aso.Kind, azureName string) string {
	return m.cluster.objectName(kind, azureName)
}

func (m *machine) await(kind aso.Kind, azureName string) []plan.Precondition {
	return m.cluster.Await(kind, azureName)
}

// awaitSubnet is await for a subnet.
func (m *machine) awaitSubnet(name string) []plan.Precondition {
	return m.await(aso.VirtualNetworksSubnet, m.azure.NetworkSpec.Vnet.Name+"-"+name)
}

// trimmed returns an ARM ID that users may write as a provider ID.
func trimmed(id string) string { return strings.TrimPrefix(id, azuremachine.ProviderIDPrefix) }

func invalid(format string, args ...any) *composer.Blocked { return typed.Invalid(format, args...) }
