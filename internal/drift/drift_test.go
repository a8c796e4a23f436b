package drift

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

const (
	group    = "/subscriptions/s/resourceGroups/rg"
	networks = group + "/providers/Microsoft.Network"
)

// object returns one of the kind that ASO has sent, and that Azure has finished with, changed by what is given.
func object(t testing.TB, kind aso.Kind, spec, status string, changes ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{Object: map[string]any{}}
	text := fmt.Sprintf("metadata: {name: x, generation: 3}\nspec: {azureName: x, %s}\nstatus: {provisioningState: Succeeded, %s}\n", spec, status)
	if err := yaml.Unmarshal([]byte(text), &obj.Object); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	obj.SetGroupVersionKind(kind.GroupVersionKind())
	obj.SetAnnotations(map[string]string{aso.AnnotationSent: "3"})
	ready(obj, "True", 3)
	for _, change := range changes {
		change(obj)
	}
	return obj
}

func ready(obj *unstructured.Unstructured, status string, generation int64) {
	_ = unstructured.SetNestedSlice(obj.Object, []any{map[string]any{"type": "Ready", "status": status, "reason": "Succeeded", "observedGeneration": generation}}, "status", "conditions")
}

func annotated(pairs ...string) func(*unstructured.Unstructured) {
	return func(obj *unstructured.Unstructured) {
		for i := 0; i < len(pairs); i += 2 {
			aso.Annotate(obj, pairs[i], pairs[i+1])
		}
	}
}

// resolved knows where NatGateway nat is.
func resolved(ref aso.Reference) string {
	if ref.GroupKind == aso.NatGateway.GroupKind() && ref.Name == "nat" {
		return networks + "/natGateways/in-azure"
	}
	return ""
}

func sentences(differences []Difference) string {
	all := make([]string, 0, len(differences))
	for _, d := range differences {
		all = append(all, d.String())
	}
	return strings.Join(all, "; ")
}

