package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const appExample = "examples/platform-full"

// An appRender renders the AppEnvironment of the example.
type appRender struct {
	functions, schemas string
}

// newAppRender serves the three functions of the example.
func newAppRender(t *testing.T) appRender {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), buildTimeout)
	defer cancel()
	builder := &parts.Builder{Root: tools.root, Log: os.Stderr}
	if err := builder.BuildPeers(ctx, parts.PatchTransform); err != nil {
		t.Fatal(err)
	}
	addresses := companyFunctions(t)
	addresses[parts.PatchTransform] = serve(t, filepath.Join(builder.Bin(), parts.PatchTransform))
	schemas := asoSchemas(t, "dbforpostgresql", "kubernetesconfiguration", "managedidentity", "resources")
	return appRender{functions: functionsFile(t, addresses), schemas: schemas}
}

// render composes the example, of which there is what is observed, and the status is what it was before.
func (r appRender) render(t *testing.T, status any, observed []*unstructured.Unstructured) rendered {
	t.Helper()
	xr, err := kubeyaml.Read(filepath.Join(tools.root, appExample, "appenvironment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if status != nil {
		xr[0].Object["status"] = status
	}
	documents := r.run(t, writeObjects(t, xr[0]), filepath.Join(appExample, "composition.yaml"), observed,
		"--xrd="+filepath.Join(appExample, "definition.yaml"), "--required-schemas="+r.schemas)
	out := rendered{composite: documents[0], resources: map[string]*unstructured.Unstructured{}}
	for _, o := range documents[1:] {
		out.resources[o.GetKind()+" "+o.GetName()] = o
	}
	return out
}

func (r appRender) run(t *testing.T, composite, composition string, observed []*unstructured.Unstructured, args ...string) []*unstructured.Unstructured {
	t.Helper()
	args = append([]string{"composition", "render", composite, composition, r.functions, "--crossplane-binary=" + tools.core}, args...)
	if len(observed) > 0 {
		args = append(args, "--observed-resources="+writeObjects(t, observed...))
	}
	stdout, stderr, err := run(t, "", tools.crossplane, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	documents, err := kubeyaml.Parse([]byte(stdout))
	if err != nil || len(documents) == 0 {
		t.Fatalf("%v\n%s", err, stdout)
	}
	return documents
}

func writeObjects(t *testing.T, objects ...*unstructured.Unstructured) string {
	t.Helper()
	var text strings.Builder
	for _, o := range objects {
		raw, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("---\n" + string(raw))
	}
	return writeFile(t, "objects.yaml", text.String())
}

// asoSchemas writes what an API server says of groups of ASO, for composition render.
func asoSchemas(t *testing.T, groups ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, group := range groups {
		files, err := filepath.Glob(filepath.Join(tools.aso, group+".azure.com_*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no kinds of %s: %v", group, err)
		}
		schemas := map[string]any{}
		for _, file := range files {
			crds, err := kubeyaml.Read(file)
			if err != nil {
				t.Fatal(err)
			}
			addSchemas(schemas, crds[0])
		}
		document, err := json.Marshal(map[string]any{
			"openapi": "3.0.0", "info": map[string]any{"title": "Kubernetes", "version": "unversioned"},
			"paths": map[string]any{}, "components": map[string]any{"schemas": schemas},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, group+".json"), document, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// addSchemas adds those of all versions of a kind.
func addSchemas(schemas map[string]any, crd *unstructured.Unstructured) {
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, v := range versions {
		version, _ := v.(map[string]any)
		name, _, _ := unstructured.NestedString(version, "name")
		schema, _, _ := unstructured.NestedMap(version, "schema", "openAPIV3Schema")
		schema["x-kubernetes-group-version-kind"] = []any{map[string]any{"group": group, "version": name, "kind": kind}}
		schemas[group+"."+name+"."+kind] = schema
	}
}

// composed are the kinds and names of what the example is composed of at first.
var composed = []string{
	"AKSCluster shop", "Extension shop-flux", "FederatedIdentityCredential shop-workload", "FlexibleServer shop-database",
	"FlexibleServersAdministrator shop-database", "FlexibleServersDatabase shop-database", "FlexibleServersFirewallRule shop-database",
	"ResourceGroup shop-services", "UserAssignedIdentity shop-workload",
}

const fluxConfiguration = "FluxConfiguration shop-apps"

// TestAppEnvironment shows what an application team's AppEnvironment stands for, from its manifest to what function-capz makes of the AKSCluster in it.
func TestAppEnvironment(t *testing.T) {
	r := newAppRender(t)
	first := r.render(t, nil, nil)
	checkComposed(t, "at first", first, composed...)
	checkPolicy(t, first)
	r.checkCluster(t, first)
	// Azure answers, Crossplane writes the status, and asks again.
	second := r.render(t, nil, observed(first))
	checkComposed(t, "before the status is written", second, composed...)
	told := second.composite.Object["status"]
	last := r.render(t, told, observed(second))
	checkSchemas(t, last)
	r.checkGitOps(t, told, second, last)
}

// A rendered environment has the composite resource, and what it is composed of by kind and name.
type rendered struct {
	composite *unstructured.Unstructured
	resources map[string]*unstructured.Unstructured
}

func (r rendered) list() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(r.resources)) {
		all = append(all, r.resources[name].DeepCopy())
	}
	return all
}

func checkComposed(t *testing.T, when string, r rendered, want ...string) {
	t.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(r.resources))); diff != "" {
		t.Errorf("%s: -want, +got:\n%s", when, diff)
	}
}

// statuses are what there is in Azure, by kind.
var statuses = map[string]map[string]any{
	"AKSCluster":           {"version": "v1.33.6", "endpoint": "https://shop.example.org:443", "nodes": map[string]any{"summary": "3/3"}},
	"Extension":            {"currentVersion": "1.19.5"},
	"UserAssignedIdentity": {"clientId": "5b0e8b3c-3b0a-4a7e-9d0f-0c5f6f1f2a11"},
	"FlexibleServer":       {"fullyQualifiedDomainName": "example-team-a-shop.postgres.database.azure.com"},
	"FluxConfiguration":    {"complianceState": "Compliant"},
}

// observed returns what is composed as it is when all of it is ready.
func observed(r rendered) []*unstructured.Unstructured {
	all := r.list()
	for _, o := range all {
		status := maps.Clone(statuses[o.GetKind()])
		if status == nil {
			status = map[string]any{}
		}
		status["conditions"] = []any{map[string]any{
			"type": "Ready", "status": "True", "reason": "Succeeded", "lastTransitionTime": "2026-01-01T00:00:00Z",
		}}
		o.Object["status"] = status
	}
	return all
}

// checkSchemas has what is composed held against the schemas of its kinds, and the manifest against the definition.
func checkSchemas(t *testing.T, last rendered) {
	t.Helper()
	definition := filepath.Join(tools.root, appExample, "definition.yaml")
	if out, err := validate(t, []string{definition}, filepath.Join(appExample, "appenvironment.yaml"), ""); err != nil || !strings.Contains(out, "1 success cases") {
		t.Errorf("%v\n%s", err, out)
	}
	file := writeObjects(t, last.list()...)
	out, err := validate(t, append(slices.Clone(tools.kinds), tools.aso), file, "")
	if err != nil || !strings.Contains(out, fmt.Sprintf("%d success cases, 0 failure cases", len(composed)+1)) {
		t.Errorf("%v\n%s", err, out)
	}
}

// toldByAzure are the fields of the status that GitOps waits for.
var toldByAzure = [][]string{{"gitOps", "agent"}, {"identity", "clientID"}, {"database", "host"}}

// checkGitOps shows that Flux begins when it is installed and all is known that manifests may have, and that nothing ends it.
func (r appRender) checkGitOps(t *testing.T, told any, before, last rendered) {
	t.Helper()
	whole := append(slices.Clone(composed), fluxConfiguration)
	checkComposed(t, "when all is told", last, whole...)
	want := map[string]any{"apps": map[string]any{
		"path": "./deploy/production", "prune": true,
		"postBuild": map[string]any{"substitute": map[string]any{
			"DATABASE_HOST": "example-team-a-shop.postgres.database.azure.com", "DATABASE_NAME": "shop", "IDENTITY_CLIENT_ID": "5b0e8b3c-3b0a-4a7e-9d0f-0c5f6f1f2a11",
		}},
	}}
	got, _, _ := unstructured.NestedMap(last.resources[fluxConfiguration].Object, "spec", "kustomizations")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kustomizations: -want, +got:\n%s", diff)
	}
	for _, path := range toldByAzure {
		status := runtime.DeepCopyJSONValue(told).(map[string]any)
		unstructured.RemoveNestedField(status, path...)
		checkComposed(t, "without "+strings.Join(path, "."), r.render(t, status, observed(before)), composed...)
	}
	checkComposed(t, "when the status is lost", r.render(t, nil, observed(last)), whole...)
	ready := r.render(t, told, observed(last)).composite
	for _, path := range append(toldByAzure, []string{"gitOps", "compliance"}, []string{"cluster", "version"}, []string{"cluster", "nodes"}, []string{"cluster", "endpoint"}) {
		if value, _, _ := unstructured.NestedString(ready.Object, append([]string{"status"}, path...)...); value == "" {
			t.Errorf("status.%s is empty", strings.Join(path, "."))
		}
	}
	if !isReady(ready) {
		t.Errorf("is not ready: %v", ready.Object["status"])
	}
}

