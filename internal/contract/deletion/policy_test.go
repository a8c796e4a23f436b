package deletion

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// TestDeleteByLifecycle has objects that ASO does not write any more, or never has. Their resources must be deleted all the same, unless something
// else keeps them.
func TestDeleteByLifecycle(t *testing.T) {
	skip := []string{aso.AnnotationReconcilePolicy, aso.PolicySkip}
	removed := []string{"patch VirtualNetwork vnet", "delete VirtualNetwork vnet"}
	deleted := []string{"delete VirtualNetwork vnet"}
	tests := map[string]struct {
		annotations []string
		writes      []string
		policy      string
		removal     bool
	}{
		"which ASO may write":     {annotations: skip, writes: removed, policy: aso.PolicySkip, removal: true},
		"which is the Cluster's":  {annotations: append([]string{v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned}, skip...), writes: removed, policy: aso.PolicySkip, removal: true},
		"which is paused, too":    {annotations: append([]string{aso.AnnotationSkippedByPause, "true"}, skip...), writes: removed, policy: aso.PolicySkip, removal: true},
		"which is not sent yet":   {writes: deleted},
		"which was there before":  {annotations: append([]string{v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal}, skip...), writes: deleted, policy: aso.PolicySkip},
		"which is the user's":     {annotations: append([]string{v1beta1.AnnotationOwnership, v1beta1.OwnershipUser}, skip...), writes: deleted, policy: aso.PolicySkip},
		"which is undecided":      {annotations: append([]string{v1beta1.AnnotationOwnership, v1beta1.OwnershipUndecided}, skip...), writes: deleted, policy: aso.PolicySkip},
		"which is held":           {annotations: append([]string{aso.AnnotationHeld, "true"}, skip...), writes: deleted, policy: aso.PolicySkip},
		"which a user lets stay":  {annotations: []string{aso.AnnotationReconcilePolicy, aso.PolicyDetachOnDelete}, writes: deleted, policy: aso.PolicyDetachOnDelete},
		"external, and is paused": {annotations: append([]string{v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal, aso.AnnotationSkippedByPause, "true"}, skip...), writes: deleted, policy: aso.PolicySkip},
	}
	for _, lifecycle := range []aso.Lifecycle{aso.CreateOnly, aso.ProviderCreated} {
		for name, tc := range tests {
			t.Run(string(lifecycle)+" "+name, func(t *testing.T) {
				vnet := fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster"), fixture.Lingering,
					fixture.Annotated(aso.AnnotationLifecycle, string(lifecycle)), fixture.Annotated(tc.annotations...))
				m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), fixture.NetworkOwner(t), vnet)
				m.Reconcile(deleter(m, composite.AzureASOManagedCluster), "my-cluster")
				if diff := cmp.Diff(tc.writes, m.TakeWrites()); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				live := m.Find(fixture.Network, "vnet")
				if got := live.GetAnnotations()[aso.AnnotationReconcilePolicy]; got != tc.policy {
					t.Errorf("policy %q, want %q", got, tc.policy)
				}
				if got := aso.AwaitsRemoval(live); got != tc.removal {
					t.Errorf("it awaits its removal by provider-capz: %t", got)
				}
			})
		}
	}
}

// TestDeleteSendsNothing has ASO see the object of a virtual machine with the policy skip only: else it would send the object first. A process may
// end after each step.
func TestDeleteSendsNothing(t *testing.T) {
	vm := func(changes ...fixture.Change) *unstructured.Unstructured {
		return fixture.With(fixture.Parse(t, vmYAML), append(fixture.Changes(fixture.Controlled(composite.AzureMachine.GroupVersionKind, "m0"), fixture.Lingering,
			fixture.Annotated(aso.AnnotationOperator, "aso")), changes...)...)
	}
	removed := func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso", aso.RemovalFinalizer}) }
	external := fixture.Annotated(v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal)
	cases := map[string]struct {
		vm   *unstructured.Unstructured
		want []string
		// stays reports whether provider-capz leaves it in Azure.
		stays bool
	}{
		"from the beginning":        {vm: vm(), want: []string{"patch VirtualMachine vm", "delete VirtualMachine vm"}},
		"it awaits its removal":     {vm: vm(removed), want: []string{"delete VirtualMachine vm"}},
		"it was paused":             {vm: vm(removed, fixture.Annotated(aso.AnnotationSkippedByPause, "true")), want: []string{"patch VirtualMachine vm", "delete VirtualMachine vm"}},
		"its deletion has begun":    {vm: vm(fixture.Deleting("aso", aso.RemovalFinalizer))},
		"no ASO has ever looked":    {vm: vm(removed, fixture.Annotated(aso.AnnotationOperator, "")), want: []string{"delete VirtualMachine vm"}},
		"ASO may write it":          {vm: vm(fixture.Annotated(aso.AnnotationLifecycle, "", aso.AnnotationReconcilePolicy, "")), want: []string{"delete VirtualMachine vm"}, stays: true},
		"it is another's in Azure":  {vm: vm(external), want: []string{"delete VirtualMachine vm"}, stays: true},
		"it is the user's to leave": {vm: vm(fixture.Annotated(aso.AnnotationLifecycle, "")), want: []string{"delete VirtualMachine vm"}, stays: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			objects := append(selfManaged(t, composite.AzureMachine, "m0", true, vmYAML), fixture.Namespace(), fixture.Cluster(ofMachines))
			objects[0] = c.vm
			m := fixture.New(t, objects...)
			m.Reconcile(deleter(m, composite.AzureMachine), "m0")
			if diff := cmp.Diff(c.want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			live := m.Find(machines.VirtualMachineKind, "vm")
			if aso.AwaitsRemoval(live) == c.stays || aso.SkippedByPause(live) || !c.stays && !aso.SkippedByLifecycle(live) {
				t.Errorf("finalizers %v, annotations %v", live.GetFinalizers(), live.GetAnnotations())
			}
		})
	}
}

