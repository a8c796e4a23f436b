package platform

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func eachForm(t *testing.T, check func(*testing.T, form)) {
	t.Helper()
	for name, f := range forms(t) {
		t.Run(name, func(t *testing.T) { check(t, f) })
	}
}

func TestPutsFinalizer(t *testing.T) {
	eachForm(t, func(t *testing.T, f form) {
		f.xr.SetFinalizers(nil)
		m := newManagement(t, f.objects()...)
		if diff := cmp.Diff([]string{"patch " + f.xr.GetKind() + " " + f.xr.GetName()}, m.reconcile(f.xr)); diff != "" {
			t.Errorf("writes (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string(nil), m.reconcile(f.xr)); diff != "" {
			t.Errorf("writes again (-want +got):\n%s", diff)
		}
	})
}

// TestLeavesAlone are objects that are not to be acted on.
func TestLeavesAlone(t *testing.T) {
	cases := map[string]struct {
		prepare func(form)
		change  func(*Reconciler)
	}{
		"paused":               {prepare: func(f form) { f.xr.SetAnnotations(map[string]string{"crossplane.io/paused": "true"}) }},
		"another watch filter": {change: func(r *Reconciler) { r.watchFilter = "mine" }},
		"another namespace":    {change: func(r *Reconciler) { r.namespace = "other" }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			eachForm(t, func(t *testing.T, f form) {
				f.xr.SetFinalizers([]string{"other"})
				if tc.prepare != nil {
					tc.prepare(f)
				}
				m := newManagement(t, f.objects(f.cluster(), kubeconfigSecret("k"))...)
				change := func(r *Reconciler) {
					if tc.change != nil {
						tc.change(r)
					}
				}
				if diff := cmp.Diff([]string(nil), m.reconcile(f.xr, change)); diff != "" {
					t.Errorf("writes (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestDeletes follows a deletion to its end.
func TestDeletes(t *testing.T) {
	ctx := context.Background()
	eachForm(t, func(t *testing.T, f form) {
		cluster := f.cluster()
		cluster.Finalizers = []string{"cluster.cluster.x-k8s.io"}
		m := newManagement(t, f.objects(cluster)...)
		if err := m.Delete(ctx, f.xr.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"delete Cluster shop"}, m.reconcile(f.xr)); diff != "" {
			t.Errorf("first (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string(nil), m.reconcile(f.xr)); diff != "" {
			t.Errorf("while the Cluster goes (-want +got):\n%s", diff)
		}
		if err := m.Get(ctx, client.ObjectKeyFromObject(cluster), cluster); err != nil {
			t.Fatal(err)
		}
		cluster.Finalizers = nil
		if err := m.Update(ctx, cluster); err != nil {
			t.Fatal(err)
		}
		m.reconcile(f.xr)
		if err := m.Get(ctx, client.ObjectKeyFromObject(f.xr), f.xr.DeepCopy()); !apierrors.IsNotFound(err) {
			t.Errorf("is still there: %v", err)
		}
	})
}

// TestDeletesOnlyItsOwn has a Cluster of the name that is somebody else's.
func TestDeletesOnlyItsOwn(t *testing.T) {
	ctx := context.Background()
	eachForm(t, func(t *testing.T, f form) {
		cluster := f.cluster()
		cluster.OwnerReferences[0].UID = "somebody-else"
		m := newManagement(t, f.objects(cluster)...)
		if err := m.Delete(ctx, f.xr.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		m.reconcile(f.xr)
		if err := m.Get(ctx, client.ObjectKeyFromObject(cluster), cluster); err != nil || cluster.DeletionTimestamp != nil {
			t.Errorf("the Cluster of somebody else is gone: %v", err)
		}
		if err := m.Get(ctx, client.ObjectKeyFromObject(f.xr), f.xr.DeepCopy()); !apierrors.IsNotFound(err) {
			t.Errorf("is still there: %v", err)
		}
	})
}

// TestDeletesWithoutClaim has an XAKSCluster that never had a claim.
func TestDeletesWithoutClaim(t *testing.T) {
	ctx := context.Background()
	xr := named(claimedKind, "", "alone")
	xr.SetFinalizers([]string{Finalizer})
	m := newManagement(t, xr.DeepCopy())
	if err := m.Delete(ctx, xr.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	m.reconcile(xr)
	if err := m.Get(ctx, client.ObjectKeyFromObject(xr), xr.DeepCopy()); !apierrors.IsNotFound(err) {
		t.Errorf("is still there: %v", err)
	}
}

// TestMapping checks what leads to a reconciliation.
func TestMapping(t *testing.T) {
	ctx := context.Background()
	eachForm(t, func(t *testing.T, f form) {
		m := newManagement(t, f.objects()...)
		r := m.reconciler(f.xr.GroupVersionKind())
		want := []ctrl.Request{{NamespacedName: client.ObjectKeyFromObject(f.xr)}}
		other := f.cluster()
		other.OwnerReferences[0].Kind = "Other"
		connection := kubeconfigSecret("")
		connection.Labels = map[string]string{ClusterLabel: "shop"}
		stranger := kubeconfigSecret("")
		stranger.Labels = nil
		for name, tc := range map[string]struct{ got, want []ctrl.Request }{
			"its Cluster":        {r.fromCluster(ctx, f.cluster()), want},
			"another Cluster":    {r.fromCluster(ctx, other), nil},
			"kubeconfig":         {r.fromSecret(ctx, kubeconfigSecret("")), want},
			"connection Secret":  {r.fromSecret(ctx, connection), want},
			"a Secret without":   {r.fromSecret(ctx, stranger), nil},
			"claim without name": {fromClaim(ctx, named(claimKind, "team", "new")), nil},
		} {
			if diff := cmp.Diff(tc.want, tc.got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		if f.owner != f.xr {
			if diff := cmp.Diff(want, fromClaim(ctx, f.owner)); diff != "" {
				t.Errorf("claim (-want +got):\n%s", diff)
			}
		}
	})
}

func TestControllerRefBlocksNothing(t *testing.T) {
	ref := controllerRef(named(claimKind, "team", "shop"))
	want := metav1.OwnerReference{APIVersion: "platform.capz.crossplane.io/v1alpha1", Kind: "AKSClusterClaim", Name: "shop", UID: "AKSClusterClaim-uid", Controller: ref.Controller}
	if diff := cmp.Diff(want, ref); diff != "" || !*ref.Controller {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
