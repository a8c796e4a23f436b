package asomanaged

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// operatorMark is whose an object is: where the ASO runs that may touch it.
const operatorMark = "serviceoperator.azure.com/operator-namespace"

// A tale is how a cluster comes to be: its composites with Crossplane and ASO around them.
type tale struct {
	t    *testing.T
	w    world
	xrs  []string
	live map[string]composertest.Live
	// operator is where ASO runs, when ClusterFacts tell.
	operator string
	// made are the objects that ASO has made in Azure.
	made map[string]bool
}

func newTale(t *testing.T, w world, xrs ...*unstr) *tale {
	s := &tale{t: t, w: w.With(xrs...), live: map[string]composertest.Live{}, made: map[string]bool{}}
	for _, xr := range xrs {
		s.xrs = append(s.xrs, name(xr))
		s.live[name(xr)] = composertest.Live{}
	}
	return s
}

func (s *tale) xr(n string) *unstr {
	at := slices.IndexFunc(s.w.Objects, func(o *unstr) bool { return name(o) == n })
	return s.w.Objects[at]
}

// compose runs the function for one composite, and checks what ASO may touch from now on.
func (s *tale) compose(n string) {
	s.t.Helper()
	xr, live := s.xr(n), s.live[n]
	around := s.w
	if s.operator != "" {
		around = s.w.WithFacts(cluster(), set(s.operator, "spec", "operatorNamespace"))
	}
	rsp := composers.Settle(s.t, around.Without(xr), request(s.t, xr, live.Objects()...))
	if f := fatal(rsp); f != "" {
		s.t.Fatal(f)
	}
	s.w = s.w.With(edited(xr, set(status(rsp), "status")))
	all := desired(s.t, rsp)
	for old := range live {
		if all[old] == nil {
			delete(live, old)
		}
	}
	for m, o := range all {
		wasFree := live[m] != nil && live.Object(m).GetAnnotations()[policy] != "skip"
		live.Apply(s.t, xr, m, o)
		if now := live.Object(m); now.GetAnnotations()[policy] != "skip" && !wasFree {
			s.check(now)
		}
	}
}

// check says that ASO may have the object now: all that it refers to is made.
func (s *tale) check(o *unstr) {
	s.t.Helper()
	for _, ref := range aso.References(o) {
		key := ref.GroupKind.String() + "/" + ref.Name
		if s.defined(key) && !s.made[key] {
			s.t.Fatalf("%s is released before %s is made", name(o), ref)
		}
	}
}

func (s *tale) defined(key string) bool {
	return slices.ContainsFunc(s.xrs, func(n string) bool {
		return slices.ContainsFunc(entries(s.xr(n)), func(e *unstr) bool { return name(e) == key })
	})
}

// aso has ASO look at an object, if it is its own. With the policy skip it finds nothing, or waits for the owner.
func (s *tale) aso(xr, n string) {
	live := s.live[xr]
	o := live.Object(n)
	if by := o.GetAnnotations()[operatorMark]; by != "" && by != s.operator {
		return
	}
	if o.GetAnnotations()[policy] == "skip" {
		live.Say(n, "False", "Warning", "AzureResourceNotFound", nil)
		return
	}
	s.made[n] = true
	azure := map[string]any{}
	if o.GetKind() == aso.ManagedCluster.Name {
		azure = dict("fqdn", "api.example.org", "currentKubernetesVersion", "1.33.6", "agentPoolProfiles", list(dict("name", "azurep0")))
	}
	live.Say(n, "True", "", "Succeeded", azure)
}

// step composes one composite or has ASO look at one object.
func (s *tale) step(r *rand.Rand) {
	s.t.Helper()
	n := s.xrs[r.IntN(len(s.xrs))]
	if objects := slices.Sorted(maps.Keys(s.live[n])); len(objects) > 0 && r.IntN(2) == 0 {
		s.aso(n, objects[r.IntN(len(objects))])
		return
	}
	s.compose(n)
}

// settle lets everybody act until nothing changes any more.
func (s *tale) settle() map[string]any {
	s.t.Helper()
	const most = 20
	before := map[string]any{}
	for range most {
		for _, n := range s.xrs {
			s.compose(n)
			for m := range s.live[n] {
				s.aso(n, m)
			}
		}
		now := s.summary()
		if cmp.Equal(before, now) {
			return now
		}
		before = now
	}
	s.t.Fatal("it does not settle")
	return nil
}

