package deletion

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

const (
	nsgYAML   = "{apiVersion: network.azure.com/v1api20240301, kind: NetworkSecurityGroup, metadata: {name: nsg}, spec: {owner: {name: rg}}}"
	leftYAML  = "{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: left}, spec: {peer: {group: network.azure.com, kind: VirtualNetwork, name: right}}}"
	rightYAML = "{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: right}, spec: {peer: {group: network.azure.com, kind: VirtualNetwork, name: left}}}"
)

func TestWave(t *testing.T) {
	tests := map[string]struct {
		objects []string
		want    []string
	}{
		"nothing":                   {},
		"one":                       {objects: []string{fixture.GroupYAML}, want: []string{"rg"}},
		"owned first":               {objects: []string{fixture.GroupYAML, fixture.VNetYAML}, want: []string{"vnet"}},
		"referring first":           {objects: []string{fixture.GroupYAML, fixture.VNetYAML, nsgYAML, fixture.SubnetYAML}, want: []string{"subnet"}},
		"then what was referred to": {objects: []string{fixture.GroupYAML, fixture.VNetYAML, nsgYAML}, want: []string{"vnet", "nsg"}},
		"by the ID in Azure, whatever its case": {objects: []string{
			"{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: vnet, annotations: {serviceoperator.azure.com/resource-id: /subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/vnet}}}",
			"{apiVersion: network.azure.com/v1api20220701, kind: PrivateEndpoint, metadata: {name: endpoint}, spec: {subnet: {reference: {armId: /subscriptions/S/resourcegroups/RG/providers/microsoft.network/virtualnetworks/VNet}}}}",
		}, want: []string{"endpoint"}},
		"what a ManagedCluster is referred to by": {objects: []string{
			fixture.ManagedClusterYAML, fixture.VNetYAML,
			"{apiVersion: kubernetesconfiguration.azure.com/v1api20230501, kind: Extension, metadata: {name: extension}, spec: {owner: {group: containerservice.azure.com, kind: ManagedCluster, name: my-cluster}}}",
		}, want: []string{"extension"}},
		"a ManagedCluster by itself": {objects: []string{fixture.ManagedClusterYAML, fixture.SubnetYAML}, want: []string{"my-cluster"}},
		"a circle goes together":     {objects: []string{leftYAML, rightYAML}, want: []string{"left", "right"}},
		"a circle waits for others":  {objects: []string{leftYAML, rightYAML, fixture.GroupYAML}, want: []string{"rg"}},
		"of the same name elsewhere": {objects: []string{
			"{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: rg, annotations: {serviceoperator.azure.com/resource-id: /subscriptions/other/resourceGroups/rg}}}",
			"{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: vnet}, spec: {owner: {armId: /subscriptions/s/resourceGroups/rg}}}",
		}, want: []string{"rg", "vnet"}},
		"by the ID that it will have": {objects: []string{
			fixture.GroupYAML,
			"{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: vnet}, spec: {owner: {armId: /subscriptions/s/resourceGroups/rg}}}",
		}, want: []string{"vnet"}},
		"a circle does not take others along": {objects: []string{
			leftYAML, rightYAML, loadBalancerYAML,
			"{apiVersion: network.azure.com/v1api20240301, kind: NetworkInterface, metadata: {name: nic}, spec: {pool: {armId: " + loadBalancerID + "/backendAddressPools/pool}}}",
			"{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: third}, spec: {a: {group: network.azure.com, kind: VirtualNetwork, name: left}, b: {group: network.azure.com, kind: NetworkInterface, name: nic}, c: {group: network.azure.com, kind: VirtualNetwork, name: fourth}}}",
			"{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: fourth}, spec: {a: {group: network.azure.com, kind: VirtualNetwork, name: third}}}",
		}, want: []string{"third", "fourth"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var objects []*unstructured.Unstructured
			for _, text := range tc.objects {
				objects = append(objects, fixture.Parse(t, text))
			}
			var got []string
			for _, obj := range wave(objects) {
				got = append(got, obj.GetName())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("wave: -want +got:\n%s", diff)
			}
		})
	}
}

const (
	loadBalancerID   = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/loadBalancers/lb"
	loadBalancerYAML = "{apiVersion: network.azure.com/v1api20240301, kind: LoadBalancer, metadata: {name: lb}, spec: {owner: {name: rg}, " +
		"frontendIPConfigurations: [{publicIPAddress: {reference: {group: network.azure.com, kind: PublicIPAddress, name: ip}}}], backendAddressPools: [{name: pool}]}}"
)

