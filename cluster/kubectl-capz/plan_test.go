package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/registry"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/changes"
	"github.com/crossplane-capz/crossplane-capz/internal/test/golden"
)

// plannedUpon returns the plan for manifests in a cluster that has the objects.
func plannedUpon(t *testing.T, live, manifests []*unstructured.Unstructured) *changes.Plan {
	t.Helper()
	in := changes.Input{Function: pipeline(), Sources: registry.Sources, Manifests: manifests}
	in, mistakes, notes, err := planned(context.Background(), asking(live), in, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(mistakes) > 0 {
		return changes.Refused(mistakes)
	}
	plan, err := changes.Make(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	plan.Notes = append(notes, plan.Notes...)
	return plan
}

// set returns an edit of a field of the object of a kind and name.
func set(kind, name string, value any, fields ...string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		if o.GetKind() == kind && o.GetName() == name {
			if err := unstructured.SetNestedField(o.Object, value, fields...); err != nil {
				panic(err)
			}
		}
	}
}

// inResource returns an edit of a field of a resource in spec.resources.
func inResource(kind, name string, n int, value any, fields ...string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		if o.GetKind() != kind || o.GetName() != name {
			return
		}
		list, _, _ := unstructured.NestedSlice(o.Object, "spec", "resources")
		if err := unstructured.SetNestedField(list[n].(map[string]any), value, fields...); err != nil {
			panic(err)
		}
		if err := unstructured.SetNestedSlice(o.Object, list, "spec", "resources"); err != nil {
			panic(err)
		}
	}
}

// without returns an edit that takes away the objects of the names.
func without(names ...string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		if slices.Contains(names, o.GetName()) {
			o.Object = nil
		}
	}
}

