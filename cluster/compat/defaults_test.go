package main

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// manifestsOfDefaults has, for each default that is meant to differ, what makes it: an object and, where it is about that, what it was before.
var manifestsOfDefaults = map[string]struct {
	kind             composite.Kind
	manifest, before string
}{
	"names that follow from other names":                      {kind: composite.AzureManagedMachinePool, manifest: "spec: {mode: User, sku: s}"},
	"`virtualNetwork` of an AzureManagedControlPlaneTemplate": {kind: composite.AzureManagedControlPlaneTemplate, manifest: "spec: {template: {spec: {version: v1.33.2}}}"},
	"`sku.tier: Paid`":                                                                               {kind: composite.AzureManagedControlPlane, manifest: "spec: {sku: {tier: Paid}}"},
	"`subscriptionID` left out":                                                                      {kind: composite.AzureManagedControlPlane, manifest: "spec: {version: v1.33.2}"},
	"address ranges left out later":                                                                  {kind: composite.AzureManagedControlPlane, manifest: "spec: {version: v1.33.2}", before: "spec: {virtualNetwork: {cidrBlock: 10.1.0.0/16, subnet: {cidrBlock: 10.1.0.0/24}}}"},
	"`systemAssignedIdentityRole` without scope or definition":                                       {kind: composite.AzureMachine, manifest: "spec: {sshPublicKey: a2V5, identity: SystemAssigned, osDisk: {osType: Linux}}"},
	"several subnets with role control-plane, or with role cluster":                                  {kind: composite.AzureCluster, manifest: "spec: {networkSpec: {subnets: [{name: a, role: cluster}, {name: b, role: cluster}]}}"},
	"subnets that an AzureClusterTemplate lacks":                                                     {kind: composite.AzureClusterTemplate, manifest: "spec: {template: {spec: {}}}"},
	"`bastionSpec.azureBastion.subnet.name` of an AzureClusterTemplate":                              {kind: composite.AzureClusterTemplate, manifest: "spec: {template: {spec: {bastionSpec: {azureBastion: {}}, networkSpec: {subnets: [{name: all, role: cluster}]}}}}"},
	"a manifest with `subnetName`, `acceleratedNetworking` or `roleAssignmentName` is applied again": {kind: composite.AzureMachineTemplate, manifest: "spec: {template: {spec: {sshPublicKey: a2V5, osDisk: {osType: Linux}, subnetName: a, networkInterfaces: [{subnetName: a}]}}}"},
	"`virtualNetwork.subnet` without `cidrBlock`, in a network of 10.224.0.0/12":                     {kind: composite.AzureManagedControlPlane, manifest: "spec: {virtualNetwork: {cidrBlock: 10.224.0.0/12}}"},
	"`virtualNetwork` without `cidrBlock`, networkPluginMode overlay":                                {kind: composite.AzureManagedControlPlane, manifest: "spec: {networkPluginMode: overlay, virtualNetwork: {name: net}}"},
}

func TestEachDocumentedDefaultIsOne(t *testing.T) {
	for _, m := range meantDefaults {
		t.Run(m.row, func(t *testing.T) {
			example, ok := manifestsOfDefaults[m.row]
			if !ok {
				t.Fatal("it has no example")
			}
			out := &bytes.Buffer{}
			d := defaultsFor(t, out)
			var created defaulted
			if example.before != "" {
				created = d.fill(t, example.kind, example.before, defaulted{})
			}
			d.report("example", d.fill(t, example.kind, example.manifest, created))
			if d.differences > 0 || d.documented[m.row] == 0 {
				t.Errorf("found %v\n%s", d.documented, out)
			}
		})
	}
}

// TestDefaultsLikeCAPZ shows defaults that both write: the comparison sees what either leaves out.
func TestDefaultsLikeCAPZ(t *testing.T) {
	for name, c := range map[string]struct {
		kind     composite.Kind
		manifest string
		path     string
		want     any
	}{
		"label of a template":     {composite.AzureManagedMachinePoolTemplate, "spec: {template: {spec: {mode: System}}}", "metadata.labels", map[string]any{"azuremanagedmachinepool.infrastructure.cluster.x-k8s.io/agentpoolmode": "System"}},
		"version of a template":   {composite.AzureManagedControlPlaneTemplate, "spec: {template: {spec: {version: 1.33.2}}}", "spec.template.spec.version", "v1.33.2"},
		"no issuer in a template": {composite.AzureManagedControlPlaneTemplate, "spec: {template: {spec: {version: v1.33.2}}}", "spec.template.spec.oidcIssuerProfile", nil},
		"issuer":                  {composite.AzureManagedControlPlane, "spec: {version: v1.33.2}", "spec.oidcIssuerProfile.enabled", false},
	} {
		t.Run(name, func(t *testing.T) {
			d := defaultsFor(t, &bytes.Buffer{})
			o := d.fill(t, c.kind, c.manifest, defaulted{})
			changed := d.fill(t, c.kind, c.manifest, o)
			for when, object := range map[string]map[string]any{"CAPZ": o.capz, "here": o.ours, "CAPZ, changed": changed.capz, "here, changed": changed.ours} {
				got := at(object, c.path)
				if want, isMap := c.want.(map[string]any); isMap {
					labels, _ := got.(map[string]any)
					for label, value := range want {
						if labels[label] != value {
							t.Errorf("%s: %s is %v", when, c.path, got)
						}
					}
				} else if got != c.want {
					t.Errorf("%s: %s is %v", when, c.path, got)
				}
			}
		})
	}
}

// TestUndocumentedDefaultsAreFound shows that the comparison sees a default that only one side has.
func TestUndocumentedDefaultsAreFound(t *testing.T) {
	d := defaultsFor(t, &bytes.Buffer{})
	o := d.fill(t, composite.AzureManagedMachinePoolTemplate, "spec: {template: {spec: {mode: System}}}", defaulted{})
	delete(o.ours["metadata"].(map[string]any), "labels")
	o.findDifferences()
	d.report("example", o)
	if d.differences != 1 {
		t.Errorf("%d differences, want 1", d.differences)
	}
}

// TestEveryKindIsCompared holds the kinds that are compared against those with definitions. AzureMachinePoolMachines no user makes.
func TestEveryKindIsCompared(t *testing.T) {
	var names []string
	for _, k := range shared() {
		names = append(names, k.Plural())
	}
	for plural := range kinds {
		if plural != "azuremachinepoolmachines" && !slices.Contains(names, plural) {
			t.Errorf("%s is not compared", plural)
		}
	}
	if len(names) != 18 {
		t.Errorf("%d kinds are compared, want 18: %v", len(names), names)
	}
}

func defaultsFor(t *testing.T, out *bytes.Buffer) *defaults {
	t.Helper()
	c, err := newComparison(out)
	must(t, err)
	d, err := newDefaults(c.sources, out)
	must(t, err)
	return d
}

// fill has both sides fill in a manifest, which takes the place of another one if that is given.
func (d *defaults) fill(t *testing.T, k composite.Kind, manifest string, before defaulted) defaulted {
	t.Helper()
	object := read(t, manifest)
	object["apiVersion"], object["kind"] = k.Group+"/"+k.Version, k.Kind
	object["metadata"] = map[string]any{"name": "blue", "namespace": "default", "labels": map[string]any{"cluster.x-k8s.io/cluster-name": "blue"}}
	o, err := d.compare(context.Background(), defaulted{
		kind: k.GroupVersionKind, plural: k.Plural(), manifest: object, capzBefore: before.capz, oursBefore: before.ours})
	must(t, err)
	return o
}
