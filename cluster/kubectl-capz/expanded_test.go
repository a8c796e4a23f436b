package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/functions/registry"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/changes"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
	"github.com/crossplane-capz/crossplane-capz/internal/test/golden"
	"github.com/crossplane-capz/crossplane-capz/internal/topology"
)

// values are what clusterctl would put into the files of examples/flavors.
var values = map[string]string{
	"CLUSTER_NAME": "my-cluster", "AZURE_LOCATION": "westeurope", "KUBERNETES_VERSION": "v1.33.6", "AZURE_SUBSCRIPTION_ID": subscription,
	"CLUSTER_IDENTITY_NAME": "identity", "AZURE_NODE_MACHINE_TYPE": "Standard_D2s_v5", "AZURE_CONTROL_PLANE_MACHINE_TYPE": "Standard_D4s_v5",
	"WORKER_MACHINE_COUNT": "1", "AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY": "c",
}

var variable = regexp.MustCompile(`\$\{([A-Z_0-9]+)(?::=([^}]*))?\}`)

// flavor returns the objects of files in examples, with values, changed.
func flavor(t *testing.T, edit func(*unstructured.Unstructured), files ...string) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for _, file := range files {
		text, err := os.ReadFile("../../examples/" + file)
		if err != nil {
			t.Fatal(err)
		}
		filled := variable.ReplaceAllStringFunc(string(text), func(of string) string {
			match := variable.FindStringSubmatch(of)
			return cmp.Or(values[match[1]], match[2])
		})
		objects, err := kubeyaml.Parse([]byte(filled))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			if o.GetNamespace() == "" {
				o.SetNamespace("default")
			}
			if edit != nil {
				edit(o)
			}
			if o.Object != nil && o.GetKind() != "Namespace" {
				all = append(all, o)
			}
		}
	}
	return all
}

func offlinePlan(t *testing.T, manifests []*unstructured.Unstructured) *changes.Plan {
	t.Helper()
	plan, err := changes.Make(context.Background(), changes.Input{Function: pipeline(), Sources: registry.Sources, Manifests: manifests})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// said are plans of several cases, as people read them.
func said(t *testing.T, plans map[string]*changes.Plan) string {
	t.Helper()
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(plans)) {
		fmt.Fprintf(&all, "# %s\n", name)
		if err := changes.Text(&all, plans[name], false); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&all)
	}
	return all.String()
}

var (
	shop        = []string{"platform/clusterclass.yaml", "platform/akscluster.yaml"}
	selfManaged = []string{"flavors/clusterclass.yaml", "flavors/cluster-template-topology.yaml"}
	aks         = []string{"flavors/clusterclass-aks.yaml", "flavors/cluster-template-aks-topology.yaml"}
	aksASO      = []string{"flavors/clusterclass-aks-aso.yaml", "flavors/cluster-template-aks-aso-topology.yaml"}
)

// TestExpandedOffline shows what AKSClusters, their claims and Clusters with a topology stand for.
func TestExpandedOffline(t *testing.T) {
	claimed := func(o *unstructured.Unstructured) {
		if o.GetKind() == "AKSCluster" {
			o.SetKind("AKSClusterClaim")
		}
	}
	extended := func(o *unstructured.Unstructured) {
		if o.GetKind() == "ClusterClass" {
			patches, _, _ := unstructured.NestedSlice(o.Object, "spec", "patches")
			patches = append(patches, map[string]any{"name": "company", "external": map[string]any{"generatePatchesExtension": "generate.company"}})
			_ = unstructured.SetNestedSlice(o.Object, patches, "spec", "patches")
		}
	}
	plans := map[string]*changes.Plan{
		"an AKSCluster": offlinePlan(t, flavor(t, nil, shop...)), "a claim": offlinePlan(t, flavor(t, claimed, shop...)),
		"machines": offlinePlan(t, flavor(t, nil, selfManaged...)), "typed pools": offlinePlan(t, flavor(t, nil, aks...)), "pools": offlinePlan(t, flavor(t, nil, aksASO...)),
		"a runtime extension": offlinePlan(t, flavor(t, extended, aksASO...)),
		"no template": offlinePlan(t, flavor(t, func(o *unstructured.Unstructured) {
			if o.GetKind() == "AzureASOManagedMachinePoolTemplate" {
				o.Object = nil
			}
		}, aksASO...)),
		"a mistake of a team": offlinePlan(t, flavor(t, func(o *unstructured.Unstructured) {
			if o.GetKind() == "AKSCluster" {
				unstructured.RemoveNestedField(o.Object, "spec", "version")
			}
		}, shop...)),
	}
	golden.Check(t, "testdata/expanded-offline.golden.txt", said(t, plans))
	for name, incomplete := range map[string]bool{"a runtime extension": true, "no template": true, "pools": false} {
		if plans[name].Incomplete != incomplete {
			t.Errorf("%s: incomplete is %v", name, plans[name].Incomplete)
		}
	}
}

