package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// A Reader reads from Azure Resource Manager, and changes nothing.
type Reader interface {
	// Get returns the body of the resource with the ID; nil when there is none.
	Get(ctx context.Context, id, apiVersion string) (json.RawMessage, error)
	// List returns the bodies of all resources of a list; none where Azure does not have the list.
	List(ctx context.Context, path, apiVersion string) ([]json.RawMessage, error)
}

// A Scope says what is read beside the AKS cluster and what it has itself.
type Scope struct {
	// Networks reads the virtual networks and subnets that the cluster uses, Group the resource group that it is in.
	Networks, Group bool
	// Fleets are the IDs of the fleets in which a membership of the cluster may be; those of its own subscription when there are none.
	Fleets []string
}

const (
	managedClusterType = "Microsoft.ContainerService/managedClusters"
	resourceGroupType  = "Microsoft.Resources/resourceGroups"
)

// Read returns the AKS cluster with the ID, or all in the resource group with the ID, with what goes with them, and what there is that cannot be
// brought in. It returns an error that names what Azure does not have, or would not tell.
func Read(ctx context.Context, from Reader, id string, scope Scope) ([]AKSCluster, []Loss, error) {
	parsed := aso.ParseID(strings.TrimRight(id, "/"))
	kind := ""
	if parsed != nil {
		kind = parsed.ResourceType.String()
	}
	r := &inventory{Reader: from, scope: scope}
	var clusters []Resource
	switch {
	case strings.EqualFold(kind, managedClusterType):
		body, err := r.resource(ctx, ManagedCluster, parsed.String())
		if err != nil {
			return nil, nil, err
		}
		clusters = []Resource{body}
	case strings.EqualFold(kind, resourceGroupType) && parsed.Name != "":
		var err error
		if clusters, err = r.list(ctx, ManagedCluster, parsed.String()+"/providers/"+managedClusterType); err != nil {
			return nil, nil, err
		}
		if len(clusters) == 0 {
			return nil, nil, fmt.Errorf("resource group %s has no AKS cluster", parsed.Name)
		}
	default:
		return nil, nil, fmt.Errorf("%q must be the ID of an AKS cluster, as in /subscriptions/S/resourceGroups/G/providers/%s/NAME, or of a resource group", id, managedClusterType)
	}
	if scope.Group && len(clusters) > 1 {
		return nil, nil, fmt.Errorf("resource group %s has %d AKS clusters, so that it can belong to none of them", parsed.Name, len(clusters))
	}
	var all []AKSCluster
	for _, cluster := range clusters {
		one, err := r.around(ctx, cluster)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, one)
	}
	if name := sharedNetwork(all); name != "" {
		return nil, nil, fmt.Errorf("virtual network %s is used by more than one of the clusters, so that it can be brought in with none of them", name)
	}
	return all, r.losses, nil
}

// An inventory is being made.
type inventory struct {
	Reader

	scope  Scope
	losses []Loss
}

func (r *inventory) resource(ctx context.Context, kind Kind, id string) (Resource, error) {
	body, err := r.Get(ctx, id, kind.APIVersion())
	if err != nil {
		return Resource{}, err
	}
	if body == nil {
		return Resource{}, fmt.Errorf("Azure has no %s", id) //nolint:staticcheck // Azure is a name.
	}
	return Resource{ID: id, Body: body}, nil
}

// list returns the resources of a list, in the order of their IDs.
func (r *inventory) list(ctx context.Context, kind Kind, path string) ([]Resource, error) {
	bodies, err := r.List(ctx, path, kind.APIVersion())
	if err != nil {
		return nil, err
	}
	var all []Resource
	for _, body := range bodies {
		head := struct{ ID string }{}
		if err := json.Unmarshal(body, &head); err != nil || aso.ParseID(head.ID) == nil {
			return nil, fmt.Errorf("an item of %s has no ID of Azure", path)
		}
		all = append(all, Resource{ID: head.ID, Body: body})
	}
	slices.SortFunc(all, func(a, b Resource) int { return strings.Compare(strings.ToLower(a.ID), strings.ToLower(b.ID)) })
	return all, nil
}

// childLists are the lists of what an AKS cluster has itself, below its ID.
var childLists = []struct {
	kind Kind
	path string
}{
	{MaintenanceConfiguration, "/maintenanceConfigurations"},
	{TrustedAccessRoleBinding, "/trustedAccessRoleBindings"},
	{Extension, "/providers/Microsoft.KubernetesConfiguration/extensions"},
	{FluxConfiguration, "/providers/Microsoft.KubernetesConfiguration/fluxConfigurations"},
}

