package asomanaged

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	policy  = "serviceoperator.azure.com/reconcile-policy"
	byPause = "infrastructure.cluster.x-k8s.io/skipped-by-pause"

	heldMark = "infrastructure.cluster.x-k8s.io/held"
)

// forgotten is what the API server does to an object when ASO's conversion webhook fails during an update.
func forgotten(o *unstr) { o.SetManagedFields(nil) }

func TestPause(t *testing.T) {
	byCluster := cluster(set(true, "spec", "paused"))
	skip := annotate(policy, "skip")
	xr := infraXR(group("rg"), group("new"))
	there := edited(group("rg"), set("c1", "metadata", "labels", "cluster.x-k8s.io/cluster-name"))
	type args struct {
		xr       *unstr
		cluster  *unstr
		observed []*unstr
	}
	cases := map[string]struct {
		args
		paused string
		// policies of the composed objects by name
		policies map[string]string
		reasons  map[string]string
	}{
		"not paused": {args{xr, cluster(), []*unstr{exists(t, xr, there)}}, "False", map[string]string{"rg": "", "new": "skip"}, map[string]string{"rg": "Succeeded", "new": "Creating"}},
		"not paused, explicitly": {args{xr, cluster(set(false, "spec", "paused")), []*unstr{exists(t, xr, there)}}, "False",
			map[string]string{"rg": "", "new": "skip"}, map[string]string{"rg": "Succeeded", "new": "Creating"}},
		"by the Cluster": {args{xr, byCluster, []*unstr{exists(t, xr, there)}}, "True", map[string]string{"rg": "skip"}, map[string]string{"rg": "Succeeded", "new": "Paused"}},
		"by annotation": {args{edited(xr, annotate("cluster.x-k8s.io/paused", "false")), cluster(), []*unstr{exists(t, xr, there)}}, "True",
			map[string]string{"rg": "skip"}, map[string]string{"rg": "Succeeded", "new": "Paused"}},
		"by the user already": {args{edited(xr, putEntry(0, edited(group("rg"), skip).Object)), byCluster, []*unstr{exists(t, xr, edited(there, skip))}}, "True",
			map[string]string{"rg": "skip"}, map[string]string{"rg": "Succeeded", "new": "Paused"}},
		"resumed": {args{xr, cluster(), []*unstr{exists(t, xr, edited(there, skip))}}, "False", map[string]string{"rg": "", "new": "skip"}, map[string]string{"rg": "Succeeded", "new": "Creating"}},
		"resumed, the user's own stays": {args{edited(xr, putEntry(0, edited(group("rg"), skip).Object)), cluster(), []*unstr{exists(t, xr, edited(there, skip))}}, "False",
			map[string]string{"rg": "skip", "new": "skip"}, map[string]string{"rg": "Succeeded", "new": "Creating"}},
		"another policy is in the way": {args{edited(xr, putEntry(0, edited(group("rg"), annotate(policy, "manage")).Object)), byCluster, []*unstr{exists(t, xr, edited(there, annotate(policy, "manage")))}}, "True",
			map[string]string{"rg": "manage"}, map[string]string{"rg": "IncompatibleValue", "new": "Paused"}},
		"with a mistake, it is paused all the same": {args{edited(xr, putEntry(0, edited(group("rg"), set("other", "spec", "azureName")).Object)), byCluster, []*unstr{exists(t, xr, there)}}, "True",
			map[string]string{"rg": "skip"}, map[string]string{"rg": "ImmutableField", "new": "Paused"}},
		"with a mistake, it is resumed all the same": {args{edited(xr, putEntry(0, edited(group("rg"), set("other", "spec", "azureName")).Object)), cluster(), []*unstr{exists(t, xr, edited(there, skip, annotate(byPause, "true")))}}, "False",
			map[string]string{"rg": "", "new": "skip"}, map[string]string{"rg": "ImmutableField", "new": "Creating"}},
		"removed while paused, it stays": {args{infraXR(group("new")), byCluster, []*unstr{exists(t, xr, there)}}, "True",
			map[string]string{"rg": "skip"}, map[string]string{"rg": "Paused", "new": "Paused"}},
		"removed while paused, it is resumed before it goes": {args{infraXR(group("new")), cluster(), []*unstr{exists(t, xr, edited(there, skip, annotate(byPause, "true")))}}, "False",
			map[string]string{"rg": "", "new": "skip"}, map[string]string{"rg": "Deleting", "new": "Creating"}},
		"resumed, when the API server has forgotten who owns the policy": {args{xr, cluster(), []*unstr{edited(exists(t, xr, edited(there, skip, annotate(byPause, "true"))), forgotten)}}, "False",
			map[string]string{"rg": "skip", "new": "skip"}, map[string]string{"rg": "Succeeded", "new": "Creating"}},
		"removed with the user's own policy, it goes": {args{infraXR(group("new")), cluster(), []*unstr{exists(t, xr, edited(there, skip))}}, "False",
			map[string]string{"new": "skip"}, map[string]string{"new": "Creating"}},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			rsp := composers.Settle(t, world{Objects: []*unstr{c.cluster, controlPlaneXR()}}, request(t, c.xr, c.observed...))
			if f := fatal(rsp); f != "" {
				t.Fatal(f)
			}
			policies, reasons := map[string]string{}, map[string]string{}
			for _, o := range desired(t, rsp) {
				policies[o.GetName()] = o.GetAnnotations()[policy]
			}
			for n := range c.reasons {
				_, reasons[n], _ = outcome(rsp, n)
			}
			if diff := cmp.Diff(c.policies, policies); diff != "" {
				t.Errorf("reconcile policies of what is composed: -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.reasons, reasons); diff != "" {
				t.Errorf("reasons: -want, +got:\n%s", diff)
			}
			if got := contract(rsp, "Paused"); got["status"] != c.paused {
				t.Errorf("Paused: want %s, got %v", c.paused, got)
			}
		})
	}
}

func TestPauseOfEveryKind(t *testing.T) {
	for title, s := range scenes(t) {
		t.Run(title, func(t *testing.T) {
			running := composers.Settle(t, s.World, request(t, s.XR, s.Observed...))
			paused := composers.Settle(t, s.World.With(cluster(set(true, "spec", "paused"))), request(t, s.XR, s.Observed...))
			before, after := desired(t, running), desired(t, paused)
			for n, o := range before {
				// Paused, an object is what it was, with two annotations more: no field may change owner. One that is held has none more.
				want := edited(o, annotate(policy, "skip"), annotate(byPause, "true"))
				if o.GetAnnotations()[heldMark] != "" {
					want = o
				}
				if diff := cmp.Diff(want, after[n]); diff != "" {
					t.Errorf("%s: -want, +got:\n%s", n, diff)
				}
			}
			if len(after) != len(before) {
				t.Errorf("want %v composed, got %v", sortedKeys(before), sortedKeys(after))
			}
		})
	}
}
