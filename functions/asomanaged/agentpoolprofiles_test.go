package asomanaged

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// allFields are fields of an agent pool, known and unknown, of every shape.
var allFields = dict(
	"vmSize", "Standard_D2s_v5", "maxPods", 110.0, "enableFIPS", true, "availabilityZones", list("1", "2"),
	"nodeLabels", dict("a.example.org/b", "c"), "vnetSubnetReference", dict("group", "network.azure.com", "kind", "VirtualNetworksSubnet", "armId", "/subscriptions/s"),
	"upgradeSettings", dict("maxSurge", "33%"), "kubeletConfig", dict("allowedUnsafeSysctls", list("kernel.msg*")),
	"networkProfile", dict("allowedHostPorts", list(dict("portStart", 80.0, "portEnd", 90.0))), "fieldOfTomorrow", dict("deep", list(dict("x", 1.0))))

func withFields(o *unstr) {
	for k, v := range allFields {
		set(v, "spec", k)(o)
	}
}

func inVersion(version string) edit { return func(o *unstr) { o.SetAPIVersion(version) } }

func TestAgentPoolProfiles(t *testing.T) {
	operator := set(dict("configMapExpressions", list()), "spec", "operatorSpec")
	everything := profileAsRead("p0")
	for k, v := range allFields {
		everything[k] = v
	}
	owner := func(pool string, edits ...edit) *unstr { return machinePool(pool, edits...) }
	cases := map[string]struct {
		world world
		// want are the profiles; waits is what the ManagedCluster waits for instead.
		want  any
		waits string
	}{
		"every field is kept": {world: aksWorld("p0").With(poolXR("p0", aksPool("p0", withFields, operator, set("v1api20240901", "spec", "originalVersion")))), want: list(everything)},
		"every field is kept in another version, if the schema is silent": {
			world: aksWorld("p0").With(poolXR("p0", aksPool("p0", withFields, inVersion(aksPreview)))), want: list(everything)},
		"in the order of the MachinePools' names": {world: aksWorld("p2", "p0", "p1"), want: list(profileAsRead("p0"), profileAsRead("p1"), profileAsRead("p2"))},
		"the name in Azure is the object's without azureName": {
			world: aksWorld("p0").With(poolXR("p0", aksPool("p0", remove("spec", "azureName")))), want: list(profileAsRead("p0", "name", "p0"))},
		"a pool without spec": {
			world: aksWorld().With(owner("p0", remove("spec", "replicas"), remove("spec", "template", "spec", "version")), poolXR("p0", aksPool("p0", remove("spec")))),
			want:  list(dict("name", "p0"))},
		"MachinePools of other Clusters do not count": {
			world: aksWorld("p0").With(owner("p1", set("c2", "metadata", "labels", "cluster.x-k8s.io/cluster-name"))), want: list(profileAsRead("p0"))},
		"MachinePools of other providers do not count": {
			world: aksWorld("p0").With(owner("p1", set(ref("AzureMachinePool", "x"), "spec", "template", "spec", "infrastructureRef"))), want: list(profileAsRead("p0"))},
		"MachinePools on their way out do not count": {
			world: aksWorld("p0", "p1").With(owner("p1", set(createdText, "metadata", "deletionTimestamp"))), want: list(profileAsRead("p0"))},
		"autoscaled, the count is a start": {
			world: aksWorld("p0").With(poolXR("p0", aksPool("p0", set(true, "spec", "enableAutoScaling")))), want: list(profileAsRead("p0", "enableAutoScaling", true))},
		"the pool's XR does not exist": {world: aksWorld("p0", "p1").Without(poolXR("p1")),
			waits: "AzureASOManagedMachinePool p1 exists, which MachinePool mp-p1 refers to"},
		"the pool's XR has no agent pool": {world: aksWorld("p0").With(poolXR("p0", group("g"))),
			waits: "AzureASOManagedMachinePool p0 has a ManagedClustersAgentPool in spec.resources"},
		"the pool has a mistake": {world: aksWorld("p0").With(poolXR("p0", aksPool("p0", set(int64(7), "spec", "count")))),
			waits: `AzureASOManagedMachinePool p0 is fixed: spec.resources[0].spec.count is 7, but must be 3 or absent because spec.replicas of MachinePool "mp-p0" is 3`},
		"the pool is malformed": {world: aksWorld("p0").With(poolXR("p0", aksPool("p0", set("x", "spec")))),
			waits: `AzureASOManagedMachinePool p0 is fixed: spec.resources[0].spec is "x", but must be an object`},
		"two pools are amiss": {world: aksWorld("p0", "p1", "p2").Without(poolXR("p1"), poolXR("p2")),
			waits: "AzureASOManagedMachinePool p1 exists, which MachinePool mp-p1 refers to, AzureASOManagedMachinePool p2 exists, which MachinePool mp-p2 refers to"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := composers.Settle(t, c.world, request(t, controlPlaneXR(aksCluster())))
			if f := fatal(rsp); f != "" {
				t.Fatal(f)
			}
			_, reason, message := outcome(rsp, "mc")
			if c.waits != "" {
				if want := "waits until " + c.waits; len(sent(t, rsp)) > 0 || reason != "WaitingForResource" || message != want {
					t.Errorf("want WaitingForResource: %s\ngot %s: %s, sent to Azure %v", want, reason, message, sent(t, rsp))
				}
				return
			}
			mc := desired(t, rsp)["ManagedCluster.containerservice.azure.com/mc"]
			if mc == nil {
				t.Fatalf("the ManagedCluster is not composed: %s: %s", reason, message)
			}
			got, _, _ := unstructured.NestedFieldNoCopy(mc.Object, "spec", "agentPoolProfiles")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("spec.agentPoolProfiles: -want, +got:\n%s", diff)
			}
		})
	}
}