// machine returns the objects of a machine and of the infrastructure that it uses, which refer to each other by name and, as nothing else
// can mean a part of a load balancer, by ID.
func machine(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	objects := map[string]*unstructured.Unstructured{}
	for _, text := range []string{
		fixture.GroupYAML, fixture.VNetYAML, loadBalancerYAML,
		"{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetworksSubnet, metadata: {name: subnet}, spec: {owner: {name: vnet}}}",
		"{apiVersion: network.azure.com/v1api20240301, kind: PublicIPAddress, metadata: {name: ip}, spec: {owner: {name: rg}}}",
		"{apiVersion: network.azure.com/v1api20240301, kind: LoadBalancersInboundNatRule, metadata: {name: lb-rule}, spec: {azureName: rule, owner: {name: lb}}}",
		"{apiVersion: network.azure.com/v1api20240301, kind: NetworkInterface, metadata: {name: nic}, spec: {owner: {name: rg}, ipConfigurations: [{" +
			"subnet: {reference: {group: network.azure.com, kind: VirtualNetworksSubnet, name: subnet}}, " +
			"loadBalancerBackendAddressPools: [{reference: {armId: " + loadBalancerID + "/backendAddressPools/pool}}], " +
			"inboundNatRules: [{reference: {armId: " + loadBalancerID + "/inboundNatRules/rule}}]}]}}",
		"{apiVersion: compute.azure.com/v1api20220301, kind: VirtualMachine, metadata: {name: vm}, spec: {owner: {name: rg}, " +
			"networkProfile: {networkInterfaces: [{reference: {group: network.azure.com, kind: NetworkInterface, name: nic}}]}}}",
	} {
		obj := fixture.Parse(t, text)
		objects[obj.GetName()] = obj
	}
	return objects
}

// noteIDs notes on each object the ID that ASO notes.
func noteIDs(objects map[string]*unstructured.Unstructured) {
	const network = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network"
	for name, id := range map[string]string{
		"rg": "/subscriptions/s/resourceGroups/rg", "vnet": network + "/virtualNetworks/vnet", "subnet": network + "/virtualNetworks/vnet/subnets/subnet",
		"ip": network + "/publicIPAddresses/ip", "lb": loadBalancerID, "lb-rule": loadBalancerID + "/inboundNatRules/rule",
		"nic": network + "/networkInterfaces/nic", "vm": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/vm",
	} {
		fixture.Annotated(aso.AnnotationResourceID, id)(objects[name])
	}
}

// TestWavesOfAMachine deletes wave by wave until nothing is left.
func TestWavesOfAMachine(t *testing.T) {
	type objects = map[string]*unstructured.Unstructured
	pool := func(o objects, id string) {
		o["nic"].Object["spec"] = map[string]any{"ipConfigurations": []any{map[string]any{
			"loadBalancerBackendAddressPools": []any{map[string]any{"reference": map[string]any{"armId": id}}},
		}}}
	}
	all := []string{"vm", "nic", "lb-rule subnet", "lb vnet", "ip", "rg"}
	tests := map[string]struct {
		change func(objects)
		want   []string
	}{
		"before ASO has noted IDs":  {change: func(objects) {}, want: all},
		"after ASO has noted IDs":   {change: noteIDs, want: all},
		"only the load balancer's":  {change: func(o objects) { fixture.Annotated(aso.AnnotationResourceID, loadBalancerID)(o["lb"]) }, want: all},
		"all but the load balancer": {change: func(o objects) { noteIDs(o); o["lb"].SetAnnotations(nil) }, want: all},
		"the pool in other letters": {change: func(o objects) {
			noteIDs(o)
			pool(o, strings.ToUpper(loadBalancerID+"/backendAddressPools/pool"))
		}, want: []string{"lb-rule subnet vm", "nic vnet", "lb", "ip", "rg"}},
		"only the pool, no IDs": {change: func(o objects) { pool(o, loadBalancerID+"/backendAddressPools/pool") },
			want: []string{"lb-rule subnet vm", "nic vnet", "lb", "ip", "rg"}},
		"of another name in Azure": {change: func(o objects) {
			fixture.InSpec("azureName", "renamed")(o["lb"])
			pool(o, strings.Replace(loadBalancerID, "loadBalancers/lb", "loadBalancers/renamed", 1)+"/backendAddressPools/pool")
		}, want: []string{"lb-rule subnet vm", "nic vnet", "lb", "ip", "rg"}},
		"of a load balancer elsewhere": {change: func(o objects) {
			noteIDs(o)
			pool(o, strings.Replace(loadBalancerID, "resourceGroups/rg", "resourceGroups/other", 1)+"/backendAddressPools/pool")
		}, want: []string{"lb-rule subnet vm", "lb nic vnet", "ip", "rg"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			left := machine(t)
			tc.change(left)
			var got []string
			for len(left) > 0 && len(got) <= len(tc.want) {
				next := wave(slices.Collect(maps.Values(left)))
				together := make([]string, len(next))
				for i, obj := range next {
					together[i] = obj.GetName()
					delete(left, obj.GetName())
				}
				slices.Sort(together)
				got = append(got, strings.Join(together, " "))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("waves: -want +got:\n%s", diff)
			}
		})
	}
}

