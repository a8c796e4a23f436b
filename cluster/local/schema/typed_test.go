package schema

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestTypedDefaults reads back what the API server makes of the least that a typed or self-managed kind takes.
func TestTypedDefaults(t *testing.T) {
	cases := map[string]struct{ kind, spec, want string }{
		"ControlPlane": {kind: controlPlane, spec: "{}", want: "{networkPlugin: azure, loadBalancerSKU: Standard, sku: {tier: Free}, enablePreviewFeatures: false}"},
		"Parts": {
			kind: controlPlane,
			spec: "{sku: {}, identity: {}, oidcIssuerProfile: {}, fleetsMember: {managerName: a, managerResourceGroup: b}, extensions: [{name: a, extensionType: b}]}",
			want: "{networkPlugin: azure, loadBalancerSKU: Standard, sku: {tier: Free}, oidcIssuerProfile: {enabled: false}, enablePreviewFeatures: false, identity: {type: SystemAssigned}, fleetsMember: {group: default}, extensions: [{name: a, extensionType: b, autoUpgradeMinorVersion: true}]}",
		},
		"Autoscaler": {
			kind: controlPlane, spec: "{autoscalerProfile: {}}",
			want: `{networkPlugin: azure, loadBalancerSKU: Standard, sku: {tier: Free}, enablePreviewFeatures: false, autoscalerProfile: {
				balanceSimilarNodeGroups: "false", expander: random, maxEmptyBulkDelete: "10", maxGracefulTerminationSec: "600", maxNodeProvisionTime: 15m,
				maxTotalUnreadyPercentage: "45", newPodScaleUpDelay: 0s, okTotalUnreadyCount: "3", scanInterval: 10s, scaleDownDelayAfterAdd: 10m,
				scaleDownDelayAfterDelete: 10s, scaleDownDelayAfterFailure: 3m, scaleDownUnneededTime: 10m, scaleDownUnreadyTime: 20m,
				scaleDownUtilizationThreshold: "0.5", skipNodesWithLocalStorage: "false", skipNodesWithSystemPods: "true"}}`,
		},
		"KMS": {
			kind: controlPlane, spec: "{identity: {type: UserAssigned, userAssignedIdentityResourceID: a}, securityProfile: {azureKeyVaultKms: {enabled: true, keyID: k}}}",
			want: "{networkPlugin: azure, loadBalancerSKU: Standard, sku: {tier: Free}, enablePreviewFeatures: false, securityProfile: {azureKeyVaultKms: {keyVaultNetworkAccess: Public}}}",
		},
		"MachinePool": {kind: machinePool, spec: "{}", want: "{osType: Linux, osDiskType: Managed, scaleDownMode: Delete}"},
		"Identity":    {kind: "AzureClusterIdentity", spec: "{allowedNamespaces: {}}", want: "{}"},
		"Cluster":     {kind: azureCluster, spec: "{bastionSpec: {azureBastion: {}}}", want: "{controlPlaneEnabled: true, bastionSpec: {azureBastion: {sku: Basic, enableTunneling: false}}}"},
		"Machine": {
			kind: azureMachine, spec: "{image: {marketplace: {publisher: a, offer: b, sku: c, version: d}}}",
			want: "{identity: None, osDisk: {osType: Linux, cachingType: None}, image: {marketplace: {thirdPartyImage: false}}}",
		},
		"ScaleSet": {
			kind: azureMachinePool, spec: "{}", want: "{identity: None, orchestrationMode: Uniform, template: {osDisk: {osType: Linux, cachingType: None}}, " +
				"strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0, deletePolicy: Oldest}}}",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			u := object(t, tc.kind, "")
			u.Object["spec"] = merged(t, minimal[tc.kind], tc.spec)
			create(t, u)
			// Crossplane's part is not CAPZ's.
			unstructured.RemoveNestedField(u.Object, "spec", "crossplane")
			if diff := cmp.Diff(merged(t, minimal[tc.kind], tc.spec, tc.want), u.Object["spec"]); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOwnersMayWrite writes what controllers write on objects with every rule: labels, status, and the spec fields that
// are outputs. A rule that is broken without its field having changed would be in their way.
func TestOwnersMayWrite(t *testing.T) {
	ctx := context.Background()
	for kind, output := range map[string]string{
		controlPlane: "{controlPlaneEndpoint: {host: a, port: 443}}", machinePool: "{providerIDList: [a]}", "AzureClusterIdentity": "{}",
		azureCluster: "{controlPlaneEndpoint: {host: a, port: 443}}", azureMachine: "{providerID: a}",
		azureMachinePool: "{providerID: a, providerIDList: [b]}",
	} {
		t.Run(kind, func(t *testing.T) {
			u := object(t, kind, "")
			u.Object["spec"] = merged(t, minimal[kind])
			create(t, u)
			u.SetLabels(map[string]string{"cluster.x-k8s.io/cluster-name": "c"})
			u.Object["spec"] = merged(t, minimal[kind], output)
			if err := server.client.Update(ctx, u); err != nil {
				t.Fatal(err)
			}
			// A topology applies what it knows, again and again, and tries it first.
			applied := object(t, kind, "")
			applied.Object["spec"] = merged(t, minimal[kind])
			for _, opts := range [][]client.ApplyOption{{client.DryRunAll}, {}} {
				opts = append(opts, client.FieldOwner("capi-topology"), client.ForceOwnership)
				if err := server.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied.DeepCopy()), opts...); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// typedVariables are what CAPZ's templates for the typed kinds ask for besides.
var typedVariables = map[string]string{
	"AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY": "00000000-0000-0000-0000-000000000001",
	"AZURE_RESOURCE_GROUP":                   "from-template",
	"AZURE_SUBSCRIPTION_ID":                  "00000000-0000-0000-0000-000000000002",
	"AZURE_TENANT_ID":                        "00000000-0000-0000-0000-000000000003",
	"AZURE_SSH_PUBLIC_KEY_B64":               "c3NoLXJzYSBBQUFB",
	"CLUSTER_IDENTITY_NAME":                  "cluster-identity",
	"CLUSTER_IDENTITY_TYPE":                  "WorkloadIdentity",
	"WORKER_MACHINE_COUNT":                   "2",
}

// TestCAPZTypedTemplates creates the typed objects of CAPZ's own templates, and finds all that was written when it reads them.
func TestCAPZTypedTemplates(t *testing.T) {
	values := map[string]string{}
	for _, from := range []map[string]string{variables, typedVariables} {
		for name, value := range from {
			values[name] = value
		}
	}
	kinds := map[string]bool{}
	for _, name := range []string{"cluster-template-aks.yaml", "cluster-template-aks-clusterclass.yaml", "cluster-template-aks-topology.yaml"} {
		for _, written := range readObjects(t, filepath.Join(capzDir(t), "templates", name), values) {
			if written.GroupVersionKind().Group != group {
				continue
			}
			kinds[written.GetKind()] = true
			t.Run(name+"/"+written.GetKind()+"/"+written.GetName(), func(t *testing.T) {
				if written.Object["spec"] == nil && written.GetKind() == "AzureManagedCluster" {
					written.Object["spec"] = map[string]any{} // as provider-capz's webhook does
				}
				read := written.DeepCopy()
				create(t, read)
				for _, lost := range missing("spec", written.Object["spec"], read.Object["spec"]) {
					t.Errorf("%s was lost", lost)
				}
			})
		}
	}
	if len(kinds) != 7 {
		t.Errorf("the templates have %d kinds, want 7: %v", len(kinds), kinds)
	}
}

// missing lists the paths of values that are not the same in got, which may have more fields.
func missing(path string, want, got any) []string {
	fields, isObject := want.(map[string]any)
	if !isObject {
		if cmp.Equal(want, got) {
			return nil
		}
		return []string{path}
	}
	other, isObject := got.(map[string]any)
	if !isObject {
		return []string{path}
	}
	var out []string
	for name, value := range fields {
		out = append(out, missing(path+"."+name, value, other[name])...)
	}
	return out
}
