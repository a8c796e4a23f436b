package contract

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
)

// lingering keeps obj from vanishing as it is deleted, as ASO does while Azure is busy.
func lingering(obj *unstructured.Unstructured) { obj.SetFinalizers([]string{"aso"}) }

// typedControlPlaneWith is being deleted and has composed the objects.
func typedControlPlaneWith(t *testing.T, objects ...*unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	refs := make([]any, len(objects))
	for i, obj := range objects {
		refs[i] = map[string]any{"apiVersion": obj.GetAPIVersion(), "kind": obj.GetKind(), "name": obj.GetName()}
		controlled(typedControlPlaneKind, "my-cluster")(obj)
		lingering(obj)
	}
	return with(parse(t, typedControlPlaneYAML), ofCluster, deleting(Finalizer), inSpec("crossplane", map[string]any{"resourceRefs": refs}))
}

// TestDeleteUndecided deletes a control plane before it is known whose its resource group is.
func TestDeleteUndecided(t *testing.T) {
	ready := func(o *unstructured.Unstructured) {
		inStatus("conditions", []any{map[string]any{"type": "Ready", "status": "True", "reason": "Succeeded"}})(o)
	}
	notReady := func(reason, severity string) func(*unstructured.Unstructured) {
		return inStatus("conditions", []any{map[string]any{"type": "Ready", "status": "False", "reason": reason, "severity": severity}})
	}
	tagged := inStatus("tags", map[string]any{"sigs.k8s.io_cluster-api-provider-azure_cluster_my-cluster": "owned"})
	others := inStatus("tags", map[string]any{"sigs.k8s.io_cluster-api-provider-azure_cluster_other": "owned"})
	came := inSpec("controlPlaneEndpoint", map[string]any{"host": "h", "port": int64(443)})
	probe := annotated(reconcilePolicyAnnotation, policySkip, v1beta1.AnnotationOwnership, v1beta1.OwnershipUndecided)
	changes := func(all ...func(*unstructured.Unstructured)) []func(*unstructured.Unstructured) { return all }
	const deleted, managed = "delete ResourceGroup rg", "patch ResourceGroup rg"
	tests := map[string]struct {
		xr, group  []func(*unstructured.Unstructured)
		want       []string
		wantPolicy string
	}{
		"it is the Cluster's":                {xr: changes(came), group: changes(probe, ready, tagged), want: []string{managed, deleted}},
		"it is another Cluster's":            {xr: changes(came), group: changes(probe, ready, others), want: []string{deleted}, wantPolicy: policySkip},
		"it is nobody's":                     {xr: changes(came), group: changes(probe, ready), want: []string{deleted}, wantPolicy: policySkip},
		"Azure does not have it":             {xr: changes(came), group: changes(probe, notReady("AzureResourceNotFound", "Warning")), want: []string{deleted}, wantPolicy: policySkip},
		"Azure is asked":                     {xr: changes(came), group: changes(probe, notReady("Reconciling", "Info")), wantPolicy: policySkip},
		"ASO has yet to begin":               {xr: changes(came), group: changes(probe), wantPolicy: policySkip},
		"Azure refuses, after it has served": {xr: changes(came), group: changes(probe, notReady("AuthorizationFailed", "Error")), wantPolicy: policySkip},
		"Azure refuses, as from the start":   {group: changes(probe, notReady("AuthorizationFailed", "Error")), want: []string{deleted}, wantPolicy: policySkip},
		"decided: it is the Cluster's":       {xr: changes(came), group: changes(annotated(v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned)), want: []string{deleted}},
		"decided: it is not, tag or no tag":  {xr: changes(came), group: changes(annotated(reconcilePolicyAnnotation, policySkip, v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal), ready, tagged), want: []string{deleted}, wantPolicy: policySkip},
		"decided and held":                   {xr: changes(came), group: changes(annotated(reconcilePolicyAnnotation, policySkip, aso.AnnotationHeld, "true", v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned), ready, tagged), want: []string{deleted}, wantPolicy: policySkip},
		"a person's policy":                  {xr: changes(came), group: changes(annotated(reconcilePolicyAnnotation, policySkip, v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned), ready, tagged), want: []string{deleted}, wantPolicy: policySkip},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			group := with(parse(t, groupYAML), tc.group...)
			xr := with(typedControlPlaneWith(t, group), tc.xr...)
			m := newManagement(t, typedCluster(clusterDeleting), xr, group)
			m.reconcile(m.typedControlPlane(&entra{now: start}), "my-cluster")
			if diff := cmp.Diff(tc.want, m.takeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			got := m.get(groupGVK, "rg").GetAnnotations()
			if got[reconcilePolicyAnnotation] != tc.wantPolicy {
				t.Errorf("policy %q, want %q", got[reconcilePolicyAnnotation], tc.wantPolicy)
			}
		})
	}
}