// profileSchema is an OpenAPI schema of a ManagedCluster whose profiles have the given properties.
func profileSchema(t *testing.T, properties map[string]any) *structpb.Struct {
	t.Helper()
	for _, known := range []string{"name", "mode", "count", "orchestratorVersion", "vmSize", "type"} {
		if properties[known] == nil {
			properties[known] = dict()
		}
	}
	profiles := dict("agentPoolProfiles", dict("items", dict("properties", properties)))
	s, err := structpb.NewStruct(dict("properties", dict(
		"apiVersion", dict(), "kind", dict(), "metadata", dict(), "spec", dict("properties", profiles, "x-kubernetes-preserve-unknown-fields", true))))
	must(t, err)
	return s
}

func TestAgentPoolProfilesOfAnotherVersion(t *testing.T) {
	ports := dict("properties", dict("allowedHostPorts", dict("items", dict("properties", dict("portStart", dict(), "portEnd", dict())))))
	cases := map[string]struct {
		field      string
		value      any
		properties map[string]any
		lost       string
	}{
		"known":                   {field: "vmSize", value: "x", properties: dict("vmSize", dict())},
		"unknown":                 {field: "upgradeStrategy", value: "BlueGreen", properties: dict("vmSize", dict()), lost: "upgradeStrategy"},
		"known inside":            {field: "upgradeSettings", value: dict("maxSurge", "1"), properties: dict("upgradeSettings", dict("properties", dict("maxSurge", dict())))},
		"unknown inside":          {field: "upgradeSettings", value: dict("maxBlue", "1"), properties: dict("upgradeSettings", dict("properties", dict("maxSurge", dict()))), lost: "upgradeSettings.maxBlue"},
		"a map of any keys":       {field: "nodeLabels", value: dict("a", "b"), properties: dict("nodeLabels", dict("additionalProperties", dict("type", "string")))},
		"a list of strings":       {field: "availabilityZones", value: list("1"), properties: dict("availabilityZones", dict("items", dict("type", "string")))},
		"known in a list":         {field: "networkProfile", value: dict("allowedHostPorts", list(dict("portStart", 1.0))), properties: dict("networkProfile", ports)},
		"unknown in a list":       {field: "networkProfile", value: dict("allowedHostPorts", list(dict("portStart", 1.0), dict("protocol", "TCP"))), properties: dict("networkProfile", ports), lost: "networkProfile.allowedHostPorts[1].protocol"},
		"unknown, the first of a": {field: "a", value: dict("c", "", "b", ""), properties: dict("a", dict("properties", dict("x", dict()))), lost: "a.b"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := aksWorld("p0").With(poolXR("p0", aksPool("p0", inVersion(aksPreview), set(c.value, "spec", c.field)))).
				Serving(gvk(aks, "ManagedCluster"), profileSchema(t, c.properties))
			rsp := composers.Settle(t, w, request(t, controlPlaneXR(aksCluster())))
			if _, waiting := rsp.GetRequirements().GetSchemas()["schema/ManagedCluster."+aks]; !waiting {
				t.Error("the schema of the ManagedCluster has not been asked for")
			}
			_, reason, message := outcome(rsp, "mc")
			if c.lost == "" {
				mc := desired(t, rsp)["ManagedCluster.containerservice.azure.com/mc"]
				if mc == nil {
					t.Fatalf("the ManagedCluster is not composed: %s: %s", reason, message)
				}
				got, _, _ := unstructured.NestedSlice(mc.Object, "spec", "agentPoolProfiles")
				if diff := cmp.Diff(list(profileAsRead("p0", c.field, c.value)), got); diff != "" {
					t.Errorf("spec.agentPoolProfiles: -want, +got:\n%s", diff)
				}
				return
			}
			want := "waits until AzureASOManagedMachinePool p0 and the ManagedCluster use one API version: spec.resources[0].spec." + c.lost +
				" of " + aksPreview + " is not a field of agentPoolProfiles in " + aks + ", and would be lost"
			if reason != "WaitingForResource" || message != want || len(sent(t, rsp)) > 0 {
				t.Errorf("want %s\ngot %s: %s", want, reason, message)
			}
		})
	}
}