func isReady(o *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		m, _ := c.(map[string]any)
		return m["type"] == "Ready" && m["status"] == "True"
	})
}

// checkPolicy shows that the second step sees what the first one composes, and what becomes of the data when the environment is deleted.
func checkPolicy(t *testing.T, first rendered) {
	t.Helper()
	tagged := []string{"FlexibleServer shop-database", "ResourceGroup shop-services", "UserAssignedIdentity shop-workload"}
	kept := []string{"FlexibleServer shop-database", "FlexibleServersDatabase shop-database", "FlexibleServersFirewallRule shop-database", "ResourceGroup shop-services"}
	var withTags, detached []string
	for name, o := range first.resources {
		if _, found, _ := unstructured.NestedMap(o.Object, "spec", "writeConnectionSecretToRef"); found {
			t.Errorf("%s has a connection Secret, which Crossplane would send to the functions", name)
		}
		if tags, _, _ := unstructured.NestedStringMap(o.Object, "spec", "tags"); tags["cost-center"] == "4711" {
			withTags = append(withTags, name)
		}
		if o.GetAnnotations()["serviceoperator.azure.com/reconcile-policy"] == "detach-on-delete" {
			detached = append(detached, name)
		}
	}
	slices.Sort(withTags)
	slices.Sort(detached)
	if diff := cmp.Diff(tagged, withTags); diff != "" {
		t.Errorf("tags: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(kept, detached); diff != "" {
		t.Errorf("kept in Azure: -want, +got:\n%s", diff)
	}
}

// checkCluster has function-capz compose the AKSCluster by the example's other Composition.
func (r appRender) checkCluster(t *testing.T, first rendered) {
	t.Helper()
	cluster := first.resources["AKSCluster shop"].DeepCopy()
	cluster.SetOwnerReferences(nil)
	documents := r.run(t, writeObjects(t, cluster), filepath.Join(appExample, "composition-clusters.yaml"), nil,
		"--required-resources="+filepath.Join(appExample, "clusterclass.yaml"))
	if len(documents) != 2 || documents[1].GetKind() != "Cluster" {
		t.Fatalf("want a Cluster, got %v", documents)
	}
	class, _, _ := unstructured.NestedString(documents[1].Object, "spec", "topology", "classRef", "name")
	version, _, _ := unstructured.NestedString(documents[1].Object, "spec", "topology", "version")
	pools, _, _ := unstructured.NestedSlice(documents[1].Object, "spec", "topology", "workers", "machinePools")
	if class != "appenvironment" || version != "v1.33.6" || len(pools) != 2 {
		t.Errorf("class %q, version %q, %d pools; want appenvironment, v1.33.6 and 2", class, version, len(pools))
	}
}
