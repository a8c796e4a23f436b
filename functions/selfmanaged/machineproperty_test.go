package selfmanaged_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// machineScenes are AzureMachines at moments of their lives.
func machineScenes(t testing.TB) map[string]composertest.Scene {
	t.Helper()
	member := facts()
	member.Machine.ControlPlane, member.SSHPort = true, 22
	of := func(p *play, rounds int) composertest.Scene {
		p.rounds(rounds)
		return composertest.Scene{XR: p.xr, World: p.world, Observed: p.live.Objects()}
	}
	failed := newPlay(t, member)
	failed.vm = v1alpha1.FactsOfCreation{State: v1alpha1.CreationFailed, Reason: "QuotaExceeded", Message: "no"}
	gone := newPlay(t, facts()).rounds(8)
	gone.facts.Created.State = v1alpha1.Deleted
	foreign := newPlay(t, facts())
	for _, key := range []string{"NetworkInterface m-nic", "PublicIPAddress pip-m"} {
		foreign.azure[key] = map[string]any{"of": "another"}
	}
	scenes := map[string]composertest.Scene{
		"up": of(newPlay(t, facts()), 8), "control plane": of(newPlay(t, member), 8), "being made": of(newPlay(t, facts()), 2),
		"failed": of(failed, 6), "gone": of(gone, 3), "with what was there": of(foreign, 8),
		"pool": of(newPoolPlay(t, poolFacts()), 6),
	}
	if n := len(scenes["control plane"].Observed); n != 6 {
		t.Fatalf("the scene is not complete: %d objects", n)
	}
	return scenes
}

// A disturbance changes one input of a scene. What exists must still be desired after it, or nothing may be applied.
type disturbance struct {
	name string
	do   func(*composertest.Scene)
}

func disturbances(s composertest.Scene) []disturbance {
	set, remove := composertest.Set, composertest.Remove
	var all []disturbance
	onXR := func(name string, edits ...composertest.Edit) {
		all = append(all, disturbance{name, func(s *composertest.Scene) { s.XR = composertest.Edited(s.XR, edits...) }})
	}
	onXR("nothing")
	onXR("owner references gone", remove("metadata", "ownerReferences"))
	onXR("labels gone", remove("metadata", "labels"))
	onXR("facts gone", remove("metadata", "annotations"))
	onXR("facts that are no JSON", composertest.Annotate(v1alpha1.AnnotationMachineFacts, "{"))
	onXR("facts of another format", composertest.Annotate(v1alpha1.AnnotationMachineFacts, `{"format": 99}`))
	onXR("facts without a machine", composertest.Annotate(v1alpha1.AnnotationMachineFacts, `{"format": 1}`))
	onXR("facts without a size", composertest.Annotate(v1alpha1.AnnotationMachineFacts, `{"format": 1, "machine": {"name": "m", "controlPlane": true}}`))
	onXR("facts of a size not offered", composertest.Annotate(v1alpha1.AnnotationMachineFacts, `{"format": 1, "machine": {"name": "m", "controlPlane": true}, "size": {"name": "Standard_D2s_v3", "known": true}}`))
	onXR("facts of a machine that is gone", composertest.Annotate(v1alpha1.AnnotationMachineFacts, `{"format": 1, "machine": {"name": "m", "controlPlane": true}, "created": {"state": "Deleted"}}`))
	onXR("status wiped", remove("status"))
	onXR("status garbage", set("x", "status", "resources"), set("x", "status", "addresses"))
	onXR("paused", composertest.Annotate("cluster.x-k8s.io/paused", ""))
	onXR("size changed", set("Standard_D4s_v3", "spec", "vmSize"))
	onXR("key is nonsense", set("%", "spec", "sshPublicKey"))
	onXR("subnet is nonsense", set([]any{map[string]any{"subnetName": "x"}}, "spec", "networkInterfaces"))
	onXR("image is empty", set(map[string]any{}, "spec", "image"))
	onXR("spec is of another type", set(int64(1), "spec", "vmSize"))
	for _, o := range s.World.Objects {
		add := func(name string, edits ...composertest.Edit) {
			all = append(all, disturbance{fmt.Sprintf("%s %s %s", o.GetKind(), o.GetName(), name), func(s *composertest.Scene) { s.World = s.World.With(composertest.Edited(o, edits...)) }})
		}
		all = append(all, disturbance{fmt.Sprintf("%s %s gone", o.GetKind(), o.GetName()), func(s *composertest.Scene) { s.World = s.World.Without(o) }})
		add("deleting", set("2026-01-02T03:04:05Z", "metadata", "deletionTimestamp"))
		add("without spec and status", remove("spec"), remove("status"))
		add("without annotations", remove("metadata", "annotations"))
		add("without status", remove("status"))
		add("with garbage", set("x", "spec"))
		add("paused", set(true, "spec", "paused"))
		add("without subnets", set([]any{}, "spec", "networkSpec", "subnets"))
		add("without zones", remove("spec", "failureDomains"), remove("spec", "failureDomainsKnown"))
	}
	all = append(all, disturbance{"everything else gone", func(s *composertest.Scene) { s.World = composertest.World{} }})
	for n, o := range s.Observed {
		add := func(name string, edits ...composertest.Edit) {
			all = append(all, disturbance{fmt.Sprintf("%s %s", o.GetKind(), name), func(s *composertest.Scene) {
				s.Observed = slices.Clone(s.Observed)
				s.Observed[n] = composertest.Edited(o, edits...)
			}})
		}
		add("not ready", set([]any{}, "status", "conditions"))
		add("without status", remove("status"))
		add("status garbage", set("x", "status"))
		add("changed", set(int64(17), "metadata", "generation"))
		add("deleting", set("2026-01-02T03:04:05Z", "metadata", "deletionTimestamp"))
		add("without annotations", remove("metadata", "annotations"))
		add("without managed fields", remove("metadata", "managedFields"))
		add("without spec", remove("spec"))
	}
	return all
}