// TestTransferredObjectsAreDeletedInOrder has objects of a machine that another composite resource of the Cluster has composed, and transferred
// to the one that is being deleted. That has composed the load balancer that they are in.
func TestTransferredObjectsAreDeletedInOrder(t *testing.T) {
	tests := map[string]struct {
		kind      composite.Kind
		cluster   *clusterv1.Cluster
		manifest  string
		composed  []string
		awaited   []string
		notedIDs  bool
		deletions []string
	}{
		"to an infrastructure": {kind: composite.AzureASOManagedCluster, cluster: fixture.Cluster(fixture.ClusterDeleting), manifest: fixture.InfrastructureYAML,
			composed: []string{"rg", "vnet", "subnet", "ip", "lb"}, awaited: []string{"lb-rule", "nic", "vm"},
			deletions: []string{"vm", "nic", "lb-rule subnet", "lb vnet", "ip", "rg"}},
		"to an infrastructure, with IDs": {kind: composite.AzureASOManagedCluster, cluster: fixture.Cluster(fixture.ClusterDeleting), manifest: fixture.InfrastructureYAML, notedIDs: true,
			composed: []string{"rg", "vnet", "subnet", "ip", "lb"}, awaited: []string{"lb-rule", "nic", "vm"},
			deletions: []string{"vm", "nic", "lb-rule subnet", "lb vnet", "ip", "rg"}},
		"to a control plane": {kind: composite.AzureASOManagedControlPlane, cluster: fixture.Cluster(fixture.ClusterDeleting), manifest: fixture.ControlPlaneYAML,
			composed: []string{"lb", "ip"}, awaited: []string{"nic", "subnet"},
			deletions: []string{"nic", "lb subnet", "ip"}},
		"to a control plane with typed fields": {kind: composite.AzureManagedControlPlane, cluster: fixture.ClusterOfTyped(fixture.ClusterDeleting), manifest: fixture.TypedControlPlaneYAML,
			composed: []string{"rg", "lb"}, awaited: []string{"nic", "ip"},
			deletions: []string{"nic", "lb", "ip", "rg"}},
		"to a control plane with typed fields and IDs": {kind: composite.AzureManagedControlPlane, cluster: fixture.ClusterOfTyped(fixture.ClusterDeleting), manifest: fixture.TypedControlPlaneYAML, notedIDs: true,
			composed: []string{"rg", "lb"}, awaited: []string{"nic", "ip"},
			deletions: []string{"nic", "lb", "ip", "rg"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			objects := machine(t)
			if tc.notedIDs {
				noteIDs(objects)
			}
			var refs []any
			var awaited []string
			for _, name := range tc.composed {
				refs = append(refs, map[string]any{"apiVersion": objects[name].GetAPIVersion(), "kind": objects[name].GetKind(), "name": name})
			}
			for _, name := range tc.awaited {
				gvk := objects[name].GroupVersionKind()
				awaited = append(awaited, gvk.Kind+"."+gvk.Version+"."+gvk.Group+"/"+name)
			}
			all := []client.Object{tc.cluster, fixture.With(fixture.Parse(t, tc.manifest), fixture.OfCluster, fixture.Deleting(names.Finalizer),
				fixture.InSpec("crossplane", map[string]any{"resourceRefs": refs}), fixture.Annotated(names.AwaitsDeletionAnnotation, strings.Join(awaited, ",")))}
			for _, name := range slices.Concat(tc.composed, tc.awaited) {
				all = append(all, fixture.With(objects[name], fixture.Controlled(tc.kind.GroupVersionKind, "my-cluster"), fixture.Lingering))
			}
			m := fixture.New(t, all...)
			var got []string
			for range len(tc.deletions) {
				m.Reconcile(deleter(m, tc.kind), "my-cluster")
				var together []string
				for name, obj := range objects {
					if live := m.Find(obj.GroupVersionKind(), name); live != nil && live.GetDeletionTimestamp() != nil {
						together = append(together, name)
						m.Release(obj.GroupVersionKind(), name)
					}
				}
				slices.Sort(together)
				got = append(got, strings.Join(together, " "))
			}
			if diff := cmp.Diff(tc.deletions, got); diff != "" {
				t.Errorf("deleted together: -want +got:\n%s", diff)
			}
			m.Reconcile(deleter(m, tc.kind), "my-cluster")
			if m.Find(tc.kind.GroupVersionKind, "my-cluster") != nil {
				t.Error("the composite resource is still there")
			}
		})
	}
}
