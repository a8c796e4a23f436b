package preview

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestDefaults(t *testing.T) {
	const kind = "apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: "
	cases := map[string]struct{ given, want string }{
		"absent and given fields": {
			kind + "AzureManagedControlPlane\nspec: {networkPlugin: kubenet}",
			kind + "AzureManagedControlPlane\nspec: {networkPlugin: kubenet, loadBalancerSKU: Standard, sku: {tier: Free}, enablePreviewFeatures: false}",
		},
		"within objects that are there": {
			kind + "AzureManagedControlPlane\nspec: {networkPlugin: azure, loadBalancerSKU: Basic, sku: {tier: Paid}, oidcIssuerProfile: {}, enablePreviewFeatures: true, securityProfile: {azureKeyVaultKms: {enabled: true}}}",
			kind + "AzureManagedControlPlane\nspec: {networkPlugin: azure, loadBalancerSKU: Basic, sku: {tier: Paid}, oidcIssuerProfile: {enabled: false}, enablePreviewFeatures: true, securityProfile: {azureKeyVaultKms: {enabled: true, keyVaultNetworkAccess: Public}}}",
		},
		"within items": {
			kind + "AzureManagedControlPlane\nspec: {networkPlugin: azure, loadBalancerSKU: Basic, sku: {tier: Free}, oidcIssuerProfile: {enabled: true}, enablePreviewFeatures: true, extensions: [{name: a}, {name: b, autoUpgradeMinorVersion: false}]}",
			kind + "AzureManagedControlPlane\nspec: {networkPlugin: azure, loadBalancerSKU: Basic, sku: {tier: Free}, oidcIssuerProfile: {enabled: true}, enablePreviewFeatures: true, extensions: [{name: a, autoUpgradeMinorVersion: true}, {name: b, autoUpgradeMinorVersion: false}]}",
		},
		"a kind without": {kind + "AzureASOManagedCluster\nspec: {}", kind + "AzureASOManagedCluster\nspec: {}"},
		"no spec":        {kind + "AzureManagedControlPlane", kind + "AzureManagedControlPlane"},
		"another kind":   {"apiVersion: v1\nkind: Secret", "apiVersion: v1\nkind: Secret"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, want := parsed(t, c.given), parsed(t, c.want)
			if err := setDefaults(got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Object, got.Object); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}