// TestNoKindOfOthersIsDeletedInAzure deletes, of each kind that may be composed, an object whose resource is not the Cluster's, or not
// known to be. ASO leaves a resource in Azure if its object has the policy skip when it is deleted.
func TestNoKindOfOthersIsDeletedInAzure(t *testing.T) {
	const policy, skip, ownership = aso.AnnotationReconcilePolicy, aso.PolicySkip, v1beta1.AnnotationOwnership
	found := func(tags map[string]any) fixture.Change {
		return func(o *unstructured.Unstructured) {
			fixture.InStatus("conditions", []any{map[string]any{"type": "Ready", "status": "True", "reason": "Succeeded"}})(o)
			fixture.InStatus("tags", tags)(o)
		}
	}
	notFound := fixture.InStatus("conditions", []any{map[string]any{"type": "Ready", "status": "False", "severity": "Warning", "reason": aso.ReasonResourceNotFound}})
	ours := map[string]any{"sigs.k8s.io_cluster-api-provider-azure_cluster_my-cluster": "owned"}
	external := fixture.Annotated(policy, skip, ownership, v1beta1.OwnershipExternal)
	undecided := fixture.Annotated(policy, skip, ownership, v1beta1.OwnershipUndecided)
	tests := map[string][]fixture.Change{
		"external":                     {external},
		"external, with a tag":         {external, found(ours)},
		"external, paused":             {external, fixture.Annotated(aso.AnnotationSkippedByPause, "true")},
		"external, create-only":        {external, fixture.Annotated(aso.AnnotationLifecycle, string(aso.CreateOnly))},
		"external, provider-created":   {external, fixture.Annotated(aso.AnnotationLifecycle, string(aso.ProviderCreated))},
		"undecided, without a tag":     {undecided, found(map[string]any{"a": "b"})},
		"undecided, another Cluster's": {undecided, found(map[string]any{"sigs.k8s.io_cluster-api-provider-azure_cluster_other": "owned"})},
		"undecided, shared":            {undecided, found(map[string]any{"sigs.k8s.io_cluster-api-provider-azure_cluster_my-cluster": "shared"})},
		"undecided, not in Azure":      {undecided, notFound},
		"undecided, create-only":       {undecided, found(nil), fixture.Annotated(aso.AnnotationLifecycle, string(aso.CreateOnly))},
		"undecided, provider-created":  {undecided, found(nil), fixture.Annotated(aso.AnnotationLifecycle, string(aso.ProviderCreated))},
		"undecided, paused":            {undecided, found(nil), fixture.Annotated(aso.AnnotationSkippedByPause, "true")},
	}
	for _, kind := range aso.Catalogue() {
		gvk := kind.GroupKind().WithVersion("v1api20240101")
		for name, changes := range tests {
			t.Run(kind.Name+" "+name, func(t *testing.T) {
				obj := fixture.With(&unstructured.Unstructured{}, func(o *unstructured.Unstructured) {
					o.SetGroupVersionKind(gvk)
					o.SetNamespace("default")
					o.SetName("theirs")
					o.SetUID("theirs")
				})
				fixture.With(obj, changes...)
				controlPlane := fixture.With(typedControlPlaneWith(t, obj), fixture.InSpec("controlPlaneEndpoint", map[string]any{"host": "h", "port": int64(443)}))
				m := fixture.New(t, fixture.ClusterOfTyped(fixture.ClusterDeleting), controlPlane, obj)
				m.Reconcile(deleter(m, composite.AzureManagedControlPlane), "my-cluster")
				if diff := cmp.Diff([]string{"delete " + kind.Name + " theirs"}, m.TakeWrites()); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				live := m.Find(gvk, "theirs")
				if live == nil || live.GetDeletionTimestamp() == nil || live.GetAnnotations()[policy] != skip {
					t.Errorf("not deleted with the policy skip: %v", live)
				}
			})
		}
	}
}