// around reads what goes with an AKS cluster.
func (r *inventory) around(ctx context.Context, managed Resource) (AKSCluster, error) {
	c := AKSCluster{ManagedCluster: managed}
	var err error
	if c.AgentPools, err = r.list(ctx, AgentPool, managed.ID+"/agentPools"); err != nil {
		return c, err
	}
	for _, children := range childLists {
		found, err := r.list(ctx, children.kind, managed.ID+children.path)
		if err != nil {
			return c, err
		}
		for _, one := range found {
			if systemExtension(one) {
				r.losses = append(r.losses, Loss{ID: one.ID, Reason: "it is AKS's own, which comes and goes with what the cluster asks for"})
				continue
			}
			c.Children = append(c.Children, Child{Kind: children.kind, Resource: one})
		}
	}
	memberships, err := r.memberships(ctx, managed.ID)
	if err != nil {
		return c, err
	}
	c.Children = append(c.Children, memberships...)
	if r.scope.Group {
		if c.Group, err = r.resource(ctx, ResourceGroup, aso.ParseID(managed.ID).Parent.String()); err != nil {
			return c, err
		}
	}
	if r.scope.Networks {
		c.Networks, err = r.networks(ctx, c)
	}
	return c, err
}

// systemExtension reports whether an extension is one that AKS has installed itself.
func systemExtension(r Resource) bool {
	body := struct {
		Properties struct{ IsSystemExtension bool }
	}{}
	return json.Unmarshal(r.Body, &body) == nil && body.Properties.IsSystemExtension
}

// memberships returns the cluster's memberships in fleets. An AKS cluster does not say which fleet it is in, so the fleets are asked.
func (r *inventory) memberships(ctx context.Context, cluster string) ([]Child, error) {
	fleets := r.scope.Fleets
	if len(fleets) == 0 {
		subscription := "/subscriptions/" + aso.ParseID(cluster).SubscriptionID
		found, err := r.list(ctx, FleetsMember, subscription+"/providers/Microsoft.ContainerService/fleets")
		if err != nil {
			r.losses = append(r.losses, Loss{ID: cluster, Reason: fmt.Sprintf("whether it is in a fleet is not known, as the fleets of its subscription cannot be read: %v", err)})
			return nil, nil
		}
		for _, fleet := range found {
			fleets = append(fleets, fleet.ID)
		}
	}
	var all []Child
	for _, fleet := range fleets {
		members, err := r.list(ctx, FleetsMember, strings.TrimRight(fleet, "/")+"/members")
		if err != nil {
			return nil, err
		}
		for _, member := range members {
			body := struct {
				Properties struct{ ClusterResourceID string }
			}{}
			if json.Unmarshal(member.Body, &body) == nil && aso.SameID(aso.ParseID(body.Properties.ClusterResourceID), aso.ParseID(cluster)) {
				all = append(all, Child{Kind: FleetsMember, Resource: member})
			}
		}
	}
	return all, nil
}

// networks reads the virtual networks of the subnets that a cluster names.
func (r *inventory) networks(ctx context.Context, c AKSCluster) ([]Network, error) {
	used := map[string]*arm.ResourceID{}
	for _, one := range append([]Resource{c.ManagedCluster}, c.AgentPools...) {
		body := struct {
			Properties struct {
				VnetSubnetID, PodSubnetID string
				APIServerAccessProfile    struct{ SubnetID string }
			}
		}{}
		if err := json.Unmarshal(one.Body, &body); err != nil {
			return nil, fmt.Errorf("%s: Azure's answer cannot be read: %w", one.ID, err)
		}
		for _, subnet := range []string{body.Properties.VnetSubnetID, body.Properties.PodSubnetID, body.Properties.APIServerAccessProfile.SubnetID} {
			if id := aso.ParseID(subnet); id != nil && id.Parent != nil {
				used[strings.ToLower(id.String())] = id
			}
		}
	}
	var all []Network
	for _, key := range slices.Sorted(maps.Keys(used)) {
		id := used[key]
		i := slices.IndexFunc(all, func(n Network) bool { return strings.EqualFold(n.ID, id.Parent.String()) })
		if i < 0 {
			network, err := r.resource(ctx, VirtualNetwork, id.Parent.String())
			if err != nil {
				return nil, err
			}
			i, all = len(all), append(all, Network{Resource: network})
		}
		subnet, err := r.resource(ctx, Subnet, id.String())
		if err != nil {
			return nil, err
		}
		all[i].Subnets = append(all[i].Subnets, subnet)
	}
	return all, nil
}

// sharedNetwork returns the ID of a network that more than one cluster would bring in.
func sharedNetwork(clusters []AKSCluster) string {
	seen := map[string]bool{}
	for _, c := range clusters {
		for _, n := range c.Networks {
			if seen[strings.ToLower(n.ID)] {
				return n.ID
			}
			seen[strings.ToLower(n.ID)] = true
		}
	}
	return ""
}