// upon returns what runs of manifests that other controllers make something of.
func upon(t *testing.T, manifests []*unstructured.Unstructured) []*unstructured.Unstructured {
	t.Helper()
	objects, refusals, err := preview.WithClusters(context.Background(), nil, pipeline(), manifests)
	if err != nil || len(refusals) > 0 {
		t.Fatal(err, refusals)
	}
	made, err := topology.Expand(context.Background(), nil, objects)
	if err != nil || len(made.Mistakes)+len(made.Unknown) > 0 {
		t.Fatal(err, made)
	}
	for _, o := range made.Objects { // Cluster API has chosen.
		raw, err := o.MarshalJSON()
		if err == nil {
			err = o.UnmarshalJSON(bytes.ReplaceAll(raw, []byte("-xxxxx"), []byte("-7k2pq")))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return running(t, made.Objects, func(o *unstructured.Unstructured) {
		i := slices.IndexFunc(manifests, func(m *unstructured.Unstructured) bool { return preview.SameObject(m, o) })
		if i < 0 {
			return
		}
		raw, err := manifests[i].MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		aso.Annotate(o, corev1.LastAppliedConfigAnnotation, string(raw))
	})
}

// TestExpandedLive shows what is said of edits of AKSClusters and of Clusters with a topology that run.
func TestExpandedLive(t *testing.T) {
	inTopology := func(value any, fields ...string) func(*unstructured.Unstructured) {
		return set("Cluster", "my-cluster", value, append([]string{"spec", "topology"}, fields...)...)
	}
	workers := func(change func(map[string]any)) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) {
			if topology, found, _ := unstructured.NestedMap(o.Object, "spec", "topology"); found && o.GetKind() == "Cluster" {
				change(topology["workers"].(map[string]any))
				_ = unstructured.SetNestedMap(o.Object, topology, "spec", "topology")
			}
		}
	}
	cases := map[string]struct {
		of   []string
		edit func(*unstructured.Unstructured)
	}{
		"AKSCluster, nothing":    {shop, nil},
		"AKSCluster, an upgrade": {shop, set("AKSCluster", "shop", "v1.34.2", "spec", "version")},
		"AKSCluster, fewer pools": {shop, func(o *unstructured.Unstructured) {
			if o.GetKind() == "AKSCluster" {
				pools, _, _ := unstructured.NestedSlice(o.Object, "spec", "nodePools")
				pools[0].(map[string]any)["count"] = int64(4)
				_ = unstructured.SetNestedSlice(o.Object, pools[:1], "spec", "nodePools")
			}
		}},
		"machines, nothing":              {selfManaged, nil},
		"machines, an upgrade":           {selfManaged, inTopology("v1.34.2", "version")},
		"machines, no MachineDeployment": {selfManaged, workers(func(w map[string]any) { delete(w, "machineDeployments") })},
		"machines, another template":     {selfManaged, inVariable("vmSize", "Standard_D8s_v5")},
		"pools, nothing":                 {aks, nil},
		"pools, an upgrade":              {aks, inTopology("v1.34.2", "version")},
		"pools, one more": {aks, workers(func(w map[string]any) {
			pools := w["machinePools"].([]any)
			more := runtime.DeepCopyJSONValue(pools[1]).(map[string]any)
			more["name"] = "pool2"
			w["machinePools"] = append(pools, more)
		})},
		"pools, no such variable": {aks, inVariable("other", "x")},
	}
	plans := map[string]*changes.Plan{}
	live := upon(t, flavor(t, nil, aksASO...))
	plans["a template alone"] = plannedUpon(t, live, flavor(t, func(o *unstructured.Unstructured) {
		if o.GetKind() != "AzureASOManagedClusterTemplate" {
			o.Object = nil
			return
		}
		o.SetLabels(map[string]string{"changed": "true"})
	}, aksASO[0]))
	if !plans["a template alone"].Incomplete {
		t.Error("a changed template, which Clusters use, is planned completely")
	}
	for name, c := range cases {
		plans[name] = plannedUpon(t, upon(t, flavor(t, nil, c.of...)), flavor(t, c.edit, c.of...))
	}
	golden.Check(t, "testdata/expanded-live.golden.txt", said(t, plans))
}

// inVariable is an edit of a variable of a topology.
func inVariable(name string, value any) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		variables, found, _ := unstructured.NestedSlice(o.Object, "spec", "topology", "variables")
		if !found {
			return
		}
		variables = slices.DeleteFunc(variables, func(v any) bool { return v.(map[string]any)["name"] == name })
		_ = unstructured.SetNestedSlice(o.Object, append(variables, map[string]any{"name": name, "value": value}), "spec", "topology", "variables")
	}
}

// TestYAML shows that YAML says what JSON says.
func TestYAML(t *testing.T) {
	plan := offlinePlan(t, manifests(t, "aks-aso", nil))
	var printed [2]any
	for i, form := range []string{"json", "yaml"} {
		streams, _, out, _ := genericiooptions.NewTestIOStreams()
		if err := (&planOptions{IOStreams: streams, output: form}).print(plan); err != nil {
			t.Fatal(err)
		}
		if isJSON := json.Valid(out.Bytes()); isJSON != (form == "json") {
			t.Errorf("%s is JSON: %v", form, isJSON)
		}
		if err := yaml.Unmarshal(out.Bytes(), &printed[i]); err != nil {
			t.Fatal(err)
		}
	}
	if diff := gocmp.Diff(printed[0], printed[1]); diff != "" {
		t.Errorf("-JSON, +YAML:\n%s", diff)
	}
	if fields, _ := printed[1].(map[string]any); fields["kind"] != "Plan" || len(fields["changes"].([]any)) != 4 {
		t.Errorf("%v", fields)
	}
}
