package deletion

import (
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
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

const (
	ownedGroupYAML = "{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: rg, annotations: {infrastructure.cluster.x-k8s.io/ownership: owned}}, status: {id: /subscriptions/s/resourceGroups/rg}}"
	vmYAML         = "{apiVersion: compute.azure.com/v1api20220301, kind: VirtualMachine, metadata: {name: vm, annotations: {serviceoperator.azure.com/reconcile-policy: skip, " +
		"infrastructure.cluster.x-k8s.io/lifecycle: provider-created, infrastructure.cluster.x-k8s.io/ownership: owned}}, " +
		"spec: {owner: {armId: /subscriptions/s/resourceGroups/rg}, networkProfile: {networkInterfaces: [{reference: {group: network.azure.com, kind: NetworkInterface, name: nic}}]}}}"
	nicYAML       = "{apiVersion: network.azure.com/v1api20240301, kind: NetworkInterface, metadata: {name: nic}, spec: {owner: {armId: /subscriptions/s/resourceGroups/rg}}}"
	extensionYAML = "{apiVersion: compute.azure.com/v1api20220301, kind: VirtualMachinesExtension, metadata: {name: extension}, spec: {owner: {name: vm}}}"
	roleYAML      = "{apiVersion: authorization.azure.com/v1api20220401, kind: RoleAssignment, metadata: {name: role}, spec: {owner: {armId: /subscriptions/s}}}"
	peeringYAML   = "{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetworksVirtualNetworkPeering, metadata: {name: peering}, spec: {owner: {armId: /subscriptions/s/resourceGroups/other/providers/Microsoft.Network/virtualNetworks/v}}}"
	zoneYAML      = "{apiVersion: network.azure.com/v1api20240601, kind: PrivateDnsZone, metadata: {name: zone}, spec: {owner: {armId: /subscriptions/s/resourceGroups/dns}}}"
	inZoneYAML    = "{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: vnet}, spec: {owner: {name: rg}, " +
		"zone: {group: network.azure.com, kind: PrivateDnsZone, name: zone}}}"
)

// selfManaged returns a composite resource that is being deleted and has composed the objects, and these.
func selfManaged(t *testing.T, kind composite.Kind, name string, deleting bool, objects ...string) []client.Object {
	t.Helper()
	var refs []any
	var all []client.Object
	for _, text := range objects {
		obj := fixture.With(fixture.Parse(t, text), fixture.Controlled(kind.GroupVersionKind, name), fixture.Lingering)
		refs = append(refs, map[string]any{"apiVersion": obj.GetAPIVersion(), "kind": obj.GetKind(), "name": obj.GetName()})
		all = append(all, obj)
	}
	xr := fixture.With(fixture.Parse(t, "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: "+kind.Kind+", metadata: {name: "+name+"}, spec: {}}"),
		fixture.OfCluster, fixture.InSpec("crossplane", map[string]any{"resourceRefs": refs}))
	if deleting {
		fixture.Deleting(names.Finalizer)(xr)
	}
	return append(all, xr)
}

func ofMachines(c *clusterv1.Cluster) {
	c.Spec.InfrastructureRef.Kind, c.Spec.ControlPlaneRef.Kind = composite.AzureCluster.Kind, "KubeadmControlPlane"
}

// TestDeleteMachineWithItsGroup has a machine whose resource group goes as a whole, or does not.
func TestDeleteMachineWithItsGroup(t *testing.T) {
	oneByOne := []string{"patch VirtualMachinesExtension extension", "delete RoleAssignment role", "delete VirtualMachinesExtension extension"}
	together := []string{"delete RoleAssignment role"}
	cases := map[string]struct {
		cluster []func(*clusterv1.Cluster)
		// infrastructure is whether the AzureCluster is being deleted.
		infrastructure bool
		group          string
		policy         string
		want           []string
	}{
		"the Cluster is deleted":       {cluster: []func(*clusterv1.Cluster){fixture.ClusterDeleting}, group: ownedGroupYAML, want: together},
		"the AzureCluster is deleted":  {infrastructure: true, group: ownedGroupYAML, want: together},
		"only the machine is":          {group: ownedGroupYAML, want: oneByOne},
		"a group that is not ours":     {cluster: []func(*clusterv1.Cluster){fixture.ClusterDeleting}, group: fixture.GroupYAML, want: oneByOne},
		"a group that a user lets be":  {cluster: []func(*clusterv1.Cluster){fixture.ClusterDeleting}, group: ownedGroupYAML, policy: aso.PolicyDetachOnDelete, want: oneByOne},
		"a group that is deleted, too": {cluster: []func(*clusterv1.Cluster){fixture.ClusterDeleting}, infrastructure: true, group: ownedGroupYAML, want: together},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			objects := append(selfManaged(t, composite.AzureMachine, "m0", true, vmYAML, nicYAML, extensionYAML, roleYAML),
				selfManaged(t, composite.AzureCluster, "my-cluster", c.infrastructure, c.group)...)
			objects = append(objects, fixture.Namespace(), fixture.Cluster(append(c.cluster, ofMachines)...))
			for _, obj := range objects {
				if u, ok := obj.(*unstructured.Unstructured); ok && u.GetKind() == "ResourceGroup" && c.policy != "" {
					fixture.Annotated(aso.AnnotationReconcilePolicy, c.policy)(u)
				}
			}
			m := fixture.New(t, objects...)
			r := deleter(m, composite.AzureMachine)
			m.Reconcile(r, "m0")
			if diff := cmp.Diff(c.want, sortedWrites(m)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// sortedWrites returns what was written, in the order of kinds: what goes together has no order.
func sortedWrites(m *fixture.Management) []string {
	writes := m.TakeWrites()
	var patches, deletes []string
	for _, write := range writes {
		if strings.HasPrefix(write, "patch") {
			patches = append(patches, write)
		} else {
			deletes = append(deletes, write)
		}
	}
	slices.Sort(patches)
	slices.Sort(deletes)
	return append(patches, deletes...)
}

// TestMachineLeavesKubernetesOnly has a machine go with the resource group of its Cluster: nothing of it is deleted in Azure by itself.
func TestMachineLeavesKubernetesOnly(t *testing.T) {
	objects := append(selfManaged(t, composite.AzureMachine, "m0", true, vmYAML, nicYAML, extensionYAML),
		selfManaged(t, composite.AzureCluster, "my-cluster", false, ownedGroupYAML)...)
	m := fixture.New(t, append(objects, fixture.Namespace(), fixture.Cluster(fixture.ClusterDeleting, ofMachines))...)
	m.Reconcile(deleter(m, composite.AzureMachine), "m0")
	for _, text := range []string{vmYAML, nicYAML, extensionYAML} {
		given := fixture.Parse(t, text)
		obj := m.Find(given.GroupVersionKind(), given.GetName())
		want := aso.PolicyDetachOnDelete
		if given.GetKind() == "VirtualMachine" {
			want = aso.PolicySkip // It has it already, and with another one ASO would send the machine.
		}
		if obj == nil || obj.GetDeletionTimestamp() == nil || obj.GetAnnotations()[aso.AnnotationReconcilePolicy] != want {
			t.Errorf("%s is not let go: %v", given.GetName(), obj)
		}
	}
	if m.Find(composite.AzureMachine.GroupVersionKind, "m0") == nil {
		t.Fatal("the machine goes before what it has composed")
	}
	for _, text := range []string{vmYAML, nicYAML, extensionYAML} {
		given := fixture.Parse(t, text)
		m.Release(given.GroupVersionKind(), given.GetName())
	}
	m.Reconcile(deleter(m, composite.AzureMachine), "m0")
	if xr := m.Find(composite.AzureMachine.GroupVersionKind, "m0"); xr != nil {
		t.Errorf("the machine stays: %v", xr.GetFinalizers())
	}
}

// TestDeleteClusterWithItsGroup deletes a group with one request, after what lies elsewhere and is free, and before what is in use till then.
func TestDeleteClusterWithItsGroup(t *testing.T) {
	objects := append(selfManaged(t, composite.AzureCluster, "my-cluster", true, ownedGroupYAML, inZoneYAML, peeringYAML, zoneYAML),
		fixture.Namespace(), fixture.Cluster(fixture.ClusterDeleting, ofMachines))
	m := fixture.New(t, objects...)
	r := deleter(m, composite.AzureCluster)
	zone := fixture.Parse(t, zoneYAML).GroupVersionKind()
	steps := []struct {
		name   string
		before func()
		want   []string
	}{
		{name: "what lies elsewhere", want: []string{"delete VirtualNetworksVirtualNetworkPeering peering"}},
		{name: "then the group", before: func() { m.Release(fixture.Parse(t, peeringYAML).GroupVersionKind(), "peering") },
			want: []string{"patch VirtualNetwork vnet", "delete ResourceGroup rg", "delete VirtualNetwork vnet"}},
		{name: "which is waited for", before: func() { m.Release(fixture.Parse(t, inZoneYAML).GroupVersionKind(), "vnet") },
			want: []string{"delete PrivateDnsZone zone"}},
		{name: "until it is gone", before: func() { m.Release(zone, "zone") }},
		{name: "then the AzureCluster", before: func() { m.Release(fixture.Group, "rg") }, want: []string{"patch AzureCluster my-cluster"}},
	}
	for _, step := range steps {
		if step.before != nil {
			step.before()
		}
		m.Reconcile(r, "my-cluster")
		if diff := cmp.Diff(step.want, sortedWrites(m)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", step.name, diff)
		}
	}
}

// TestMachineInOrder deletes a machine alone: extensions with the virtual machine, then the network interface.
func TestMachineInOrder(t *testing.T) {
	objects := append(selfManaged(t, composite.AzureMachine, "m0", true, vmYAML, nicYAML, extensionYAML), fixture.Namespace(), fixture.Cluster(ofMachines))
	m := fixture.New(t, objects...)
	r := deleter(m, composite.AzureMachine)
	extension := fixture.Parse(t, extensionYAML).GroupVersionKind()
	m.Reconcile(r, "m0")
	if got := m.Find(extension, "extension").GetAnnotations()[aso.AnnotationReconcilePolicy]; got != aso.PolicyDetachOnDelete {
		t.Errorf("the extension is deleted in Azure: policy %q", got)
	}
	m.Release(extension, "extension")
	m.Reconcile(r, "m0")
	vm := m.Find(machines.VirtualMachineKind, "vm")
	if vm.GetDeletionTimestamp() == nil || !aso.AwaitsRemoval(vm) {
		t.Errorf("the virtual machine is not removed from Azure: %v", vm.GetFinalizers())
	}
	m.Release(machines.VirtualMachineKind, "vm")
	m.Reconcile(r, "m0")
	if diff := cmp.Diff([]string{"delete NetworkInterface nic"}, sortedWrites(m)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
