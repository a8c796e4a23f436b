package deletion

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

// TestLetGo has Azure refuse the deletion of a network.
func TestLetGo(t *testing.T) {
	answer := func(reason string, observed int64) fixture.Change {
		return func(o *unstructured.Unstructured) {
			o.SetGeneration(2)
			fixture.InStatus("conditions", []any{map[string]any{"type": "Ready", "status": "False", "severity": "Warning", "reason": reason,
				"message": "m", "observedGeneration": observed, "lastTransitionTime": "2026-01-01T00:00:00Z"}})(o)
		}
	}
	deleting := fixture.Deleting("aso")
	tests := map[string]struct {
		changes []fixture.Change
		want    []string
		policy  string
		event   bool
	}{
		"the name of the group":         {changes: fixture.Changes(deleting, answer("InvalidResourceGroup", 2)), want: []string{"patch VirtualNetwork vnet"}, policy: aso.PolicySkip, event: true},
		"its own name":                  {changes: fixture.Changes(deleting, answer("InvalidResourceName", 2)), want: []string{"patch VirtualNetwork vnet"}, policy: aso.PolicySkip, event: true},
		"nothing about the name":        {changes: fixture.Changes(deleting, answer("AuthorizationFailed", 2)), want: []string{"patch VirtualNetwork vnet"}, event: true},
		"the name, when it was made":    {changes: fixture.Changes(deleting, answer("InvalidResourceName", 1))},
		"the name, and it goes already": {changes: fixture.Changes(deleting, answer("InvalidResourceName", 2), fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip)), want: []string{"patch VirtualNetwork vnet"}, policy: aso.PolicySkip, event: true},
		"not being deleted":             {changes: fixture.Changes(fixture.Lingering, answer("InvalidResourceName", 2)), want: []string{"delete VirtualNetwork vnet"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			vnet := fixture.With(fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster")), tc.changes...)
			m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), fixture.NetworkOwner(t), vnet)
			m.Reconcile(deleter(m, composite.AzureASOManagedCluster), "my-cluster")
			if diff := cmp.Diff(tc.want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := m.Find(fixture.Network, "vnet").GetAnnotations()[aso.AnnotationReconcilePolicy]; got != tc.policy {
				t.Errorf("policy %q, want %q", got, tc.policy)
			}
			if events := m.TakeEvents(); len(events) > 0 != tc.event {
				t.Errorf("events %q, want some: %v", events, tc.event)
			}
		})
	}
}

// TestDeleteOfWhatWasNeverSent deletes a cluster of which Azure has never told whether it has the resource group.
func TestDeleteOfWhatWasNeverSent(t *testing.T) {
	undecided := fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, v1beta1.AnnotationOwnership, v1beta1.OwnershipUndecided)
	condition := func(status, severity, reason string) fixture.Change {
		return fixture.InStatus("conditions", []any{map[string]any{"type": "Ready", "status": status, "severity": severity, "reason": reason, "message": "m"}})
	}
	reached := fixture.InSpec("controlPlaneEndpoint", map[string]any{"host": "h", "port": int64(443)})
	const deleted, managed = "delete ResourceGroup rg", "patch ResourceGroup rg"
	tests := map[string]struct {
		xr     []fixture.Change
		answer fixture.Change
		want   []string
		events []string
	}{
		"the name is refused": {answer: condition("False", "Warning", "InvalidResourceGroup"), want: []string{deleted}, events: []string{
			"Warning NeverCreated ResourceGroup rg leaves Kubernetes only, as nothing was sent to Azure for it: Azure Service Operator asks first if the resource is there, and the answer was InvalidResourceGroup: m"}},
		"the credential is refused, and it has served": {xr: fixture.Changes(reached), answer: condition("False", "Warning", "AuthorizationFailed")},
		"ASO has not said anything": {answer: condition("False", "Info", "Reconciling"), want: []string{deleted}, events: []string{
			"Warning NeverCreated ResourceGroup rg leaves Kubernetes only, as nothing was sent to Azure for it: Azure Service Operator asks first if the resource is there, and it has not told the answer yet"}},
		"Azure does not have it": {answer: condition("False", "Warning", "AzureResourceNotFound"), want: []string{deleted}},
		"Azure has it":           {answer: condition("True", "", "Succeeded"), want: []string{managed, deleted}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			group := fixture.With(fixture.Parse(t, fixture.GroupYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster"), undecided, tc.answer, fixture.Lingering)
			xr := fixture.With(fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), fixture.OfCluster, fixture.Deleting(names.Finalizer),
				fixture.InSpec("crossplane", map[string]any{"resourceRefs": []any{map[string]any{"apiVersion": group.GetAPIVersion(), "kind": group.GetKind(), "name": group.GetName()}}})), tc.xr...)
			m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), xr, group)
			m.Reconcile(deleter(m, composite.AzureASOManagedCluster), "my-cluster")
			if diff := cmp.Diff(tc.want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(tc.events, m.TakeEvents()); diff != "" {
				t.Errorf("events: -want +got:\n%s", diff)
			}
		})
	}
}
