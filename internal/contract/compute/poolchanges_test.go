package compute

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// TestPoolIsReplacedWholly has something happen while instances are replaced. None of it lets the pool stop with instances of two models (CAPZ
// issues 5546 and 2972).
func TestPoolIsReplacedWholly(t *testing.T) {
	cases := map[string]struct {
		// happens does something each time that as many rounds have gone by since the change.
		happens  map[int]func(*poolPlay)
		image    string
		replicas int32
	}{
		"nothing":                 {},
		"another image":           {happens: map[int]func(*poolPlay){4: func(p *poolPlay) { p.model("1.35.0") }}, image: "1.35.0"},
		"back to the first image": {happens: map[int]func(*poolPlay){4: func(p *poolPlay) { p.model("1.33.0") }}, image: "1.33.0"},
		"the image is told in capitals": {happens: map[int]func(*poolPlay){3: func(p *poolPlay) {
			for name, image := range p.azure.instances {
				p.azure.instances[name] = strings.ToUpper(image)
			}
		}}},
		"scaled up":   {happens: map[int]func(*poolPlay){4: func(p *poolPlay) { p.scale(5) }}, replicas: 5},
		"scaled down": {happens: map[int]func(*poolPlay){4: func(p *poolPlay) { p.scale(2) }}, replicas: 2},
		"Azure refuses for a while": {happens: map[int]func(*poolPlay){
			0: func(p *poolPlay) {
				p.azure.refuse = &anAnswer{409, `{"error": {"code": "QuotaExceeded", "message": "too many cores"}}`}
			},
			9: func(p *poolPlay) { p.azure.refuse = nil },
		}},
		"Azure refuses halfway": {happens: map[int]func(*poolPlay){
			4: func(p *poolPlay) {
				p.azure.refuse = &anAnswer{409, `{"error": {"code": "OperationNotAllowed", "message": "not now"}}`}
			},
			9: func(p *poolPlay) { p.azure.refuse = nil },
		}},
		"a new instance is lost":  {happens: map[int]func(*poolPlay){3: func(p *poolPlay) { p.azure.lose("3") }}},
		"an old instance is lost": {happens: map[int]func(*poolPlay){3: func(p *poolPlay) { p.azure.lose("2") }}},
		"new Nodes are not ready for a while": {happens: map[int]func(*poolPlay){
			0: func(p *poolPlay) { p.unready["mp0-3"], p.unready["mp0-4"] = true, true },
			9: func(p *poolPlay) { p.unready = map[string]bool{} },
		}},
		"provider-capz starts anew": {happens: map[int]func(*poolPlay){
			2: func(p *poolPlay) { p.restart() }, 3: func(p *poolPlay) { p.restart() }, 4: func(p *poolPlay) { p.restart() }, 5: func(p *poolPlay) { p.restart() },
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPoolPlay(t, 3)
			p.model("1.33.0")
			p.rounds(5)
			p.model("1.34.0")
			for round := range 24 {
				if do := c.happens[round]; do != nil {
					do(p)
				}
				p.rounds(1)
			}
			image, replicas := "1.34.0", int32(3)
			if c.image != "" {
				image = c.image
			}
			if c.replicas != 0 {
				replicas = c.replicas
			}
			for instance, of := range p.azure.instances {
				if !strings.HasSuffix(of, image) {
					t.Errorf("instance %s is of %s", instance, of)
				}
			}
			if facts := p.facts().Pool; len(p.azure.instances) != int(replicas) || facts.Ready != replicas || facts.Outdated != 0 {
				t.Errorf("there are %v, the facts are %+v, sent was %v", p.azure.instances, facts, p.azure.parts)
			}
		})
	}
}

// TestPoolWaitsForItsModel has no instance go for a model that Azure refuses, whatever may be unavailable.
func TestPoolWaitsForItsModel(t *testing.T) {
	p := newPoolPlay(t, 2).rounds(5)
	p.edit(func(spec map[string]any) {
		spec["strategy"] = map[string]any{"rollingUpdate": map[string]any{"maxSurge": int64(0), "maxUnavailable": int64(1), "deletePolicy": "Oldest"}}
	})
	p.azure.refuse = &anAnswer{400, `{"error": {"code": "InvalidParameter", "message": "there is no such image"}}`}
	p.model("9.9.9")
	if p.rounds(6); p.names() != "mp0-0 mp0-1" || len(p.azure.instances) != 2 {
		t.Errorf("there are %s, in Azure %v", p.names(), p.azure.instances)
	}
	p.scale(1)
	if p.rounds(6); len(p.azure.instances) != 1 {
		t.Errorf("scaled down meanwhile, there are %v", p.azure.instances)
	}
}

