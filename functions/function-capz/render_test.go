package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/test/capz"
	"github.com/crossplane-capz/crossplane-capz/internal/test/golden"
)

// capzTemplate returns the path of one of CAPZ's own templates with its variables filled.
func capzTemplate(t *testing.T, name string) string {
	t.Helper()
	filled := capz.Template(t, name, map[string]string{
		"CLUSTER_NAME": "c", "AZURE_LOCATION": "westeurope", "KUBERNETES_VERSION": "v1.33.6", "AZURE_NODE_MACHINE_TYPE": "Standard_D2s_v5",
		"ASO_CREDENTIAL_SECRET_NAME": "credentials", "AZURE_SUBSCRIPTION_ID": "s", "CLUSTER_IDENTITY_NAME": "identity", "AZURE_TENANT_ID": "t",
		"AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY": "x",
	})
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(filled), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func render(t *testing.T, files ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	err = (&renderCommand{Files: files}).render(&out, &errs)
	return out.String(), errs.String(), err
}

var headline = regexp.MustCompile(`(?m)^kind: (.*)$`)

// kinds returns the kinds in a rendered text, in order.
func kinds(text string) []string {
	var out []string
	for _, m := range headline.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

func TestRenderCAPZTemplates(t *testing.T) {
	inline := []string{"apiVersion: containerservice.azure.com/v1api20240901", "serviceoperator.azure.com/credential-from: credentials"}
	typed := []string{"apiVersion: containerservice.azure.com/v1api20250801", "serviceoperator.azure.com/credential-from: c-aso-secret", "networkPlugin: azure",
		"infrastructure.cluster.x-k8s.io/ownership: owned", "sigs.k8s.io_cluster-api-provider-azure_cluster_c: owned"}
	cases := map[string]struct{ kinds, lines []string }{
		"cluster-template-aks-aso.yaml": {[]string{"ResourceGroup", "ManagedCluster", "ManagedClustersAgentPool", "ManagedClustersAgentPool"}, inline},
		"cluster-template-aks-aso-maintenance.yaml": {[]string{"ResourceGroup", "ManagedCluster", "MaintenanceConfiguration", "MaintenanceConfiguration", "MaintenanceConfiguration",
			"ManagedClustersAgentPool", "ManagedClustersAgentPool"}, inline},
		"cluster-template-aks.yaml": {[]string{"ResourceGroup", "VirtualNetwork", "VirtualNetworksSubnet", "ManagedCluster",
			"ManagedClustersAgentPool", "ManagedClustersAgentPool"}, typed},
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, err := render(t, capzTemplate(t, name))
			if err != nil || stderr != "" {
				t.Fatalf("%v\n%s", err, stderr)
			}
			if diff := cmp.Diff(want.kinds, kinds(stdout)); diff != "" {
				t.Errorf("kinds in the order of creation: -want, +got:\n%s", diff)
			}
			for _, line := range append([]string{
				"kubernetesVersion: 1.33.6", "orchestratorVersion: 1.33.6", "count: 2", "namespace: default",
				"cluster.x-k8s.io/cluster-name: c", "name: c-aso-kubeconfig",
			}, want.lines...) {
				if !strings.Contains(stdout, line) {
					t.Errorf("no %q in:\n%s", line, stdout)
				}
			}
			if strings.Contains(stdout, "reconcile-policy") {
				t.Error("the preview stops at looking for what is there")
			}
			if strings.Contains(stdout, "${") {
				t.Error("a variable is left")
			}
		})
	}
}

// ofMachines are the kinds that machines consist of in the examples.
var ofMachines = []string{"LoadBalancersInboundNatRule", "NetworkInterface", "VirtualMachine"}

func TestRenderExamples(t *testing.T) {
	folders, err := filepath.Glob("../../examples/*/cluster.yaml")
	if err != nil || len(folders) < 5 {
		t.Fatalf("want at least 5 examples, got %v, %v", folders, err)
	}
	for _, file := range folders {
		folder := filepath.Dir(file)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			stdout, stderr, err := render(t, folder)
			if err != nil || stderr != "" {
				t.Fatalf("%v\n%s", err, stderr)
			}
			// All that the manifests stand for, each once.
			got, want := kinds(stdout), entries(t, folder)
			if strings.Contains(stdout, "kind: VirtualMachine\n") { // What the network consists of is tested where it is composed.
				got = slices.DeleteFunc(got, func(kind string) bool { return !slices.Contains(ofMachines, kind) })
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("kinds: -want, +got:\n%s", diff)
			}
			again, _, err := render(t, folder)
			if err != nil || again != stdout {
				t.Error("a second rendering differs")
			}
		})
	}
}

