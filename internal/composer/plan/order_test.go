package plan

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// A madeUp resource is one of a cluster that nobody has: what it lies in, what it refers to by name, and what by ID.
type madeUp struct {
	kind, name, owner string
	refers            []string
	parts             []string
	lifecycle         aso.Lifecycle
}

// cluster is a group with a network, a load balancer that a network interface refers to a part of, and a machine.
var cluster = []madeUp{
	{kind: "VirtualMachine.compute.azure.com", name: "vm", owner: "rg", refers: []string{"NetworkInterface.network.azure.com/nic"}, lifecycle: aso.ProviderCreated},
	{kind: "NetworkInterface.network.azure.com", name: "nic", owner: "rg", refers: []string{"VirtualNetworksSubnet.network.azure.com/subnet"}, parts: []string{"loadBalancers/lb/backendAddressPools/pool"}, lifecycle: aso.CreateOnly},
	{kind: "LoadBalancer.network.azure.com", name: "lb", owner: "rg", parts: []string{"publicIPAddresses/ip"}},
	{kind: "PublicIPAddress.network.azure.com", name: "ip", owner: "rg"},
	{kind: "VirtualNetworksSubnet.network.azure.com", name: "subnet", owner: "net", refers: []string{"NatGateway.network.azure.com/nat"}},
	{kind: "NatGateway.network.azure.com", name: "nat", owner: "rg", parts: []string{"publicIPAddresses/ip"}},
	{kind: "VirtualNetwork.network.azure.com", name: "net", owner: "rg"},
	{kind: "ResourceGroup.resources.azure.com", name: "rg"},
}

// after has, by hand, what must be ready before each is sent to Azure.
var after = map[string][]string{
	"vm": {"rg", "nic"}, "nic": {"rg", "subnet", "lb"}, "lb": {"rg", "ip"}, "ip": {"rg"}, "subnet": {"net", "nat"}, "nat": {"rg", "ip"}, "net": {"rg"}, "rg": nil,
}

func (m madeUp) object(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	kind, group, _ := strings.Cut(m.kind, ".")
	o := object(t, fmt.Sprintf("{apiVersion: %s/v1, kind: %s, metadata: {name: %s, namespace: ns}, spec: {azureName: %[3]s, references: []}}", group, kind, m.name))
	spec := o.Object["spec"].(map[string]any)
	if m.owner != "" {
		spec["owner"] = map[string]any{"name": m.owner}
	}
	var references []any
	for _, to := range m.refers {
		kindAndGroup, name, _ := strings.Cut(to, "/")
		kind, group, _ := strings.Cut(kindAndGroup, ".")
		references = append(references, map[string]any{"group": group, "kind": kind, "name": name})
	}
	for _, part := range m.parts {
		references = append(references, map[string]any{"armId": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/" + part})
	}
	spec["references"] = references
	return o
}

// A run plays Crossplane, ASO, provider-capz and Azure for made-up resources.
type run struct {
	t       *testing.T
	live    composertest.Live
	created []string
	paused  bool
	xr      *unstructured.Unstructured
}

// compose makes the plan once and applies what comes of it; it returns how many resources are ready.
func (r *run) compose() int {
	r.t.Helper()
	in := servedBy(r.t, "aso", r.live.Objects()...)
	var resources []*Resource
	for _, m := range cluster {
		resources = append(resources, &Resource{Source: m.name, Object: m.object(r.t), Declared: true, Lifecycle: m.lifecycle})
	}
	p := Plan{Resources: resources, Cluster: "c1", Paused: r.paused}
	out, err := p.Make(in, &Observations{})
	must(r.t, err)
	for name := range r.live {
		if _, composed := out.Composed[name]; !composed {
			r.t.Fatalf("%s would be deleted", name)
		}
	}
	ready := 0
	for _, name := range slices.Sorted(maps.Keys(out.Composed)) {
		if out.Composed[name].Ready {
			ready++
		}
		r.live.Apply(r.t, r.xr, name, out.Composed[name].Object.DeepCopy())
	}
	return ready
}

// reconcile has ASO look at one object, or provider-capz where it creates the resource.
func (r *run) reconcile(name string) {
	o := r.live.Object(name)
	annotations := o.GetAnnotations()
	exists := slices.Contains(r.created, o.GetName())
	byProvider := annotations[aso.AnnotationLifecycle] == string(aso.ProviderCreated) && !r.paused // The pause is the composite's, too.
	switch {
	case annotations[aso.AnnotationOperator] == aso.OperatorNone:
		return
	case annotations[aso.AnnotationReconcilePolicy] != aso.PolicySkip, byProvider:
		if !exists {
			r.mayCreate(o.GetName())
			r.created = append(r.created, o.GetName())
		}
		r.live.Edit(r.t, name, composertest.Annotate(aso.AnnotationSent, "1"))
		r.live.Say(name, "True", "", "Succeeded", nil)
	case exists:
		r.live.Say(name, "True", "", "Succeeded", nil)
	default:
		r.live.Say(name, "False", "Warning", aso.ReasonResourceNotFound, nil)
	}
}

func (r *run) mayCreate(name string) {
	r.t.Helper()
	if r.paused {
		r.t.Fatalf("%s is created while paused", name)
	}
	for _, needed := range after[name] {
		if !slices.Contains(r.created, needed) {
			r.t.Fatalf("%s is created before %s", name, needed)
		}
	}
}

// TestEveryOrder has ASO get to one object after another in any order, with pauses in between. Nothing may reach Azure before what it refers
// to, nothing that exists may be dropped, and the end must be the same.
func TestEveryOrder(t *testing.T) {
	var want map[string]map[string]string
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 0)) // The same orders each time.
		r := &run{t: t, live: composertest.Live{}, xr: object(t, "{apiVersion: example.org/v1, kind: XR, metadata: {name: xr, namespace: ns, uid: xr-uid}}")}
		for step := 0; r.compose() < len(cluster) || r.paused; step++ {
			if step > 1000 {
				t.Fatalf("order %d never ends: %v are created", seed, r.created)
			}
			if random.IntN(20) == 0 {
				r.paused = !r.paused
			}
			if names := slices.Sorted(maps.Keys(r.live)); len(names) > 0 {
				r.compose()
				r.reconcile(names[random.IntN(len(names))])
			}
		}
		r.compose()
		got := map[string]map[string]string{}
		for _, o := range r.live.Objects() {
			got[o.GetName()] = map[string]string{}
			for _, name := range []string{aso.AnnotationReconcilePolicy, aso.AnnotationHeld, aso.AnnotationLifecycle, aso.AnnotationSkippedByPause, v1beta1.AnnotationOwnership} {
				if value, has := o.GetAnnotations()[name]; has {
					got[o.GetName()][name] = value
				}
			}
		}
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("order %d: -first, +this:\n%s", seed, diff)
		}
	}
	others := map[string]map[string]string{
		"vm":  {aso.AnnotationReconcilePolicy: aso.PolicySkip, aso.AnnotationLifecycle: string(aso.ProviderCreated)},
		"nic": {aso.AnnotationReconcilePolicy: aso.PolicySkip, aso.AnnotationLifecycle: string(aso.CreateOnly)},
	}
	for name, annotations := range want {
		if diff := cmp.Diff(others[name], annotations); len(annotations)+len(others[name]) > 0 && diff != "" {
			t.Errorf("%s in the end: -want, +got:\n%s", name, diff)
		}
	}
}
