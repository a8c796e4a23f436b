package asomanaged

import (
	"fmt"
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// A scene is a composite in a world, with everything that it is composed of.
type scene = composertest.Scene

func scenes(t testing.TB) map[string]scene {
	t.Helper()
	net, subnet := owned(network, "VirtualNetwork", "net", "rg"), owned(network, "VirtualNetworksSubnet", "subnet", "net")
	maintenance := owned(aks, "MaintenanceConfiguration", "default", "mc")
	infra := edited(ready(infraXR(group("rg"), net, subnet)), set(dict("host", "api.example.org", "port", int64(443)), "spec", "controlPlaneEndpoint"), set(true, "status", "ready"))
	cp := edited(ready(controlPlaneXR(aksCluster(), maintenance)), set(true, "status", "initialized"))
	pool := edited(ready(poolXR("p0", aksPool("p0"), group("extra"))), nodes, set(true, "status", "ready"), set(int64(3), "status", "replicas"))
	profiles := edited(settledCluster(), set(list(profile("p0"), profile("p1")), "spec", "agentPoolProfiles"))
	waits := func(o *unstr) *unstr {
		return exists(t, infra, edited(o, held), condition("False", "Warning", "WaitingForOwner", ""))
	}
	return map[string]scene{
		"cluster, being created": {XR: infra, World: aksWorld("p0", "p1"), Observed: []*unstr{
			exists(t, infra, group("rg"), condition("False", "Info", "Reconciling", "")), waits(net), edited(waits(subnet), remove("metadata", "annotations", "serviceoperator.azure.com/resource-id"))}},
		"cluster":       {XR: infra, World: aksWorld("p0", "p1"), Observed: []*unstr{exists(t, infra, group("rg")), exists(t, infra, net), exists(t, infra, subnet)}},
		"control plane": {XR: cp, World: aksWorld("p0", "p1"), Observed: []*unstr{exists(t, cp, settledCluster(), inAzure), exists(t, cp, maintenance)}},
		"control plane, being created": {XR: cp, World: aksWorld("p0", "p1").With(poolXR("p0", aksPool("p0", inVersion(aksPreview)))),
			Observed: []*unstr{exists(t, cp, profiles, condition("False", "Info", "Reconciling", "")), exists(t, cp, maintenance)}},
		"machine pool": {XR: pool, World: aksWorld("p0", "p1"), Observed: []*unstr{exists(t, pool, settledPool("p0"), count(3)), exists(t, pool, group("extra"))}},
	}
}

// A disturbance changes one input of a scene. What exists must still be desired after it, or nothing may be applied.
type disturbance struct {
	name string
	do   func(*scene)
}

func disturbances(s scene) []disturbance {
	var all []disturbance
	add := func(name string, do func(*scene)) { all = append(all, disturbance{name, do}) }
	onXR := func(name string, edits ...edit) { add(name, func(s *scene) { s.XR = edited(s.XR, edits...) }) }

	add("none", func(*scene) {})
	onXR("owner references gone", remove("metadata", "ownerReferences"))
	onXR("owned by another Cluster", func(o *unstr) {
		refs := o.GetOwnerReferences()
		refs[0].Name = "another"
		o.SetOwnerReferences(refs)
	})
	onXR("owned by something else", func(o *unstr) {
		refs := o.GetOwnerReferences()
		refs[0].Kind = "Deployment"
		o.SetOwnerReferences(refs)
	})
	onXR("labels gone", remove("metadata", "labels"))
	onXR("status wiped", remove("status"))
	onXR("status.resources wiped", remove("status", "resources"))
	onXR("status garbage", set(list("x"), "status", "resources"))
	onXR("paused", annotate("cluster.x-k8s.io/paused", ""))
	onXR("annotated", annotate("serviceoperator.azure.com/reconcile-policy", "skip"))
	onXR("version changed", set("v1.99.0", "spec", "version"))
	onXR("version gone", remove("spec", "version"))
	onXR("spec.resources no list", set("x", "spec", "resources"))
	add("Cluster paused", func(s *scene) { s.World = s.World.With(cluster(set(true, "spec", "paused"))) })
	add("Cluster's networks changed", func(s *scene) {
		s.World = s.World.With(cluster(set(list("1.2.3.0/24"), "spec", "clusterNetwork", "pods", "cidrBlocks")))
	})
	for _, ref := range []string{"infrastructureRef", "controlPlaneRef"} {
		add(ref+" gone", func(s *scene) { s.World = s.World.With(cluster(remove("spec", ref))) })
		add(ref+" to another", func(s *scene) { s.World = s.World.With(cluster(set("other", "spec", ref, "name"))) })
		add(ref+" to another kind", func(s *scene) { s.World = s.World.With(cluster(set("Other", "spec", ref, "kind"))) })
	}
	add("MachinePool changed", func(s *scene) {
		s.World = s.World.With(machinePool("p0", set(int64(9), "spec", "replicas"), set("v1.99.0", "spec", "template", "spec", "version")))
	})
	add("MachinePool managed by other", func(s *scene) {
		s.World = s.World.With(machinePool("p0", annotate("cluster.x-k8s.io/replicas-managed-by", "keda")))
	})
	add("everything else gone", func(s *scene) { s.World = world{} })
	for n, o := range s.World.Objects {
		add(fmt.Sprintf("%s %s gone", o.GetKind(), o.GetName()), func(s *scene) { s.World = s.World.Without(o) })
		add(fmt.Sprintf("%s %s deleting", o.GetKind(), o.GetName()), func(s *scene) {
			s.World = s.World.With(edited(o, set(createdText, "metadata", "deletionTimestamp")))
		})
		add(fmt.Sprintf("%s %s without spec and status (%d)", o.GetKind(), o.GetName(), n), func(s *scene) {
			s.World = s.World.With(edited(o, remove("spec"), remove("status")))
		})
	}
	all = append(all, entryDisturbances(s)...)
	for n, o := range s.Observed {
		onObserved := func(name string, edits ...edit) {
			add(fmt.Sprintf("%s %s", o.GetName(), name), func(s *scene) {
				s.Observed = slices.Clone(s.Observed)
				s.Observed[n] = edited(o, edits...)
			})
		}
		onObserved("not ready", condition("False", "Info", "Reconciling", ""))
		onObserved("refused", condition("False", "Error", "Refused", ""))
		onObserved("without status", remove("status"))
		onObserved("status garbage", set("x", "status", "conditions"))
		onObserved("changed", set(int64(7), "metadata", "generation"))
		onObserved("deleting", set(createdText, "metadata", "deletionTimestamp"))
		onObserved("without annotations", remove("metadata", "annotations"))
		onObserved("without labels", remove("metadata", "labels"))
		onObserved("without owner references", remove("metadata", "ownerReferences"))
		onObserved("without managed fields", remove("metadata", "managedFields"))
		onObserved("without spec", remove("spec"))
	}
	return all
}

// entryDisturbances make mistakes in each entry of spec.resources, but take none away that can be told.
func entryDisturbances(s scene) []disturbance {
	var all []disturbance
	for n, e := range entries(s.XR) {
		put := func(name string, value any) {
			all = append(all, disturbance{fmt.Sprintf("entry %d (%s) %s", n, e.GetName(), name), func(s *scene) { s.XR = edited(s.XR, putEntry(n, value)) }})
		}
		put("text", "x")
		put("null", nil)
		put("empty", map[string]any{})
		put("without metadata", edited(e, remove("metadata")).Object)
		put("without kind", edited(e, remove("kind")).Object)
		put("without apiVersion", edited(e, remove("apiVersion")).Object)
		put("of a core version", edited(e, set("v1", "apiVersion")).Object)
		put("in another namespace", edited(e, set("other", "metadata", "namespace")).Object)
		put("without spec", edited(e, remove("spec")).Object)
		put("with text for spec", edited(e, set("x", "spec")).Object)
		put("with another owner", edited(e, set("other", "spec", "owner", "name")).Object)
		put("with another Azure name", edited(e, set("other", "spec", "azureName")).Object)
		put("with numbers for labels", edited(e, set(int64(1), "metadata", "labels", "a")).Object)
		put("with another policy", edited(e, annotate("serviceoperator.azure.com/reconcile-policy", "manage")).Object)
		put("in another version", edited(e, set("v1new", "apiVersion"), func(o *unstr) {
			gvk := e.GroupVersionKind()
			o.SetGroupVersionKind(schema.GroupVersionKind{Group: gvk.Group, Version: "v1new", Kind: gvk.Kind})
		}).Object)
		put("referring to nothing", edited(e, set(aksReference("VirtualNetwork", "nobody"), "spec", "x")).Object)
		all = append(all, disturbance{fmt.Sprintf("entry %d (%s) twice", n, e.GetName()), func(s *scene) {
			s.XR = edited(s.XR, func(o *unstr) {
				items, _, _ := unstructured.NestedSlice(o.Object, "spec", "resources")
				_ = unstructured.SetNestedSlice(o.Object, append(items, e.Object), "spec", "resources")
			})
		}})
		all = append(all, disturbance{fmt.Sprintf("entry %d (%s) in a version that is not served", n, e.GetName()), func(s *scene) {
			gvk := e.GroupVersionKind()
			gvk.Version = "v1new"
			s.XR = edited(s.XR, putEntry(n, edited(e, func(o *unstr) { o.SetGroupVersionKind(gvk) }).Object))
			s.World = s.World.Serving(gvk, nil)
		}})
	}
	return all
}

// TestNothingIsDroppedByTwo takes a sample of all pairs.
func TestNothingIsDroppedByTwo(t *testing.T) {
	const oneIn = 46
	for name, s := range scenes(t) {
		all := disturbances(s)
		for a := range all {
			for b := a + 1; b < len(all); b++ {
				if (a*len(all)+b)%oneIn != 0 {
					continue
				}
				s := s
				all[a].do(&s)
				all[b].do(&s)
				req := request(t, s.XR, s.Observed...)
				rsp := composers.SettleByObjects(t, s.World, req)
				if m := dropped(req, rsp); len(m) > 0 {
					t.Errorf("%s: %s, then %s: %v would be deleted", name, all[a].name, all[b].name, m)
				}
			}
		}
	}
}

func TestNothingIsDropped(t *testing.T) {
	for name, s := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			for _, first := range disturbances(s) {
				t.Run(first.name, func(t *testing.T) {
					s := s
					first.do(&s)
					req := request(t, s.XR, s.Observed...)
					rsp := composers.Settle(t, s.World, req)
					if m := dropped(req, rsp); len(m) > 0 {
						t.Errorf("%v would be deleted", m)
					}
				})
			}
		})
	}
}

