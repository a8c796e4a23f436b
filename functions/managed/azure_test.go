package managed

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

const (
	policy    = "serviceoperator.azure.com/reconcile-policy"
	heldMark  = "infrastructure.cluster.x-k8s.io/held"
	ownership = "infrastructure.cluster.x-k8s.io/ownership"
	tagC1     = "sigs.k8s.io_cluster-api-provider-azure_cluster_c1"
)

// A play has one composite resource with Crossplane, ASO and AKS around it, each as far as the composer can tell.
type play struct {
	*composertest.Play
	// joined has a membership that is found in Azure be that of the cluster.
	joined bool
	// refusals counts what AKS has refused, so that each answer has a time of its own.
	refusals int
}

func newPlay(t testing.TB, w world, xr *unstr, inAzure ...string) *play {
	return &play{Play: composertest.NewPlay(t, composers, w, xr, inAzure...)}
}

// aso has ASO look at every object once, as it would one after another.
func (p *play) aso() {
	for _, n := range slices.Sorted(maps.Keys(p.Live)) {
		p.reconcile(n)
	}
}

func (p *play) reconcile(n string) {
	o := p.Live.Object(n)
	key := composertest.InAzure(o)
	_, there := p.Azure[key]
	switch {
	case o.GetAnnotations()[policy] == "skip" && !there:
		p.say(n, "False", "AzureResourceNotFound", nil)
		return
	case o.GetAnnotations()[policy] == "skip":
	case !there && o.GetKind() == "ManagedCluster" && !hasProfiles(o):
		p.refuse(n)
		return
	case !there:
		p.Did = append(p.Did, "create "+key)
		fallthrough
	default:
		tags, _, _ := unstructured.NestedMap(o.Object, "spec", "tags")
		p.Azure[key] = tags
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
	status := maps.Clone(p.Live[n].Status)
	p.refusals++
	status["conditions"] = []any{map[string]any{"type": "Ready", "status": "False", "severity": "Warning", "reason": "InvalidParameter",
		"message": "Required parameter agentPoolProfiles is missing (null).", "observedGeneration": p.Live[n].Generation,
		"lastTransitionTime": fmt.Sprintf("2026-01-02T04:00:%02dZ", p.refusals)}}
	p.Live[n].Status = status
}

// say writes ASO's status.
func (p *play) say(n, ready, reason string, o *unstr) {
	severity := ""
	if ready == "False" {
		severity = "Warning"
	}
	status := map[string]any{}
	if o == nil && p.Live[n].Status != nil {
		status = maps.Clone(p.Live[n].Status) // Of what is not there ASO's status has what was there last.
		delete(status, "conditions")
	}
	if o != nil {
		status["id"] = "/subscriptions/sub/of/" + composertest.InAzure(o)
		if tags := p.Azure[composertest.InAzure(o)]; len(tags) > 0 {
			status["tags"] = tags
		}
		maps.Copy(status, statusOf(o))
		if o.GetKind() == "FleetsMember" && p.joined {
			status["clusterResourceId"] = "/SUBSCRIPTIONS/sub/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/cp"
		}
	}
	p.Live.Say(n, ready, severity, reason, status)
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
	p.T.Helper()
	for range n {
		p.Compose()
		p.aso()
	}
	p.Compose()
	return p
}

// whose returns, for each composed object, its policy, or that it is held, and its annotation.
func (p *play) whose() map[string]string {
	out := map[string]string{}
	for _, o := range p.Live.Objects() {
		is := o.GetAnnotations()[policy]
		if o.GetAnnotations()[heldMark] != "" {
			is = "held, " + is
		}
		out[o.GetKind()] = is + "/" + o.GetAnnotations()[ownership]
	}
	return out
}
