package schema

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// inBothVersions are the kinds that are served at v1alpha1 as well.
var inBothVersions = []string{
	"azureasomanagedclusters", "azureasomanagedclustertemplates",
	"azureasomanagedcontrolplanes", "azureasomanagedcontrolplanetemplates",
	"azureasomanagedmachinepools", "azureasomanagedmachinepooltemplates",
}

// served are all kinds, by version.
var served = map[string][]string{
	"v1alpha1": inBothVersions,
	"v1beta1": append(slices.Clone(inBothVersions), "azureclusteridentities",
		"azureclusters", "azureclustertemplates", "azuremachinepoolmachines", "azuremachinepools", "azuremachines", "azuremachinetemplates",
		"azuremanagedclusters", "azuremanagedclustertemplates",
		"azuremanagedcontrolplanes", "azuremanagedcontrolplanetemplates",
		"azuremanagedmachinepools", "azuremanagedmachinepooltemplates"),
}

// shortNames are those that CAPZ has.
var shortNames = map[string]string{
	"azuremachinepools": "amp", "azuremachinepoolmachines": "ampm",
	"azuremanagedclusters": "amc", "azuremanagedclustertemplates": "amct",
	"azuremanagedcontrolplanes": "amcp", "azuremanagedcontrolplanetemplates": "amcpt",
	"azuremanagedmachinepools": "ammp", "azuremanagedmachinepooltemplates": "ammpt",
}

// TestDiscovery looks at the kinds as kubectl and Cluster API find them.
func TestDiscovery(t *testing.T) {
	c, err := discovery.NewDiscoveryClientForConfig(server.config)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"v1beta1", "v1alpha1"} {
		list, err := c.ServerResourcesForGroupVersion(group + "/" + version)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") {
				continue
			}
			names = append(names, r.Name)
			if got := strings.Join(r.ShortNames, ","); got != shortNames[r.Name] {
				t.Errorf("%s: short names are %q, want %q", r.Name, got, shortNames[r.Name])
			}
			if !r.Namespaced {
				t.Errorf("%s is not namespaced", r.Name)
			}
			want := []string{"cluster-api", "composite"}
			if r.Name == "azuremachinepoolmachines" { // Crossplane composes nothing for it.
				want = want[:1]
			}
			if diff := cmp.Diff(want, r.Categories); diff != "" {
				t.Errorf("%s: categories (-want +got):\n%s", r.Name, diff)
			}
		}
		slices.Sort(names)
		if diff := cmp.Diff(served[version], names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
	}
}

// TestContractLabels reads the labels from the server: Cluster API takes the version of a kind from them.
func TestContractLabels(t *testing.T) {
	want := map[string]string{
		"cluster.x-k8s.io/v1beta1":    "v1beta1",
		"cluster.x-k8s.io/v1beta2":    "v1beta1",
		"cluster.x-k8s.io/provider":   "infrastructure-azure",
		"clusterctl.cluster.x-k8s.io": "",
	}
	for _, plural := range served["v1beta1"] {
		crd := &extv1.CustomResourceDefinition{}
		if err := server.client.Get(context.Background(), client.ObjectKey{Name: plural + "." + group}, crd); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, crd.Labels); diff != "" {
			t.Errorf("%s (-want +got):\n%s", plural, diff)
		}
	}
}