// lines returns what a plan says to people, without spaces at the ends.
func lines(t *testing.T, plan *changes.Plan) []string {
	t.Helper()
	var out bytes.Buffer
	if err := changes.Text(&out, plan, false); err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// TestLive shows what is said of edits of what runs.
func TestLive(t *testing.T) {
	const pool0, pool1, md0 = "my-cluster-pool0", "my-cluster-pool1", "my-cluster-md-0"
	cases := map[string]struct {
		example string
		// before is left out of what runs, live edits that, and edit what is applied now.
		before, live, edit func(*unstructured.Unstructured)
		want               []string
	}{
		"no change": {example: "aks-aso", want: []string{
			"0 to create, 0 to change, 0 to replace, 0 to delete, 0 left alone, 0 held, 4 unchanged"}},
		"no change of typed kinds": {example: "aks", want: []string{
			"0 to create, 0 to change, 0 to replace, 0 to delete, 0 left alone, 0 held, 6 unchanged"}},
		"no change of machines": {example: "self-managed", want: []string{
			"0 to create, 0 to change, 0 to replace, 0 to delete, 0 left alone, 0 held, 18 unchanged"}},
		"another pool": {example: "aks-aso", before: without(pool1), want: []string{
			"+   create  ManagedClustersAgentPool my-cluster-pool1, in Azure pool1",
			"of AzureASOManagedMachinePool my-cluster-pool1, spec.resources[0]",
			"because of MachinePool my-cluster-pool1, which is new",
			"and AzureASOManagedMachinePool my-cluster-pool1, which is new",
			"",
			"1 to create, 0 to change, 0 to replace, 0 to delete, 0 left alone, 0 held, 3 unchanged"}},
		"another size of a pool": {example: "aks-aso", edit: set("MachinePool", pool1, int64(5), "spec", "replicas"), want: []string{
			"~   change  ManagedClustersAgentPool my-cluster-pool1, in Azure pool1",
			"of AzureASOManagedMachinePool my-cluster-pool1, spec.resources[0]",
			"spec.count: 2 -> 5",
			"because of MachinePool my-cluster-pool1, spec.replicas: 2 -> 5",
			"",
			"0 to create, 1 to change, 0 to replace, 0 to delete, 0 left alone, 0 held, 3 unchanged"}},
		"what Azure keeps": {example: "aks-aso", edit: inResource("AzureASOManagedMachinePool", pool1, 0, "Standard_D4s_v5", "spec", "vmSize"), want: []string{
			"~   change  ManagedClustersAgentPool my-cluster-pool1, in Azure pool1",
			"of AzureASOManagedMachinePool my-cluster-pool1, spec.resources[0]",
			`spec.vmSize: "Standard_D2s_v5" -> "Standard_D4s_v5"`,
			`because of AzureASOManagedMachinePool my-cluster-pool1, spec.resources[0].spec.vmSize: "Standard_D2s_v5" -> "Standard_D4s_v5"`,
			"Azure never changes spec.vmSize of a resource that exists, by its documentation, and will refuse this: " +
				"give it another metadata.name and spec.azureName to have another made in its place",
			"",
			"0 to create, 1 to change, 0 to replace, 0 to delete, 0 left alone, 0 held, 3 unchanged"}},
		"another name": {example: "aks-aso", edit: inResource("AzureASOManagedMachinePool", pool1, 0, "other", "metadata", "name"), want: []string{
			"! -/+ REPLACE ManagedClustersAgentPool other, in Azure pool1",
			"of AzureASOManagedMachinePool my-cluster-pool1, spec.resources[0]",
			`because of AzureASOManagedMachinePool my-cluster-pool1, spec.resources[0].metadata.name: "my-cluster-pool1" -> "other"`,
			"spec.resources[0] asks for another name: ManagedClustersAgentPool my-cluster-pool1 is deleted, and ManagedClustersAgentPool other is made",
			"",
			"! Azure loses 1 resource.",
			"0 to create, 0 to change, 1 to replace, 0 to delete, 0 left alone, 0 held, 3 unchanged"}},
		"a mistake that the cluster finds": {example: "aks-aso", edit: set("AzureASOManagedControlPlane", "my-cluster", "1,33", "spec", "version"), want: []string{
			`Mistake in AzureASOManagedControlPlane my-cluster: spec.version: Invalid value: "1,33": must be a Kubernetes version that AKS knows the form of, such as v1.33.6 or v1.33`}},
		"a mistake that the composer finds": {example: "aks-aso", edit: inResource("AzureASOManagedMachinePool", pool1, 0, "nobody", "spec", "owner", "name"), want: []string{
			`Mistake in AzureASOManagedMachinePool my-cluster-pool1: spec.resources[0].spec.owner.name is "nobody", but must stay "my-cluster" because the resource exists in Azure; ` +
				"give another resource another metadata.name"}},
		"a field that the kind does not have": {example: "aks-aso", edit: inResource("AzureASOManagedMachinePool", pool1, 0, "m", "spec", "vmsize"), want: []string{
			"Mistake in AzureASOManagedMachinePool my-cluster-pool1: spec.resources[0].spec.vmsize must be absent: " +
				"ManagedClustersAgentPool of containerservice.azure.com/v1api20250801 has no such field; did you mean vmSize?"}},
		"somebody else's": {example: "aks", live: func(o *unstructured.Unstructured) {
			if o.GetKind() == "VirtualNetwork" {
				aso.Annotate(o, v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal)
			}
		}, want: []string{
			"=   leave   VirtualNetwork my-cluster",
			"of AzureManagedControlPlane my-cluster",
			"was in Azure before: it is used, and neither changed nor deleted",
			"",
			"0 to create, 0 to change, 0 to replace, 0 to delete, 1 left alone, 0 held, 5 unchanged"}},
		"another version": {example: "aks", edit: func(o *unstructured.Unstructured) {
			set("AzureManagedControlPlane", "my-cluster", "v1.34.2", "spec", "version")(o)
			set("MachinePool", pool0, "v1.34.2", "spec", "template", "spec", "version")(o)
		}, want: []string{
			"~   change  ManagedCluster my-cluster",
			"of AzureManagedControlPlane my-cluster, spec",
			`spec.kubernetesVersion: "1.33.6" -> "1.34.2"`,
			`because of AzureManagedControlPlane my-cluster, spec.version: "v1.33.6" -> "v1.34.2"`,
			"~   change  ManagedClustersAgentPool my-cluster-pool0, in Azure pool0",
			"of AzureManagedMachinePool my-cluster-pool0, spec",
			`spec.orchestratorVersion: "1.33.6" -> "1.34.2"`,
			`because of AzureManagedControlPlane my-cluster, spec.version: "v1.33.6" -> "v1.34.2"`,
			`and MachinePool my-cluster-pool0, spec.template.spec.version: "v1.33.6" -> "v1.34.2"`,
			"",
			"0 to create, 2 to change, 0 to replace, 0 to delete, 0 left alone, 0 held, 4 unchanged"}},
		"held": {example: "aks-aso", before: without(pool1), edit: func(o *unstructured.Unstructured) {
			if o.GetKind() == "MachinePool" {
				without(pool1)(o)
			}
		}, want: []string{
			".   hold    AzureASOManagedMachinePool my-cluster-pool1",
			"because of AzureASOManagedMachinePool my-cluster-pool1, which is new",
			`waits for a MachinePool to own it: a MachinePool in namespace "default" must refer to AzureASOManagedMachinePool "my-cluster-pool1"`,
			"",
			"0 to create, 0 to change, 0 to replace, 0 to delete, 0 left alone, 1 held, 3 unchanged"}},
		"deleted": {example: "aks-aso-vnets", edit: func(o *unstructured.Unstructured) {
			if list, found, _ := unstructured.NestedSlice(o.Object, "spec", "resources"); found && o.GetKind() == "AzureASOManagedCluster" {
				_ = unstructured.SetNestedSlice(o.Object, list[:len(list)-1], "spec", "resources")
			}
		}, want: []string{
			"! -   DELETE  RoleAssignment my-cluster-network-contributor",
			"of AzureASOManagedCluster my-cluster, spec.resources[10]",
			"because of AzureASOManagedCluster my-cluster, spec.resources[name=RoleAssignment my-cluster-network-contributor]: " +
				`{"apiVersion":"authorization.azure.com/v1api20220401","kind":"RoleAssignment","metadata":{"name":"my-cluster-network-con… -> (none)`,
			"",
			"! Azure loses 1 resource.",
			"0 to create, 0 to change, 0 to replace, 1 to delete, 0 left alone, 0 held, 13 unchanged"}},
		"more machines": {example: "self-managed", edit: set("MachineDeployment", md0, int64(3), "spec", "replicas"), want: []string{
			"+   create  NetworkInterface my-cluster-md-0-new-new-nic, 2 times",
			"of AzureMachine my-cluster-md-0-new-new, spec.networkInterfaces[0]",
			"because of MachineDeployment my-cluster-md-0, spec.replicas: 1 -> 3",
			"+   create  VirtualMachine my-cluster-md-0-new-new, 2 times",
			"of AzureMachine my-cluster-md-0-new-new, spec",
			"because of MachineDeployment my-cluster-md-0, spec.replicas: 1 -> 3",
			"",
			"4 to create, 0 to change, 0 to replace, 0 to delete, 0 left alone, 0 held, 18 unchanged"}},
		"no machines": {example: "self-managed", edit: set("MachineDeployment", md0, int64(0), "spec", "replicas"), want: []string{
			"! -   DELETE  VirtualMachine my-cluster-md-0-new",
			"of MachineDeployment my-cluster-md-0",
			"because of MachineDeployment my-cluster-md-0, spec.replicas: 1 -> 0",
			"with all that only the machine has",
			"",
			"! Azure loses 1 resource.",
			"0 to create, 0 to change, 0 to replace, 1 to delete, 0 left alone, 0 held, 16 unchanged"}},
		"another version of machines": {example: "self-managed", edit: set("MachineDeployment", md0, "v1.34.2", "spec", "template", "spec", "version"), want: []string{
			"! -/+ REPLACE NetworkInterface my-cluster-md-0-new-nic",
			"of AzureMachine my-cluster-md-0-new",
			`because of MachineDeployment my-cluster-md-0, spec.template.spec.version: "v1.36.3" -> "v1.34.2"`,
			"MachineDeployment my-cluster-md-0 makes a new machine in place of my-cluster-md-0-new",
			"! -/+ REPLACE VirtualMachine my-cluster-md-0-new",
			"of AzureMachine my-cluster-md-0-new",
			`because of MachineDeployment my-cluster-md-0, spec.template.spec.version: "v1.36.3" -> "v1.34.2"`,
			"MachineDeployment my-cluster-md-0 makes a new machine in place of my-cluster-md-0-new",
			"",
			"! Azure loses 2 resources.",
			"0 to create, 0 to change, 2 to replace, 0 to delete, 0 left alone, 0 held, 16 unchanged"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			live := running(t, manifests(t, c.example, c.before), c.live)
			got := lines(t, plannedUpon(t, live, manifests(t, c.example, c.edit)))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestTags shows that network interfaces of machines, which Azure Service Operator makes once, change by their tags alone.
func TestTags(t *testing.T) {
	live := running(t, manifests(t, "self-managed", nil), nil)
	edit := func(o *unstructured.Unstructured) {
		set("AzureCluster", "my-cluster", "me", "spec", "additionalTags", "owner")(o)
	}
	kinds := map[string]int{}
	for _, item := range plannedUpon(t, live, manifests(t, "self-managed", edit)).Changes {
		if item.Action != changes.Change || len(item.Fields) != 1 || item.Fields[0].Path != "spec.tags.owner" {
			t.Errorf("%s %s %v", item.Action, item.Resource, item.Fields)
		}
		kinds[item.Resource.Kind]++
	}
	want := map[string]int{"LoadBalancer": 1, "NatGateway": 1, "NetworkInterface": 2, "NetworkSecurityGroup": 2, "PublicIPAddress": 2, "ResourceGroup": 1,
		"RouteTable": 1, "VirtualMachine": 2, "VirtualNetwork": 1}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestCommand shows what the command line prints and ends with.
func TestCommand(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	cluster, err := os.ReadFile("../../examples/aks-aso/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(string(cluster), "version: v1.33.6", "version: v1,33", 1)
	cases := map[string]struct {
		args       []string
		stdin      string
		code       int
		out, error string
	}{
		"changes": {args: []string{"plan", "-f", "../../examples/aks-aso"}, code: 2,
			out: "4 to create, 0 to change, 0 to replace, 0 to delete, 0 left alone, 0 held, 0 unchanged\n"},
		"standard input": {args: []string{"plan", "--offline", "-f", "-"}, stdin: string(cluster), code: 2,
			out: "1 to create, 0 to change, 0 to replace, 0 to delete, 0 left alone, 1 held, 0 unchanged\n"},
		"a mistake": {args: []string{"plan", "--offline", "-f", "-"}, stdin: wrong, code: 1, out: `spec.version: Invalid value: "v1,33": must be`},
		"no file":   {args: []string{"plan", "--offline", "-f", "none"}, code: 1, error: `the path "none" does not exist`},
		"no flag":   {args: []string{"plan"}, code: 1, error: `required flag(s) "filename" not set`},
		"output":    {args: []string{"plan", "-f", "-", "-o", "xml"}, code: 1, error: `--output is "xml", but must be json or yaml`},
		"a cluster that does not answer": {args: []string{"plan", "-f", "../../examples/aks-aso", "--server", "https://127.0.0.1:1"}, code: 1,
			error: "connection refused; --offline plans without a cluster"},
		"a kubeconfig that is not there": {args: []string{"plan", "-f", "../../examples/aks-aso", "--kubeconfig", "none"}, code: 1,
			error: "stat none: no such file or directory; --offline plans without a cluster"},
		"no ClusterClass": {args: []string{"plan", "-f", "../../examples/platform/akscluster.yaml"}, code: 1,
			error: "AKSCluster shop: what it stands for is not planned: it waits for ClusterClass capz-platform/aks, which the platform team has to provide"},
		"a ClusterClass": {args: []string{"plan", "-f", "../../examples/platform/clusterclass.yaml", "-f", "../../examples/platform/akscluster.yaml"}, code: 2,
			out: "5 to create, 0 to change"},
		"a claim": {args: []string{"plan", "-f", "../../examples/platform/clusterclass.yaml", "-f", "../../examples/platform/claim.yaml"}, code: 2,
			out: "of AzureASOManagedControlPlane blog, spec.resources[0]"},
		"version":    {args: []string{"version"}, out: "unreleased\n"},
		"completion": {args: []string{"__complete", "plan", "--output", ""}, out: "json\nyaml\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			streams, _, out, errs := genericiooptions.NewTestIOStreams()
			streams.In = strings.NewReader(c.stdin)
			cmd := newCommand(streams)
			cmd.SetArgs(c.args)
			code := exitCode(cmd.ExecuteContext(context.Background()), streams)
			if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.error) {
				t.Errorf("want %d, %q and %q, got %d\n%s\n%s", c.code, c.out, c.error, code, out, errs)
			}
		})
	}
}

// TestJSON holds the form that machines read.
func TestJSON(t *testing.T) {
	const pool1 = "my-cluster-pool1"
	live := running(t, manifests(t, "aks-aso", without(pool1)), nil)
	edit := inResource("AzureASOManagedControlPlane", "my-cluster", 0, "Free", "spec", "sku", "tier")
	plan := plannedUpon(t, live, manifests(t, "aks-aso", edit))
	streams, _, out, _ := genericiooptions.NewTestIOStreams()
	if err := (&planOptions{IOStreams: streams, output: "json"}).print(plan); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/plan.golden.json", out.String())
}