func TestNothingIsDroppedByAnUnansweredRequirement(t *testing.T) {
	for name, s := range scenes(t) {
		t.Run(name, func(t *testing.T) { composers.LeaveUnanswered(t, s.World, request(t, s.XR, s.Observed...)) })
	}
}

func TestARemovedEntryIsDroppedAlone(t *testing.T) {
	for name, s := range scenes(t) {
		for n, e := range entries(s.XR) {
			if e.GetKind() == "ManagedCluster" || e.GetKind() == "ManagedClustersAgentPool" {
				continue // Without it nothing is composed at all, see TestKindChecks.
			}
			t.Run(name+" "+e.GetName(), func(t *testing.T) {
				xr := edited(s.XR, func(o *unstr) {
					items, _, _ := unstructured.NestedSlice(o.Object, "spec", "resources")
					_ = unstructured.SetNestedSlice(o.Object, slices.Delete(items, n, n+1), "spec", "resources")
				})
				req := request(t, xr, s.Observed...)
				rsp := composers.Settle(t, s.World, req)
				if got, want := dropped(req, rsp), nameOf(e); len(got) != 1 || got[0] != want || fatal(rsp) != "" {
					t.Errorf("want just %s dropped, got %v (error %q)", want, got, fatal(rsp))
				}
				if isReady, reason, message := outcome(rsp, e.GetName()); isReady || reason != "Deleting" || message != "is no longer in the spec and is being deleted" {
					t.Errorf("status.resources: want Deleting, got %v, %s: %s", isReady, reason, message)
				}
			})
		}
	}
}