func TestOf(t *testing.T) {
	type values struct {
		kind         aso.Kind
		spec, status string
		want         string
	}
	cluster, pool, subnet, balancer := aso.ManagedCluster, aso.ManagedClustersAgentPool, aso.VirtualNetworksSubnet, aso.LoadBalancer
	for name, c := range map[string]values{
		"the same":                {cluster, "sku: {tier: Free}", "sku: {tier: Free}", ""},
		"another value":           {cluster, "sku: {tier: Standard}", "sku: {tier: Free}", `spec.sku.tier is "Standard", but Azure reports "Free"`},
		"not told":                {cluster, "sku: {tier: Standard}", "sku: {}", ""},
		"not asked":               {cluster, "sku: {}", "sku: {tier: Free}", ""},
		"empty":                   {cluster, "dnsPrefix: '', tags: {}, fqdnSubdomain: null", "dnsPrefix: x, tags: {a: b}, fqdnSubdomain: x", ""},
		"a truth":                 {cluster, "enableRBAC: true", "enableRBAC: false", "spec.enableRBAC is true, but Azure reports false"},
		"not true is not there":   {cluster, "enableRBAC: false", "x: y", ""},
		"a number":                {pool, "maxPods: 30", "maxPods: 110", "spec.maxPods is 30, but Azure reports 110"},
		"a number as a text":      {pool, "maxPods: 30", "maxPods: '30'", ""},
		"zero lets Azure choose":  {pool, "osDiskSizeGB: 0", "osDiskSizeGB: 128", ""},
		"case":                    {pool, "vmSize: Standard_D2s_v3, mode: system", "vmSize: standard_d2s_v3, mode: System", ""},
		"a location":              {cluster, "location: West Europe", "location: westeurope", ""},
		"two identities":          {cluster, "identity: {type: 'SystemAssigned, UserAssigned'}", "identity: {type: 'SystemAssigned,UserAssigned'}", ""},
		"an address":              {cluster, "apiServerAccessProfile: {authorizedIPRanges: [1.2.3.4]}", "apiServerAccessProfile: {authorizedIPRanges: [1.2.3.4/32]}", ""},
		"an IPv6 range":           {cluster, "networkProfile: {podCidr: 'fd00:0:0::/64'}", "networkProfile: {podCidr: 'FD00::/64'}", ""},
		"another range":           {cluster, "networkProfile: {podCidr: 10.0.0.0/16}", "networkProfile: {podCidr: 10.0.0.0/8}", `spec.networkProfile.podCidr is "10.0.0.0/16", but Azure reports "10.0.0.0/8"`},
		"a duration":              {cluster, "autoScalerProfile: {scanInterval: 1m}", "autoScalerProfile: {scanInterval: 60s}", ""},
		"a time":                  {aso.MaintenanceConfiguration, "x: {end: '2026-01-02'}", "x: {end: '2026-01-02T00:00:00Z'}", ""},
		"a version in short":      {cluster, "kubernetesVersion: '1.33'", "kubernetesVersion: 1.33.2", ""},
		"a newer version":         {cluster, "kubernetesVersion: 1.33.1", "kubernetesVersion: 1.34.0", ""},
		"an older version":        {pool, "orchestratorVersion: 1.33.10", "orchestratorVersion: 1.33.9", `spec.orchestratorVersion is "1.33.10", but Azure reports "1.33.9"`},
		"the latest version":      {aso.Extension, "version: latest", "version: 1.0.0", ""},
		"a key of ASO's":          {cluster, "owner: {name: a}, operatorSpec: {a: b}", "owner: b, operatorSpec: {a: c}, name: y", ""},
		"pools of a cluster":      {cluster, "agentPoolProfiles: [{name: a, count: 1}]", "agentPoolProfiles: [{name: b, count: 2}]", ""},
		"a tag":                   {cluster, "tags: {a: b}", "tags: {a: c}", `spec.tags[a] is "b", but Azure reports "c"`},
		"a tag that is gone":      {cluster, "tags: {a: b, c: d}", "tags: {A: b}", `spec.tags[c] is "d", but Azure reports nothing`},
		"a tag of a policy":       {cluster, "tags: {a: b}", "tags: {a: b, costCenter: '7'}", ""},
		"a key in another case":   {cluster, "addonProfiles: {OMSAgent: {enabled: true}}", "addonProfiles: {omsagent: {enabled: false}}", "spec.addonProfiles.OMSAgent.enabled is true, but Azure reports false"},
		"in another order":        {pool, "availabilityZones: ['1', '2']", "availabilityZones: ['2', '1']", ""},
		"one less":                {pool, "availabilityZones: ['1', '2']", "availabilityZones: ['2']", `spec.availabilityZones is ["1","2"], but Azure reports ["2"]`},
		"one more":                {cluster, "apiServerAccessProfile: {authorizedIPRanges: [1.2.3.4/32]}", "apiServerAccessProfile: {authorizedIPRanges: [0.0.0.0/0, 1.2.3.4/32]}", `spec.apiServerAccessProfile.authorizedIPRanges is ["1.2.3.4/32"], but Azure reports ["0.0.0.0/0","1.2.3.4/32"]`},
		"all are gone":            {cluster, "apiServerAccessProfile: {authorizedIPRanges: [1.2.3.4/32]}", "x: y", `spec.apiServerAccessProfile.authorizedIPRanges is ["1.2.3.4/32"], but Azure reports nothing`},
		"a taint of spot nodes":   {pool, "nodeTaints: ['a=b:NoSchedule']", "nodeTaints: ['a=b:NoSchedule', 'kubernetes.azure.com/scalesetpriority=spot:NoSchedule']", ""},
		"a taint that is gone":    {pool, "nodeTaints: ['a=b:NoSchedule']", "x: y", `spec.nodeTaints is ["a=b:NoSchedule"], but Azure reports nothing`},
		"two regions":             {subnet, "serviceEndpoints: [{service: Microsoft.Storage, locations: [westeurope]}]", "serviceEndpoints: [{service: Microsoft.Storage, locations: [westeurope, northeurope]}]", ""},
		"all regions":             {subnet, "serviceEndpoints: [{service: Microsoft.Sql, locations: ['*']}]", "serviceEndpoints: [{service: Microsoft.Sql, locations: [westeurope]}]", ""},
		"an item by name":         {balancer, "probes: [{name: a, port: 1}, {name: b, port: 2}]", "probes: [{name: b, port: 3}, {name: a, port: 1}]", "spec.probes[1].port is 2, but Azure reports 3"},
		"an item that is gone":    {balancer, "probes: [{name: a}, {name: b}]", "probes: [{name: A}]", "spec.probes[1] is there, but Azure reports nothing"},
		"an item of others":       {balancer, "probes: [{name: a}]", "probes: [{name: a}, {name: of-a-service}]", ""},
		"an item without a name":  {aso.PrivateDnsZonesARecord, "aRecords: [{ipv4Address: 10.0.0.1}]", "aRecords: [{ipv4Address: 10.0.0.2}]", `spec.aRecords[0].ipv4Address is "10.0.0.1", but Azure reports "10.0.0.2"`},
		"one of two without one":  {aso.PrivateDnsZonesARecord, "aRecords: [{ipv4Address: 10.0.0.2}, {ipv4Address: 10.0.0.1}]", "aRecords: [{ipv4Address: 10.0.0.1}, {ipv4Address: 10.0.0.3}]", "spec.aRecords[0] is there, but Azure reports nothing"},
		"names that are not told": {balancer, "x: [{name: a, port: 1}]", "x: [{port: 1}]", ""},
		"another shape":           {balancer, "x: {a: b}, v: [1], z: 1", "x: [a], v: 1, z: {a: b}", ""},
		"a Secret":                {aso.VirtualMachinesExtension, "protectedSettings: {name: s}", "x: y", ""},
		"an ID":                   {pool, "vnetSubnetReference: {armId: " + networks + "/virtualNetworks/v/subnets/s}", "vnetSubnetID: " + strings.ToUpper(networks) + "/virtualNetworks/v/subnets/S", ""},
		"another ID": {pool, "vnetSubnetReference: {armId: " + networks + "/virtualNetworks/v/subnets/s}", "vnetSubnetID: " + networks + "/virtualNetworks/v/subnets/t",
			`spec.vnetSubnetReference is "` + networks + `/virtualNetworks/v/subnets/s", but Azure reports "` + networks + `/virtualNetworks/v/subnets/t"`},
		"a name": {subnet, "natGateway: {reference: {group: network.azure.com, kind: NatGateway, name: nat}}", "natGateway: {id: " + networks + "/natGateways/in-azure}", ""},
		"another": {subnet, "natGateway: {reference: {group: network.azure.com, kind: NatGateway, name: nat}}", "natGateway: {id: " + networks + "/natGateways/other}",
			`spec.natGateway.reference is "` + networks + `/natGateways/in-azure", but Azure reports "` + networks + `/natGateways/other"`},
		"none": {subnet, "natGateway: {reference: {group: network.azure.com, kind: NatGateway, name: nat}}", "x: y",
			`spec.natGateway.reference is "` + networks + `/natGateways/in-azure", but Azure reports nothing`},
		"a name that is not known": {subnet, "routeTable: {reference: {group: network.azure.com, kind: RouteTable, name: r}}", "routeTable: {id: " + networks + "/routeTables/other}", ""},
		"IDs in a list": {aso.NatGateway, "publicIpAddresses: [{reference: {armId: " + networks + "/publicIPAddresses/a}}, {reference: {armId: " + networks + "/publicIPAddresses/b}}]",
			"publicIpAddresses: [{id: " + networks + "/publicIPAddresses/b}, {id: " + networks + "/publicIPAddresses/c}]", "spec.publicIpAddresses[0] is there, but Azure reports nothing"},
		"a list of references": {aso.PrivateLinkService, "someReferences: [{armId: /subscriptions/s/a}, {armId: /subscriptions/s/b}]", "someIds: [/subscriptions/s/B]",
			`spec.someReferences[0] is "/subscriptions/s/a", but Azure reports nothing`},
		"identities": {cluster, "identity: {userAssignedIdentities: [{reference: {armId: " + group + "/providers/i/a}}, {reference: {armId: " + group + "/providers/i/b}}]}",
			"identity: {userAssignedIdentities: {" + group + "/providers/I/A: {clientId: c}}}", `spec.identity.userAssignedIdentities[1] is "` + group + `/providers/i/b", but Azure reports nothing`},
		"a role of Azure's": {aso.RoleAssignment, "roleDefinitionReference: {armId: /providers/Microsoft.Authorization/roleDefinitions/r}",
			"roleDefinitionId: /subscriptions/s/providers/Microsoft.Authorization/roleDefinitions/r", ""},
		"a type of its own":   {pool, "type: VirtualMachineScaleSets", "type: Microsoft.ContainerService/managedClusters/agentPools, propertiesType: VirtualMachines", `spec.type is "VirtualMachineScaleSets", but Azure reports "VirtualMachines"`},
		"the resource's type": {pool, "type: VirtualMachineScaleSets", "type: Microsoft.ContainerService/managedClusters/agentPools", ""},
		"no reference":        {aso.PrivateEndpoint, "imageReference: {sku: a}", "imageReference: {sku: b}", `spec.imageReference.sku is "a", but Azure reports "b"`},
		"a secret field":      {cluster, "httpProxyConfig: {httpProxy: a}", "httpProxyConfig: {httpProxy: b}", "spec.httpProxyConfig.httpProxy is not what Azure reports"},
		"within a secret":     {aso.Extension, "configurationSettings: {a: {b: x}}", "configurationSettings: {a: {b: y}}", "spec.configurationSettings.a.b is not what Azure reports"},
		"a protected field":   {aso.Extension, "configurationProtectedSettings: {password: a}", "configurationProtectedSettings: {password: b}", ""},
		"an empty text":       {cluster, "dnsPrefix: a", "dnsPrefix: ''", ""},
		"a vault":             {aso.Vault, "enableSoftDelete: false", "enableSoftDelete: true", ""},
		"a user in an URL":    {aso.FluxConfiguration, "gitRepository: {url: 'https://u:p@x'}", "gitRepository: {url: 'https://x'}", "spec.gitRepository.url is not what Azure reports"},
		"reported in an URL":  {aso.FluxConfiguration, "x: ['https://x']", "x: ['https://x?sv=1&sig=abc']", "spec.x is not what Azure reports"},
		"several":             {cluster, "dnsPrefix: a, sku: {tier: Free, name: Base}", "dnsPrefix: b, sku: {tier: Paid, name: More}", `spec.dnsPrefix is "a", but Azure reports "b"; spec.sku.name is "Base", but Azure reports "More"; spec.sku.tier is "Free", but Azure reports "Paid"`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sentences(Of(object(t, c.kind, c.spec, c.status), resolved)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestSettled compares an object that has drifted in every situation that it may be in.
func TestSettled(t *testing.T) {
	provisioning := func(state string) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(o.Object, state, "status", "provisioningState")
		}
	}
	skip := annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip)
	written := func(object, status string) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedSlice(o.Object, []any{
				map[string]any{"manager": "crossplane", "operation": "Apply", "time": "2026-01-02T09:00:00Z"},
				map[string]any{"manager": "aso", "operation": "Update", "time": object},
				map[string]any{"manager": "aso", "operation": "Update", "time": status, "subresource": "status"},
			}, "metadata", "managedFields")
		}
	}
	for name, c := range map[string]struct {
		changes []func(*unstructured.Unstructured)
		drifted bool
	}{
		"sent, and ready":               {nil, true},
		"owned":                         {[]func(*unstructured.Unstructured){annotated(v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned)}, true},
		"somebody else's":               {[]func(*unstructured.Unstructured){annotated(v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal)}, false},
		"nobody knows whose":            {[]func(*unstructured.Unstructured){annotated(v1beta1.AnnotationOwnership, v1beta1.OwnershipUndecided)}, false},
		"left to Azure by a user":       {[]func(*unstructured.Unstructured){skip}, false},
		"only detached in the end":      {[]func(*unstructured.Unstructured){annotated(aso.AnnotationReconcilePolicy, aso.PolicyDetachOnDelete)}, true},
		"paused":                        {[]func(*unstructured.Unstructured){skip, annotated(aso.AnnotationSkippedByPause, "true")}, true},
		"paused, and changed since":     {[]func(*unstructured.Unstructured){skip, annotated(aso.AnnotationSkippedByPause, "true", aso.AnnotationSent, "2")}, false},
		"never sent":                    {[]func(*unstructured.Unstructured){annotated(aso.AnnotationSent, "")}, false},
		"others write it":               {[]func(*unstructured.Unstructured){skip, annotated(aso.AnnotationLifecycle, string(aso.CreateOnly))}, true},
		"others write it, not sent":     {[]func(*unstructured.Unstructured){skip, annotated(aso.AnnotationLifecycle, string(aso.CreateOnly), aso.AnnotationSent, "1")}, false},
		"held":                          {[]func(*unstructured.Unstructured){annotated(aso.AnnotationHeld, "true")}, false},
		"doubted":                       {[]func(*unstructured.Unstructured){skip, annotated(aso.AnnotationLost, "answer")}, false},
		"not ready":                     {[]func(*unstructured.Unstructured){func(o *unstructured.Unstructured) { ready(o, "False", 3) }}, false},
		"not seen yet":                  {[]func(*unstructured.Unstructured){func(o *unstructured.Unstructured) { ready(o, "True", 2) }}, false},
		"an operation goes on":          {[]func(*unstructured.Unstructured){annotated(aso.AnnotationPolls, "token")}, false},
		"its status is written":         {[]func(*unstructured.Unstructured){written("2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z")}, true},
		"its status is not written yet": {[]func(*unstructured.Unstructured){written("2026-01-02T03:04:07Z", "2026-01-02T03:04:06Z")}, false},
		"Azure is at work":              {[]func(*unstructured.Unstructured){provisioning("Updating")}, false},
		"Azure has failed":              {[]func(*unstructured.Unstructured){provisioning("Failed")}, false},
		"being deleted": {[]func(*unstructured.Unstructured){func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(o.Object, "2026-01-02T03:04:05Z", "metadata", "deletionTimestamp")
		}}, false},
		"a kind that is not catalogued":   {[]func(*unstructured.Unstructured){func(o *unstructured.Unstructured) { o.SetKind("Stranger") }}, false},
		"a kind of which no field counts": {[]func(*unstructured.Unstructured){skip, annotated(aso.AnnotationLifecycle, string(aso.ProviderCreated))}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := sentences(Of(object(t, aso.ManagedCluster, "sku: {tier: Standard}", "sku: {tier: Free}", c.changes...), resolved))
			if (got != "") != c.drifted {
				t.Errorf("got %q, want a difference: %v", got, c.drifted)
			}
		})
	}
}

