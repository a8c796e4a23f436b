package managed

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/functions/managed/aks"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// TestTakenOut takes fields out of a control plane, and looks at what the ManagedCluster has then, and in all rounds after that.
func TestTakenOut(t *testing.T) {
	const managed = "ManagedCluster.containerservice.azure.com/cp"
	access := []string{"apiServerAccessProfile", "authorizedIPRanges"}
	balancer := func(field string) []string { return []string{"networkProfile", "loadBalancerProfile", field} }
	spec := func(text string) edit {
		return func(o *unstr) {
			maps.Copy(o.Object["spec"].(map[string]any), object(t, "{apiVersion: v1, kind: X, %s}", text).Object)
			delete(o.Object["spec"].(map[string]any), "apiVersion")
			delete(o.Object["spec"].(map[string]any), "kind")
		}
	}
	without := func(field string) edit {
		return func(o *unstr) { unstructured.RemoveNestedField(o.Object, "spec", field) }
	}
	for name, c := range map[string]struct {
		before, after edit
		path          []string
		want          any
	}{
		"ranges":                    {spec("apiServerAccessProfile: {authorizedIPRanges: [10.0.0.0/8]}"), without("apiServerAccessProfile"), access, []any{"0.0.0.0/0"}},
		"ranges, the profile left":  {spec("apiServerAccessProfile: {authorizedIPRanges: [10.0.0.0/8]}"), spec("apiServerAccessProfile: {}"), access, []any{"0.0.0.0/0"}},
		"ranges, an empty list":     {spec("apiServerAccessProfile: {authorizedIPRanges: [10.0.0.0/8]}"), spec("apiServerAccessProfile: {authorizedIPRanges: []}"), access, []any{"0.0.0.0/0"}},
		"other ranges":              {spec("apiServerAccessProfile: {authorizedIPRanges: [10.0.0.0/8]}"), spec("apiServerAccessProfile: {authorizedIPRanges: [11.0.0.0/8]}"), access, []any{"11.0.0.0/8"}},
		"never ranges":              {spec("location: westeurope"), spec("additionalTags: {a: b}"), access, nil},
		"ranges of a patch":         {spec(`asoManagedClusterPatches: ["spec: {apiServerAccessProfile: {authorizedIPRanges: [10.0.0.0/8]}}"]`), without("asoManagedClusterPatches"), access, []any{"0.0.0.0/0"}},
		"scan interval":             {spec("autoscalerProfile: {scanInterval: 20s}"), without("autoscalerProfile"), []string{"autoScalerProfile", "scan-interval"}, "10s"},
		"all of the autoscaler":     {spec("autoscalerProfile: {scanInterval: 20s}"), without("autoscalerProfile"), []string{"autoScalerProfile", "expander"}, "random"},
		"own addresses":             {spec("loadBalancerProfile: {outboundIPs: [/a]}"), without("loadBalancerProfile"), balancer("managedOutboundIPs"), map[string]any{"count": 1.0}},
		"own addresses are gone":    {spec("loadBalancerProfile: {outboundIPs: [/a]}"), without("loadBalancerProfile"), balancer("outboundIPs"), nil},
		"addresses of another sort": {spec("loadBalancerProfile: {managedOutboundIPs: 3}"), spec("loadBalancerProfile: {outboundIPPrefixes: [/a]}"), balancer("managedOutboundIPs"), nil},
		"ports":                     {spec("loadBalancerProfile: {allocatedOutboundPorts: 8}"), without("loadBalancerProfile"), balancer("allocatedOutboundPorts"), 0.0},
		"timeout":                   {spec("loadBalancerProfile: {idleTimeoutInMinutes: 8, managedOutboundIPs: 2}"), spec("loadBalancerProfile: {managedOutboundIPs: 2}"), balancer("idleTimeoutInMinutes"), 30.0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t, aksWorld(t), controlPlane(t, c.before))
			p.rounds(8)
			p.XR = edited(p.XR, c.after)
			for round := range 4 {
				p.rounds(1)
				got, _, err := unstructured.NestedFieldNoCopy(p.Live.Object(managed).Object, append([]string{"spec"}, c.path...)...)
				must(t, err)
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Fatalf("round %d: -want, +got:\n%s", round, diff)
				}
			}
		})
	}
}

// TestNotOursToTakeOut shows that what somebody else has written into the ManagedCluster stays.
func TestNotOursToTakeOut(t *testing.T) {
	const managed = "ManagedCluster.containerservice.azure.com/cp"
	p := newPlay(t, aksWorld(t), controlPlane(t))
	p.rounds(8)
	observed := p.Live.Object(managed).DeepCopy()
	must(t, unstructured.SetNestedStringSlice(observed.Object, []string{"10.0.0.0/8"}, "spec", "apiServerAccessProfile", "authorizedIPRanges"))
	desired := &plan.Resource{Object: &unstr{Object: map[string]any{"apiVersion": observed.GetAPIVersion(), "kind": observed.GetKind(), "spec": map[string]any{}}}}
	aks.ResetTakenOut(desired, observed)
	if left := desired.Object.Object["spec"].(map[string]any); len(left) > 0 {
		t.Errorf("reset: %v", left)
	}
}
