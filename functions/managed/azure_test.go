package managed

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

const (
	policy    = "serviceoperator.azure.com/reconcile-policy"
	heldMark  = "infrastructure.cluster.x-k8s.io/held"
	ownership = "infrastructure.cluster.x-k8s.io/ownership"
	tagC1     = "sigs.k8s.io_cluster-api-provider-azure_cluster_c1"
)

// A play has one composite resource with Crossplane, ASO and Azure around it, each as far as the composer can tell.
type play struct {
	t     testing.TB
	world world
	xr    *unstr
	// live are the composed objects by composition resource name.
	live composertest.Live
	// azure has the tags of what is in Azure, by kind and Azure name.
	azure map[string]map[string]any
	// joined has a membership that is found in Azure be that of the cluster.
	joined bool
	// byFacts compares each answer with the one by ClusterFacts.
	byFacts bool
	// did is what ASO did in Azure, in order.
	did []string
	// refusals counts what AKS has refused, so that each answer has a time of its own.
	refusals int
	rsp      *fnv1.RunFunctionResponse
}

func newPlay(t testing.TB, w world, xr *unstr, inAzure ...string) *play {
	p := &play{t: t, world: w, xr: xr, live: composertest.Live{}, azure: map[string]map[string]any{}}
	for _, resource := range inAzure {
		p.azure[resource] = map[string]any{"somebody": "else"}
	}
	return p
}

// observed returns the composed objects as the API server has them.
func (p *play) observed() []*unstr { return p.live.Objects() }

func (p *play) object(name string) *unstr { return p.live.Object(name) }

// compose runs the function once and does with its answer what Crossplane does.
func (p *play) compose() {
	p.t.Helper()
	settle := composers.SettleByObjects
	if p.byFacts {
		settle = composers.Settle
	}
	p.rsp = settle(p.t, p.world, request(p.t, p.xr, p.observed()...))
	if message := fatal(p.rsp); message != "" {
		return
	}
	p.xr = edited(p.xr, set(status(p.rsp), "status"))
	desired := composertest.Desired(p.t, p.rsp)
	for n := range p.live {
		if desired[n] == nil {
			p.delete(n)
		}
	}
	for n, o := range desired {
		p.live.Apply(p.t, p.xr, n, o)
	}
}

func (p *play) delete(n string) {
	o := p.object(n)
	delete(p.live, n)
	if o.GetAnnotations()[policy] == "skip" {
		return
	}
	p.did = append(p.did, "delete "+inAzure(o))
	delete(p.azure, inAzure(o))
}

// inAzure is how an object's resource is called in the play's Azure.
func inAzure(o *unstr) string {
	azureName, _, _ := unstructured.NestedString(o.Object, "spec", "azureName")
	return o.GetKind() + " " + azureName
}

// aso has ASO look at every object once, as it would one after another.
func (p *play) aso() {
	for _, n := range slices.Sorted(maps.Keys(p.live)) {
		p.reconcile(n)
	}
}

func (p *play) reconcile(n string) {
	o := p.object(n)
	key := inAzure(o)
	_, there := p.azure[key]
	switch {
	case o.GetAnnotations()[policy] == "skip" && !there:
		p.say(n, "False", "AzureResourceNotFound", nil)
		return
	case o.GetAnnotations()[policy] == "skip":
	case !there && o.GetKind() == "ManagedCluster" && !hasProfiles(o):
		p.refuse(n)
		return
	case !there:
		p.did = append(p.did, "create "+key)
		fallthrough
	default:
		tags, _, _ := unstructured.NestedMap(o.Object, "spec", "tags")
		p.azure[key] = tags
	}
	p.say(n, "True", "Succeeded", o)
}

// hasProfiles reports whether a ManagedCluster is sent with its pools.
func hasProfiles(o *unstr) bool { return len(profilesOf(o)) > 0 }

func profilesOf(o *unstr) []any {
	profiles, _, _ := unstructured.NestedSlice(o.Object, "spec", "agentPoolProfiles")
	return profiles
}

func nestedString(o *unstr, path ...string) (string, bool, error) {
	return unstructured.NestedString(o.Object, path...)
}

// refuse has AKS refuse to make a cluster that no pools are sent with. ASO's status is what it was else.
func (p *play) refuse(n string) {
	status := maps.Clone(p.live[n].Status)
	p.refusals++
	status["conditions"] = []any{map[string]any{"type": "Ready", "status": "False", "severity": "Warning", "reason": "InvalidParameter",
		"message": "Required parameter agentPoolProfiles is missing (null).", "observedGeneration": p.live[n].Generation,
		"lastTransitionTime": fmt.Sprintf("2026-01-02T04:00:%02dZ", p.refusals)}}
	p.live[n].Status = status
}

// say writes ASO's status.
func (p *play) say(n, ready, reason string, o *unstr) {
	severity := ""
	if ready == "False" {
		severity = "Warning"
	}
	status := map[string]any{}
	if o == nil && p.live[n].Status != nil {
		status = maps.Clone(p.live[n].Status) // Of what is not there ASO's status has what was there last.
		delete(status, "conditions")
	}
	if o != nil {
		status["id"] = "/subscriptions/sub/of/" + inAzure(o)
		if tags := p.azure[inAzure(o)]; len(tags) > 0 {
			status["tags"] = tags
		}
		maps.Copy(status, statusOf(o))
		if o.GetKind() == "FleetsMember" && p.joined {
			status["clusterResourceId"] = "/SUBSCRIPTIONS/sub/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/cp"
		}
	}
	p.live.Say(n, ready, severity, reason, status)
}

// statusOf is what Azure says of an AKS cluster or a pool beside.
func statusOf(o *unstr) map[string]any {
	switch o.GetKind() {
	case "ManagedCluster":
		version, _, _ := unstructured.NestedString(o.Object, "spec", "kubernetesVersion")
		return map[string]any{"fqdn": "api.example.org", "privateFQDN": "private.example.org", "currentKubernetesVersion": version,
			"agentPoolProfiles": []any{map[string]any{"name": "p0", "vnetSubnetID": "/some/subnet"}}}
	case "ManagedClustersAgentPool":
		count, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "count")
		return map[string]any{"count": count}
	}
	return nil
}

// rounds lets Crossplane and ASO take turns.
func (p *play) rounds(n int) *play {
	p.t.Helper()
	for range n {
		p.compose()
		p.aso()
	}
	p.compose()
	return p
}

// whose returns, for each composed object, its policy, or that it is held, and its annotation.
func (p *play) whose() map[string]string {
	out := map[string]string{}
	for _, o := range p.observed() {
		is := o.GetAnnotations()[policy]
		if o.GetAnnotations()[heldMark] != "" {
			is = "held, " + is
		}
		out[o.GetKind()] = is + "/" + o.GetAnnotations()[ownership]
	}
	return out
}
