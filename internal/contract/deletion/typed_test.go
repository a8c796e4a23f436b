package deletion

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

// typedControlPlaneWith is being deleted and has composed the objects.
func typedControlPlaneWith(t *testing.T, objects ...*unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	refs := make([]any, len(objects))
	for i, obj := range objects {
		refs[i] = map[string]any{"apiVersion": obj.GetAPIVersion(), "kind": obj.GetKind(), "name": obj.GetName()}
		fixture.Controlled(fixture.TypedControlPlane, "my-cluster")(obj)
		fixture.Lingering(obj)
	}
	return fixture.With(fixture.Parse(t, fixture.TypedControlPlaneYAML), fixture.OfCluster, fixture.Deleting(names.Finalizer), fixture.InSpec("crossplane", map[string]any{"resourceRefs": refs}))
}

// TestDeleteUndecided deletes a control plane before it is known whose its resource group is.
func TestDeleteUndecided(t *testing.T) {
	ready := func(o *unstructured.Unstructured) {
		fixture.InStatus("conditions", []any{map[string]any{"type": "Ready", "status": "True", "reason": "Succeeded"}})(o)
	}
	notReady := func(reason, severity string) func(*unstructured.Unstructured) {
		return fixture.InStatus("conditions", []any{map[string]any{"type": "Ready", "status": "False", "reason": reason, "severity": severity}})
	}
	tagged := fixture.InStatus("tags", map[string]any{"sigs.k8s.io_cluster-api-provider-azure_cluster_my-cluster": "owned"})
	others := fixture.InStatus("tags", map[string]any{"sigs.k8s.io_cluster-api-provider-azure_cluster_other": "owned"})
	reached := fixture.InSpec("controlPlaneEndpoint", map[string]any{"host": "h", "port": int64(443)})
	probe := fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, v1beta1.AnnotationOwnership, v1beta1.OwnershipUndecided)
	const deleted, managed = "delete ResourceGroup rg", "patch ResourceGroup rg"
	tests := map[string]struct {
		xr, group  []fixture.Change
		want       []string
		wantPolicy string
	}{
		"it is the Cluster's":                {xr: fixture.Changes(reached), group: fixture.Changes(probe, ready, tagged), want: []string{managed, deleted}},
		"it is another Cluster's":            {xr: fixture.Changes(reached), group: fixture.Changes(probe, ready, others), want: []string{deleted}, wantPolicy: aso.PolicySkip},
		"it is nobody's":                     {xr: fixture.Changes(reached), group: fixture.Changes(probe, ready), want: []string{deleted}, wantPolicy: aso.PolicySkip},
		"Azure does not have it":             {xr: fixture.Changes(reached), group: fixture.Changes(probe, notReady("AzureResourceNotFound", "Warning")), want: []string{deleted}, wantPolicy: aso.PolicySkip},
		"Azure is asked":                     {xr: fixture.Changes(reached), group: fixture.Changes(probe, notReady("Reconciling", "Info")), wantPolicy: aso.PolicySkip},
		"ASO has yet to begin":               {xr: fixture.Changes(reached), group: fixture.Changes(probe), wantPolicy: aso.PolicySkip},
		"Azure refuses, after it has served": {xr: fixture.Changes(reached), group: fixture.Changes(probe, notReady("AuthorizationFailed", "Error")), wantPolicy: aso.PolicySkip},
		"Azure refuses, as from the start":   {group: fixture.Changes(probe, notReady("AuthorizationFailed", "Error")), want: []string{deleted}, wantPolicy: aso.PolicySkip},
		"decided: it is the Cluster's":       {xr: fixture.Changes(reached), group: fixture.Changes(fixture.Annotated(v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned)), want: []string{deleted}},
		"decided: it is not, tag or no tag":  {xr: fixture.Changes(reached), group: fixture.Changes(fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal), ready, tagged), want: []string{deleted}, wantPolicy: aso.PolicySkip},
		"decided and held":                   {xr: fixture.Changes(reached), group: fixture.Changes(fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationHeld, "true", v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned), ready, tagged), want: []string{deleted}, wantPolicy: aso.PolicySkip},
		"a person's policy":                  {xr: fixture.Changes(reached), group: fixture.Changes(fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned), ready, tagged), want: []string{deleted}, wantPolicy: aso.PolicySkip},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			group := fixture.With(fixture.Parse(t, fixture.GroupYAML), tc.group...)
			xr := fixture.With(typedControlPlaneWith(t, group), tc.xr...)
			m := fixture.New(t, fixture.ClusterOfTyped(fixture.ClusterDeleting), xr, group)
			m.Reconcile(deleter(m, composite.AzureManagedControlPlane), "my-cluster")
			if diff := cmp.Diff(tc.want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			got := m.Find(fixture.Group, "rg").GetAnnotations()
			if got[aso.AnnotationReconcilePolicy] != tc.wantPolicy {
				t.Errorf("policy %q, want %q", got[aso.AnnotationReconcilePolicy], tc.wantPolicy)
			}
		})
	}
}

