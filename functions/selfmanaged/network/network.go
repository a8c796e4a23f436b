// Package network turns an AzureCluster into the Azure Service Operator (ASO) objects that it stands for: all that the machines of a
// self-managed cluster are put into. It is pure: it reads nothing but its arguments, and equal arguments give equal objects.
//
// Names, tags and values are those of CAPZ. Where CAPZ makes ASO objects, these have CAPZ's names and API versions, so that an object of
// either project is an object of the other; the other objects are named by the same rule.
package network

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
)

const (
	provider             = "Microsoft.Network"
	defaultAPIServerPort = 6443
)

// A Cluster is what is needed of the Cluster API Cluster.
type Cluster struct {
	Namespace, Name string
	// APIServerPort is spec.clusterNetwork.apiServerPort; 0 for the default.
	APIServerPort int32
}

// Live is what is known of Azure.
type Live struct {
	// Zones are the availability zones of the location, in order, once that is known.
	Zones      []string
	ZonesKnown bool
	// Composed are the objects that are composed already, by composition resource name.
	Composed map[string]*unstructured.Unstructured
	// Frontends are the names of the frontends of load balancers to which provider-capz has added some, by the names of the objects.
	Frontends map[string][]string
}

// A Network is an AzureCluster whose defaults are filled in.
type Network struct {
	spec    *v1beta1.AzureClusterSpec
	cluster Cluster
	live    Live
	objects typed.Cluster
}

// Of returns the network of an AzureCluster.
func Of(azureCluster *v1beta1.AzureCluster, cluster Cluster, live Live) *Network {
	spec := azureCluster.Spec.DeepCopy()
	defaulting.Cluster(azureCluster.Name, spec)
	n := &Network{spec: spec, cluster: cluster, live: live,
		objects: typed.Cluster{Namespace: cluster.Namespace, Name: cluster.Name, Subscription: spec.SubscriptionID}}
	n.setDNSName()
	return n
}

// Resources returns the resources that the AzureCluster stands for, those that others refer to first. Their objects have name, namespace,
// labels and annotations, but no reconcile policy: whose a resource in Azure is, is not known here.
func (n *Network) Resources() []*plan.Resource {
	network := n.virtualNetwork()
	return typed.WithoutCollisions(slices.Concat(
		n.resourceGroups(), []*plan.Resource{network},
		n.securityGroups(network), n.routeTables(network), n.publicIPs(network), n.natGateways(network), n.subnets(), n.peerings(),
		n.loadBalancers(), n.privateDNS(), n.privateLinkServices(), n.privateEndpoints(), n.bastionHost(),
	))
}

// id returns the ID of a resource of Microsoft.Network in a resource group; types alternate with names.
func (n *Network) id(resourceGroup string, typesAndNames ...string) string {
	return typed.ARMID(n.spec.SubscriptionID, resourceGroup, provider, typesAndNames...)
}

func (n *Network) vnet() *v1beta1.VnetSpec { return &n.spec.NetworkSpec.Vnet }

func (n *Network) vnetID() string {
	return n.id(n.vnet().ResourceGroup, "virtualNetworks", n.vnet().Name)
}

func (n *Network) subnetID(name string) string {
	return n.id(n.vnet().ResourceGroup, "virtualNetworks", n.vnet().Name, "subnets", name)
}

func (n *Network) publicIPID(name string) string {
	return n.id(n.spec.ResourceGroup, "publicIPAddresses", name)
}

// tags returns the tags of a resource with a name: the user's, but for those that CAPZ decides.
func (n *Network) tags(name, role string, more ...v1beta1.Tags) map[string]string {
	var all []map[string]string
	for _, tags := range append(more, n.spec.AdditionalTags) {
		all = append(all, tags)
	}
	owned := typed.OwnedTags(n.cluster.Name, name, role)
	if name == "" {
		delete(owned, typed.TagName)
	}
	return typed.Merged(append(all, owned)...)
}

// composed returns the object of a kind and name that is composed already; nil if there is none.
func (n *Network) composed(kind aso.Kind, name string) *unstructured.Unstructured {
	return n.live.Composed[kind.GroupKind().String()+"/"+name]
}

// apiServerPort returns the port that the API servers listen at.
func (n *Network) apiServerPort() int32 {
	return cmp.Or(n.cluster.APIServerPort, defaultAPIServerPort)
}

// controlPlaneSubnet returns the index of the subnet of the control plane; -1 if there is none.
func (n *Network) controlPlaneSubnet() int {
	if !n.spec.ControlPlaneEnabled {
		return -1
	}
	for _, role := range []v1beta1.SubnetRole{v1beta1.SubnetControlPlane, v1beta1.SubnetCluster} {
		if i := slices.IndexFunc(n.spec.NetworkSpec.Subnets, func(s v1beta1.SubnetSpec) bool { return s.Role == role }); i >= 0 {
			return i
		}
	}
	return -1
}

// hasNodes reports whether nodes are put into a subnet.
func hasNodes(s v1beta1.SubnetSpec) bool {
	return s.Role == v1beta1.SubnetNode || s.Role == v1beta1.SubnetCluster
}

// A nameSet has names of one sort. Azure does not tell upper from lower case in them.
type nameSet map[string]bool

// add reports whether the name is new, and not empty.
func (s nameSet) add(name string) bool {
	key := strings.ToLower(name)
	if key == "" || s[key] {
		return false
	}
	s[key] = true
	return true
}

func subnetPath(i int) string { return fmt.Sprintf("spec.networkSpec.subnets[%d]", i) }

// whole returns a port or another number of a spec as ASO has it.
func whole(number *int32) *int {
	if number == nil {
		return nil
	}
	return new(int(*number))
}

// sameName reports whether Azure takes both for the name of one resource.
func sameName(a, b string) bool { return strings.EqualFold(a, b) }
