package schema

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// What the policies of examples/policies are asked about.
const (
	aManagedCluster      = "apiVersion: containerservice.azure.com/v1api20250801\nkind: ManagedCluster\nmetadata: {name: of-policies}\nspec: "
	anAgentPool          = "apiVersion: containerservice.azure.com/v1api20250801\nkind: ManagedClustersAgentPool\nmetadata: {name: of-policies}\nspec: "
	aGroup               = "apiVersion: resources.azure.com/v1api20200601\nkind: ResourceGroup\nmetadata: {name: of-policies}\nspec: "
	aMachine             = "apiVersion: compute.azure.com/v1api20220301\nkind: VirtualMachine\nmetadata: {name: of-policies}\nspec: "
	aScaleSet            = "apiVersion: compute.azure.com/v1api20220301\nkind: VirtualMachineScaleSet\nmetadata: {name: of-policies}\nspec: "
	anAzureCluster       = "apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: AzureCluster\nmetadata: {name: of-policies}\nspec: "
	aKubeadmControlPlane = "apiVersion: controlplane.cluster.x-k8s.io/v1beta2\nkind: KubeadmControlPlane\nmetadata: {name: of-policies}\nspec: "
)

// policyCases are objects by policy: those that it lets through have no message.
var policyCases = []struct{ policy, object, want string }{
	{"private-clusters", aManagedCluster + "{owner: {name: g}, location: x, apiServerAccessProfile: {enablePrivateCluster: true}}", ""},
	{"private-clusters", aManagedCluster + "{owner: {name: g}, location: x}", "spec.apiServerAccessProfile.enablePrivateCluster must be true"},
	{"private-clusters", anAzureCluster + "{identityRef: {kind: AzureClusterIdentity, name: i}, location: x, networkSpec: {apiServerLB: {type: Internal}}}", ""},
	{"private-clusters", anAzureCluster + "{identityRef: {kind: AzureClusterIdentity, name: i}, location: x}", "spec.networkSpec.apiServerLB.type must be Internal"},
	{"zones", anAgentPool + `{owner: {name: c}, vmSize: Standard_D2s_v5, availabilityZones: ["1", "2", "3"]}`, ""},
	{"zones", anAgentPool + `{owner: {name: c}, vmSize: Standard_D2s_v5, availabilityZones: ["1"]}`, "spec.availabilityZones has 1 availability zones, but must have three"},
	{"zones", aScaleSet + "{owner: {name: g}, location: x}", "spec.zones has 0 availability zones"},
	{"sizes", anAgentPool + "{owner: {name: c}, vmSize: Standard_D4s_v5}", ""},
	{"sizes", anAgentPool + "{owner: {name: c}, vmSize: Standard_M416ms_v2}", `the size is "Standard_M416ms_v2", but must be one of Standard_D2s_v5, Standard_D4s_v5, Standard_D8s_v5`},
	{"sizes", aMachine + "{owner: {name: g}, location: x, hardwareProfile: {vmSize: Standard_A1_v2}}", `the size is "Standard_A1_v2"`},
	{"sizes", aScaleSet + "{owner: {name: g}, location: x, sku: {name: Standard_D2s_v5}}", ""},
	{"tags", aGroup + `{location: x, tags: {cost-center: "4711"}}`, ""},
	{"tags", aGroup + "{location: x, tags: {cost-center: mine}}", `spec.tags[cost-center] is "mine", but must be four digits`},
	{"tags", aMachine + "{owner: {name: g}, location: x}", `spec.tags[cost-center] is "", but must be four digits`},
	{"versions", aManagedCluster + "{owner: {name: g}, location: x, kubernetesVersion: 1.34.2}", ""},
	{"versions", aManagedCluster + `{owner: {name: g}, location: x, kubernetesVersion: "1.28"}`, `the version of Kubernetes is "1.28", but must be 1.33 or later`},
	{"versions", aKubeadmControlPlane + "{version: v1.36.3, machineTemplate: {spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureMachineTemplate, name: m}}}}", ""},
	{"versions", aKubeadmControlPlane + "{version: v1.30.0, machineTemplate: {spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureMachineTemplate, name: m}}}}", `the version of Kubernetes is "v1.30.0"`},
}

// TestPolicies has each policy of examples/policies let an object through and refuse another, in a namespace that asks for it.
func TestPolicies(t *testing.T) {
	everything := as(t, admin)
	namespace := parsed(t, `{apiVersion: v1, kind: Namespace, metadata: {name: production, labels: {policies.example.org/production: "true"}}}`)
	if err := everything.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(checkout, "examples", "policies", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		policy := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(policy, func(t *testing.T) {
			objects, err := kubeyaml.Read(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range objects {
				if err := everything.Create(t.Context(), o); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = everything.Delete(context.WithoutCancel(t.Context()), o) })
			}
			allowed, refused := 0, 0
			for _, c := range policyCases {
				if c.policy != policy {
					continue
				}
				if c.want == "" {
					allowed++
				} else {
					refused++
				}
				judge(t, everything, parsed(t, c.object), c.want)
			}
			if allowed == 0 || refused == 0 {
				t.Errorf("%d objects are allowed and %d refused, but each policy must have both", allowed, refused)
			}
		})
	}
}

// judge creates an object in namespace production, without keeping it, and expects that it is refused with a message, or accepted if that is empty.
// A new policy, and one that is gone, take a moment.
func judge(t *testing.T, c client.Client, o *unstructured.Unstructured, want string) {
	t.Helper()
	o.SetNamespace("production")
	deadline := time.Now().Add(20 * time.Second)
	for {
		err := c.Create(t.Context(), o.DeepCopy(), client.DryRunAll)
		if want == "" && err == nil || want != "" && err != nil && strings.Contains(err.Error(), want) {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s: got %v, want %q", o.GetKind(), err, want)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}
