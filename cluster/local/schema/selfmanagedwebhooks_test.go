package schema

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestSelfManagedWebhooks asks the real API server about objects of the self-managed kinds, with provider-capz's webhooks as the package has
// them.
func TestSelfManagedWebhooks(t *testing.T) {
	serveRules(t)
	t.Run("Cluster", func(t *testing.T) {
		filledInOnce(t, azureCluster, "{location: westeurope, identityRef: {kind: AzureClusterIdentity, name: i}}")
	})
	t.Run("Private", func(t *testing.T) {
		filledInOnce(t, azureCluster, "{location: westeurope, identityRef: {kind: AzureClusterIdentity, name: i}, bastionSpec: {azureBastion: {}}, "+
			"networkSpec: {vnet: {cidrBlocks: [10.0.0.0/8, \"fd00::/56\"]}, subnets: [{name: p, role: control-plane}, {name: n1, role: node, cidrBlocks: [10.1.0.0/16, \"fd00::/64\"]}], apiServerLB: {type: Internal}, controlPlaneOutboundLB: {}, nodeOutboundLB: {frontendIPsCount: 2}}}")
	})
	t.Run("Machine", func(t *testing.T) {
		read := filledInOnce(t, azureMachine, "{vmSize: s, osDisk: {}, identity: SystemAssigned, subnetName: s, acceleratedNetworking: true, roleAssignmentName: 11111111-1111-1111-1111-111111111111, dataDisks: [{nameSuffix: a, diskSizeGB: 4}]}")
		for _, field := range []string{"sshPublicKey", "networkInterfaces", "diagnostics"} {
			if _, found, _ := unstructured.NestedFieldNoCopy(read.Object, "spec", field); !found {
				t.Errorf("%s is not filled in", field)
			}
		}
		if name, _, _ := unstructured.NestedString(read.Object, "spec", "systemAssignedIdentityRole", "name"); name == "" {
			t.Error("the role assignment has no name")
		}
	})
	t.Run("Pool", func(t *testing.T) {
		read := filledInOnce(t, azureMachine+"Pool", "{location: l, identity: SystemAssigned, roleAssignmentName: 11111111-1111-1111-1111-111111111111, template: {vmSize: s, osDisk: {}, networkInterfaces: [{subnetName: nodes}]}}")
		for _, field := range []string{"sshPublicKey", "diagnostics"} {
			if _, found, _ := unstructured.NestedFieldNoCopy(read.Object, "spec", "template", field); !found {
				t.Errorf("%s is not filled in", field)
			}
		}
	})
	t.Run("Templates", func(t *testing.T) {
		filledInOnce(t, azureCluster+"Template", "{template: {spec: {networkSpec: {subnets: [{name: p, role: control-plane}]}}}}")
		filledInOnce(t, azureMachine+"Template", "{template: {spec: {vmSize: s, osDisk: {}, dataDisks: [{nameSuffix: a, diskSizeGB: 4}]}}}")
	})
	t.Run("TemplateStays", templateStays)
}

// filledInOnce creates an object and finds all that was written; then it applies the same again, as GitOps and topologies do, and finds that
// nothing has changed.
func filledInOnce(t *testing.T, kind, spec string) *unstructured.Unstructured {
	t.Helper()
	ctx := context.Background()
	owner := client.FieldOwner("gitops")
	u := object(t, kind, spec)
	applied := func() *unstructured.Unstructured {
		t.Helper()
		if err := server.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u.DeepCopy()), owner, client.ForceOwnership); err != nil {
			t.Fatal(err)
		}
		read := u.DeepCopy()
		if err := server.client.Get(ctx, client.ObjectKeyFromObject(u), read); err != nil {
			t.Fatal(err)
		}
		return read
	}
	first := applied()
	t.Cleanup(func() {
		if err := server.client.Delete(ctx, u); err != nil {
			t.Error(err)
		}
	})
	moved := map[string]bool{"spec.subnetName": true, "spec.acceleratedNetworking": true, "spec.roleAssignmentName": true}
	for _, lost := range missing("spec", withoutItems(u.Object["spec"]), withoutItems(first.Object["spec"])) {
		if !moved[lost] {
			t.Errorf("%s was lost", lost)
		}
	}
	again := applied()
	if diff := cmp.Diff(first.Object["spec"], again.Object["spec"]); diff != "" {
		t.Errorf("applied again: -before +after:\n%s", diff)
	}
	if first.GetGeneration() != again.GetGeneration() {
		t.Errorf("applied again, the object has generation %d, before it had %d", again.GetGeneration(), first.GetGeneration())
	}
	return again
}

// withoutItems leaves out the items of lists, into which defaults are written.
func withoutItems(value any) any {
	fields, isObject := value.(map[string]any)
	if !isObject {
		if _, isList := value.([]any); isList {
			return "a list"
		}
		return value
	}
	out := map[string]any{}
	for name, field := range fields {
		out[name] = withoutItems(field)
	}
	return out
}

// templateStays shows that only a topology may try another spec.
func templateStays(t *testing.T) {
	ctx := context.Background()
	u := object(t, azureMachine+"Template", "{template: {spec: {vmSize: s, osDisk: {}}}}")
	create(t, u)
	changed := object(t, azureMachine+"Template", "{template: {spec: {vmSize: b, osDisk: {}}}}")
	try := func(opts ...client.ApplyOption) error {
		return server.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(changed.DeepCopy()), append(opts, client.FieldOwner("capi-topology"), client.ForceOwnership)...)
	}
	const want = `admission webhook "azuremachine.infrastructure.cluster.x-k8s.io" denied the request: AzureMachineTemplate.infrastructure.cluster.x-k8s.io "checked" is invalid: ` +
		"spec.template.spec: Forbidden: cannot be changed: make another AzureMachineTemplate, and have the control plane or MachineDeployment name that"
	if err := try(); err == nil || err.Error() != want {
		t.Errorf("a change: %v", err)
	}
	if err := try(client.DryRunAll); err == nil || err.Error() != want {
		t.Errorf("a trial of somebody: %v", err)
	}
	changed.SetAnnotations(map[string]string{clusterv1.TopologyDryRunAnnotation: ""})
	if err := try(client.DryRunAll); err != nil {
		t.Errorf("a trial of a topology: %v", err)
	}
	if err := try(); err == nil || err.Error() != want {
		t.Errorf("a change of a topology: %v", err)
	}
	u.SetLabels(map[string]string{"a": "b"})
	if err := server.client.Update(ctx, u); err != nil {
		t.Errorf("a label: %v", err)
	}
}
