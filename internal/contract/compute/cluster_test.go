package compute

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

const (
	balancerID   = groupID + "/providers/Microsoft.Network/loadBalancers/my-cluster"
	balancerYAML = `
apiVersion: network.azure.com/v1api20240301
kind: LoadBalancer
metadata:
  name: my-cluster
  labels: {cluster.x-k8s.io/cluster-name: my-cluster}
  finalizers: [` + aso.RemovalFinalizer + `]
  annotations: {serviceoperator.azure.com/credential-from: my-cluster-aso-secret, serviceoperator.azure.com/resource-id: ` + balancerID + `}
spec:
  frontendIPConfigurations: [{name: a, publicIPAddress: {reference: {armId: /ip/a}}}, {name: b, publicIPAddress: {reference: {armId: /ip/b}}}]
  outboundRules: [{name: out}]
status: {frontendIPConfigurations: [{name: a}]}
`
)

// TestFrontends shows when addresses are added to a load balancer that others write, what is sent, and what is noted.
func TestFrontends(t *testing.T) {
	const (
		get, put = "GET " + balancerID, "PUT " + balancerID
		service  = `{"name":"service"}`
		noted    = `{"my-cluster":["a","b"]}`
	)
	azure := func(tag, state, frontends, rule string) anAnswer {
		return anAnswer{200, `{"etag":"e1","tags":{"` + tag + `":"owned"},"properties":{"provisioningState":"` + state + `","frontendIPConfigurations":[` + frontends + `],"outboundRules":[{"name":"out","properties":{"frontendIPConfigurations":[` + rule + `]}}]}}`}
	}
	const tag = "sigs.k8s.io_cluster-api-provider-azure_cluster_my-cluster"
	ruleOf := func(name string) string { return `{"id":"` + balancerID + `/frontendIPConfigurations/` + name + `"}` }
	before := azure(tag, "Succeeded", `{"name":"a"},`+service, ruleOf("a"))
	after := azure(tag, "Succeeded", `{"name":"a"},`+service+`,{"name":"B"}`, ruleOf("a")+`,`+ruleOf("b"))
	cases := map[string]struct {
		noted   string
		change  fixture.Change
		answers map[string][]anAnswer
		asked   []string
		sent    string
		want    string
		again   bool
	}{
		"it has them": {change: fixture.InStatus("frontendIPConfigurations", []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}})},
		"noted":       {noted: noted, want: noted},
		"one more": {
			answers: map[string][]anAnswer{get: {before}, put: {{200, "{}"}}}, asked: []string{get, put}, again: true,
			sent: `{"etag":"e1","properties":{"frontendIPConfigurations":[{"name":"a"},` + service + `,{"name":"b","properties":{"publicIPAddress":{"id":"/ip/b"}}}],` +
				`"outboundRules":[{"name":"out","properties":{"frontendIPConfigurations":[` + ruleOf("a") + `,` + ruleOf("b") + `]}}],"provisioningState":"Succeeded"},"tags":{"` + tag + `":"owned"}}`,
		},
		"it has been given one": {answers: map[string][]anAnswer{get: {after}}, asked: []string{get}, want: noted},
		"it is being changed":   {answers: map[string][]anAnswer{get: {azure(tag, "Updating", `{"name":"a"}`, ruleOf("a"))}}, asked: []string{get}, again: true},
		"somebody has written":  {answers: map[string][]anAnswer{get: {before}, put: {{412, `{"error":{"code":"PreconditionFailed","message":"x"}}`}}}, asked: []string{get, put}, again: true},
		"somebody else's":       {answers: map[string][]anAnswer{get: {azure("x", "Succeeded", `{"name":"a"}`, ruleOf("a"))}}, asked: []string{get}, want: noted},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			balancer := fixture.With(fixture.Parse(t, balancerYAML), fixture.Controlled(composite.AzureCluster.GroupVersionKind, "my-cluster"))
			if c.change != nil {
				c.change(balancer)
			}
			xr := fixture.With(fixture.Parse(t, azureClusterYAML), fixture.OfCluster, func(o *unstructured.Unstructured) {
				o.Object["spec"].(map[string]any)["crossplane"] = map[string]any{"resourceRefs": []any{
					map[string]any{"apiVersion": "network.azure.com/v1api20240301", "kind": "LoadBalancer", "name": "my-cluster"},
				}}
				if c.noted != "" {
					aso.Annotate(o, v1alpha1.AnnotationAddedFrontends, c.noted)
				}
				aso.Annotate(o, v1alpha1.AnnotationAppliedTags, `{"resource":"LoadBalancer my-cluster","tags":{}}`)
			})
			s := newScene(t, c.answers, cluster(), xr, balancer, credentialSecret())
			result, err := (&Cluster{API: s.API(), Azure: s.own}).Reconcile(t.Context(), s.Scope(composite.AzureCluster, "my-cluster"))
			if err != nil || (result.RequeueAfter > 0) != c.again {
				t.Errorf("looks again after %s, %v", result.RequeueAfter, err)
			}
			if diff := cmp.Diff(c.asked, s.azure.take()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if c.sent != "" && s.azure.bodies[put] != c.sent {
				t.Errorf("sent %s\nwant %s", s.azure.bodies[put], c.sent)
			}
			if got := s.Find(composite.AzureCluster.GroupVersionKind, "my-cluster").GetAnnotations()[v1alpha1.AnnotationAddedFrontends]; got != c.want {
				t.Errorf("noted %s, want %s", got, c.want)
			}
		})
	}
}