func TestCount(t *testing.T) {
	const three = `spec.count is 3, but Azure reports 4`
	for name, c := range map[string]struct{ spec, status, want string }{
		"fixed":                   {"count: 3", "count: 4", three},
		"none":                    {"count: 0", "count: 4", "spec.count is 0, but Azure reports 4"},
		"AKS scales":              {"count: 3, enableAutoScaling: true", "count: 4, enableAutoScaling: true", ""},
		"AKS still scales":        {"count: 3", "count: 4, enableAutoScaling: true", ""},
		"AKS scales, other limit": {"enableAutoScaling: true, minCount: 1", "enableAutoScaling: true, minCount: 2", "spec.minCount is 1, but Azure reports 2"},
		"running":                 {"count: 3", "count: 4, powerState: {code: Running}", three},
		"stopped":                 {"count: 3", "count: 0, powerState: {code: Stopped}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sentences(Of(object(t, aso.ManagedClustersAgentPool, c.spec, c.status), nil)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestOthersWrite has what a cloud controller manager does with a resource be no drift, and what somebody takes from it be one.
func TestOthersWrite(t *testing.T) {
	created := func(lifecycle aso.Lifecycle) []func(*unstructured.Unstructured) {
		return []func(*unstructured.Unstructured){annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationLifecycle, string(lifecycle))}
	}
	pool := func(names ...string) string {
		var ids []string
		for _, name := range names {
			ids = append(ids, "{id: "+networks+"/loadBalancers/l/backendAddressPools/"+name+"}")
		}
		return "ipConfigurations: [{name: a, loadBalancerBackendAddressPools: [" + strings.Join(ids, ", ") + "]}]"
	}
	const nic = "ipConfigurations: [{name: a, loadBalancerBackendAddressPools: [{reference: {armId: " + networks + "/loadBalancers/l/backendAddressPools/a}}]}]"
	const machine = "hardwareProfile: {vmSize: Standard_B2s}, tags: {a: b}, storageProfile: {dataDisks: [{lun: 0}]}"
	for name, c := range map[string]struct {
		kind         aso.Kind
		lifecycle    aso.Lifecycle
		spec, status string
		want         string
	}{
		"a pool more":    {aso.NetworkInterface, aso.CreateOnly, nic, pool("a", "of-a-service"), ""},
		"its pool less":  {aso.NetworkInterface, aso.CreateOnly, nic, pool("of-a-service"), "spec.ipConfigurations[0].loadBalancerBackendAddressPools[0].reference is \"" + networks + "/loadBalancers/l/backendAddressPools/a\", but Azure reports \"" + networks + "/loadBalancers/l/backendAddressPools/of-a-service\""},
		"a zone more":    {aso.LoadBalancer, aso.CreateOnly, "x: ['1']", "x: ['1', '2']", ""},
		"a zone less":    {aso.LoadBalancer, aso.CreateOnly, "x: ['1', '2']", "x: ['1']", `spec.x is ["1","2"], but Azure reports ["1"]`},
		"a machine":      {aso.VirtualMachine, aso.ProviderCreated, machine, "hardwareProfile: {vmSize: standard_b2s}, tags: {a: c}, storageProfile: {dataDisks: []}", ""},
		"resized":        {aso.VirtualMachine, aso.ProviderCreated, machine, "hardwareProfile: {vmSize: Standard_B4ms}", `spec.hardwareProfile.vmSize is "Standard_B2s", but Azure reports "Standard_B4ms"`},
		"of a scale set": {aso.VirtualMachineScaleSet, aso.ProviderCreated, "sku: {capacity: 1}", "sku: {capacity: 3}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sentences(Of(object(t, c.kind, c.spec, c.status, created(c.lifecycle)...), nil)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestNothingIsChanged has a comparison leave the object as it is, and give the same each time.
func TestNothingIsChanged(t *testing.T) {
	o := object(t, aso.ManagedCluster, "tags: {a: b, c: d, e: f}, dnsPrefix: x", "tags: {g: h}, dnsPrefix: z")
	before := o.DeepCopy()
	first := Of(o, resolved)
	for range 20 {
		if diff := cmp.Diff(first, Of(o, resolved)); diff != "" {
			t.Fatal(diff)
		}
	}
	if diff := cmp.Diff(before, o); diff != "" {
		t.Error(diff)
	}
}

// FuzzOf has no object be a panic.
func FuzzOf(f *testing.F) {
	f.Add("sku: {tier: Free}", "sku: {tier: 7}")
	f.Add("a: [{name: 1}, null, [x]], someReference: {armId: x, kind: {}}", "a: {b: c}, someId: [null]")
	f.Add("identity: {userAssignedIdentities: [1, {reference: 7}]}", "identity: {userAssignedIdentities: {a: null}}")
	f.Fuzz(func(t *testing.T, spec, status string) {
		o := &unstructured.Unstructured{Object: map[string]any{}}
		if yaml.Unmarshal(fmt.Appendf(nil, "metadata: {name: x}\nspec: {%s}\nstatus: {%s}\n", spec, status), &o.Object) != nil {
			t.Skip()
		}
		if _, ok := o.Object["status"].(map[string]any); !ok {
			t.Skip()
		}
		o.SetGroupVersionKind(aso.ManagedCluster.GroupVersionKind())
		o.SetAnnotations(map[string]string{aso.AnnotationSent: "0"})
		ready(o, "True", 0)
		for _, d := range Of(o, resolved) {
			if !strings.HasPrefix(d.Field, "spec.") {
				t.Errorf("a difference of %q", d.Field)
			}
		}
	})
}
