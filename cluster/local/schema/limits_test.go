package schema

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A limit is a value of one field that is just right or just wrong by CAPZ's own definitions.
type limit struct {
	// path of the field, with [] for the one item of a list.
	path  string
	value any
	// want is what the reason must have; the empty one is for values that are right.
	want string
}

// TestCAPZLimits tries every enum, minimum, maximum and length that CAPZ's definitions of the typed and self-managed kinds have: the values at
// the limit are taken and those beyond it refused, with the field, the value and what is possible.
func TestCAPZLimits(t *testing.T) {
	crds, err := capzCRDs(capzDir(t))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for plural, kind := range map[string]string{
		"azuremanagedcontrolplanes": controlPlane, "azuremanagedmachinepools": machinePool, "azureclusteridentities": "AzureClusterIdentity",
		"azureclusters": azureCluster, "azuremachines": azureMachine,
	} {
		limits := limitsBelow("spec", crds[plural].Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"])
		tried += len(limits)
		for i, l := range limits {
			t.Run(fmt.Sprintf("%s/%d", l.path, i), func(t *testing.T) { l.try(t, kind) })
		}
	}
	if tried < 150 {
		t.Errorf("found %d limits in CAPZ's definitions, want at least 150", tried)
	}
}

// try writes the value of the limit into an object that has nothing else below the same fields, so that other fields may be
// missing: only what is said about this one counts.
func (l limit) try(t *testing.T, kind string) {
	value := l.value
	fields := strings.Split(l.path, ".")[1:]
	for i := len(fields) - 1; i >= 0; i-- {
		name, isItem := strings.CutSuffix(fields[i], "[]")
		if isItem {
			value = []any{value}
		}
		value = map[string]any{name: value}
	}
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	u := object(t, kind, "")
	u.Object["spec"] = merged(t, minimal[kind], string(raw))
	err = server.client.Create(context.Background(), u, client.DryRunAll)
	at := strings.ReplaceAll(l.path, "[]", "[0]") + ": "
	if l.want != "" {
		if err == nil || !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), at+l.want) {
			t.Errorf("%s: error is %v, want %s", raw, err, at+l.want)
		}
		return
	}
	for _, refused := range []string{"Unsupported value", "in body should", "Too long", "Too short"} {
		if err != nil && strings.Contains(err.Error(), at) && strings.Contains(err.Error(), refused) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// limitsBelow are the values to try of a field and of all fields below it.
func limitsBelow(path string, schema extv1.JSONSchemaProps) []limit {
	out := limitsAt(path, schema)
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		out = append(out, limitsBelow(path+"."+name, schema.Properties[name])...)
	}
	if schema.Items != nil {
		out = append(out, limitsBelow(path+"[]", *schema.Items.Schema)...)
	}
	return out
}

func limitsAt(path string, schema extv1.JSONSchemaProps) []limit {
	var out []limit
	for _, value := range schema.Enum {
		out = append(out, limit{path: path, value: json.RawMessage(value.Raw)})
	}
	if len(schema.Enum) > 0 {
		out = append(out, limit{path: path, value: "nonsense", want: `Unsupported value: "nonsense": supported values: `})
	}
	if schema.Minimum != nil {
		low := int64(*schema.Minimum)
		out = append(out, limit{path: path, value: low}, limit{path: path, value: low - 1, want: fmt.Sprintf("Invalid value: %d: %s in body should be greater than or equal to %d", low-1, strings.ReplaceAll(path, "[]", "[0]"), low)})
	}
	if schema.Maximum != nil {
		high := int64(*schema.Maximum)
		out = append(out, limit{path: path, value: high}, limit{path: path, value: high + 1, want: fmt.Sprintf("Invalid value: %d: %s in body should be less than or equal to %d", high+1, strings.ReplaceAll(path, "[]", "[0]"), high)})
	}
	if schema.MaxLength != nil && schema.Pattern == "" {
		text := strings.Repeat("1", int(*schema.MaxLength))
		out = append(out, limit{path: path, value: text}, limit{path: path, value: text + "1", want: "Too long"})
	}
	if schema.MinLength != nil {
		short := strings.Repeat("1", int(*schema.MinLength)-1)
		out = append(out, limit{path: path, value: short + "1"}, limit{path: path, value: short, want: fmt.Sprintf("Invalid value: %q: %s in body should be at least %d chars long", short, strings.ReplaceAll(path, "[]", "[0]"), *schema.MinLength)})
	}
	return out
}

