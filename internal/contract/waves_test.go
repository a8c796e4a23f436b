package contract

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	groupYAML  = "{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: rg}}"
	vnetYAML   = "{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: vnet}, spec: {owner: {name: rg}}}"
	subnetYAML = "{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetworksSubnet, metadata: {name: subnet}, spec: {owner: {name: vnet}, networkSecurityGroup: {reference: {group: network.azure.com, kind: NetworkSecurityGroup, name: nsg}}}}"
	nsgYAML    = "{apiVersion: network.azure.com/v1api20240301, kind: NetworkSecurityGroup, metadata: {name: nsg}, spec: {owner: {name: rg}}}"
	leftYAML   = "{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: left}, spec: {peer: {group: network.azure.com, kind: VirtualNetwork, name: right}}}"
	rightYAML  = "{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: right}, spec: {peer: {group: network.azure.com, kind: VirtualNetwork, name: left}}}"
)

func TestWave(t *testing.T) {
	tests := map[string]struct {
		objects []string
		want    []string
	}{
		"nothing":                   {},
		"one":                       {objects: []string{groupYAML}, want: []string{"rg"}},
		"owned first":               {objects: []string{groupYAML, vnetYAML}, want: []string{"vnet"}},
		"referring first":           {objects: []string{groupYAML, vnetYAML, nsgYAML, subnetYAML}, want: []string{"subnet"}},
		"then what was referred to": {objects: []string{groupYAML, vnetYAML, nsgYAML}, want: []string{"vnet", "nsg"}},
		"by the ID in Azure, whatever its case": {objects: []string{
			"{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: vnet, annotations: {serviceoperator.azure.com/resource-id: /subscriptions/s/vnet}}}",
			"{apiVersion: network.azure.com/v1api20220701, kind: PrivateEndpoint, metadata: {name: endpoint}, spec: {subnet: {reference: {armId: /subscriptions/S/VNet}}}}",
		}, want: []string{"endpoint"}},
		"what a ManagedCluster is referred to by": {objects: []string{
			managedClusterYAML, vnetYAML,
			"{apiVersion: kubernetesconfiguration.azure.com/v1api20230501, kind: Extension, metadata: {name: extension}, spec: {owner: {group: containerservice.azure.com, kind: ManagedCluster, name: my-cluster}}}",
		}, want: []string{"extension"}},
		"a ManagedCluster by itself": {objects: []string{managedClusterYAML, subnetYAML}, want: []string{"my-cluster"}},
		"a circle goes together":     {objects: []string{leftYAML, rightYAML}, want: []string{"left", "right"}},
		"a circle waits for others":  {objects: []string{leftYAML, rightYAML, groupYAML}, want: []string{"rg"}},
		"of the same name elsewhere": {objects: []string{groupYAML, "{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: vnet}, spec: {owner: {armId: /subscriptions/s/resourceGroups/rg}}}"}, want: []string{"rg", "vnet"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var objects []*unstructured.Unstructured
			for _, text := range tc.objects {
				objects = append(objects, parse(t, text))
			}
			var got []string
			for _, obj := range wave(objects) {
				got = append(got, obj.GetName())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("wave: -want +got:\n%s", diff)
			}
		})
	}
}

func TestRefusal(t *testing.T) {
	condition := func(severity string, observed int64) func(*unstructured.Unstructured) {
		return func(obj *unstructured.Unstructured) {
			obj.SetGeneration(2)
			obj.Object["status"] = map[string]any{"conditions": []any{map[string]any{
				"type": "Ready", "status": "False", "severity": severity, "observedGeneration": observed,
				"reason": "OperationNotAllowed", "message": "the last System pool",
			}}}
		}
	}
	tests := map[string]struct {
		changes []func(*unstructured.Unstructured)
		want    string
	}{
		"not being deleted": {changes: []func(*unstructured.Unstructured){condition("Warning", 2)}},
		"refused":           {changes: []func(*unstructured.Unstructured){deleting("f"), condition("Warning", 2)}, want: "OperationNotAllowed the last System pool"},
		"refused for good":  {changes: []func(*unstructured.Unstructured){deleting("f"), condition("Error", 2)}, want: "OperationNotAllowed the last System pool"},
		"in progress":       {changes: []func(*unstructured.Unstructured){deleting("f"), condition("Info", 2)}},
		"an older failure":  {changes: []func(*unstructured.Unstructured){deleting("f"), condition("Warning", 1)}},
		"nothing reported":  {changes: []func(*unstructured.Unstructured){deleting("f")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			reason, message := refusal(with(parse(t, agentPoolYAML), tc.changes...))
			got := ""
			if message != "" {
				got = reason + " " + message
			}
			if got != tc.want {
				t.Errorf("refusal = %q, want %q", got, tc.want)
			}
		})
	}
}
