package deletion

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

const vnetRef = "VirtualNetwork.v1api20240301.network.azure.com/vnet"

func deletedJustNow(obj *unstructured.Unstructured) {
	now := metav1.Now()
	obj.SetDeletionTimestamp(&now)
}

// TestDeleteWhatHasLostItsController has a composite resource that is being deleted, and an object that it has composed and that
// garbage collection has taken the owner reference from.
func TestDeleteWhatHasLostItsController(t *testing.T) {
	const (
		released = "patch AzureASOManagedCluster my-cluster"
		noted    = released // That is a patch, too.
		deleted  = "delete VirtualNetwork vnet"
	)
	type change = fixture.Change
	composed := fixture.Labelled("my-cluster")
	tests := map[string]struct {
		xr, vnet []change
		writes   []string
		released bool
		// again is how soon it looks again at the latest, if not only because of an event.
		again time.Duration
		event bool
	}{
		"which is going":                  {vnet: []change{composed, fixture.Deleting("aso")}, again: pollInterval},
		"which is going, of another":      {vnet: []change{fixture.Labelled("other"), fixture.Deleting("aso")}, writes: []string{released}, released: true},
		"which was never composed":        {xr: []change{fixture.Annotated(names.AwaitsDeletionAnnotation, vnetRef)}, writes: []string{released}, released: true},
		"which another controls":          {xr: []change{fixture.Annotated(names.AwaitsDeletionAnnotation, vnetRef)}, vnet: []change{composed, fixture.Controlled(fixture.ASOCluster, "other")}, writes: []string{released}, released: true},
		"in the foreground":               {xr: []change{fixture.Deleting(names.Finalizer, metav1.FinalizerDeleteDependents)}, vnet: []change{composed}, writes: []string{noted, deleted}, again: pollInterval},
		"in the foreground, of another":   {xr: []change{fixture.Deleting(names.Finalizer, metav1.FinalizerDeleteDependents)}, vnet: []change{fixture.Labelled("other")}, writes: []string{released}, released: true},
		"which is noted":                  {xr: []change{fixture.Annotated(names.AwaitsDeletionAnnotation, vnetRef)}, vnet: []change{composed}, writes: []string{deleted}, again: pollInterval},
		"which a pool has transferred":    {xr: []change{fixture.Annotated(names.AwaitsDeletionAnnotation, vnetRef)}, vnet: []change{fixture.Labelled("pool0")}, writes: []string{deleted}, again: pollInterval},
		"while it is orphaned":            {xr: []change{fixture.Deleting(names.Finalizer, metav1.FinalizerOrphanDependents)}, vnet: []change{composed, fixture.Controlled(fixture.ASOCluster, "my-cluster")}},
		"for a reason not known":          {xr: []change{deletedJustNow}, vnet: []change{composed}, again: orphanDelay},
		"for a reason not known, at last": {vnet: []change{composed}, writes: []string{released}, released: true, event: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), fixture.With(fixture.NetworkOwner(t), tc.xr...), fixture.With(fixture.Parse(t, fixture.VNetYAML), tc.vnet...))
			result := m.Reconcile(deleter(m, composite.AzureASOManagedCluster), "my-cluster")
			if diff := cmp.Diff(tc.writes, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if (result.RequeueAfter > 0) != (tc.again > 0) || result.RequeueAfter > tc.again {
				t.Errorf("looks again after %s, want %s", result.RequeueAfter, tc.again)
			}
			xr := m.Find(fixture.ASOCluster, "my-cluster")
			if gone := xr == nil || !controllerutil.ContainsFinalizer(xr, names.Finalizer); gone != tc.released {
				t.Errorf("let go: %v, want %v", gone, tc.released)
			}
			if events := m.TakeEvents(); (len(events) == 1) != tc.event {
				t.Errorf("events %q, want one: %v", events, tc.event)
			}
		})
	}
}

// TestForegroundIsRemembered has garbage collection take both away, the owner reference and then the finalizer, before the first of
// two objects is gone.
func TestForegroundIsRemembered(t *testing.T) {
	m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting),
		fixture.With(fixture.NetworkOwner(t), fixture.Deleting(names.Finalizer, metav1.FinalizerDeleteDependents)),
		fixture.With(fixture.Parse(t, fixture.GroupYAML), fixture.Labelled("my-cluster"), fixture.Controlled(fixture.ASOCluster, "my-cluster"), func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso"}) }),
		fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Labelled("my-cluster"), fixture.Controlled(fixture.ASOCluster, "my-cluster"), func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso"}) }))
	r := deleter(m, composite.AzureASOManagedCluster)
	m.Reconcile(r, "my-cluster")
	m.Change(fixture.Group, "rg", func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) })
	m.Change(fixture.Network, "vnet", func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) })
	m.Change(fixture.ASOCluster, "my-cluster", func(o *unstructured.Unstructured) { o.SetFinalizers([]string{names.Finalizer}) })
	m.Release(fixture.Network, "vnet")
	m.Reconcile(r, "my-cluster")
	if diff := cmp.Diff([]string{"delete ResourceGroup rg"}, m.TakeWrites()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	m.Release(fixture.Group, "rg")
	m.Reconcile(r, "my-cluster")
	if xr := m.Find(fixture.ASOCluster, "my-cluster"); xr != nil {
		t.Errorf("the composite resource is still there: %v", xr.GetFinalizers())
	}
}

// TestPoolIsDeletedWithOrphanedManagedCluster has the ManagedCluster of a control plane that is deleted lose it as its controller.
func TestPoolIsDeletedWithOrphanedManagedCluster(t *testing.T) {
	for name, tc := range map[string]struct {
		managedCluster fixture.Change
		deleted        bool
	}{
		"it is going":              {fixture.Deleting("aso"), true},
		"nothing shows that it is": {func(*unstructured.Unstructured) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), fixture.Namespace(),
				fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster, fixture.Deleting(names.Finalizer)),
				fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Labelled("my-cluster"), tc.managedCluster))
			d := &Deleter{API: m.API(), Kind: composite.AzureASOManagedMachinePool, Watch: fixture.Watch}
			pool := fixture.With(fixture.Parse(t, fixture.PoolYAML), fixture.OfMachinePool)
			deleted, err := d.deletedWithManagedCluster(t.Context(), &access.Scope{XR: pool, Kind: d.Kind, Cluster: fixture.Cluster(fixture.ClusterDeleting)})
			if err != nil || deleted != tc.deleted {
				t.Errorf("deleted with it: %v, %v; want %v", deleted, err, tc.deleted)
			}
		})
	}
}