func TestAgentPoolProfilesOfAnExistingCluster(t *testing.T) {
	xr := controlPlaneXR(aksCluster())
	sent := list(profile("p0"), profile("p1"))
	profiles := []string{"spec", "agentPoolProfiles"}
	mc := edited(settledCluster(), set(sent, profiles...))
	creating := condition("False", "Info", "Reconciling", "creating")
	cases := map[string]struct {
		world    world
		observed *unstr
		want     any
		// unasked says that pools do not matter any more.
		unasked bool
	}{
		"while Azure creates it, the pools are sent as they are": {world: aksWorld("p0", "p1"), observed: exists(t, xr, mc, creating), want: list(profileAsRead("p0"), profileAsRead("p1"))},
		"a pool that comes meanwhile is added":                   {world: aksWorld("p0", "p1", "p2"), observed: exists(t, xr, mc, creating), want: list(profileAsRead("p0"), profileAsRead("p1"), profileAsRead("p2"))},
		"a pool that goes away meanwhile takes none along":       {world: aksWorld("p0", "p1").Without(poolXR("p1")), observed: exists(t, xr, mc, creating), want: list(profileAsRead("p0"), profileAsRead("p1"))},
		"all pools gone": {world: aksWorld(), observed: exists(t, xr, mc, creating), want: list(profileAsRead("p0"), profileAsRead("p1"))},
		"once Azure has pools, they stay": {world: aksWorld("p0", "p1").With(ready(poolXR("p0", aksPool("p0")))), observed: exists(t, xr, mc, inAzure),
			want: list(profileAsRead("p0"), profileAsRead("p1"))},
		"once their objects are ready, none are sent": {world: aksWorld("p0", "p1").With(ready(poolXR("p0", aksPool("p0"))), ready(poolXR("p1", aksPool("p1")))), observed: exists(t, xr, mc, inAzure)},
		"once one is to be another, none are sent":    {world: aksWorld("p0", "p1").With(machinePool("p1", set(int64(5), "spec", "replicas"))), observed: exists(t, xr, mc, inAzure)},
		"once one goes away, none are sent":           {world: aksWorld("p0", "p1").Without(poolXR("p1")), observed: exists(t, xr, mc, inAzure)},
		"settled":                                     {world: aksWorld("p0", "p1"), observed: exists(t, xr, settledCluster(), inAzure), unasked: true},
		"an empty status is none":                     {world: aksWorld("p0", "p1"), observed: exists(t, xr, mc, creating, set(list(), "status", "agentPoolProfiles")), want: list(profileAsRead("p0"), profileAsRead("p1"))},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := composers.Settle(t, c.world, request(t, xr, c.observed))
			composed := desired(t, rsp)["ManagedCluster.containerservice.azure.com/mc"]
			if composed == nil {
				t.Fatalf("the ManagedCluster is not composed; %s", fatal(rsp))
			}
			got, _, _ := unstructured.NestedFieldNoCopy(composed.Object, profiles...)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("spec.agentPoolProfiles: -want, +got:\n%s", diff)
			}
			if c.unasked {
				for n := range rsp.GetRequirements().GetResources() {
					if strings.HasPrefix(n, "pool/") || n == "machinepools" {
						t.Errorf("%s is asked for, but no longer needed", n)
					}
				}
			}
		})
	}
}

