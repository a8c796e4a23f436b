package clusters

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apitypes "k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

type metav1ManagedFields = metav1.ManagedFieldsEntry

func types(o client.Object, n int) apitypes.UID {
	return apitypes.UID(fmt.Sprintf("%s-%d", strings.ToLower(o.GetObjectKind().GroupVersionKind().Kind), n))
}

// state is what matters of everything, by kind and name.
func (w *world) state() map[string]string {
	w.play()
	w.play()
	all := map[string]string{}
	p, err := w.migration(-1).read(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	add := func(o *unstructured.Unstructured) {
		if o == nil {
			return
		}
		spec := runtimeCopy(o.Object["spec"])
		raw, err := json.Marshal(map[string]any{"spec": spec, "annotations": fmt.Sprint(o.GetAnnotations()), "labels": o.GetLabels(), "finalizers": o.GetFinalizers(), "deleted": o.GetDeletionTimestamp() != nil})
		if err != nil {
			w.t.Fatal(err)
		}
		all[o.GetKind()+"/"+o.GetName()] = string(raw)
	}
	add(p.cluster)
	for _, of := range p.pairs() {
		add(of.referrer)
		add(of.typed)
		add(of.inline)
	}
	for _, c := range p.children {
		add(c.Unstructured)
		all["owner of "+c.GetName()] = metav1.GetControllerOf(c).Kind
	}
	secret := &unstructured.Unstructured{}
	secret.SetGroupVersionKind(secretKind)
	if err := w.client.Get(context.Background(), client.ObjectKey{Namespace: "n", Name: "c-kubeconfig"}, secret); err != nil {
		w.t.Fatal(err)
	}
	all["owner of the Secret"] = metav1.GetControllerOf(secret).Kind
	return all
}

// runtimeCopy returns a spec without what an unpaused Cluster may have or lack.
func runtimeCopy(spec any) any {
	m, ok := spec.(map[string]any)
	if !ok || m["paused"] != false {
		return spec
	}
	out := map[string]any{}
	for k, v := range m {
		if k != "paused" {
			out[k] = v
		}
	}
	return out
}

func run(t *testing.T, way func(context.Context, bool) ([]walk.Change, error)) {
	t.Helper()
	if _, err := way(context.Background(), false); err != nil {
		t.Fatal(err)
	}
}

func TestForth(t *testing.T) {
	w := newWorld(t)
	run(t, w.migration(-1).Forth)
	for _, kind := range []composite.Kind{composite.AzureManagedCluster, composite.AzureManagedControlPlane, composite.AzureManagedMachinePool} {
		for _, name := range []string{"c", "c-cp", "p"} {
			if o := w.get(kind, name); o != nil {
				t.Errorf("%s %s is still there", kind.Kind, name)
			}
		}
	}
	cp := w.get(composite.AzureASOManagedControlPlane, "c-cp")
	want := []any{map[string]any{
		"apiVersion": "containerservice.azure.com/v1api20250801", "kind": "ManagedCluster",
		"metadata": map[string]any{"name": "c-cp", "annotations": map[string]any{"note": "kept"}},
		"spec":     map[string]any{"azureName": "c-cp", "owner": map[string]any{"name": "g"}, "location": "westeurope"},
	}}
	if diff := cmp.Diff(want, specResources.Value(cp)); diff != "" {
		t.Errorf("resources of the control plane (-want +got):\n%s", diff)
	}
	if specVersion.Value(cp) != "v1.33.6" || specIdentityRef.Value(cp)["name"] != "i" || specSubscription.Value(cp) != "s" {
		t.Errorf("the control plane is %v", cp.Object["spec"])
	}
	if diff := cmp.Diff(map[string]string{"mine": "stays", "infrastructure.cluster.x-k8s.io/credential-secret": "c-aso-secret"}, cp.GetAnnotations()); diff != "" {
		t.Errorf("annotations of the control plane (-want +got):\n%s", diff)
	}
	pool := w.get(composite.AzureASOManagedMachinePool, "p")
	want = []any{map[string]any{
		"apiVersion": "containerservice.azure.com/v1api20250801", "kind": "ManagedClustersAgentPool", "metadata": map[string]any{"name": "p"},
		"spec": map[string]any{"azureName": "p", "mode": "System", "owner": map[string]any{"name": "c-cp"}},
	}}
	if diff := cmp.Diff(want, specResources.Value(pool)); diff != "" {
		t.Errorf("resources of the pool (-want +got):\n%s", diff)
	}
	infrastructure := w.get(composite.AzureASOManagedCluster, "c")
	if refs := access.SpecResourceRefs.Value(infrastructure); len(refs) != 1 || specEndpoint.Value(infrastructure)["host"] != "h" {
		t.Errorf("the infrastructure is %v", infrastructure.Object["spec"])
	}
	if changes, err := w.migration(-1).Forth(context.Background(), false); err != nil || len(changes) > 0 {
		t.Errorf("the second time there are changes: %v, %v", changes, err)
	}
}

// TestKilled kills the migration after each of its writes, and starts it again.
func TestKilled(t *testing.T) {
	whole := newWorld(t)
	run(t, whole.migration(-1).Forth)
	count := whole.writes
	want := whole.state()
	if count < 15 {
		t.Fatalf("a migration has %d writes only", count)
	}
	for killed := range count {
		t.Run(fmt.Sprint(killed), func(t *testing.T) {
			w := newWorld(t)
			if _, err := w.migration(killed).Forth(context.Background(), false); !errors.Is(err, errKilled) {
				t.Fatalf("not killed: %v", err)
			}
			run(t, w.migration(-1).Forth)
			if diff := cmp.Diff(want, w.state()); diff != "" {
				t.Errorf("as it was not ended, and as it was (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBack kills the migration after each of its writes, and goes back; the way back is ended once, too.
func TestBack(t *testing.T) {
	want := newWorld(t).state()
	replaced := strings.Replace(want["MachinePool/mp"], "replicas-managed-by:true", "replicas-managed-by:aks", 1)
	whole := newWorld(t)
	m := whole.migration(-1)
	m.Keep = true
	run(t, m.Forth)
	for killed := 1; killed <= whole.writes; killed++ {
		t.Run(fmt.Sprint(killed), func(t *testing.T) {
			w := newWorld(t)
			forth := w.migration(killed)
			forth.Keep = true
			if _, err := forth.Forth(context.Background(), false); err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if _, err := w.migration(killed).Back(context.Background(), false); err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if p, err := w.migration(-1).read(context.Background()); err != nil || p.state != "" {
				run(t, w.migration(-1).Back)
			}
			got := w.state()
			if got["MachinePool/mp"] == replaced { // Both families take it.
				got["MachinePool/mp"] = want["MachinePool/mp"]
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("before, and after the way back (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDryRun(t *testing.T) {
	w := newWorld(t)
	want := w.state()
	changes, err := w.migration(0).Forth(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, c := range changes {
		if len(steps) == 0 || steps[len(steps)-1] != c.Step {
			steps = append(steps, c.Step)
		}
	}
	if diff := cmp.Diff([]string{"pause", "convert", "hand over", "refer", "compose", "go on", "remove", "remove the infrastructure"}, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, w.state()); diff != "" {
		t.Errorf("the dry run has changed something (-want +got):\n%s", diff)
	}
	objects, err := w.migration(0).Manifests(context.Background())
	if err != nil || len(objects) != 3 {
		t.Fatalf("%d manifests, %v", len(objects), err)
	}
	if diff := cmp.Diff(map[string]string{"mine": "stays"}, objects[0].GetAnnotations()); diff != "" {
		t.Errorf("annotations of the manifest (-want +got):\n%s", diff)
	}
}

func TestObstacles(t *testing.T) {
	set := func(value any, fields ...string) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) { _ = unstructured.SetNestedField(o.Object, value, fields...) }
	}
	cases := map[string]struct {
		object string
		change func(*unstructured.Unstructured)
		want   string
	}{
		"Paused":         {object: "Cluster/c", change: set(true, "spec", "paused"), want: "Cluster n/c is paused (spec.paused)"},
		"Topology":       {object: "Cluster/c", change: set("x", "spec", "topology", "classRef", "name"), want: "has a topology"},
		"SelfManaged":    {object: "Cluster/c", change: set("AzureCluster", "spec", "infrastructureRef", "kind"), want: "spec.infrastructureRef is to AzureCluster, but must be to AzureManagedCluster"},
		"NoPool":         {object: "MachinePool/mp", change: set("q", "spec", "template", "spec", "infrastructureRef", "name"), want: "names AzureManagedMachinePool q, which does not exist"},
		"Upgrading":      {object: "MachinePool/mp", change: set("v1.34.1", "spec", "template", "spec", "version"), want: "is to run Kubernetes 1.34.1 and runs 1.33.6"},
		"NotReady":       {object: "AzureManagedControlPlane/c-cp", change: set(false, "status", "ready"), want: "AzureManagedControlPlane n/c-cp is not ready"},
		"OfTheUser":      {object: "AzureManagedControlPlane/c-cp", change: set([]any{map[string]any{"ownership": "user", "resource": map[string]any{"kind": "ManagedCluster", "name": "x"}}}, "status", "resources"), want: "uses ManagedCluster x, which is yours"},
		"ChildNotReady":  {object: "ManagedCluster/c-cp", change: set([]any{}, "status", "conditions"), want: "ManagedCluster n/c-cp is not ready"},
		"Profiles":       {object: "ManagedCluster/c-cp", change: set([]any{map[string]any{"name": "p"}}, "spec", "agentPoolProfiles"), want: "still has the agent pools"},
		"AnotherControl": {object: "ManagedCluster/c-cp", change: func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) }, want: "is not controlled by AzureManagedControlPlane c-cp"},
		"OnItsWayBack":   {object: "Cluster/c", change: func(o *unstructured.Unstructured) { o.SetAnnotations(map[string]string{StateAnnotation: toTyped}) }, want: "is on its way back"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p, err := w.migration(-1).read(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			found := []*unstructured.Unstructured{p.cluster}
			for _, of := range p.pairs() {
				found = append(found, of.referrer, of.typed)
			}
			for _, child := range p.children {
				found = append(found, child.Unstructured)
			}
			for _, o := range found {
				if o.GetKind()+"/"+o.GetName() == c.object {
					c.change(o)
					if err := w.client.Update(context.Background(), o); err != nil {
						t.Fatal(err)
					}
					break
				}
			}
			m := w.migration(0)
			w.dead = true // The controllers would undo what is wrong.
			done, err := m.checkForth(context.Background())
			blocked := &walk.BlockedError{}
			if done || !errors.As(err, &blocked) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestAnotherSpec shows that the migration stops, with Azure left alone, when what is composed is another than before.
func TestAnotherSpec(t *testing.T) {
	w := newWorld(t)
	if _, err := w.migration(12).Forth(context.Background(), false); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	p, err := w.migration(-1).read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	o := p.children[1].Unstructured
	o.SetGeneration(2)
	if err := w.client.Update(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	_, err = w.migration(-1).Forth(context.Background(), false)
	if err == nil || !strings.Contains(err.Error(), "generation 2, was 1") || !strings.Contains(err.Error(), "--back returns") {
		t.Fatalf("got %v", err)
	}
	if !clusterPaused.Value(p.cluster) {
		t.Error("the Cluster is not paused any more")
	}
	run(t, w.migration(-1).Back)
}