// TestNothingDropped takes away or spoils each input of a scene: nothing that exists leaves, the same request gives the same bytes, and nobody
// panics.
func TestNothingDropped(t *testing.T) {
	for title, s := range machineScenes(t) {
		t.Run(title, func(t *testing.T) {
			for _, d := range disturbances(s) {
				changed := s
				d.do(&changed)
				req := composertest.Request(t, changed.XR, changed.Observed...)
				rsp := machineComposers.Withstand(t, changed.World, req)
				if lost := composertest.Dropped(req, rsp); len(lost) > 0 {
					t.Errorf("%s: %v would be deleted", d.name, lost)
				}
				if diff := cmp.Diff(rsp, machineComposers.Run(proto.CloneOf(req)), protocmp.Transform()); diff != "" {
					t.Errorf("%s: two answers to one request: %s", d.name, diff)
				}
			}
		})
	}
}

// TestLeftUnanswered has Crossplane not read, or not find, what is asked for.
func TestLeftUnanswered(t *testing.T) {
	for title, s := range machineScenes(t) {
		t.Run(title, func(t *testing.T) {
			req := composertest.Request(t, s.XR, s.Observed...)
			machineComposers.LeaveUnanswered(t, machineWorld(t), req)
		})
	}
}

// TestSameByFacts shows that a machine is composed the same with and without ClusterFacts.
func TestSameByFacts(t *testing.T) {
	world := machineWorld(t)
	for title, s := range machineScenes(t) {
		t.Run(title, func(t *testing.T) {
			machineComposers.Settle(t, world, composertest.Request(t, s.XR, s.Observed...))
		})
	}
}

// FuzzMachines changes one object of a scene.
func FuzzMachines(f *testing.F) { machineComposers.FuzzScenes(f, machineScenes(f)) }
