package contract

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const vnetRef = "VirtualNetwork.v1api20240301.network.azure.com/vnet"

// composedBy labels obj as Crossplane does, of which garbage collection takes nothing away.
func composedBy(name string) func(*unstructured.Unstructured) {
	return func(obj *unstructured.Unstructured) {
		obj.SetLabels(map[string]string{"crossplane.io/composite": name})
	}
}

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
	type change = func(*unstructured.Unstructured)
	composed := composedBy("my-cluster")
	tests := map[string]struct {
		xr, vnet []change
		writes   []string
		released bool
		// again is how soon it looks again at the latest, if not only because of an event.
		again time.Duration
		event bool
	}{
		"which is going":                  {vnet: []change{composed, deleting("aso")}, again: usedInterval},
		"which is going, of another":      {vnet: []change{composedBy("other"), deleting("aso")}, writes: []string{released}, released: true},
		"which was never composed":        {xr: []change{annotated(AwaitsDeletionAnnotation, vnetRef)}, writes: []string{released}, released: true},
		"which another controls":          {xr: []change{annotated(AwaitsDeletionAnnotation, vnetRef)}, vnet: []change{composed, controlled(asoClusterKind, "other")}, writes: []string{released}, released: true},
		"in the foreground":               {xr: []change{deleting(Finalizer, metav1.FinalizerDeleteDependents)}, vnet: []change{composed}, writes: []string{noted, deleted}, again: usedInterval},
		"in the foreground, of another":   {xr: []change{deleting(Finalizer, metav1.FinalizerDeleteDependents)}, vnet: []change{composedBy("other")}, writes: []string{released}, released: true},
		"which is noted":                  {xr: []change{annotated(AwaitsDeletionAnnotation, vnetRef)}, vnet: []change{composed}, writes: []string{deleted}, again: usedInterval},
		"which a pool has left":           {xr: []change{annotated(AwaitsDeletionAnnotation, vnetRef)}, vnet: []change{composedBy("pool0")}, writes: []string{deleted}, again: usedInterval},
		"while it is orphaned":            {xr: []change{deleting(Finalizer, metav1.FinalizerOrphanDependents)}, vnet: []change{composed, controlled(asoClusterKind, "my-cluster")}},
		"for a reason not known":          {xr: []change{deletedJustNow}, vnet: []change{composed}, again: ownerlessPatience},
		"for a reason not known, at last": {vnet: []change{composed}, writes: []string{released}, released: true, event: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, myCluster(clusterDeleting), with(infrastructureWithNetwork(t), tc.xr...), with(parse(t, vnetYAML), tc.vnet...))
			result := m.reconcile(m.reconciler(asoClusterKind), "my-cluster")
			if diff := cmp.Diff(tc.writes, m.takeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if (result.RequeueAfter > 0) != (tc.again > 0) || result.RequeueAfter > tc.again {
				t.Errorf("looks again after %s, want %s", result.RequeueAfter, tc.again)
			}
			xr := m.get(asoClusterKind, "my-cluster")
			if gone := xr == nil || !controllerutil.ContainsFinalizer(xr, Finalizer); gone != tc.released {
				t.Errorf("let go: %v, want %v", gone, tc.released)
			}
			if events := m.takeEvents(); (len(events) == 1) != tc.event {
				t.Errorf("events %q, want one: %v", events, tc.event)
			}
		})
	}
}

// TestForegroundIsRemembered has garbage collection take both away, the owner reference and then the finalizer, before the first of
// two objects is gone.
func TestForegroundIsRemembered(t *testing.T) {
	m := newManagement(t, myCluster(clusterDeleting),
		with(infrastructureWithNetwork(t), deleting(Finalizer, metav1.FinalizerDeleteDependents)),
		with(parse(t, groupYAML), composedBy("my-cluster"), controlled(asoClusterKind, "my-cluster"), func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso"}) }),
		with(parse(t, vnetYAML), composedBy("my-cluster"), controlled(asoClusterKind, "my-cluster"), func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso"}) }))
	r := m.reconciler(asoClusterKind)
	m.reconcile(r, "my-cluster")
	m.update(groupGVK, "rg", func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) })
	m.update(vnetGVK, "vnet", func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) })
	m.update(asoClusterKind, "my-cluster", func(o *unstructured.Unstructured) { o.SetFinalizers([]string{Finalizer}) })
	m.letGo(vnetGVK, "vnet")
	m.reconcile(r, "my-cluster")
	if diff := cmp.Diff([]string{"delete ResourceGroup rg"}, m.takeWrites()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	m.letGo(groupGVK, "rg")
	m.reconcile(r, "my-cluster")
	if xr := m.get(asoClusterKind, "my-cluster"); xr != nil {
		t.Errorf("the composite resource is still there: %v", xr.GetFinalizers())
	}
}

// TestPoolGoesWithOwnerlessManagedCluster has the ManagedCluster of a control plane that is deleted lose it as its controller.
func TestPoolGoesWithOwnerlessManagedCluster(t *testing.T) {
	for name, tc := range map[string]struct {
		managedCluster func(*unstructured.Unstructured)
		goes           bool
	}{
		"it is going":             {deleting("aso"), true},
		"nothing says that it is": {func(*unstructured.Unstructured) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, myCluster(clusterDeleting), defaultNamespace(),
				with(parse(t, controlPlaneYAML), ofCluster, deleting(Finalizer)),
				with(parse(t, managedClusterYAML), composedBy("my-cluster"), tc.managedCluster))
			r := m.reconciler(asoMachinePoolKind)
			pool := with(parse(t, poolYAML), ofMachinePool)
			goes, err := r.goesWithManagedCluster(t.Context(), &scope{xr: pool, cluster: myCluster(clusterDeleting)})
			if err != nil || goes != tc.goes {
				t.Errorf("goes: %v, %v; want %v", goes, err, tc.goes)
			}
		})
	}
}
