package containerservice_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// TestAPIVersions checks that a property shows only in the versions that have it.
func TestAPIVersions(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	f.Make(armtest.CreateCluster)
	cases := map[string]map[string]bool{
		"2021-05-01":         {"kind": false, "eTag": false, "currentKubernetesVersion": false, "nodeProvisioningProfile": false, "enableFIPS": false},
		"2024-09-01":         {"kind": false, "eTag": false, "currentKubernetesVersion": true, "nodeProvisioningProfile": false, "enableFIPS": false},
		"2025-08-01":         {"kind": true, "eTag": false, "currentKubernetesVersion": true, "nodeProvisioningProfile": true, "enableFIPS": false},
		"2025-10-02-preview": {"kind": true, "eTag": true, "currentKubernetesVersion": true, "nodeProvisioningProfile": true, "enableFIPS": true},
	}
	for version, want := range cases {
		body := f.Get(armtest.Cluster + "?api-version=" + version)
		got := map[string]bool{}
		for name := range want {
			_, top := body[name]
			_, inner := fields.Child(body, "properties")[name]
			got[name] = top || inner
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", version, diff)
		}
	}
}

// TestExtensionVersion checks that an extension says which version is installed once it is: that asked for, else one that AKS chooses.
func TestExtensionVersion(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	f.Make(armtest.CreateCluster)
	extension := armtest.Cluster + "/providers/Microsoft.KubernetesConfiguration/extensions/flux"
	if w := f.Send(http.MethodPut, extension, `{"properties":{"extensionType":"microsoft.flux"}}`); w.Code != http.StatusCreated {
		t.Fatalf("PUT: %d %s", w.Code, w.Body)
	}
	if version := fields.Text(f.Get(extension), "properties", "currentVersion"); version != "" {
		t.Errorf("version %q before it is installed", version)
	}
	f.Clock.SetTime(f.Clock.Now().Add(armtest.Latency))
	if version := fields.Text(f.Get(extension), "properties", "currentVersion"); version == "" {
		t.Error("no version when it is installed")
	}
	f.Send(http.MethodPut, extension, `{"properties":{"extensionType":"microsoft.flux"}}`)
	if version := fields.Text(f.Get(extension), "properties", "currentVersion"); version == "" {
		t.Error("no version while the same is asked for again")
	}
	f.Clock.SetTime(f.Clock.Now().Add(armtest.Latency))
	f.Settle(http.MethodPut, extension, `{"properties":{"extensionType":"microsoft.flux","autoUpgradeMinorVersion":false,"version":"1.17.0"}}`)
	if version := fields.Text(f.Get(extension), "properties", "currentVersion"); version != "1.17.0" {
		t.Errorf("version %q, want 1.17.0", version)
	}
}