func TestARemovedEntryIsShownUntilItIsGone(t *testing.T) {
	xr := edited(infraXR(group("rg")), set(list(statusItem(group("rg"), true), statusItem(group("old"), true)), "status", "resources"))
	old := exists(t, xr, group("old"))
	cases := map[string]struct {
		left   *unstr
		want   string
		served bool
	}{
		"there":         {left: old, want: "is no longer in the spec and is being deleted", served: true},
		"Azure refuses": {left: edited(old, condition("False", "Error", "Locked", "has a lock")), want: "is no longer in the spec and is being deleted: has a lock", served: true},
		"gone":          {want: "not in status.resources", served: true},
		"nobody's":      {left: edited(old, remove("metadata", "ownerReferences")), want: "not in status.resources", served: true},
		"another's": {left: edited(old, func(o *unstr) {
			refs := o.GetOwnerReferences()
			refs[0].UID = "another"
			o.SetOwnerReferences(refs)
		}), want: "not in status.resources", served: true},
		"kind no more there": {want: "not in status.resources"},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			w := world{Objects: []*unstr{cluster(), controlPlaneXR()}}
			if c.left != nil {
				w = w.With(c.left)
			}
			if !c.served {
				w = w.Serving(old.GroupVersionKind(), nil)
			}
			rsp := composers.Settle(t, w, request(t, xr, exists(t, xr, group("rg"))))
			if _, _, got := outcome(rsp, "old"); got != c.want {
				t.Errorf("status.resources: want %q, got %q", c.want, got)
			}
		})
	}
}

