package network

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/test/capz"
	"github.com/crossplane-capz/crossplane-capz/internal/test/golden"
)

// flavors are CAPZ's own, by the name of the golden file.
var flavors = map[string]string{
	"default": "cluster-template.yaml", "private": "cluster-template-private.yaml", "dual-stack": "cluster-template-dual-stack.yaml",
	"apiserver-ilb": "cluster-template-apiserver-ilb.yaml", "private-link": "cluster-template-private-link.yaml", "edgezone": "cluster-template-edgezone.yaml",
	"custom-vnet": "test/ci/cluster-template-prow-custom-vnet.yaml", "peered": "test/ci/cluster-template-prow-private.yaml",
}

// flavor returns the AzureCluster of a template, as the API server has it.
func flavor(t *testing.T, template string) *v1beta1.AzureCluster {
	t.Helper()
	text := capz.Template(t, template, map[string]string{
		"CLUSTER_NAME": "c", "AZURE_LOCATION": "westeurope", "AZURE_SUBSCRIPTION_ID": "s", "CLUSTER_IDENTITY_NAME": "identity", "APISERVER_LB_DNS_SUFFIX": "dns",
		"AZURE_EXTENDEDLOCATION_NAME": "losangeles", "AZURE_EXTENDEDLOCATION_TYPE": "EdgeZone", "JOB_NAME": "job", "TIMESTAMP": "now", "BUILD_PROVENANCE": "build",
		"AZURE_CUSTOM_VNET_NAME": "custom", "AZURE_CUSTOM_VNET_RESOURCE_GROUP": "customs", "AZURE_VNET_NAME": "c-vnet", "AZURE_INTERNAL_LB_IP": "10.128.0.100",
		"AZURE_PRIVATE_VNET_CIDR": "10.128.0.0/11", "AZURE_CP_SUBNET_CIDR": "10.128.0.0/16", "AZURE_NODE_SUBNET_CIDR": "10.129.0.0/16", "AZURE_BASTION_SUBNET_CIDR": "10.130.0.0/24",
		"KUBERNETES_VERSION": "v1.33.6", "AZURE_CONTROL_PLANE_MACHINE_TYPE": "B", "AZURE_NODE_MACHINE_TYPE": "B", "AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY": "x",
		"AZURE_CLIENT_ID": "x", "AZURE_CLUSTER_IDENTITY_SECRET_NAMESPACE": "ns", "AZURE_CLUSTER_IDENTITY_SECRET_NAME": "secret", "CALICO_VERSION": "v3", "UAMI_CLIENT_ID": "x",
		"CONTROL_PLANE_MACHINE_COUNT": "1", "WORKER_MACHINE_COUNT": "1",
	})
	for document := range strings.SplitSeq(text, "\n---\n") {
		if !strings.Contains("\n"+document, "\nkind: AzureCluster\n") {
			continue
		}
		c := &v1beta1.AzureCluster{}
		c.Spec.ControlPlaneEnabled = true // By default.
		if err := yaml.UnmarshalStrict([]byte(document), c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	t.Fatalf("%s has no AzureCluster", template)
	return nil
}

// TestFlavors shows what becomes of CAPZ's own flavors.
func TestFlavors(t *testing.T) {
	for name, template := range flavors {
		t.Run(name, func(t *testing.T) {
			c := flavor(t, template)
			var out strings.Builder
			for _, r := range Of(c, Cluster{Namespace: "default", Name: c.Name}, known).Resources() {
				if r.Err != nil {
					t.Errorf("%s: %s", r, r.Err.Message)
				}
				spec, err := yaml.Marshal(map[string]any{r.Object.GetKind() + " " + r.Object.GetName(): map[string]any{"from": r.Source, "version": r.Object.GetAPIVersion(), "spec": r.Object.Object["spec"]}})
				if err != nil {
					t.Fatal(err)
				}
				out.Write(spec)
			}
			golden.Check(t, "testdata/"+name+".golden.yaml", out.String())
		})
	}
}
