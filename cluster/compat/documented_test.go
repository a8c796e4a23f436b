package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
	"sigs.k8s.io/yaml"
)

// The parts of docs/differences.md whose rows are all differences that this program finds.
const (
	section         = "## Typed kinds: ASO objects"
	defaultsSection = "## Typed kinds: defaults in the objects"
)

// least is a control plane that CAPZ accepts.
const least = `{version: v1.33.2, location: westus, resourceGroupName: group, subscriptionID: ` + specs.Subscription + `, identityRef: {kind: AzureClusterIdentity, name: identity}}`

// examples has, for each documented difference, what makes it. Each starts with a control plane named like its Cluster, in
// which the two sides differ by the annotation for tags only.
var examples = map[string]struct {
	controlPlane, pool, name, version string
	unset                             string
}{
	"annotation `sigs.k8s.io/cluster-api-provider-azure-last-applied-tags`": {},
	"`spec.extensions[].scope`":                                            {controlPlane: "extensions: [{name: e, extensionType: t, scope: {scopeType: Cluster, releaseNamespace: r}}]"},
	"`spec.extensions[].plan.promotionCode`":                               {controlPlane: "extensions: [{name: e, extensionType: t, plan: {promotionCode: c}}]"},
	"`spec.owner.name` of an agent pool":                                   {name: "other.name", controlPlane: "dnsPrefix: other"},
	"`spec.count` of an agent pool that AKS scales":                        {pool: "scaling: {minSize: 1, maxSize: 5}"},
	"location of a private endpoint that names none":                       {controlPlane: "virtualNetwork: {name: net, cidrBlock: 10.0.0.0/8, subnet: {name: s, cidrBlock: 10.240.0.0/16, privateEndpoints: [{name: e, privateLinkServiceConnections: [{privateLinkServiceID: /subscriptions/s/resourceGroups/g/providers/p/t/n}]}]}}"},
	"the cluster that a fleet's member is":                                 {name: "other.name", controlPlane: "{dnsPrefix: other, fleetsMember: {managerName: m, managerResourceGroup: g}}"},
	"`virtualNetwork` without `cidrBlock`, networkPluginMode overlay":      {controlPlane: "{networkPluginMode: overlay, virtualNetwork: {name: net}}"},
	"agent pool above the control plane's version":                         {version: "v1.34.0"},
	"`releaseTrain` of an extension with `autoUpgradeMinorVersion: false`": {controlPlane: "extensions: [{name: e, extensionType: t, autoUpgradeMinorVersion: false, releaseTrain: stable}]"},
	"a patch with a field that the kind lacks":                             {controlPlane: `asoManagedClusterPatches: ["spec: {unheardOf: 1}"]`},
	"IDs in a spec without `subscriptionID`":                               {unset: "subscriptionID"},
}

func TestEachDocumentedDifferenceIsOne(t *testing.T) {
	t.Setenv("AZURE_SUBSCRIPTION_ID", specs.Subscription)
	for _, m := range meant {
		t.Run(m.row, func(t *testing.T) {
			example, ok := examples[m.row]
			if !ok {
				t.Fatal("it has no example")
			}
			out := &bytes.Buffer{}
			c, err := newComparison(out)
			must(t, err)
			s := specs.Written(m.row, read(t, least, example.controlPlane), read(t, "{mode: System, sku: Standard_D2s_v3}", example.pool), example.version)
			if example.name != "" {
				s.Rename(example.name)
			}
			delete(s.ControlPlane["spec"].(map[string]any), example.unset)
			must(t, c.compare(context.Background(), s))
			if c.refused > 0 || c.differences > 0 || c.documented[m.row] == 0 {
				t.Errorf("refused by CAPZ: %d, found %v\n%s", c.refused, slices.Sorted(maps.Keys(c.documented)), out)
			}
		})
	}
}

// TestDocumentation holds the program and docs/differences.md together.
func TestDocumentation(t *testing.T) {
	content, err := os.ReadFile(root + "/docs/differences.md")
	must(t, err)
	var objects, answers, filled []string
	for _, m := range meant {
		objects = append(objects, m.row)
	}
	for _, m := range meantAnswers {
		answers = append(answers, m.row)
	}
	for _, m := range meantDefaults {
		filled = append(filled, m.row)
	}
	for _, m := range meantSent {
		answers = append(answers, m.row)
	}
	for _, m := range meantOfPools {
		answers = append(answers, m.row)
	}
	for _, m := range meantObjectAnswers {
		answers = append(answers, m.row)
	}
	all := rows(string(content))
	for _, row := range slices.Concat(objects, answers, filled) {
		if !slices.Contains(all, row) {
			t.Errorf("docs/differences.md has no row %q", row)
		}
	}
	for name, looked := range map[string][]string{section: objects, defaultsSection: filled} {
		_, after, found := strings.Cut(string(content), name)
		if !found {
			t.Fatalf("docs/differences.md has no section %q", name)
		}
		within, _, _ := strings.Cut(after, "\n## ")
		for _, row := range rows(within) {
			if !slices.Contains(looked, row) {
				t.Errorf("docs/differences.md has the row %q in %s, but the program does not look for it", row, name)
			}
		}
	}
}

// rows returns the first cells of the tables, without their heads.
func rows(text string) []string {
	var cells []string
	for line := range strings.Lines(text) {
		if cell, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | "); ok && strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| |") {
			cells = append(cells, cell)
		}
	}
	return cells
}

// read returns the YAML documents as one object; of two with the same field the later counts.
func read(t *testing.T, documents ...string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, document := range documents {
		must(t, yaml.Unmarshal([]byte(document), &all))
	}
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
