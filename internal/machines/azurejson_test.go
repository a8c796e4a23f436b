package machines

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// TestCloudProviderConfigOverrides takes over each limit under its own name.
func TestCloudProviderConfigOverrides(t *testing.T) {
	spec := v1beta1.AzureClusterSpec{}
	spec.AzureEnvironment, spec.ExtendedLocation = "AzureUSGovernmentCloud", &v1beta1.ExtendedLocationSpec{Name: "edge", Type: "EdgeZone"}
	names := []string{
		"defaultRateLimit", "routeRateLimit", "subnetsRateLimit", "interfaceRateLimit", "routeTableRateLimit", "loadBalancerRateLimit", "publicIPAddressRateLimit",
		"securityGroupRateLimit", "virtualMachineRateLimit", "storageAccountRateLimit", "diskRateLimit", "snapshotRateLimit",
		"virtualMachineScaleSetRateLimit", "virtualMachineSizesRateLimit", "availabilitySetRateLimit",
	}
	overrides := v1beta1.CloudProviderConfigOverrides{BackOffs: v1beta1.BackOffConfig{
		CloudProviderBackoff: true, CloudProviderBackoffRetries: 6, CloudProviderBackoffDuration: 5,
		CloudProviderBackoffExponent: ptr.To(resource.MustParse("1.5")), CloudProviderBackoffJitter: ptr.To(resource.MustParse("0.5")),
	}}
	for i, name := range names {
		overrides.RateLimits = append(overrides.RateLimits, v1beta1.RateLimitSpec{Name: name, Config: v1beta1.RateLimitConfig{
			CloudProviderRateLimit: true, CloudProviderRateLimitBucket: i + 1, CloudProviderRateLimitBucketWrite: i + 100,
			CloudProviderRateLimitQPS: ptr.To(resource.MustParse("2.5")), CloudProviderRateLimitQPSWrite: ptr.To(resource.MustParse("3")),
		}})
	}
	spec.CloudProviderConfigOverrides = &overrides
	content, err := json.Marshal(CloudProviderConfig(spec, "t", SignIn{}))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	if err := json.Unmarshal(content, &got); err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		in, _ := got[name].(map[string]any)
		if name == "defaultRateLimit" {
			in = got
		}
		want := map[string]any{
			"cloudProviderRateLimit": true, "cloudProviderRateLimitBucket": float64(i + 1), "cloudProviderRateLimitBucketWrite": float64(i + 100),
			"cloudProviderRateLimitQPS": 2.5, "cloudProviderRateLimitQPSWrite": 3.0,
		}
		for key, value := range want {
			if diff := cmp.Diff(value, in[key]); diff != "" {
				t.Errorf("%s of %s: -want, +got:\n%s", key, name, diff)
			}
		}
	}
	for key, value := range map[string]any{
		"cloud": "AzureUSGovernmentCloud", "extendedLocationName": "edge", "extendedLocationType": "EdgeZone", "cloudProviderBackoff": true,
		"cloudProviderBackoffRetries": 6.0, "cloudProviderBackoffDuration": 5.0, "cloudProviderBackoffExponent": 1.5, "cloudProviderBackoffJitter": 0.5,
	} {
		if diff := cmp.Diff(value, got[key]); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", key, diff)
		}
	}
}
