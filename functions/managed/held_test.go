package managed

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// liesIn has the kinds that spec.owner of each kind means, and refersTo those that each refers to besides, as they are written in Azure's
// documentation: what is tested knows neither.
var (
	liesIn = map[string]string{
		"VirtualNetwork": "ResourceGroup", "VirtualNetworksSubnet": "VirtualNetwork", "ManagedCluster": "ResourceGroup", "PrivateEndpoint": "ResourceGroup",
	}
	refersTo = map[string]string{
		"ManagedCluster": "VirtualNetworksSubnet", "PrivateEndpoint": "VirtualNetworksSubnet", "FleetsMember": "ManagedCluster", "Extension": "ManagedCluster",
	}
)

// needs returns the names of the objects among all that must be ready before o is sent to Azure.
func needs(o *unstr, all []*unstr) []string {
	owner, _, _ := unstructured.NestedString(o.Object, "spec", "owner", "name")
	var names []string
	for _, other := range all {
		if other.GetKind() == liesIn[o.GetKind()] && other.GetName() == owner || other.GetKind() == refersTo[o.GetKind()] {
			names = append(names, name(other))
		}
	}
	return names
}

// released returns what is wrong with the objects that ASO may touch in Azure from now on, and might not before: all that
// they refer to must be ready.
func released(before, after []*unstr) []string {
	free := func(o *unstr) bool { return o.GetAnnotations()[policy] != "skip" }
	ready := map[string]bool{}
	wasFree := map[string]bool{}
	for _, o := range before {
		ready[name(o)], wasFree[name(o)] = aso.StateOf(o).Ready, free(o)
	}
	var wrong []string
	for _, o := range after {
		if !free(o) || wasFree[name(o)] {
			continue
		}
		for _, needed := range needs(o, after) {
			if !ready[needed] {
				wrong = append(wrong, fmt.Sprintf("%s is released before %s is ready", name(o), needed))
			}
		}
		if aso.Held(o) {
			wrong = append(wrong, name(o)+" is held and has no policy")
		}
	}
	return wrong
}

// TestEveryOrderEndsAlike has ASO get to one object after another in any order. Nothing may reach Azure too early, and the
// end must be the same.
func TestEveryOrderEndsAlike(t *testing.T) {
	elsewhere := set("networks", "spec", "virtualNetwork", "resourceGroup")
	cases := map[string]struct {
		xr      *unstr
		inAzure []string
	}{
		"new":                        {xr: controlPlane(t)},
		"new, with attachments":      {xr: controlPlane(t, attachments)},
		"two groups":                 {xr: controlPlane(t, attachments, elsewhere)},
		"the network's group is":     {xr: controlPlane(t, elsewhere), inAzure: []string{"ResourceGroup networks"}},
		"the group is":               {xr: controlPlane(t, attachments), inAzure: []string{"ResourceGroup rg"}},
		"the network is":             {xr: controlPlane(t, attachments), inAzure: []string{"ResourceGroup rg", "VirtualNetwork net"}},
		"the cluster is":             {xr: controlPlane(t, attachments), inAzure: []string{"ResourceGroup rg", "ManagedCluster cp"}},
		"a network of the same name": {xr: controlPlane(t, attachments, elsewhere), inAzure: []string{"ResourceGroup networks", "VirtualNetwork net", "VirtualNetworksSubnet nodes"}},
	}
	const orders, steps = 1, 30
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			want := newPlay(t, aksWorld(t), c.xr, c.inAzure...).rounds(12)
			for seed := range uint64(orders) {
				r := rand.New(rand.NewPCG(seed, 0)) // The same orders each time.
				p := newPlay(t, aksWorld(t), c.xr, c.inAzure...)
				for range steps {
					before := p.Live.Objects()
					p.Compose()
					if wrong := released(before, p.Live.Objects()); len(wrong) > 0 {
						t.Fatalf("order %d: %v", seed, wrong)
					}
					names := slices.Sorted(maps.Keys(p.Live))
					p.reconcile(names[r.IntN(len(names))])
				}
				p.rounds(12)
				if diff := cmp.Diff(summary(want), summary(p)); diff != "" {
					t.Fatalf("order %d: -want, +got:\n%s", seed, diff)
				}
				slices.Sort(p.Did)
				if diff := cmp.Diff(slices.Sorted(slices.Values(want.Did)), p.Did); diff != "" {
					t.Fatalf("order %d: what ASO did in Azure: -want, +got:\n%s", seed, diff)
				}
			}
		})
	}
}