// TestRequired leaves out each field that a typed kind cannot do without.
func TestRequired(t *testing.T) {
	cases := []struct{ kind, patch, want string }{
		{controlPlane, "{location: null}", "spec.location: Required value"},
		{controlPlane, "{version: null}", "spec.version: Required value"},
		{controlPlane, "{identityRef: null}", "spec.identityRef: Required value"},
		{controlPlane, "{aadProfile: {managed: true}}", "spec.aadProfile.adminGroupObjectIDs: Required value"},
		{controlPlane, "{aadProfile: {adminGroupObjectIDs: [a]}}", "spec.aadProfile.managed: Required value"},
		{controlPlane, "{addonProfiles: [{name: a}]}", "spec.addonProfiles[0].enabled: Required value"},
		{controlPlane, "{addonProfiles: [{enabled: true}]}", "spec.addonProfiles[0].name: Required value"},
		{controlPlane, "{extensions: [{name: a}]}", "spec.extensions[0].extensionType: Required value"},
		{controlPlane, "{extensions: [{extensionType: a}]}", "spec.extensions[0].name: Required value"},
		{controlPlane, "{extensions: [{name: a, extensionType: a, scope: {}}]}", "spec.extensions[0].scope.scopeType: Required value"},
		{controlPlane, "{fleetsMember: {managerName: a}}", "spec.fleetsMember.managerResourceGroup: Required value"},
		{controlPlane, "{fleetsMember: {managerResourceGroup: a}}", "spec.fleetsMember.managerName: Required value"},
		{controlPlane, "{securityProfile: {azureKeyVaultKms: {enabled: true}}}", "spec.securityProfile.azureKeyVaultKms.keyID: Required value"},
		{controlPlane, "{securityProfile: {azureKeyVaultKms: {keyID: a}}}", "spec.securityProfile.azureKeyVaultKms.enabled: Required value"},
		{controlPlane, "{securityProfile: {defender: {logAnalyticsWorkspaceResourceID: a}}}", "spec.securityProfile.defender.securityMonitoring: Required value"},
		{controlPlane, "{securityProfile: {defender: {securityMonitoring: {}}}}", "spec.securityProfile.defender.logAnalyticsWorkspaceResourceID: Required value"},
		{controlPlane, "{securityProfile: {imageCleaner: {}}}", "spec.securityProfile.imageCleaner.enabled: Required value"},
		{controlPlane, "{securityProfile: {workloadIdentity: {}}}", "spec.securityProfile.workloadIdentity.enabled: Required value"},
		{controlPlane, "{virtualNetwork: {subnet: {serviceEndpoints: [{service: a}]}}}", "spec.virtualNetwork.subnet.serviceEndpoints[0].locations: Required value"},
		{controlPlane, "{virtualNetwork: {subnet: {serviceEndpoints: [{locations: [a]}]}}}", "spec.virtualNetwork.subnet.serviceEndpoints[0].service: Required value"},
		{controlPlane, "{virtualNetwork: {subnet: {privateEndpoints: [{location: a}]}}}", "spec.virtualNetwork.subnet.privateEndpoints[0].name: Required value"},
		{machinePool, "{mode: null}", "spec.mode: Required value"},
		{machinePool, "{sku: null}", "spec.sku: Required value"},
		{machinePool, "{taints: [{key: a, value: b}]}", "spec.taints[0].effect: Required value"},
		{machinePool, "{taints: [{effect: NoSchedule, value: b}]}", "spec.taints[0].key: Required value"},
		{machinePool, "{taints: [{effect: NoSchedule, key: b}]}", "spec.taints[0].value: Required value"},
		{azureCluster, "{location: null}", "spec.location: Required value"},
		{azureCluster, "{networkSpec: {vnet: {peerings: [{resourceGroup: a}]}}}", "spec.networkSpec.vnet.peerings[0].remoteVnetName: Required value"},
		{azureCluster, "{networkSpec: {additionalAPIServerLBPorts: [{name: a}]}}", "spec.networkSpec.additionalAPIServerLBPorts[0].port: Required value"},
		{azureMachine, "{vmSize: null}", "spec.vmSize: Required value"},
		{azureMachine, "{osDisk: null}", "spec.osDisk: Required value"},
		{azureMachine, "{dataDisks: [{nameSuffix: a}]}", "spec.dataDisks[0].diskSizeGB: Required value"},
		{"AzureClusterIdentity", "{type: null}", "spec.type: Required value"},
		{"AzureClusterIdentity", "{clientID: null}", "spec.clientID: Required value"},
		{"AzureClusterIdentity", "{tenantID: null}", "spec.tenantID: Required value"},
	}
	for _, tc := range cases {
		t.Run(tc.want, func(t *testing.T) {
			u := object(t, tc.kind, "")
			u.Object["spec"] = merged(t, minimal[tc.kind], tc.patch)
			if err := server.client.Create(context.Background(), u, client.DryRunAll); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want it to have %s", err, tc.want)
			}
		})
	}
}

// TestLeftToPatches takes templates that lack what every object needs: the patches of a ClusterClass add it for each Cluster.
func TestLeftToPatches(t *testing.T) {
	for kind, left := range map[string]string{controlPlane: "location", machinePool: "sku", azureCluster: "location", azureMachine: "vmSize"} {
		t.Run(kind, func(t *testing.T) {
			u := object(t, kind+"Template", "")
			u.Object["spec"] = map[string]any{"template": map[string]any{"spec": merged(t, minimal[kind], "{"+left+": null}")}}
			create(t, u)
		})
	}
}