// TestRenderInputs shows which files are written for crossplane composition render, and that a folder that cannot be is named.
func TestRenderInputs(t *testing.T) {
	dir := t.TempDir()
	command := &renderCommand{Files: []string{"../../examples/aks-aso-local-accounts-disabled"}, Inputs: dir}
	if err := command.render(io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i] = strings.TrimPrefix(files[i], dir)
	}
	var want []string
	for _, kind := range []string{"cluster-my-cluster", "controlplane-my-cluster", "machinepool-my-cluster-pool0"} {
		for _, file := range []string{"composite", "observed", "required"} {
			want = append(want, "/azureasomanaged"+kind+"/"+file+".yaml")
		}
	}
	want = append(want, "/schemas/containerservice.azure.com_v1api20250801.json", "/schemas/resources.azure.com_v1api20200601.json")
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files: -want, +got:\n%s", diff)
	}
	command.Inputs = filepath.Join(dir, "schemas", "resources.azure.com_v1api20200601.json")
	if err := command.render(io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), command.Inputs) {
		t.Errorf("a file in place of the folder: %v", err)
	}
}

// TestRenderChecksByCRDs shows that a field which the CRD lacks is told as a management cluster tells it, and the rest is printed.
func TestRenderChecksByCRDs(t *testing.T) {
	dir := t.TempDir()
	manifest, crd := filepath.Join(dir, "cluster.yaml"), filepath.Join(dir, "crd.yaml")
	for file, content := range map[string]string{
		manifest: `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c, namespace: n}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedCluster, name: c}
  controlPlaneRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedControlPlane, name: c}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedControlPlane
metadata: {name: c, namespace: n}
spec: {}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedCluster
metadata: {name: c, namespace: n}
spec:
  resources:
  - {apiVersion: resources.azure.com/v1, kind: ResourceGroup, metadata: {name: good}, spec: {location: westeurope}}
  - {apiVersion: resources.azure.com/v1, kind: ResourceGroup, metadata: {name: bad}, spec: {locaton: westeurope}}
`,
		crd: `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: resourcegroups.resources.azure.com}
spec:
  group: resources.azure.com
  names: {kind: ResourceGroup}
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec: {type: object, properties: {location: {type: string}}}
`,
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr strings.Builder
	err := (&renderCommand{Files: []string{manifest}, CRDs: []string{crd}}).render(&stdout, &stderr)
	const want = "AzureASOManagedCluster c: spec.resources[1].spec.locaton must be absent: ResourceGroup of resources.azure.com/v1 has no such field; did you mean location?"
	if err == nil || !strings.Contains(stderr.String(), want) {
		t.Errorf("%v: %s", err, stderr.String())
	}
	if !strings.Contains(stdout.String(), "name: good") || strings.Contains(stdout.String(), "name: bad") {
		t.Error(stdout.String())
	}
}

// entries returns the kinds that the manifests in folder stand for: those in spec.resources, and those of the typed kinds.
func entries(t *testing.T, folder string) []string {
	t.Helper()
	files, err := manifests([]string{folder})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, file := range files {
		objects, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			list, _, _ := unstructured.NestedSlice(o.Object, "spec", "resources")
			for _, e := range list {
				out = append(out, e.(map[string]any)["kind"].(string))
			}
			switch o.GetKind() {
			case "AzureManagedControlPlane":
				out = append(out, "ResourceGroup", "VirtualNetwork", "VirtualNetworksSubnet", "ManagedCluster")
				if another, _, _ := unstructured.NestedString(o.Object, "spec", "virtualNetwork", "resourceGroup"); another != "" {
					out = append(out, "ResourceGroup")
				}
			case "AzureManagedMachinePool":
				out = append(out, "ManagedClustersAgentPool")
			case "KubeadmControlPlane":
				out = append(out, "LoadBalancersInboundNatRule", "NetworkInterface", "VirtualMachine")
			case "MachineDeployment":
				out = append(out, "NetworkInterface", "VirtualMachine")
			}
		}
	}
	return out
}

