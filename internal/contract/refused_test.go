package contract

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// reports has the status of a composite resource say of network vnet that it is not ready, for a reason.
func reports(reason, message string) fixture.Change {
	return fixture.InStatus("resources", []any{map[string]any{
		"resource": map[string]any{"group": fixture.Network.Group, "version": fixture.Network.Version, "kind": fixture.Network.Kind, "name": "vnet"},
		"ready":    reason == "Succeeded", "reason": reason, "message": message,
	}})
}

// TestRefusedIsTriedAgain has Azure refuse to make a network of a Cluster that is not deleted.
func TestRefusedIsTriedAgain(t *testing.T) {
	refused := fixture.InStatus("conditions", []any{map[string]any{"type": "Ready", "status": "False", "severity": "Warning",
		"reason": "NetcfgSubnetRangesOverlap", "message": "m", "lastTransitionTime": "2026-01-01T00:00:00Z"}})
	ours := fixture.Controlled(fixture.ASOCluster, "my-cluster")
	patched := []string{"patch VirtualNetwork vnet"}
	tests := map[string]struct {
		xr, network []fixture.Change
		want        []string
	}{
		"as the status says":            {xr: fixture.Changes(reports("NetcfgSubnetRangesOverlap", "m")), network: fixture.Changes(ours, refused), want: patched},
		"without a Cluster":             {xr: fixture.Changes(reports("NetcfgSubnetRangesOverlap", "m"), func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) }), network: fixture.Changes(ours, refused), want: patched},
		"which the spec no longer has":  {xr: fixture.Changes(reports("NetcfgSubnetRangesOverlap", "m")), network: fixture.Changes(ours, fixture.Deleting("aso"), refused), want: patched},
		"which the status does not say": {network: fixture.Changes(ours, refused)},
		"while it is being made":        {xr: fixture.Changes(reports("Creating", "m")), network: fixture.Changes(ours, refused)},
		"of somebody else":              {xr: fixture.Changes(reports("NetcfgSubnetRangesOverlap", "m")), network: fixture.Changes(fixture.Controlled(fixture.ASOCluster, "other"), refused)},
		"which ASO no longer says":      {xr: fixture.Changes(reports("NetcfgSubnetRangesOverlap", "m")), network: fixture.Changes(ours)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			xr := fixture.With(fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), fixture.OfCluster), tc.xr...)
			m := fixture.New(t, fixture.Cluster(), xr, fixture.With(fixture.Parse(t, fixture.VNetYAML), tc.network...))
			after := m.Reconcile(reconciler(m, composite.AzureASOManagedCluster), "my-cluster").RequeueAfter
			if diff := cmp.Diff(tc.want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if again := after == 20*time.Second; again != (len(tc.want) > 0) {
				t.Errorf("looked at again after %v", after)
			}
		})
	}
}

// TestRefusalLeadsHere has the status of a composite resource change.
func TestRefusalLeadsHere(t *testing.T) {
	tests := map[string]struct {
		before, after fixture.Change
		want          bool
	}{
		"it is being made":            {before: reports("WaitingForResource", "m"), after: reports("Creating", "m")},
		"it is ready":                 {before: reports("Creating", "m"), after: reports("Succeeded", "")},
		"it is refused":               {before: reports("Creating", "m"), after: reports("Conflict", "m"), want: true},
		"it is refused otherwise":     {before: reports("Conflict", "m"), after: reports("BadRequest", "m"), want: true},
		"it is refused by more words": {before: reports("Conflict", "m"), after: reports("Conflict", "n")},
		"it is refused no more":       {before: reports("Conflict", "m"), after: reports("Succeeded", ""), want: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			version := func(of string) fixture.Change {
				return func(o *unstructured.Unstructured) { o.SetResourceVersion(of) }
			}
			e := event.UpdateEvent{
				ObjectOld: fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), tc.before, version("1")),
				ObjectNew: fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), tc.after, version("2")),
			}
			if got := xrChanged().Update(e); got != tc.want {
				t.Errorf("leads to Reconcile: %v, want %v", got, tc.want)
			}
		})
	}
}