// TestDeleteTypedInOrder deletes what a whole control plane has composed, wave by wave.
func TestDeleteTypedInOrder(t *testing.T) {
	inAzure := func(id string) func(*unstructured.Unstructured) {
		return fixture.Annotated(aso.AnnotationResourceID, id)
	}
	object := func(kind, apiVersion, name, owner string) *unstructured.Unstructured {
		return fixture.Parse(t, "{apiVersion: "+apiVersion+", kind: "+kind+", metadata: {name: "+name+"}, spec: {owner: "+owner+"}}")
	}
	network, containers := "network.azure.com/v1api20201101", "containerservice.azure.com/v1api20250801"
	objects := []*unstructured.Unstructured{
		fixture.With(object("ResourceGroup", "resources.azure.com/v1api20200601", "rg", "{}"), inAzure("/subscriptions/s/resourceGroups/rg")),
		fixture.With(object("VirtualNetwork", network, "vnet", "{name: rg}"), inAzure("/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/vnet")),
		fixture.With(object("VirtualNetworksSubnet", network, "subnet", "{name: vnet}"), inAzure("/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/vnet/subnets/subnet")),
		fixture.With(object("ManagedCluster", containers, "my-cluster", "{name: rg}"), inAzure("/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/my-cluster"),
			fixture.InSpec("agentPoolProfiles", []any{map[string]any{"vnetSubnetReference": map[string]any{"armId": "/subscriptions/s/resourceGroups/RG/providers/microsoft.network/virtualnetworks/vnet/subnets/subnet"}}})),
		fixture.With(object("PrivateEndpoint", "network.azure.com/v1api20220701", "endpoint", "{name: rg}"),
			fixture.InSpec("subnet", map[string]any{"reference": map[string]any{"armId": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/vnet/subnets/subnet"}})),
		fixture.With(object("FleetsMember", "containerservice.azure.com/v1api20250301", "member", "{armId: /subscriptions/s/resourceGroups/fleets/providers/Microsoft.ContainerService/fleets/fleet}"),
			fixture.InSpec("clusterResourceReference", map[string]any{"armId": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/my-cluster"})),
		object("Extension", "kubernetesconfiguration.azure.com/v1api20230501", "extension", "{group: containerservice.azure.com, kind: ManagedCluster, name: my-cluster}"),
	}
	all := []client.Object{fixture.ClusterOfTyped(fixture.ClusterDeleting), typedControlPlaneWith(t, objects...)}
	for _, obj := range objects {
		all = append(all, obj)
	}
	m := fixture.New(t, all...)
	r := deleter(m, composite.AzureManagedControlPlane)
	var got []string
	for range len(objects) {
		m.Reconcile(r, "my-cluster")
		deleted := m.TakeWrites()
		slices.Sort(deleted)
		got = append(got, strings.Join(deleted, ", "))
		for _, obj := range objects {
			if live := m.Find(obj.GroupVersionKind(), obj.GetName()); live != nil && live.GetDeletionTimestamp() != nil {
				m.Release(obj.GroupVersionKind(), obj.GetName())
			}
		}
	}
	want := []string{
		"delete Extension extension, delete FleetsMember member",
		"delete ManagedCluster my-cluster",
		"delete PrivateEndpoint endpoint",
		"delete VirtualNetworksSubnet subnet",
		"delete VirtualNetwork vnet",
		"delete ResourceGroup rg",
		"patch AzureManagedControlPlane my-cluster",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestDeleteTypedInfrastructure has it go last, though it has composed nothing.
func TestDeleteTypedInfrastructure(t *testing.T) {
	infrastructure := fixture.With(fixture.Parse(t, fixture.TypedInfrastructureYAML), fixture.OfCluster, fixture.Deleting(names.Finalizer))
	m := fixture.New(t, fixture.ClusterOfTyped(fixture.ClusterDeleting), infrastructure, fixture.With(fixture.Parse(t, fixture.TypedControlPlaneYAML), fixture.OfCluster, fixture.Deleting(names.Finalizer)),
		fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster, func(o *unstructured.Unstructured) { o.SetName("of-another-family") }))
	r := deleter(m, composite.AzureManagedCluster)
	if after := m.Reconcile(r, "my-cluster").RequeueAfter; after != pollInterval || m.Find(fixture.TypedCluster, "my-cluster") == nil {
		t.Errorf("it does not wait for its control plane: RequeueAfter %v", after)
	}
	m.Release(fixture.TypedControlPlane, "my-cluster")
	m.Reconcile(r, "my-cluster")
	if m.Find(fixture.TypedCluster, "my-cluster") != nil {
		t.Error("it waits though the control plane is gone")
	}
}

func TestDeleteTypedPool(t *testing.T) {
	ownCluster := func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) }
	external := fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal)
	plain := []string{"delete ManagedClustersAgentPool my-cluster-pool0"}
	released := append(slices.Clone(plain), "patch AzureManagedMachinePool my-cluster-pool0")
	detached := append([]string{"patch ManagedClustersAgentPool my-cluster-pool0"}, released...)
	tests := map[string]struct {
		cluster              *clusterv1.Cluster
		controlPlane         []fixture.Change
		managedCluster, pool []fixture.Change
		want                 []string
	}{
		"alone":                                 {cluster: fixture.ClusterOfTyped(), want: plain},
		"with its Cluster":                      {want: detached},
		"with its Cluster, was in Azure before": {pool: fixture.Changes(external), want: released},
		"of a ManagedCluster of before":         {managedCluster: fixture.Changes(external), want: plain},
		"of the user's own ManagedCluster":      {controlPlane: fixture.Changes(fixture.ComposedNothing), managedCluster: fixture.Changes(ownCluster), want: plain},
		"the user's own":                        {pool: fixture.Changes(ownCluster), want: []string{"patch AzureManagedMachinePool my-cluster-pool0"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.cluster == nil {
				tc.cluster = fixture.ClusterOfTyped(fixture.ClusterDeleting)
			}
			m := fixture.New(t, fixture.Namespace(), tc.cluster, fixture.With(fixture.With(fixture.Parse(t, fixture.TypedControlPlaneYAML), fixture.OfCluster), tc.controlPlane...),
				fixture.With(fixture.Parse(t, fixture.TypedPoolYAML), fixture.OfCluster, fixture.Deleting(names.Finalizer)),
				fixture.With(fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Controlled(fixture.TypedControlPlane, "my-cluster")), tc.managedCluster...),
				fixture.With(fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), fixture.Controlled(fixture.TypedMachinePool, "my-cluster-pool0"), fixture.Lingering), tc.pool...))
			m.Reconcile(deleter(m, composite.AzureManagedMachinePool), "my-cluster-pool0")
			if diff := cmp.Diff(tc.want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
