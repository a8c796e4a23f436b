package compute

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

// TestPoolLives takes a pool through its life: each instance has an object and a Machine, and goes by its Machine.
func TestPoolLives(t *testing.T) {
	p := newPoolPlay(t, 2).rounds(5)
	if diff := cmp.Diff([]string{"whole 2"}, p.azure.parts); diff != "" {
		t.Fatalf("sent: -want +got:\n%s", diff)
	}
	facts := p.facts()
	if facts.Created.State != v1alpha1.Created || facts.Pool.State != "Succeeded" || facts.Pool.Ready != 2 || !facts.Pool.Listed || *facts.Pool.Asked != 2 {
		t.Errorf("the facts are %+v", facts)
	}
	ids, _, _ := unstructured.NestedStringSlice(p.Find(composite.AzureMachinePool.GroupVersionKind, poolName).Object, "spec", "providerIDList")
	if want := "azure://" + setID + "/virtualMachines/0"; len(ids) != 2 || ids[0] != want {
		t.Errorf("spec.providerIDList is %v, want %s first", ids, want)
	}
	first := p.members()[0]
	if s := first.Status; !s.Ready || !s.LatestModelApplied || s.NodeRef == nil || s.Version != "v1.33.2" || !*s.Initialization.Provisioned || s.InstanceName != "mp0_0" {
		t.Errorf("the status of %s is %+v", first.Name, s)
	}
	if !slices.Contains(first.Finalizers, names.Finalizer) || len(first.OwnerReferences) != 1 || first.OwnerReferences[0].Controller != nil {
		t.Errorf("%s has finalizers %v and owners %v", first.Name, first.Finalizers, first.OwnerReferences)
	}
	p.scale(3)
	p.rounds(4)
	if got := p.names(); got != "mp0-0 mp0-1 mp0-2" || p.azure.parts[1] != "capacity 3" {
		t.Errorf("scaled up, there are %s, sent was %v", got, p.azure.parts)
	}
	p.scale(1)
	p.rounds(6)
	if got := p.names(); got != "mp0-2" || len(p.azure.instances) != 1 {
		t.Errorf("scaled down, there are %s, in Azure %v", got, p.azure.instances)
	}
	p.azure.lose("2")
	p.rounds(4)
	if got := p.names(); got != "mp0-3" {
		t.Errorf("after Azure has lost one there are %s", got)
	}
	sent := len(p.azure.parts)
	p.TakeWrites()
	if p.rounds(3); len(p.azure.parts) != sent || len(p.TakeWrites()) > 0 {
		t.Errorf("it does not rest: %v", p.azure.parts[sent:])
	}
	if p.tells() {
		t.Error("a secret is told")
	}
}

// TestPoolIsReplaced has all instances follow another image, one more at a time, and an Event say what for.
func TestPoolIsReplaced(t *testing.T) {
	p := newPoolPlay(t, 2).rounds(5)
	p.model("1.34.0")
	p.rounds(1)
	if events := strings.Join(p.TakeEvents(), "\n"); !strings.Contains(events, "imageReference from") || !strings.Contains(events, "1.34.0") {
		t.Errorf("the Events are %s", events)
	}
	for range 12 {
		if len(p.azure.instances) > 3 || len(p.azure.instances) < 2 {
			t.Fatalf("there are %v", p.azure.instances)
		}
		p.rounds(1)
	}
	for name, image := range p.azure.instances {
		if !strings.HasSuffix(image, "1.34.0") {
			t.Errorf("instance %s is of %s", name, image)
		}
	}
	if facts := p.facts(); len(p.azure.instances) != 2 || facts.Pool.Outdated != 0 || p.azure.parts[1] != "model 3" {
		t.Errorf("there are %v, the facts are %+v, sent was %v", p.azure.instances, facts.Pool, p.azure.parts)
	}
}