// TestASecretInTheStatusIsNotRead has the status of a composite, which its users may write, list what was never composed.
func TestASecretInTheStatusIsNotRead(t *testing.T) {
	for title, o := range map[string]*unstr{"Secret": inline("v1", "Secret", "x"), "composite": infraXR(), "Deployment": inline("apps/v1", "Deployment", "x")} {
		t.Run(title, func(t *testing.T) {
			xr := edited(infraXR(group("rg")), set(list(statusItem(group("rg"), true), statusItem(o, true)), "status", "resources"))
			rsp := composers.Settle(t, world{Objects: []*unstr{cluster(), o}}, request(t, xr, exists(t, xr, group("rg"))))
			for name, s := range rsp.GetRequirements().GetResources() {
				if s.GetKind() == o.GetKind() {
					t.Errorf("requirement %s is for it", name)
				}
			}
			if _, _, got := outcome(rsp, o.GetName()); got != "not in status.resources" {
				t.Errorf("status.resources: %s", got)
			}
		})
	}
}

// TestAKindNamedLikeAnother has the status list an object of one of Azure Service Operator's groups whose kind is called Secret.
func TestAKindNamedLikeAnother(t *testing.T) {
	o := inline("network.azure.com/v1", "Secret", "x")
	xr := edited(infraXR(group("rg")), set(list(statusItem(group("rg"), true), statusItem(o, true)), "status", "resources"))
	rsp := composers.Settle(t, world{Objects: []*unstr{cluster(), o}}, request(t, xr, exists(t, xr, group("rg"))))
	if _, asked := rsp.GetRequirements().GetResources()["removed/Secret.network.azure.com/x"]; !asked {
		t.Errorf("want it looked for before it is dropped, got %v", sortedKeys(rsp.GetRequirements().GetResources()))
	}
}

// TestWhatIsKeptInDoubtIsShown shows that status.resources goes on with what an entry may have been that cannot be told.
func TestWhatIsKeptInDoubtIsShown(t *testing.T) {
	xr := edited(infraXR(group("rg"), group("net")), putEntry(1, dict("kind", "ResourceGroup")))
	rsp := composers.Settle(t, world{Objects: []*unstr{cluster(), controlPlaneXR()}}, request(t, xr, exists(t, xr, group("rg")), exists(t, xr, group("net"))))
	if isReady, reason, _ := outcome(rsp, "net"); !isReady || reason != "Succeeded" {
		t.Errorf("status.resources: want it ready, got %v, %s", isReady, reason)
	}
	if got := rsp.GetDesired().GetResources()[nameOf(group("net"))].GetReady(); got != fnv1.Ready_READY_TRUE {
		t.Errorf("want it composed as ready, got %s", got)
	}
}

func nameOf(o *unstr) string { return name(o) }