// TestDeprecationWarning checks that v1alpha1 and the kinds that CAPZ has deprecated warn and name what to do, and others do not.
func TestDeprecationWarning(t *testing.T) {
	cases := []struct{ version, kind, want string }{
		{"v1alpha1", "AzureASOManagedCluster", "change apiVersion to " + group + "/v1beta1"},
		{"v1beta1", "AzureASOManagedCluster", ""},
		{"v1beta1", "AzureManagedControlPlane", "its successor is " + group + "/v1beta1 AzureASOManagedControlPlane"},
		{"v1beta1", "AzureManagedMachinePoolTemplate", "its successor is " + group + "/v1beta1 AzureASOManagedMachinePoolTemplate"},
		{"v1beta1", "AzureClusterIdentity", ""},
	}
	for _, tc := range cases {
		warnings := &recorder{}
		config := rest.CopyConfig(server.config)
		config.WarningHandler = warnings
		c, err := client.New(config, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion(group + "/" + tc.version)
		list.SetKind(tc.kind + "List")
		if err := c.List(context.Background(), list); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(*warnings, "\n"); (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s %s: warning is %q, want %q", tc.version, tc.kind, got, tc.want)
		}
	}
}

type recorder []string

// HandleWarningHeader keeps the warning.
func (r *recorder) HandleWarningHeader(_ int, _ string, text string) { *r = append(*r, text) }

// TestExplain walks what the server publishes for `kubectl explain`: every field has a description.
func TestExplain(t *testing.T) {
	c, err := discovery.NewDiscoveryClientForConfig(server.config)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := c.OpenAPIV3().Paths()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"v1beta1", "v1alpha1"} {
		raw, err := paths["apis/"+group+"/"+version].Schema("application/json")
		if err != nil {
			t.Fatal(err)
		}
		doc := &spec3.OpenAPI{}
		if err := json.Unmarshal(raw, doc); err != nil {
			t.Fatal(err)
		}
		roots := 0
		for name, schema := range doc.Components.Schemas {
			// Lists and the like belong to Kubernetes.
			if !strings.Contains(name, ".Azure") || strings.HasSuffix(name, "List") {
				continue
			}
			roots++
			for _, field := range undescribed(name[strings.LastIndex(name, ".")+1:], schema) {
				t.Errorf("%s: %s has no description", version, field)
			}
		}
		if roots != len(served[version]) {
			t.Errorf("%s: found %d kinds, want %d", version, roots, len(served[version]))
		}
	}
}

// undescribed lists the fields below a schema that have no description, but for those whose schema Crossplane brings.
func undescribed(path string, schema *spec.Schema) []string {
	var out []string
	for name, field := range schema.Properties {
		at := path + "." + name
		if strings.HasSuffix(at, ".spec.crossplane") || strings.HasSuffix(at, ".status.conditions") || at == path+".metadata" && !strings.Contains(path, ".") {
			continue
		}
		if field.Description == "" {
			out = append(out, at)
		}
		out = append(out, undescribed(at, &field)...)
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		out = append(out, undescribed(path+"[]", schema.Items.Schema)...)
	}
	return out
}

// TestKubectlExplain has the real kubectl explain the field that people write most.
func TestKubectlExplain(t *testing.T) {
	for field, want := range map[string]string{
		"azureasomanagedcontrolplanes.spec.version":                  "Example: v1.33.6",
		"azureasomanagedclusters.spec.resources":                     "Removing an entry deletes it in Azure",
		"azureasomanagedmachinepools.status.v1beta2.conditions":      "Types in use: Ready",
		"azureasomanagedmachinepooltemplates.spec.template.spec":     "ManagedClustersAgentPool",
		"azureasomanagedcontrolplanes.status.resources.resource":     "Example: ManagedCluster",
		"azureasomanagedclusters.status.initialization":              "stays true",
		"amcp.spec.virtualNetwork.subnet.privateEndpoints":           "Removing an entry deletes it",
		"amcp.spec.autoscalerProfile.scanInterval":                   "in seconds",
		"amcp.status.autoUpgradeVersion":                             "Written by function-capz",
		"ammp.spec.linuxOSConfig.sysctls.vmSwappiness":               "0 to 100",
		"ammpt.spec.template.spec.scaling":                           "cluster autoscaler",
		"amc.spec.controlPlaneEndpoint":                              "provider-capz copies it",
		"azureclusteridentities.spec.allowedNamespaces":              "{} means from any",
		"azureasomanagedcontrolplanes.status.lastHandledReconcileAt": "Written by Crossplane",
	} {
		out, err := exec.Command(server.kubectl, "--kubeconfig", server.kubeconfig, "explain", field).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", field, err, out)
		} else if text := strings.Join(strings.Fields(string(out)), " "); !strings.Contains(text, want) {
			t.Errorf("%s does not say %q:\n%s", field, want, out)
		}
	}
}