// TestPoolScaledByOthers has the MachinePool follow the scale set.
func TestPoolScaledByOthers(t *testing.T) {
	p := newPoolPlay(t, 2).rounds(5)
	pool := &clusterv1.MachinePool{}
	key := client.ObjectKey{Namespace: "default", Name: poolName}
	p.must(p.Get(t.Context(), key, pool))
	pool.Annotations = map[string]string{clusterv1.ReplicasManagedByAnnotation: "external-autoscaler"}
	p.must(p.Update(t.Context(), pool))
	p.azure.set["sku"].(map[string]any)["capacity"] = 3.0
	p.azure.instances["9"] = p.azure.instances["0"]
	p.rounds(3)
	p.must(p.Get(t.Context(), key, pool))
	if *pool.Spec.Replicas != 3 || len(p.azure.parts) != 1 || p.names() != "mp0-0 mp0-1 mp0-9" {
		t.Errorf("the MachinePool has %d replicas, sent was %v, there are %s", *pool.Spec.Replicas, p.azure.parts, p.names())
	}
}

// TestPoolRefused tells what Azure refuses, and asks again when it is corrected.
func TestPoolRefused(t *testing.T) {
	p := newPoolPlay(t, 2)
	p.azure.refuse = &anAnswer{409, `{"error": {"code": "QuotaExceeded", "message": "too many cores"}}`}
	p.rounds(3)
	if got := p.facts().Created; got.State != v1alpha1.NotCreated || got.Reason != "QuotaExceeded" || got.Message != "too many cores" {
		t.Errorf("noted is %+v", got)
	}
	if events := strings.Join(p.TakeEvents(), "\n"); strings.Count(events, "ScaleSetRefused") != 1 {
		t.Errorf("the Events are %s", events)
	}
	p.azure.refuse = nil
	p.rounds(4)
	if got := p.facts(); got.Created != (v1alpha1.FactsOfCreation{State: v1alpha1.Created}) || got.Pool.Refused.Reason != "" {
		t.Errorf("noted is %+v", got)
	}
}

// TestPoolIsNotRemovedMeanwhile has the removal of a scale set wait until its creation has been sent: what Azure does not have yet would count
// as gone.
func TestPoolIsNotRemovedMeanwhile(t *testing.T) {
	p := newPoolPlay(t, 2)
	removed := make(chan struct{})
	p.azure.before = func() {
		p.azure.before = nil
		go func() {
			p.own.lock(setID)()
			close(removed)
		}()
		select {
		case <-removed:
			t.Error("the scale set is removed while it is created")
		case <-time.After(50 * time.Millisecond):
		}
	}
	p.rounds(3)
	select {
	case <-removed:
	case <-time.After(time.Minute):
		t.Error("the scale set cannot be removed")
	}
	if len(p.azure.parts) == 0 {
		t.Error("nothing was created")
	}
}

// TestPoolOfSomebodyElse leaves a scale set alone that lacks the Cluster's tag.
func TestPoolOfSomebodyElse(t *testing.T) {
	p := newPoolPlay(t, 2)
	p.azure.set = map[string]any{"id": setID, "sku": map[string]any{"name": "s", "capacity": 5.0}, "properties": map[string]any{}}
	if p.rounds(3); len(p.azure.parts) > 0 || p.names() != "" {
		t.Errorf("sent was %v, there are %s", p.azure.parts, p.names())
	}
}

// TestPoolGoesWhole lets the objects of instances go at once that go with their pool.
func TestPoolGoesWhole(t *testing.T) {
	p := newPoolPlay(t, 2).rounds(5)
	p.must(p.Delete(t.Context(), p.Find(composite.AzureMachinePool.GroupVersionKind, poolName)))
	for _, m := range p.members() {
		p.must(p.Delete(t.Context(), p.Find(PoolMachineKind, m.Name), client.PropagationPolicy(metav1.DeletePropagationBackground)))
		p.letGo(m.Name)
	}
	if got := p.names(); got != "" || len(p.azure.instances) != 2 {
		t.Errorf("there are %s, in Azure %v", got, p.azure.instances)
	}
}