// TestHostedSystemPool has clusters of which AKS hosts the System pool: they wait for the pools that are to come, and need none.
func TestHostedSystemPool(t *testing.T) {
	automatic := set("Automatic", "spec", "sku", "name")
	named := func(pools ...any) *unstr {
		return cluster(set(pools, "spec", "topology", "workers", "machinePools"))
	}
	cases := map[string]struct {
		world world
		edits []edit
		// want are the profiles, waits what the cluster waits for instead.
		want  any
		waits string
	}{
		"no pool":                    {world: aksWorld(), edits: []edit{automatic}},
		"no pool, in a topology":     {world: aksWorld().With(named()), edits: []edit{automatic}},
		"hosted in another SKU":      {world: aksWorld(), edits: []edit{inVersion(aksPreview), set(true, "spec", "hostedSystemProfile", "enabled")}},
		"with a pool":                {world: aksWorld("p0"), edits: []edit{automatic}, want: list(profileAsRead("p0"))},
		"with a pool to come":        {world: aksWorld().With(named(dict("name", "p0"))), edits: []edit{automatic}, waits: "the MachinePools exist that spec.topology of Cluster c1 names"},
		"with a pool that is amiss":  {world: aksWorld("p0").Without(poolXR("p0")), edits: []edit{automatic}, waits: "AzureASOManagedMachinePool p0 exists, which MachinePool mp-p0 refers to"},
		"Automatic, but not hosted":  {world: aksWorld(), edits: []edit{automatic, inVersion(aksPreview), set(false, "spec", "hostedSystemProfile", "enabled")}, waits: "a MachinePool with an AzureASOManagedMachinePool exists for Cluster c1, as AKS creates no cluster without a pool"},
		"of the ordinary kind":       {world: aksWorld(), waits: "a MachinePool with an AzureASOManagedMachinePool exists for Cluster c1, as AKS creates no cluster without a pool"},
		"ordinary, with one to come": {world: aksWorld().With(named(dict("name", "p0"))), waits: "a MachinePool with an AzureASOManagedMachinePool exists for Cluster c1, as AKS creates no cluster without a pool"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := composers.Settle(t, c.world, request(t, controlPlaneXR(aksCluster(c.edits...))))
			if f := fatal(rsp); f != "" {
				t.Fatal(f)
			}
			_, _, message := outcome(rsp, "mc")
			if c.waits != "" {
				if len(sent(t, rsp)) > 0 || message != "waits until "+c.waits {
					t.Errorf("got %q, sent to Azure %v; want %q", message, sent(t, rsp), c.waits)
				}
				return
			}
			if strings.Contains(message, "waits") {
				t.Fatalf("it %s", message)
			}
			got, _, _ := unstructured.NestedFieldNoCopy(desired(t, rsp)["ManagedCluster.containerservice.azure.com/mc"].Object, "spec", "agentPoolProfiles")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("spec.agentPoolProfiles: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestPoolBesideHosted has a pool that comes when AKS has the cluster without any: it is an object of its own only.
func TestPoolBesideHosted(t *testing.T) {
	mc := aksCluster(set("Automatic", "spec", "sku", "name"))
	xr := controlPlaneXR(mc)
	rsp := composers.Settle(t, aksWorld("p0"), request(t, xr, exists(t, xr, mc, set("/subscriptions/s/mc", "status", "id"))))
	if got, found, _ := unstructured.NestedSlice(desired(t, rsp)["ManagedCluster.containerservice.azure.com/mc"].Object, "spec", "agentPoolProfiles"); found {
		t.Errorf("spec.agentPoolProfiles is %v", got)
	}
}