// TestRenderWorkers shows that the examples which add workers to examples/self-managed can be rendered with it, and add a machine each.
func TestRenderWorkers(t *testing.T) {
	const cluster = "../../examples/self-managed"
	for _, topic := range []string{"gpu", "spot", "windows"} {
		t.Run(topic, func(t *testing.T) {
			stdout, stderr, err := render(t, cluster, cluster+"-"+topic)
			if err != nil || stderr != "" {
				t.Fatalf("%v\n%s", err, stderr)
			}
			alone, _, err := render(t, cluster)
			if err != nil {
				t.Fatal(err)
			}
			if more := len(kinds(stdout)) - len(kinds(alone)); more != 2 {
				t.Errorf("it adds %d resources, want a virtual machine and its network interface", more)
			}
		})
	}
}

func TestRenderGolden(t *testing.T) {
	stdout, stderr, err := render(t, "../../examples/aks-aso")
	if err != nil || stderr != "" {
		t.Fatalf("%v\n%s", err, stderr)
	}
	golden.Check(t, "testdata/aks-aso.golden.yaml", stdout)
}

// TestRenderVersionsAreAlike shows that what Cluster API converts makes no difference.
func TestRenderVersionsAreAlike(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"cluster.yaml", "pools.yaml"} {
		text, err := os.ReadFile(filepath.Join("../../examples/aks-aso", name))
		if err != nil {
			t.Fatal(err)
		}
		old := strings.NewReplacer("apiVersion: cluster.x-k8s.io/v1beta2", "apiVersion: cluster.x-k8s.io/v1beta1",
			"apiGroup: infrastructure.cluster.x-k8s.io", "apiVersion: infrastructure.cluster.x-k8s.io/v1beta1",
			"apiVersion: infrastructure.cluster.x-k8s.io/v1beta1", "apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1").Replace(string(text))
		if old == string(text) {
			t.Fatalf("%s: nothing replaced", name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, _, err := render(t, "../../examples/aks-aso")
	if err != nil {
		t.Fatal(err)
	}
	got, stderr, err := render(t, dir)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("v1beta2, v1beta1: -want, +got:\n%s", diff)
	}
}

func TestRenderErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	example, err := os.ReadFile("../../examples/aks-aso/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	pools := "../../examples/aks-aso/pools.yaml"
	cases := map[string]struct {
		files   []string
		err     string
		problem string
	}{
		"no such file":   {files: []string{filepath.Join(dir, "none.yaml")}, err: "no such file or directory"},
		"empty folder":   {files: []string{empty}, err: "no *.yaml files in this folder"},
		"no YAML":        {files: []string{file("bad.yaml", "a: b\n---\n{")}, err: "bad.yaml: document 2: "},
		"no object":      {files: []string{file("list.yaml", "- a\n- b\n")}, err: "list.yaml: document 1: "},
		"nothing in it":  {files: []string{file("comment.yaml", "# nothing\n---\n")}, err: "there is no object of group infrastructure.cluster.x-k8s.io in it"},
		"no CAPZ kind":   {files: []string{file("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n")}, err: "there is no object of group infrastructure.cluster.x-k8s.io in it"},
		"a mistyped old": {files: []string{file("old.yaml", "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: c}\nspec: {paused: soon}\n")}, err: "Cluster c: "},
		"no pools": {files: []string{"../../examples/aks-aso/cluster.yaml"}, err: "1 of the objects would not become ready",
			problem: "AzureASOManagedControlPlane my-cluster: ManagedCluster my-cluster: waits until a MachinePool with an AzureASOManagedMachinePool exists for Cluster my-cluster"},
		"no Cluster": {files: []string{pools}, err: "2 of the objects would not become ready", problem: `AzureASOManagedMachinePool my-cluster-pool0: waits for Cluster "my-cluster"`},
		"a mistake": {files: []string{pools, file("wrong.yaml", strings.Replace(string(example), "      dnsPrefix:", "      kubernetesVersion: 1.30.1\n      dnsPrefix:", 1))},
			err: "of the objects would not become ready", problem: `spec.resources[0].spec.kubernetesVersion is "1.30.1", but must be "1.33.6" or absent because spec.version is "v1.33.6"`},
		"another kind": {files: []string{"../../examples/aks-aso", file("other.yaml", "apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: AzureMachinePoolMachine\nmetadata: {name: x}\n")},
			err: "1 of the objects would not become ready", problem: "AzureMachinePoolMachine x: function-capz composes no AzureMachinePoolMachine.infrastructure.cluster.x-k8s.io"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, stderr, err := render(t, c.files...)
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("want the error %q, got %v", c.err, err)
			}
			if !strings.Contains(stderr, c.problem) {
				t.Errorf("want the problem %q, got:\n%s", c.problem, stderr)
			}
		})
	}
}
