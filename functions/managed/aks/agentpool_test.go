package aks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
)

func TestMachinePool(t *testing.T) {
	tests := map[string]struct {
		spec, controlPlane string
		pool               Pool
		live               LivePool
		field, want        string
	}{
		"least":                               {field: "spec", want: `{"azureName":"Pool_1","count":1,"enableAutoScaling":false,"mode":"System","osDiskSizeGB":0,"osType":"Linux","owner":{"name":"cp"},"type":"VirtualMachineScaleSets","vmSize":"Standard_D2s_v3","vnetSubnetReference":{"armId":"/subscriptions/sub/resourceGroups/My_Group/providers/Microsoft.Network/virtualNetworks/cp/subnets/cp"}}`},
		"name":                                {field: "metadata.name", want: `"pool-1"`},
		"own name in Azure":                   {spec: "name: other", field: "spec.azureName", want: `"other"`},
		"replicas":                            {pool: Pool{Replicas: ptr.To[int32](3)}, field: "spec.count", want: `3`},
		"no replicas":                         {pool: Pool{Replicas: ptr.To[int32](0)}, field: "spec.count", want: `0`},
		"scaling":                             {spec: "scaling: {minSize: 1, maxSize: 9}", field: "spec.maxCount", want: `9`},
		"version":                             {pool: Pool{Version: "v1.33.1"}, field: "spec.orchestratorVersion", want: `"1.33.1"`},
		"version upgraded by AKS":             {pool: Pool{Version: "v1.33.1", AutoUpgradeVersion: "v1.34.0"}, field: "spec.orchestratorVersion", want: `"1.34.0"`},
		"version never falls":                 {pool: Pool{Version: "v1.33.1"}, live: LivePool{Version: "1.33.2"}, field: "spec.orchestratorVersion", want: `"1.33.2"`},
		"version above a minor of two digits": {pool: Pool{Version: "v1.9.9"}, live: LivePool{Version: "1.10.0"}, field: "spec.orchestratorVersion", want: `"1.10.0"`},
		"taints":                              {spec: "taints: [{key: k, value: v, effect: NoSchedule}, {key: l, value: '', effect: NoExecute}]", field: "spec.nodeTaints", want: `["k=v:NoSchedule","l=:NoExecute"]`},
		"spot price":                          {spec: "spotMaxPrice: -1", field: "spec.spotMaxPrice", want: `-1`},
		"spot price below a cent":             {spec: "spotMaxPrice: 0.005", field: "spec.spotMaxPrice", want: `0.005`},
		"other subnet":                        {spec: "subnetName: s2", field: "spec.vnetSubnetReference.armId", want: `"/subscriptions/sub/resourceGroups/My_Group/providers/Microsoft.Network/virtualNetworks/cp/subnets/s2"`},
		"subnet by name":                      {controlPlane: "subscriptionID: ''", field: "spec.vnetSubnetReference", want: `{"group":"network.azure.com","kind":"VirtualNetworksSubnet","name":"cp-cp"}`},
		"kubelet":                             {spec: "kubeletConfig: {cpuManagerPolicy: static, podMaxPids: -1}", field: "spec.kubeletConfig", want: `{"cpuManagerPolicy":"static","podMaxPids":-1}`},
		"Linux":                               {spec: "linuxOSConfig: {transparentHugePageDefrag: defer+madvise, sysctls: {vmSwappiness: 10}}", field: "spec.linuxOSConfig", want: `{"sysctls":{"vmSwappiness":10},"transparentHugePageDefrag":"defer+madvise"}`},
		"patch":                               {spec: "asoManagedClustersAgentPoolPatches: ['spec: {upgradeSettings: {maxSurge: 33%}}']", field: "spec.upgradeSettings", want: `{"maxSurge":"33%"}`},
		"preview":                             {controlPlane: "enablePreviewFeatures: true", field: "apiVersion", want: `"containerservice.azure.com/v20251002preview"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.pool.XR = pool(t, "Pool_1", tc.spec)
			o := MachinePool(tc.pool, controlPlane(t, "version: v1.40.0", tc.controlPlane), cluster, tc.live)
			if o.Err != nil {
				t.Fatal(o.Err.Message)
			}
			if diff := cmp.Diff(tc.want, jsonOf(o.Object, tc.field)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.field, diff)
			}
		})
	}
}

func TestMachinePoolProblems(t *testing.T) {
	tests := map[string]struct {
		spec, controlPlane string
		pool               Pool
		want               string
	}{
		"newer than the control plane": {pool: Pool{Version: "v1.33.3"}, want: `spec.template.spec.version is "v1.33.3", but must not be above "v1.33.2"`},
		"patch":                        {spec: "asoManagedClustersAgentPoolPatches: ['spec: {surge: 1}']", want: `spec.asoManagedClustersAgentPoolPatches[0] cannot be applied: spec.surge must be absent`},
		"other subnet by name":         {spec: "subnetName: s2", controlPlane: "subscriptionID: ''", want: `spec.subscriptionID is empty, but must be set, because the ID of subnet "s2" is built with it`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.pool.XR = pool(t, "p", tc.spec)
			o := MachinePool(tc.pool, controlPlane(t, tc.controlPlane), cluster, LivePool{})
			if o.Err == nil || !strings.Contains(o.Err.Message, tc.want) {
				t.Errorf("want a problem with %q, got %+v", tc.want, o.Err)
			}
		})
	}
}

// TestPoolsOfANewCluster shows which pools a cluster is created with, and what it waits for.
func TestPoolsOfANewCluster(t *testing.T) {
	system, user := Pool{XR: pool(t, "b")}, Pool{XR: pool(t, "a", "{mode: User, asoManagedClustersAgentPoolPatches: ['spec: {osSKU: AzureLinux}']}")}
	broken := Pool{XR: pool(t, "c", "{mode: User, asoManagedClustersAgentPoolPatches: ['[]']}")}
	tests := map[string]struct {
		pools []Pool
		live  LiveCluster
		spec  string
		names []string
		waits string
	}{
		"by name":             {pools: []Pool{system, user}, names: []string{"a:AzureLinux", "b:"}},
		"once they exist":     {pools: []Pool{system, user}, live: LiveCluster{HasPools: true}},
		"no pool":             {waits: "an AzureManagedMachinePool of Cluster blue has spec.mode System"},
		"no System pool":      {pools: []Pool{user}, names: []string{"a:AzureLinux"}, waits: "spec.mode System"},
		"AKS hosts its own":   {spec: "asoManagedClusterPatches: ['spec: {sku: {name: Automatic}}']"},
		"hosted, a User pool": {pools: []Pool{user}, spec: "{enablePreviewFeatures: true, asoManagedClusterPatches: ['spec: {hostedSystemProfile: {enabled: true}}']}", names: []string{"a:AzureLinux"}},
		"hosted, mistaken":    {pools: []Pool{broken}, spec: "asoManagedClusterPatches: ['spec: {sku: {name: Automatic}}']", waits: "AzureManagedMachinePool c is fixed"},
		"a pool with mistake": {pools: []Pool{system, broken}, names: []string{"b:"}, waits: "AzureManagedMachinePool c is fixed: spec.asoManagedClustersAgentPoolPatches[0]"},
		"replaced by a patch": {pools: []Pool{system}, spec: "asoManagedClusterPatches: ['spec: {agentPoolProfiles: [{name: z}]}']", names: []string{"z:"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := at(t, ControlPlane(controlPlane(t, tc.spec), cluster, tc.pools, tc.live), "spec")
			var names []string
			profiles, _ := o.Object.Object["spec"].(map[string]any)["agentPoolProfiles"].([]any)
			for _, p := range profiles {
				sku, _ := p.(map[string]any)["osSKU"].(string)
				names = append(names, profileName(p)+":"+sku)
			}
			if diff := cmp.Diff(tc.names, names); diff != "" {
				t.Errorf("pools (-want +got):\n%s", diff)
			}
			var descriptions []string
			for _, c := range o.After {
				descriptions = append(descriptions, c.Description)
			}
			if waits := strings.Join(descriptions, ";"); tc.waits == "" && waits != "" || !strings.Contains(waits, tc.waits) {
				t.Errorf("want it to wait for %q, got %q", tc.waits, waits)
			}
		})
	}
}
