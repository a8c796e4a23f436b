package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/drone/envsubst/v2"
)

// flavorVariables are what a person gives clusterctl for the templates of examples/flavors.
var flavorVariables = map[string]string{
	"CLUSTER_NAME": "my-cluster", "KUBERNETES_VERSION": "v1.33.6", "WORKER_MACHINE_COUNT": "2", "AZURE_LOCATION": "westeurope",
	"AZURE_NODE_MACHINE_TYPE": "Standard_D2s_v5", "AZURE_CONTROL_PLANE_MACHINE_TYPE": "Standard_D2s_v5", "CLUSTER_CLASS_NAME": "aks-aso", "CLUSTER_IDENTITY_NAME": "my-identity",
	"AZURE_SUBSCRIPTION_ID": "00000000-0000-0000-0000-000000000001", "AZURE_TENANT_ID": "00000000-0000-0000-0000-000000000002",
	"AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY": "00000000-0000-0000-0000-000000000003", "AZURE_CUSTOM_VNET_NAME": "company", "AZURE_CUSTOM_VNET_RESOURCE_GROUP": "my-network",
	"AZURE_CUSTOM_VNET_CIDR": "10.64.0.0/12", "AZURE_CONTROL_PLANE_SUBNET_NAME": "control-planes", "AZURE_CONTROL_PLANE_SUBNET_CIDR": "10.65.0.0/24",
	"AZURE_NODE_SUBNET_NAME": "nodes", "AZURE_NODE_SUBNET_CIDR": "10.64.0.0/16",
}

// TestFlavorsAreValid says the same of the templates for clusterctl as TestExamplesAreValid of the examples. What a topology
// makes is not known before Cluster API has made it, so that there the kinds alone are checked.
func TestFlavorsAreValid(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(tools.root, "examples", "flavors", "cluster*.yaml"))
	if err != nil || len(files) < 4 {
		t.Fatalf("want at least 4 templates, got %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			filled, err := envsubst.Eval(read(t, file), func(name string) string { return flavorVariables[name] })
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(filled, "kind: ClusterClass") || strings.Contains(filled, "topology:") {
				checkKinds(t, filled)
				return
			}
			checkValid(t, writeFile(t, "cluster.yaml", filled))
		})
	}
}

func checkKinds(t *testing.T, manifests string) {
	t.Helper()
	if out, err := validate(t, tools.kinds, "-", manifests); err != nil || strings.Contains(out, "Total 0 resources") {
		t.Errorf("%v\n%s", err, out)
	}
}