// summary returns what users and ASO see of each object at the end.
func summary(p *play) map[string]any {
	out := map[string]any{}
	for _, o := range p.Live.Objects() {
		out[name(o)] = map[string]any{"spec": o.Object["spec"], "annotations": o.GetAnnotations(), "labels": o.GetLabels()}
	}
	return out
}

// TestNothingIsLeftOfHolding shows that in the end no object tells of how it came about.
func TestNothingIsLeftOfHolding(t *testing.T) {
	p := newPlay(t, aksWorld(t), controlPlane(t, attachments)).rounds(12)
	for _, o := range p.Live.Objects() {
		for annotation := range o.GetAnnotations() {
			if annotation != ownership && annotation != aso.AnnotationCredentialFrom {
				t.Errorf("%s has annotation %s", name(o), annotation)
			}
		}
	}
}

// TestWhileHeld shows what may happen to a cluster whose objects are held. All but the group are.
func TestWhileHeld(t *testing.T) {
	pausedAnnotation := "cluster.x-k8s.io/paused"
	made := []string{"create ResourceGroup rg", "create VirtualNetwork net", "create VirtualNetworksSubnet nodes", "create ManagedCluster cp"}
	cases := map[string]struct {
		do  func(p *play)
		did []string
		// not are kinds and names that must have gone from Kubernetes.
		not []string
	}{
		"nothing": {do: func(*play) {}, did: made},
		"paused": {do: func(p *play) {
			p.XR = edited(p.XR, annotate(pausedAnnotation, ""))
			p.rounds(4)
			for _, o := range p.Live.Objects() {
				if o.GetAnnotations()[policy] != "skip" {
					t.Errorf("paused, but %s has no policy", name(o))
				}
			}
			if len(p.Did) > 0 {
				t.Errorf("paused, but ASO did %v", p.Did)
			}
			p.XR = edited(p.XR, remove("metadata", "annotations", pausedAnnotation))
		}, did: made},
		"another network": {do: func(p *play) { p.XR = edited(p.XR, set("other", "spec", "virtualNetwork", "name")) },
			did: []string{"create ResourceGroup rg", "create VirtualNetwork other", "create VirtualNetworksSubnet nodes", "create ManagedCluster cp"},
			not: []string{"VirtualNetwork.network.azure.com/net"}},
		"a mistake, fixed": {do: func(p *play) {
			p.XR = edited(p.XR, set([]any{"{"}, "spec", "asoManagedClusterPatches"))
			p.rounds(6)
			if slices.Contains(p.Did, "create ManagedCluster cp") {
				t.Error("made with a mistake")
			}
			p.XR = edited(p.XR, remove("spec", "asoManagedClusterPatches"))
		}, did: made},
		"the credential is lost, and comes back": {do: func(p *play) {
			p.XR = edited(p.XR, annotate("infrastructure.cluster.x-k8s.io/credential-failed", "IdentityNotAllowed: not here"))
			p.rounds(6)
			if want := []string{"create ResourceGroup rg"}; !slices.Equal(want, p.Did) {
				t.Errorf("without a credential: want %v, got %v", want, p.Did)
			}
			p.XR = edited(p.XR, remove("metadata", "annotations", "infrastructure.cluster.x-k8s.io/credential-failed"))
		}, did: made},
		"a ManagedCluster of the user's own": {do: func(p *play) {
			p.World = p.World.With(object(t, usedCluster, "theirs"))
			p.XR = edited(p.XR, annotate(managedClusterAnnotation, "theirs"))
		}, did: made[:1], not: []string{"ManagedCluster.containerservice.azure.com/cp", "VirtualNetwork.network.azure.com/net"}},
		"the API server forgets who owns the fields": {do: func(p *play) {
			for n := range p.Live {
				p.Live.Edit(t, n, func(o *unstr) { o.SetManagedFields(nil) })
			}
		}, did: made},
		"somebody takes the policy away": {do: func(p *play) {
			for n := range p.Live {
				p.Live.Edit(t, n, remove("metadata", "annotations", policy))
			}
		}, did: made},
		"somebody takes all annotations away": {do: func(p *play) {
			for n := range p.Live {
				p.Live.Edit(t, n, remove("metadata", "annotations"))
			}
		}, did: made},
		"ASO finds it all ready": {do: func(p *play) {
			for n := range p.Live {
				p.Live.Say(n, "True", "", "Succeeded", statusOf(p.Live.Object(n)))
			}
			p.Compose()
			if got := condition(p.Response, "Available"); strings.HasPrefix(got, "True") {
				t.Errorf("available on the word of what is held: %s", got)
			}
		}, did: made},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			p := newPlay(t, aksWorld(t), controlPlane(t)).rounds(1)
			if got := p.whose()["ManagedCluster"]; got != "held, skip/owned" {
				t.Fatalf("ManagedCluster: %s", got)
			}
			c.do(p)
			p.rounds(10)
			if diff := cmp.Diff(c.did, p.Did); diff != "" {
				t.Errorf("what ASO did in Azure: -want, +got:\n%s", diff)
			}
			for _, o := range p.Live.Objects() {
				if slices.Contains(c.not, name(o)) || o.GetAnnotations()[heldMark] != "" {
					t.Errorf("%s is there, held: %q", name(o), o.GetAnnotations()[heldMark])
				}
			}
		})
	}
}