// TestPoolKeepsTags changes the number of instances, the model and the tags: tags of others stay, and one that left the spec goes.
func TestPoolKeepsTags(t *testing.T) {
	p := newPoolPlay(t, 2)
	p.tags(map[string]any{"team": "a", "old": "1"})
	p.rounds(5)
	tags := func() map[string]any { return p.azure.set["tags"].(map[string]any) }
	tags()["of-others"] = "x"
	hash := tags()[machines.DataHashTag]
	p.scale(3)
	p.rounds(4)
	p.model("1.34.0")
	p.rounds(12)
	p.tags(map[string]any{"team": "b"})
	p.rounds(3)
	want := map[string]any{v1beta1.OwnedTag("my-cluster"): "owned", "team": "b", "of-others": "x", machines.DataHashTag: hash}
	if diff := cmp.Diff(want, tags()); diff != "" || hash == nil {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := strings.Join(p.azure.parts, ", "); !strings.HasPrefix(got, "whole 2, capacity 3, model 4") || strings.Count(got, "tags") != 2 || !strings.HasSuffix(got, "tags, tags") {
		t.Errorf("sent was %s", got)
	}
}

// TestPoolIsMoved has the pool come to another management cluster, where function-capz has yet to find out whose its scale set is. Nothing of it
// changes in Azure, and no object of an instance goes.
func TestPoolIsMoved(t *testing.T) {
	p := newPoolPlay(t, 2)
	p.tags(map[string]any{"team": "a"})
	p.rounds(5)
	tags := len(p.azure.set["tags"].(map[string]any))
	set := p.Find(machines.ScaleSetKind, poolName)
	known := set.DeepCopy()
	p.restart()
	set.Object["spec"] = map[string]any{"azureName": poolName, "owner": map[string]any{"name": "rg"}}
	annotations := set.GetAnnotations()
	annotations[v1beta1.AnnotationOwnership] = v1beta1.OwnershipUndecided
	set.SetAnnotations(annotations)
	p.must(p.Update(t.Context(), set))
	p.statusIsLost()
	p.TakeEvents()
	p.rounds(3)
	known.SetResourceVersion(p.Find(machines.ScaleSetKind, poolName).GetResourceVersion())
	p.must(p.Update(t.Context(), known))
	p.rounds(5)
	if p.names() != "mp0-0 mp0-1" || len(p.azure.instances) != 2 || len(p.azure.parts) != 1 || len(p.azure.set["tags"].(map[string]any)) != tags {
		t.Errorf("there are %s, in Azure %v with tags %v, sent was %v", p.names(), p.azure.instances, p.azure.set["tags"], p.azure.parts)
	}
	if first := p.members()[0].Status; !first.Ready || !first.LatestModelApplied || first.NodeRef == nil {
		t.Errorf("the status of an instance is %+v", first)
	}
	if events := p.TakeEvents(); len(events) > 0 {
		t.Errorf("the Events are %v", events)
	}
}

// TestInstanceInCreation has instances be in creation: one has an object once it is made, or has been in creation for so long that it may hang, or is to go.
func TestInstanceInCreation(t *testing.T) {
	p := newPoolPlay(t, 3)
	p.azure.creating = map[string]time.Time{"0": time.Now(), "1": time.Now(), "2": time.Now().Add(-longestCreation - time.Minute)}
	if p.rounds(4); p.names() != "mp0-2" || *p.members()[0].Status.ProvisioningState != v1beta1.Creating || *p.members()[0].Status.Initialization.Provisioned {
		t.Errorf("while all are in creation there are %s: %+v", p.names(), p.members())
	}
	delete(p.azure.creating, "1")
	if p.rounds(3); p.names() != "mp0-1 mp0-2" || len(p.azure.parts) != 1 {
		t.Errorf("when one is made there are %s, sent was %v", p.names(), p.azure.parts)
	}
	delete(p.azure.creating, "2")
	p.scale(1)
	if p.rounds(8); p.names() != "mp0-2" || len(p.azure.instances) != 1 {
		t.Errorf("scaled down there are %s, in Azure %v", p.names(), p.azure.instances)
	}
}

// TestInstanceLostEarly has an instance go from Azure before Cluster API has made its Machine: then Cluster API makes it, and both go.
func TestInstanceLostEarly(t *testing.T) {
	p := newPoolPlay(t, 2)
	p.hold = true
	p.rounds(4)
	p.azure.lose("0")
	p.rounds(2)
	p.hold = false
	if p.rounds(6); p.names() != "mp0-1 mp0-2" {
		t.Errorf("there are %s, in Azure %v", p.names(), p.azure.instances)
	}
}

// TestInstanceGoesWithoutCluster has an instance go though somebody has forced Cluster and AzureCluster to go: it does not stay in Azure.
func TestInstanceGoesWithoutCluster(t *testing.T) {
	p := newPoolPlay(t, 2).rounds(5)
	p.must(p.Delete(t.Context(), p.Find(composite.AzureCluster.GroupVersionKind, "my-cluster")))
	p.must(p.Delete(t.Context(), cluster()))
	p.must(p.Delete(t.Context(), p.Find(PoolMachineKind, "mp0-0")))
	if p.letGo("mp0-0"); len(p.azure.instances) != 1 || p.names() != "mp0-1" {
		t.Errorf("there are %s, in Azure %v", p.names(), p.azure.instances)
	}
}

// edit changes the spec of the AzureMachinePool.
func (p *poolPlay) edit(change func(spec map[string]any)) {
	p.t.Helper()
	obj := p.Find(composite.AzureMachinePool.GroupVersionKind, poolName)
	change(obj.Object["spec"].(map[string]any))
	p.must(p.Update(p.t.Context(), obj))
}

// tags has function-capz compose other tags.
func (p *poolPlay) tags(of map[string]any) {
	p.t.Helper()
	set := p.Find(machines.ScaleSetKind, poolName)
	of[v1beta1.OwnedTag("my-cluster")] = "owned"
	p.must(unstructured.SetNestedMap(set.Object, of, "spec", "tags"))
	p.must(p.Update(p.t.Context(), set))
}

// statusIsLost takes the status of objects of instances and their Machines away, which clusterctl does not move.
func (p *poolPlay) statusIsLost() {
	p.t.Helper()
	for _, m := range p.members() {
		obj := p.Find(PoolMachineKind, m.Name)
		delete(obj.Object, "status")
		p.must(p.Update(p.t.Context(), obj))
		machine := p.machineOf(m.Name)
		p.must(p.Get(p.t.Context(), client.ObjectKeyFromObject(machine), machine))
		machine.Status.Conditions, machine.Status.NodeRef.Name = nil, ""
		p.must(p.Update(p.t.Context(), machine))
	}
}