func (s *tale) summary() map[string]any {
	out := map[string]any{}
	for n, live := range s.live {
		for _, o := range live.Objects() {
			annotations := o.GetAnnotations()
			by := annotations[operatorMark]
			delete(annotations, operatorMark)
			if len(annotations) == 0 {
				annotations = nil
			}
			out[name(o)] = dict("spec", o.Object["spec"], "annotations", annotations, "operator is right", by == s.operator, "labels", o.GetLabels(), "ready", aso.StateOf(o).Ready)
		}
		out[n], _, _ = unstructured.NestedFieldNoCopy(s.xr(n).Object, "status", "resources")
	}
	return out
}

// TestEveryOrderEndsAlike has everybody act in any order. Nothing may reach Azure too early, and the end must be the same.
func TestEveryOrderEndsAlike(t *testing.T) {
	inSubnet := set(aksReference("VirtualNetworksSubnet", "subnet"), "spec", "vnetSubnetReference")
	net, subnet := owned(network, "VirtualNetwork", "net", "rg"), owned(network, "VirtualNetworksSubnet", "subnet", "net")
	hub := owned(network, "VirtualNetwork", "hub", "rg")
	peering := owned(network, "VirtualNetworksVirtualNetworkPeering", "peering", "net", set(aksReference("VirtualNetwork", "hub"), "spec", "remoteVirtualNetwork", "reference"))
	maintenance := owned(aks, "MaintenanceConfiguration", "default", "mc")
	asked := set(ref("AzureClusterIdentity", "id"), "spec", "identityRef")
	cases := map[string][]*unstr{
		"a group":            {infraXR(group("rg")), controlPlaneXR(aksCluster()), poolXR("p0", aksPool("p0"))},
		"networks":           {infraXR(subnet, net, group("rg")), controlPlaneXR(aksCluster(), maintenance), poolXR("p0", aksPool("p0", inSubnet))},
		"a peering":          {infraXR(group("rg"), peering, hub, net, subnet), controlPlaneXR(aksCluster()), poolXR("p0", aksPool("p0"), group("extra"))},
		"theirs":             {infraXR(net), controlPlaneXR(aksCluster()), poolXR("p0", aksPool("p0", inSubnet))},
		"a policy of theirs": {infraXR(group("rg"), edited(net, annotate(policy, "detach-on-delete"))), controlPlaneXR(aksCluster()), poolXR("p0", aksPool("p0"))},
		"with a credential": {infraXR(group("rg"), net), edited(controlPlaneXR(aksCluster()), asked, annotate("infrastructure.cluster.x-k8s.io/credential-secret", "c1-aso-secret")),
			poolXR("p0", aksPool("p0"))},
	}
	const orders, steps = 5, 60
	for title, xrs := range cases {
		t.Run(title, func(t *testing.T) {
			w := world{Objects: []*unstr{cluster(), machinePool("p0")}}
			want := newTale(t, w, xrs...).settle()
			for _, o := range want {
				if said, isObject := o.(map[string]any); isObject && len(said["annotations"].(map[string]string)) > 0 && title != "a policy of theirs" && title != "with a credential" {
					t.Errorf("annotations are left: %v", said["annotations"])
				}
			}
			for seed := range uint64(orders) {
				r := rand.New(rand.NewPCG(seed, 0)) // The same orders each time.
				s := newTale(t, w, xrs...)
				if seed%2 == 1 {
					s.operator = "aso"
				}
				for range steps {
					s.step(r)
				}
				if diff := cmp.Diff(want, s.settle()); diff != "" {
					t.Fatalf("order %d: -want, +got:\n%s", seed, diff)
				}
			}
		})
	}
}

// TestAllIsThereAtOnce shows that each object is in Kubernetes after its composite has been composed once. With what lies in nothing else, ASO
// looks at Azure meanwhile.
func TestAllIsThereAtOnce(t *testing.T) {
	net := owned(network, "VirtualNetwork", "net", "rg")
	xrs := []*unstr{infraXR(group("rg"), net), controlPlaneXR(aksCluster()), poolXR("p0", aksPool("p0"))}
	s := newTale(t, world{Objects: []*unstr{cluster(), machinePool("p0")}}, xrs...)
	for _, n := range s.xrs {
		s.compose(n)
	}
	got := map[string]bool{}
	for _, live := range s.live {
		for _, o := range live.Objects() {
			got[o.GetName()] = aso.Held(o)
		}
	}
	if diff := cmp.Diff(map[string]bool{"rg": false, "net": true, "mc": true, "p0": true}, got); diff != "" {
		t.Errorf("held: -want, +got:\n%s", diff)
	}
}
