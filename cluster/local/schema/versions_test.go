package schema

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// versionCases are changes of spec.version, which is compared with what Azure runs. A change without want is taken.
type versionCases struct {
	// minimal is the rest of spec.
	minimal string
	// before is what spec has, status what Azure runs, as YAML.
	before, status string
	// want has the answer to each version; that of none is the version taken away.
	want map[string]string
}

// TestVersions changes the version of each kind that has one.
func TestVersions(t *testing.T) {
	older := func(asked, runs string) string {
		return "spec.version: Invalid value: " + asked + " is older than " + runs + ", which Azure runs, and Kubernetes cannot be downgraded"
	}
	const runs = "{version: v1.33.6}"
	typed, inline := minimal[controlPlane], "{}"
	cases := map[string]map[string]versionCases{
		controlPlane: {
			"in an upgrade, or after Azure's refusal": {typed, "v1.35.1", runs, map[string]string{
				"v1.34.3": "", "v1.33.6": "", "1.33.6": "", "v1.33.10": "", "v1.36.0": "", "v1.33.7-rc.1": "",
				"v1.33.5": older("v1.33.5", "v1.33.6"), "v1.32.10": older("v1.32.10", "v1.33.6"), "v1.33.6-rc.1": older("v1.33.6-rc.1", "v1.33.6"),
			}},
			"upgraded by AKS": {typed, "v1.33.4", "{version: v1.34.2, autoUpgradeVersion: v1.34.2}", map[string]string{
				"v1.33.4": "", "v1.34.2": "", "v1.34.10": "", "v1.35.0": "", "v1.34.1": older("v1.34.1", "v1.34.2"),
			}},
			"upgraded by AKS, as CAPZ has noted it": {typed, "v1.33.4", "{autoUpgradeVersion: v1.34.2}", map[string]string{
				"v1.33.4": "", "v1.34.2": "",
				"v1.34.1": "spec.version: Invalid value: v1.34.1 is older than v1.34.2, to which AKS has upgraded the cluster, and Kubernetes cannot be downgraded",
			}},
			"nothing runs":   {typed, "v1.34.99", "{}", map[string]string{"v1.33.6": "", "v1.35.0": ""}},
			"runs a preview": {typed, "v1.34.0", "{version: v1.33.6-rc.1}", map[string]string{"v1.33.6": "", "v1.33.6-rc.2": "", "v1.33.5": older("v1.33.5", "v1.33.6-rc.1")}},
		},
		"AzureASOManagedControlPlane": {
			"in an upgrade, or after Azure's refusal": {inline, "v1.35.1", runs, map[string]string{
				"v1.34.3": "", "v1.33.6": "", "1.33.6": "", "v1.33": "", "v1.34": "", "": "",
				"v1.33.5": older("v1.33.5", "v1.33.6"), "v1.32": older("v1.32", "v1.33.6"), "1.9.10": older("1.9.10", "v1.33.6"),
			}},
			"upgraded by AKS": {inline, "v1.33.4", "{version: v1.34.2}", map[string]string{"v1.33.4": "", "v1.34.2": "", "v1.34.1": older("v1.34.1", "v1.34.2")}},
			"nothing runs":    {inline, "v1.34.99", "{}", map[string]string{"v1.33.6": ""}},
		},
		"AKSCluster": platformVersions(), "AKSClusterClaim": platformVersions(),
	}
	for kind, of := range cases {
		for name, tc := range of {
			t.Run(kind+"/"+name, func(t *testing.T) { tc.run(t, kind) })
		}
	}
}

// platformVersions are those of both forms of the kind for application teams.
func platformVersions() map[string]versionCases {
	older := func(asked string) string {
		return "spec.version: Invalid value: " + asked + " must be v1.33.6 or newer, which Azure runs, because AKS cannot go back to an older version"
	}
	return map[string]versionCases{
		"in an upgrade, or after Azure's refusal": {"{}", "v1.34.99", "{version: v1.33.6}", map[string]string{
			"v1.34.3": "", "v1.33.6": "", "1.33.10": "", "": "", "v1.33.5": older("v1.33.5"), "1.32.9": older("1.32.9"),
			"v1.35.0": "spec.version: Invalid value: v1.35.0 must be at most one minor version above v1.33.6, which Azure runs, because Kubernetes is upgraded minor version by minor version",
		}},
		"upgraded by AKS": {"{}", "v1.32.4", "{version: v1.33.6}", map[string]string{"v1.32.4": "", "v1.33.6": "", "v1.34.0": "", "v1.33.5": older("v1.33.5")}},
		"left out":        {"{}", "", "{version: v1.33.6}", map[string]string{"v1.33.6": "", "v1.34.0": "", "v1.33.5": older("v1.33.5")}},
		"nothing runs":    {"{}", "v1.33.99", "{}", map[string]string{"v1.33.6": "", "v1.31.0": ""}},
	}
}

func (c versionCases) run(t *testing.T, kind string) {
	ctx := context.Background()
	with := func(version string) map[string]any {
		if version == "" {
			return merged(t, c.minimal, "{version: null}")
		}
		return merged(t, c.minimal, `{version: "`+version+`"}`)
	}
	u := object(t, kind, "")
	if strings.HasPrefix(kind, "AKS") {
		u = platformObject(t, kind, "versions", "")
	}
	u.Object["spec"] = with(c.before)
	create(t, u)
	if c.status != "{}" {
		u.Object["status"] = merged(t, c.status)
		if err := server.client.Status().Update(ctx, u); err != nil {
			t.Fatal(err)
		}
	}
	for version, want := range c.want {
		changed := u.DeepCopy()
		changed.Object["spec"] = with(version)
		checkReason(t, version, server.client.Update(ctx, changed, client.DryRunAll), want)
	}
	kept, _, _ := unstructured.NestedMap(u.Object, "status")
	if c.status != "{}" && len(kept) == 0 {
		t.Error("the status is not kept")
	}
}
