package platform

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestVersionIsComparedWithWhatRuns shows that the Cluster's topology follows AKS's own upgrades, and that a version which AKS has
// refused is taken back.
func TestVersionIsComparedWithWhatRuns(t *testing.T) {
	for name, tc := range map[string]struct{ asked, had, runs, want string }{
		"as it is":                   {"1.33.6", "v1.33.6", "v1.33.6", "v1.33.6"},
		"an upgrade":                 {"1.34.3", "v1.33.6", "v1.33.6", "v1.34.3"},
		"refused by AKS, taken back": {"1.33.6", "v1.34.99", "v1.33.6", "v1.33.6"},
		"upgraded by AKS":            {"1.33.6", "v1.33.6", "v1.34.2", "v1.34.2"},
		"nothing runs":               {"1.33.6", "v1.34.99", "", "v1.33.6"},
		"left out, upgraded by AKS":  {"", "v1.33.6", "v1.34.2", "v1.34.2"},
	} {
		t.Run(name, func(t *testing.T) {
			xr := object(t, strings.Replace(xrText, "version: 1.33.6", "version: "+tc.asked, 1))
			if tc.asked == "" {
				unstructured.RemoveNestedField(xr, "spec", "version")
			}
			cluster := object(t, strings.Replace(clusterText, "version: v1.33.6", "version: "+tc.had, 1))
			controlPlane := object(t, `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedControlPlane, metadata: {name: shop, namespace: team-a}, status: {version: "`+tc.runs+`"}}`)
			rsp := composers.Settle(t, holding(object(t, classText), controlPlane), request(t, xr, object(t, policyText), cluster))
			if message := fatal(rsp); message != "" {
				t.Fatal(message)
			}
			got, _, _ := unstructured.NestedString(composed(rsp), "spec", "topology", "version")
			if got != tc.want {
				t.Errorf("topology.version is %s, want %s (%s)", got, tc.want, shownAs(rsp, conditionAccepted).GetMessage())
			}
		})
	}
}