// TestWhatIsAddedLaterIsLookedFor shows that somebody else may have put something into a group once it had been made.
func TestWhatIsAddedLaterIsLookedFor(t *testing.T) {
	p := newPlay(t, aksWorld(t), controlPlane(t), "PrivateEndpoint pe").rounds(8)
	p.XR = edited(p.XR, attachments)
	p.rounds(6)
	if got := p.whose()["PrivateEndpoint"]; got != "skip/external" {
		t.Errorf("PrivateEndpoint: %s", got)
	}
}

// TestPoolsAreHeld shows when the object of a pool is there: once it is known that its cluster is the Cluster's own.
func TestPoolsAreHeld(t *testing.T) {
	saying := func(ownership string, ready bool) *unstr {
		return controlPlane(t, set("v1.33.6", "status", "version"), set([]any{map[string]any{"ready": ready, "ownership": ownership, "resource": map[string]any{
			"group": "containerservice.azure.com", "version": "v1api20250801", "kind": "ManagedCluster", "name": "cp"}}}, "status", "resources"))
	}
	const waits = "False WaitingForResource: ManagedClustersAgentPool p0: waits until the ManagedCluster of AzureManagedControlPlane cp is ready"
	cases := map[string]struct {
		cp    *unstr
		whose string // "" when it is not there
		says  string
	}{
		"nothing is known":         {controlPlane(t), "", waits},
		"Azure is asked":           {saying("undecided", false), "", waits},
		"owned, being made":        {saying("owned", false), "held, skip/", waits},
		"owned, made":              {saying("owned", true), "held, skip/", "False Creating: ManagedClustersAgentPool p0: is being created"},
		"external, being upgraded": {saying("external", false), "skip/undecided", "False Creating: ManagedClustersAgentPool p0: is being created"},
		"owned, at another version": {edited(saying("owned", true), set("v1.33.0", "status", "version")), "held, skip/",
			"False WaitingForResource: ManagedClustersAgentPool p0: waits until AzureManagedControlPlane cp runs Kubernetes v1.33.6 (it runs v1.33.0)"},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			p := newPlay(t, aksWorld(t, c.cp), poolXR(t, "p0", "System"))
			p.Compose()
			if got := p.whose()["ManagedClustersAgentPool"]; got != c.whose {
				t.Errorf("want %q, got %q", c.whose, got)
			}
			if got := condition(p.Response, "ResourcesReady"); got != c.says {
				t.Errorf("want %s\ngot %s", c.says, got)
			}
			p.World = aksWorld(t, saying("owned", true))
			p.rounds(3)
			if got := condition(p.Response, "ResourcesReady"); got != "True AllReady:" || p.whose()["ManagedClustersAgentPool"] == "held, skip/" {
				t.Errorf("in the end: %s, %s", got, p.whose())
			}
		})
	}
}

// TestAHeldPoolOfAClusterThatIsNot shows that a pool is not made unseen in a cluster that turns out to be another's.
func TestAHeldPoolOfAClusterThatIsNot(t *testing.T) {
	saying := func(ownership string, ready bool) *unstr {
		return controlPlane(t, set([]any{map[string]any{"ready": ready, "ownership": ownership, "resource": map[string]any{
			"group": "containerservice.azure.com", "version": "v1api20250801", "kind": "ManagedCluster", "name": "cp"}}}, "status", "resources"))
	}
	p := newPlay(t, aksWorld(t, saying("owned", false)), poolXR(t, "p0", "System"), "ManagedClustersAgentPool p0").rounds(2)
	p.World = aksWorld(t, saying("external", true))
	p.rounds(4)
	if got := p.whose()["ManagedClustersAgentPool"]; got != "skip/external" || len(p.Did) > 0 {
		t.Errorf("got %s, ASO did %v", got, p.Did)
	}
}
