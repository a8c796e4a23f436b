package specs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// A Request creates an object or, with Before, changes it: a control plane or a pool, with mistakes or without.
type Request struct {
	// Name says what it has that is not in every manifest.
	Name          string
	Before, After *Spec
}

// RandomRequests returns the creation of the object of a seed, and three changes of it.
func RandomRequests(seed uint64) (created *Request, changes []*Request) {
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // A seed must give the same requests again.
	kind := pick(r, controlPlaneEdges, controlPlaneEdges, poolEdges)
	before := leastSpec(seed, kind)
	said := kind.write(r, before, 1+r.IntN(5), false)
	for range 3 {
		after := before.copied()
		changes = append(changes, &Request{Before: before, After: after, Name: said + " -> " + kind.write(r, after, 1+r.IntN(2), true)})
	}
	return &Request{After: before, Name: said}, changes
}

// WrittenRequest returns the change of an object by fields, written as YAML, or without such fields its creation.
func WrittenRequest(pool bool, fields string, changed ...string) *Request {
	kind := controlPlaneEdges
	if pool {
		kind = poolEdges
	}
	s := leastSpec(0, kind)
	merge(kind.of(s), fields)
	if len(changed) == 0 {
		return &Request{After: s}
	}
	after := s.copied()
	for _, c := range changed {
		merge(kind.of(after), c)
	}
	return &Request{Before: s, After: after}
}

// LeavesOutRange reports whether a change leaves out an address range of the network that was there before.
func (r *Request) LeavesOutRange() bool {
	rangeOf := func(s *Spec, path ...string) any {
		return inner(s.ControlPlane, append([]string{"spec", "virtualNetwork"}, path...)...)["cidrBlock"]
	}
	return rangeOf(r.Before) != nil && rangeOf(r.After) == nil || rangeOf(r.Before, "subnet") != nil && rangeOf(r.After, "subnet") == nil
}

// merge writes fields into a spec, and takes those away that are null.
func merge(spec map[string]any, fields string) {
	object, isObject := parsed(fields).(map[string]any)
	if !isObject {
		panic(fields + " is no object")
	}
	for name, value := range object {
		if spec[name] = value; value == nil {
			delete(spec, name)
		}
	}
}

// leastSpec is what both sides accept, with the least of fields.
func leastSpec(seed uint64, kind *edges) *Spec {
	s := &Spec{Name: fmt.Sprintf("request %d", seed), Cluster: "blue", ServiceCIDRs: []string{"10.96.0.0/12"}}
	s.ControlPlane = object("AzureManagedControlPlane", s.Cluster, s.Cluster, map[string]any{
		"version": "v1.33.6", "resourceGroupName": "g", "location": "westeurope", "subscriptionID": Subscription,
		"identityRef": map[string]any{"kind": "AzureClusterIdentity", "name": "identity"}})
	if kind == poolEdges {
		s.Pools = []Pool{{Object: object("AzureManagedMachinePool", "pool0", s.Cluster, map[string]any{"mode": "User", "sku": "a", "name": "pool0"})}}
	}
	return s
}

func (s *Spec) copied() *Spec {
	out := *s
	out.ControlPlane = runtime.DeepCopyJSON(s.ControlPlane)
	out.Pools = nil
	for _, p := range s.Pools {
		p.Object = runtime.DeepCopyJSON(p.Object)
		out.Pools = append(out.Pools, p)
	}
	return &out
}

// Edges are values, as YAML, that are just right or just wrong, by the path of the field below spec.
type edges struct {
	values map[string][]string
	of     func(*Spec) map[string]any
}

// write writes a number of random values into the object, or takes fields away, and says which. What is not there when an
// object is created may have a default that neither side can see in it, so names are only taken away later.
func (e *edges) write(r *rand.Rand, s *Spec, count int, change bool) string {
	fields := slices.Sorted(maps.Keys(e.values))
	var said []string
	for range count {
		field := pick(r, fields...)
		names := strings.Split(field, ".")
		at := e.of(s)
		for _, name := range names[:len(names)-1] {
			if _, isObject := at[name].(map[string]any); !isObject {
				at[name] = map[string]any{}
			}
			at = at[name].(map[string]any)
		}
		last := names[len(names)-1]
		if r.IntN(5) == 0 && (change || field != "resourceGroupName") {
			delete(at, last)
			said = append(said, "no "+field)
			continue
		}
		value := pick(r, e.values[field]...)
		at[last] = parsed(value)
		said = append(said, field+": "+value)
	}
	return strings.Join(said, "; ")
}

func parsed(text string) any {
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		panic(err)
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		panic(err)
	}
	return value
}
