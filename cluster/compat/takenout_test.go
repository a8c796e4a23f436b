package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
	"github.com/crossplane-capz/crossplane-capz/functions/managed/aks"
)

// TestTakenOutIsKnown takes every field out of random control planes and pools, one at a time. What vanishes from the object of the cluster or
// the pool with it, where the schema lets it go, must be among the properties that aks knows; each of those must come up.
func TestTakenOutIsKnown(t *testing.T) {
	t.Setenv("AZURE_SUBSCRIPTION_ID", specs.Subscription)
	c, err := newComparison(&bytes.Buffer{})
	must(t, err)
	w := &walk{comparison: c, tried: map[string]int{}, found: map[string]map[string]bool{"ManagedCluster": {}, "ManagedClustersAgentPool": {}}}
	for seed := range uint64(60) {
		w.takeFrom(t, specs.Random(seed, specOf(c.capz.ControlPlane.OpenAPI), specOf(c.capz.Pool.OpenAPI)))
	}
	for kind, properties := range map[string][]aks.Property{"ManagedCluster": aks.ClusterProperties, "ManagedClustersAgentPool": aks.PoolProperties} {
		var known []string
		for _, p := range properties {
			known = append(known, p.Path)
			if !slices.ContainsFunc(slices.Collect(maps.Keys(w.found[kind])), func(path string) bool { return within(path, p.Path) }) {
				t.Errorf("%s: nothing takes %s out", kind, p.Path)
			}
		}
		for _, path := range slices.Sorted(maps.Keys(w.found[kind])) {
			if !slices.ContainsFunc(known, func(p string) bool { return within(path, p) }) {
				t.Errorf("%s: %s can be taken out, and nobody says what Azure does then", kind, path)
			}
		}
	}
}

// within reports whether a path is another one, or a part of what is there. A star stands for any name.
func within(path, other string) bool {
	names, others := strings.Split(path, "."), strings.Split(other, ".")
	if len(names) < len(others) {
		return false
	}
	for i, name := range others {
		if name != "*" && name != names[i] {
			return false
		}
	}
	return true
}

// A walk notes what vanishes, by kind.
type walk struct {
	*comparison
	// tried says how often a field has been taken out.
	tried map[string]int
	found map[string]map[string]bool
}

// often is how often a field is taken out. Once is enough to see what vanishes: raise it when the mapping learns to depend on other fields.
const often = 1

// takeFrom takes each field out of each object of a spec.
func (w *walk) takeFrom(t *testing.T, s *specs.Spec) {
	t.Helper()
	ctx := context.Background()
	for _, object := range append([]map[string]any{s.ControlPlane}, poolsOf(s)...) {
		delete(object["spec"].(map[string]any), "asoManagedClusterPatches")
		delete(object["spec"].(map[string]any), "asoManagedClustersAgentPoolPatches")
	}
	before, err := w.ours.Admit(ctx, s, nil)
	if err != nil {
		return // It is refused: not all that is random goes together.
	}
	was := w.ours.Created(before).Objects
	for i, object := range append([]map[string]any{s.ControlPlane}, poolsOf(s)...) {
		for _, path := range paths(object["spec"], nil) {
			fields := fmt.Sprint(object["kind"], path)
			if w.tried[fields] >= often {
				continue
			}
			changed := *s
			changed.Pools = slices.Clone(s.Pools)
			copied := runtime.DeepCopyJSON(object)
			remove(copied["spec"], path)
			if i == 0 {
				changed.ControlPlane = copied
			} else {
				changed.Pools[i-1].Object = copied
			}
			after, err := w.ours.Admit(ctx, &changed, before)
			if err != nil {
				continue // It cannot be taken out.
			}
			w.tried[fields]++
			is := w.ours.Created(after).Objects
			for name, object := range was {
				kind, _, _ := strings.Cut(name, "/")
				if known := w.found[kind]; known != nil && is[name] != nil {
					for _, p := range vanished("spec", object["spec"], is[name]["spec"]) {
						known[p] = true
					}
				}
			}
		}
	}
}

func poolsOf(s *specs.Spec) []map[string]any {
	var all []map[string]any
	for _, p := range s.Pools {
		all = append(all, p.Object)
	}
	return all
}

// paths returns those of all fields in an object, those of the objects in it too. A number stands for an item of a list.
func paths(value any, at []string) [][]string {
	var all [][]string
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			path := append(slices.Clone(at), name)
			all = append(append(all, path), paths(v[name], path)...)
		}
	case []any:
		for i, item := range v {
			all = append(all, paths(item, append(slices.Clone(at), strconv.Itoa(i)))...)
		}
	}
	return all
}

func remove(value any, path []string) {
	switch v := value.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(v, path[0])
			return
		}
		remove(v[path[0]], path[1:])
	case []any:
		i, _ := strconv.Atoi(path[0])
		remove(v[i], path[1:])
	}
}

// vanished returns the fields that were and are not. Lists are one value: AKS takes the list as it is sent. So are the pools that a
// cluster is made with: each is an object of its own by then.
func vanished(path string, before, after any) []string {
	was, wasMap := before.(map[string]any)
	if path == "spec.agentPoolProfiles" || path == "spec.operatorSpec" {
		return nil
	}
	if !wasMap {
		if before != nil && after == nil {
			return []string{path}
		}
		return nil
	}
	is, _ := after.(map[string]any)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(was)) {
		all = append(all, vanished(fmt.Sprintf("%s.%s", path, name), was[name], is[name])...)
	}
	return all
}

// TestAutoscalerDefaults shows that to take autoscalerProfile out is to have its defaults, which are those of an empty one.
func TestAutoscalerDefaults(t *testing.T) {
	t.Setenv("AZURE_SUBSCRIPTION_ID", specs.Subscription)
	c, err := newComparison(&bytes.Buffer{})
	must(t, err)
	s := specs.Written("", read(t, least, "autoscalerProfile: {}"), read(t, "{mode: System, sku: Standard_D2s_v3}"), "")
	admitted, err := c.ours.Admit(context.Background(), s, nil)
	must(t, err)
	profile, _ := c.ours.Created(admitted).Objects["ManagedCluster/blue"]["spec"].(map[string]any)["autoScalerProfile"]
	for _, p := range aks.ClusterProperties {
		if p.Path == "spec.autoScalerProfile" && fmt.Sprint(profile) != fmt.Sprint(p.Value) {
			t.Errorf("an empty profile is %v, one that is taken out %v", profile, p.Value)
		}
	}
}