// TestDeleteTypedInOrder deletes what a whole control plane has composed, wave by wave.
func TestDeleteTypedInOrder(t *testing.T) {
	inAzure := func(id string) func(*unstructured.Unstructured) { return annotated(resourceIDAnnotation, id) }
	object := func(kind, apiVersion, name, owner string) *unstructured.Unstructured {
		return parse(t, "{apiVersion: "+apiVersion+", kind: "+kind+", metadata: {name: "+name+"}, spec: {owner: "+owner+"}}")
	}
	network, containers := "network.azure.com/v1api20201101", "containerservice.azure.com/v1api20250801"
	objects := []*unstructured.Unstructured{
		with(object("ResourceGroup", "resources.azure.com/v1api20200601", "rg", "{}"), inAzure("/subscriptions/s/resourceGroups/rg")),
		with(object("VirtualNetwork", network, "vnet", "{name: rg}"), inAzure("/subscriptions/s/resourceGroups/rg/providers/n/vnet")),
		with(object("VirtualNetworksSubnet", network, "subnet", "{name: vnet}"), inAzure("/subscriptions/s/resourceGroups/rg/providers/n/vnet/subnet")),
		with(object("ManagedCluster", containers, "my-cluster", "{name: rg}"), inAzure("/subscriptions/s/resourceGroups/rg/providers/c/my-cluster"),
			inSpec("agentPoolProfiles", []any{map[string]any{"vnetSubnetReference": map[string]any{"armId": "/subscriptions/s/resourceGroups/RG/providers/N/vnet/subnet"}}})),
		with(object("PrivateEndpoint", "network.azure.com/v1api20220701", "endpoint", "{name: rg}"),
			inSpec("subnet", map[string]any{"reference": map[string]any{"armId": "/subscriptions/s/resourceGroups/rg/providers/n/vnet/subnet"}})),
		with(object("FleetsMember", "containerservice.azure.com/v1api20250301", "member", "{armId: /subscriptions/s/fleet}"),
			inSpec("clusterResourceReference", map[string]any{"armId": "/subscriptions/s/resourceGroups/rg/providers/c/my-cluster"})),
		object("Extension", "kubernetesconfiguration.azure.com/v1api20230501", "extension", "{group: containerservice.azure.com, kind: ManagedCluster, name: my-cluster}"),
	}
	all := []client.Object{typedCluster(clusterDeleting), typedControlPlaneWith(t, objects...)}
	for _, obj := range objects {
		all = append(all, obj)
	}
	m := newManagement(t, all...)
	r := m.typedControlPlane(&entra{now: start})
	var got []string
	for range len(objects) {
		m.reconcile(r, "my-cluster")
		deleted := m.takeWrites()
		slices.Sort(deleted)
		got = append(got, strings.Join(deleted, ", "))
		for _, obj := range objects {
			if live := m.get(obj.GroupVersionKind(), obj.GetName()); live != nil && live.GetDeletionTimestamp() != nil {
				m.letGo(obj.GroupVersionKind(), obj.GetName())
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
	infrastructure := with(parse(t, typedInfrastructureYAML), ofCluster, deleting(Finalizer))
	m := newManagement(t, typedCluster(clusterDeleting), infrastructure, with(parse(t, typedControlPlaneYAML), ofCluster, deleting(Finalizer)),
		with(parse(t, controlPlaneYAML), ofCluster, func(o *unstructured.Unstructured) { o.SetName("of-another-family") }))
	r := m.reconciler(typedClusterKind)
	if after := m.reconcile(r, "my-cluster").RequeueAfter; after != usedInterval || m.get(typedClusterKind, "my-cluster") == nil {
		t.Errorf("it does not wait for its control plane: RequeueAfter %v", after)
	}
	m.letGo(typedControlPlaneKind, "my-cluster")
	m.reconcile(r, "my-cluster")
	if m.get(typedClusterKind, "my-cluster") != nil {
		t.Error("it waits though the control plane is gone")
	}
}

func TestDeleteTypedPool(t *testing.T) {
	ownCluster := func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) }
	external := annotated(reconcilePolicyAnnotation, policySkip, v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal)
	plain := []string{"delete ManagedClustersAgentPool my-cluster-pool0"}
	released := append(slices.Clone(plain), "patch AzureManagedMachinePool my-cluster-pool0")
	detached := append([]string{"patch ManagedClustersAgentPool my-cluster-pool0"}, released...)
	changes := func(all ...func(*unstructured.Unstructured)) []func(*unstructured.Unstructured) { return all }
	tests := map[string]struct {
		cluster              *clusterv1.Cluster
		controlPlane         []func(*unstructured.Unstructured)
		managedCluster, pool []func(*unstructured.Unstructured)
		want                 []string
	}{
		"alone":                                 {cluster: typedCluster(), want: plain},
		"with its Cluster":                      {want: detached},
		"with its Cluster, was in Azure before": {pool: changes(external), want: released},
		"of a ManagedCluster of before":         {managedCluster: changes(external), want: plain},
		"of the user's own ManagedCluster":      {controlPlane: changes(composedNothing), managedCluster: changes(ownCluster), want: plain},
		"the user's own":                        {pool: changes(ownCluster), want: []string{"patch AzureManagedMachinePool my-cluster-pool0"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.cluster == nil {
				tc.cluster = typedCluster(clusterDeleting)
			}
			m := newManagement(t, defaultNamespace(), tc.cluster, with(with(parse(t, typedControlPlaneYAML), ofCluster), tc.controlPlane...),
				with(parse(t, typedPoolYAML), ofCluster, deleting(Finalizer)),
				with(with(parse(t, managedClusterYAML), controlled(typedControlPlaneKind, "my-cluster")), tc.managedCluster...),
				with(with(parse(t, agentPoolYAML), controlled(typedMachinePoolKind, "my-cluster-pool0"), lingering), tc.pool...))
			m.reconcile(m.typedMachinePool(nil), "my-cluster-pool0")
			if diff := cmp.Diff(tc.want, m.takeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
