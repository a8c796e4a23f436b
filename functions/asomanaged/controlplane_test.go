package asomanaged

import (
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// inAzure is the status of a ManagedCluster that has come up.
func inAzure(o *unstr) {
	set("api.example.org", "status", "fqdn")(o)
	set("1.33.6", "status", "currentKubernetesVersion")(o)
	set(list(dict("name", "azurep0")), "status", "agentPoolProfiles")(o)
}

// settledCluster is the ManagedCluster that is desired for controlPlaneXR(aksCluster()) once Azure has its pools.
func settledCluster() *unstr {
	return edited(aksCluster(),
		set("1.33.6", "spec", "kubernetesVersion"),
		set("10.0.0.0/16", "spec", "networkProfile", "serviceCidr"),
		set("10.244.0.0/16", "spec", "networkProfile", "podCidr"),
		set(dict("name", "c1-aso-kubeconfig", "key", "value"), "spec", "operatorSpec", "secrets", "adminCredentials"))
}

func profile(pool string, fields ...any) map[string]any {
	p := dict("name", "azure"+pool, "mode", "System", "count", int64(3), "orchestratorVersion", "1.33.6")
	for k, v := range dict(fields...) {
		p[k] = v
	}
	return p
}

func controlPlaneState(done bool, more map[string]any, resources []any, conditions ...any) map[string]any {
	s := dict("ready", done, "initialized", done, "initialization", dict("controlPlaneInitialized", done),
		"externalManagedControlPlane", true, "v1beta2", dict("conditions", conditions))
	if resources != nil {
		s["resources"] = resources
	}
	for k, v := range more {
		s[k] = v
	}
	return s
}

func TestControlPlaneStages(t *testing.T) {
	mc := aksCluster()
	xr := controlPlaneXR(mc)
	newCluster := edited(settledCluster(), set(list(profile("p0")), "spec", "agentPoolProfiles"))
	notPaused := contractCondition("Paused", "False", "NotPaused", "")
	up := dict("controlPlaneEndpoint", dict("host", "api.example.org", "port", 443), "version", "v1.33.6", "versions", list(dict("version", "v1.33.6")))
	wasUp := edited(xr, set(true, "status", "initialized"),
		set(dict("host", "api.example.org", "port", int64(443)), "status", "controlPlaneEndpoint"),
		set("v1.33.6", "status", "version"), set(list(dict("version", "v1.33.6")), "status", "versions"))
	type stage struct {
		xr       *unstr
		world    world
		observed []*unstr
		status   map[string]any
		ready    fnv1.Ready
		composed []*fnv1.Resource
		shown    []*fnv1.Condition
	}
	problem := func(reason, message string) stage {
		return stage{xr: xr, ready: fnv1.Ready_READY_FALSE,
			status: controlPlaneState(false, nil, nil, contractCondition("Ready", "False", reason, message), contractCondition("ResourcesReady", "False", reason, message)),
			shown:  []*fnv1.Condition{shownCondition("ResourcesReady", no, reason, message)}}
	}
	waiting := func(message string, w world, composed *unstr) stage {
		line := "ManagedCluster mc: " + message
		return stage{xr: xr, world: w, ready: fnv1.Ready_READY_FALSE, composed: []*fnv1.Resource{composedAs(t, edited(composed, held), fnv1.Ready_READY_FALSE)},
			status: controlPlaneState(false, nil, list(resourceStatus(mc, false, "WaitingForResource", message)),
				contractCondition("Ready", "False", "WaitingForResource", line), contractCondition("Available", "False", "WaitingForResource", line),
				contractCondition("ResourcesReady", "False", "WaitingForResource", line), notPaused),
			shown: []*fnv1.Condition{shownCondition("Available", no, "WaitingForResource", line),
				shownCondition("ResourcesReady", no, "WaitingForResource", line), shownCondition("Paused", no, "NotPaused", "")}}
	}
	// withPoolOf has the pool p0 of a topology of the given pools.
	withPoolOf := func(topology ...any) world {
		return world{Objects: []*unstr{infraXR(group("rg")), poolXR("p0", aksPool("p0")), machinePool("p0", set("p0", "metadata", "labels", "topology.cluster.x-k8s.io/pool-name")),
			cluster(set(topology, "spec", "topology", "workers", "machinePools"))}}
	}
	working := "ManagedCluster mc: upgrading"
	cases := map[string]stage{
		"no owner": func() stage {
			s := problem("WaitingForOwner", `waits for a Cluster to own it: a Cluster in namespace "ns" must refer to AzureASOManagedControlPlane "cp"`)
			s.xr = edited(xr, remove("metadata", "ownerReferences"))
			return s
		}(),
		"owner does not exist": problem("WaitingForOwner", `waits for Cluster "c1", which owns it and does not exist in namespace "ns"`),
		"resource group not ready": waiting("waits until ResourceGroup rg (spec.owner) of AzureASOManagedCluster infra is ready",
			aksWorld("p0").With(infraXR(group("rg"))), newCluster),
		"no pools": waiting("waits until a MachinePool with an AzureASOManagedMachinePool exists for Cluster c1, as AKS creates no cluster without a pool", aksWorld(), settledCluster()),
		"no pools in a topology": func() stage {
			s := waiting("waits until a MachinePool with an AzureASOManagedMachinePool exists for Cluster c1, as AKS creates no cluster without a pool",
				aksWorld().With(cluster(set(list(dict("name", "p0")), "spec", "topology", "workers", "machinePools"))), settledCluster())
			s.status["versions"] = list(dict("version", "v1.33.6", "replicas", 0))
			return s
		}(),
		"one pool of a topology of two": func() stage {
			s := waiting("waits until ResourceGroup rg (spec.owner) of AzureASOManagedCluster infra is ready", withPoolOf(dict("name", "p0"), dict("name", "p1")), newCluster)
			s.status["versions"] = list(dict("version", "v1.33.6", "replicas", 0))
			return s
		}(),
		"all pools of a topology": waiting("waits until ResourceGroup rg (spec.owner) of AzureASOManagedCluster infra is ready", withPoolOf(dict("name", "p0")), newCluster),
		"first creation": {
			xr: xr, world: aksWorld("p0"), ready: fnv1.Ready_READY_FALSE,
			status: controlPlaneState(false, nil, list(resourceStatus(mc, false, "Creating", "is being created")),
				contractCondition("Ready", "False", "Creating", "ManagedCluster mc: is being created"), contractCondition("Available", "False", "Creating", "ManagedCluster mc: is being created"),
				contractCondition("ResourcesReady", "False", "Creating", "ManagedCluster mc: is being created"), notPaused),
			composed: []*fnv1.Resource{composedAs(t, edited(newCluster, held), fnv1.Ready_READY_FALSE)},
			shown: []*fnv1.Condition{shownCondition("Available", no, "Creating", "ManagedCluster mc: is being created"),
				shownCondition("ResourcesReady", no, "Creating", "ManagedCluster mc: is being created"), shownCondition("Paused", no, "NotPaused", "")},
		},
		"ready": {
			xr: xr, world: aksWorld("p0").With(ready(poolXR("p0", aksPool("p0")))), observed: []*unstr{exists(t, xr, newCluster, inAzure)},
			status: controlPlaneState(true, up, list(resourceStatus(mc, true, "Succeeded", "")),
				contractCondition("Ready", "True", "Provisioned", ""), contractCondition("Available", "True", "Provisioned", ""),
				contractCondition("ResourcesReady", "True", "AllReady", ""), notPaused),
			composed: []*fnv1.Resource{composedAs(t, settledCluster(), fnv1.Ready_READY_TRUE)},
			shown: []*fnv1.Condition{shownCondition("Available", yes, "Provisioned", ""), shownCondition("ResourcesReady", yes, "AllReady", ""),
				shownCondition("Paused", no, "NotPaused", "")},
		},
		"once up, an upgrade takes nothing away": {
			xr: wasUp, world: aksWorld("p0").With(ready(poolXR("p0", aksPool("p0")))), ready: fnv1.Ready_READY_FALSE,
			observed: []*unstr{exists(t, xr, newCluster, inAzure, set("1.34.0", "status", "currentKubernetesVersion"), condition("False", "Info", "Reconciling", "upgrading"))},
			status: controlPlaneState(true, up, list(resourceStatus(mc, false, "Reconciling", "upgrading")),
				contractCondition("Ready", "True", "Provisioned", working), contractCondition("Available", "True", "Provisioned", working),
				contractCondition("ResourcesReady", "False", "Reconciling", working), notPaused),
			composed: []*fnv1.Resource{composedAs(t, edited(settledCluster(), set("1.34.0", "spec", "kubernetesVersion")), fnv1.Ready_READY_FALSE)},
			shown: []*fnv1.Condition{shownCondition("Available", yes, "Provisioned", working),
				shownCondition("ResourcesReady", no, "Reconciling", working), shownCondition("Paused", no, "NotPaused", "")},
		},
		"once up, Azure's refusal leaves it Available and not Ready": {
			xr: wasUp, world: aksWorld("p0").With(ready(poolXR("p0", aksPool("p0")))), ready: fnv1.Ready_READY_FALSE,
			observed: []*unstr{exists(t, xr, newCluster, inAzure, condition("False", "Error", "QuotaExceeded", "no cores left"))},
			status: controlPlaneState(true, up, list(resourceStatus(mc, false, "QuotaExceeded", "no cores left")),
				contractCondition("Ready", "False", "QuotaExceeded", "ManagedCluster mc: no cores left"), contractCondition("Available", "True", "Provisioned", "ManagedCluster mc: no cores left"),
				contractCondition("ResourcesReady", "False", "QuotaExceeded", "ManagedCluster mc: no cores left"), notPaused),
			composed: []*fnv1.Resource{composedAs(t, settledCluster(), fnv1.Ready_READY_FALSE)},
			shown: []*fnv1.Condition{shownCondition("Available", yes, "Provisioned", "ManagedCluster mc: no cores left"),
				shownCondition("ResourcesReady", no, "QuotaExceeded", "ManagedCluster mc: no cores left"), shownCondition("Paused", no, "NotPaused", "")},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			want := response(t, c.xr, c.status, c.ready, c.composed...)
			want.Conditions = c.shown
			got := composers.Settle(t, c.world, request(t, c.xr, c.observed...))
			if diff := cmp.Diff(want, got, protocmp.Transform(), protocmp.IgnoreFields(&fnv1.RunFunctionResponse{}, "requirements")); diff != "" {
				t.Errorf("RunFunction: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestControlPlaneEndpointAndVersion(t *testing.T) {
	xr := controlPlaneXR(aksCluster())
	cases := map[string]struct {
		status    edit
		endpoint  any
		version   any
		available string
	}{
		"private name goes before the public one": {
			status: set("private.example.org", "status", "privateFQDN"), endpoint: dict("host", "private.example.org", "port", 443.0), version: "v1.33.6", available: "True"},
		"public name": {status: func(*unstr) {}, endpoint: dict("host", "api.example.org", "port", 443.0), version: "v1.33.6", available: "True"},
		"no name yet": {status: remove("status", "fqdn"), endpoint: nil, version: "v1.33.6", available: "False"},
		"no version":  {status: remove("status", "currentKubernetesVersion"), endpoint: dict("host", "api.example.org", "port", 443.0), available: "True"},
		"not ready: what Azure says at first does not count": {status: condition("False", "Info", "Reconciling", "creating"), available: "False"},
		"a condition about an older generation does not count": {
			status: set(list(dict("type", "Ready", "status", "True", "observedGeneration", int64(0))), "status", "conditions"), available: "False"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := composers.Settle(t, aksWorld("p0"), request(t, xr, exists(t, xr, settledCluster(), inAzure, c.status)))
			got := status(rsp)
			if diff := cmp.Diff(c.endpoint, got["controlPlaneEndpoint"]); diff != "" {
				t.Errorf("status.controlPlaneEndpoint: -want, +got:\n%s", diff)
			}
			if got["version"] != c.version {
				t.Errorf("status.version: want %v, got %v", c.version, got["version"])
			}
			if a := contract(rsp, "Available"); a["status"] != c.available {
				t.Errorf("Available: want %s, got %v", c.available, a)
			}
			if initialized := c.available == "True"; got["initialized"] != initialized || got["ready"] != initialized {
				t.Errorf("want initialized and ready %v, got %v and %v", initialized, got["initialized"], got["ready"])
			}
		})
	}
	t.Run("waits for the endpoint", func(t *testing.T) {
		rsp := composers.Settle(t, aksWorld("p0"), request(t, xr, exists(t, xr, settledCluster(), inAzure, remove("status", "fqdn"))))
		if got := contract(rsp, "Ready"); got["reason"] != "WaitingForControlPlaneEndpoint" || got["message"] != "waits for Azure to report the endpoint of the API server" {
			t.Errorf("Ready: got %v", got)
		}
	})
}

func TestControlPlaneAsksFor(t *testing.T) {
	preview := aksPool("p0", func(o *unstr) { o.SetAPIVersion(aksPreview) })
	xr := controlPlaneXR(aksCluster())
	// A resource that is gone from the spec and maybe not from the API server is asked for as well.
	xr = edited(xr, set(list(statusItem(group("left"), true)), "status", "resources"))
	w := aksWorld("p0", "p1").With(poolXR("p0", preview))

	req := request(t, xr)
	rsp, calls := composers.Calls(t, w, req)
	if calls > composertest.MostCalls {
		t.Errorf("Crossplane gives up after %d calls, the function needs %d", composertest.MostCalls, calls)
	}
	if f := fatal(rsp); f != "" {
		t.Fatal(f)
	}
	want := []string{"cluster", "facts", "infrastructure", "machinepools", "pool/p0", "pool/p1", "removed/ResourceGroup.resources.azure.com/left"}
	if diff := cmp.Diff(want, sortedKeys(rsp.GetRequirements().GetResources())); diff != "" {
		t.Errorf("required resources: -want, +got:\n%s", diff)
	}
	for n, s := range rsp.GetRequirements().GetResources() {
		if s.GetNamespace() != ns {
			t.Errorf("requirement %q reads namespace %q, not the XR's", n, s.GetNamespace())
		}
	}
	schemas := []string{"schema/ClusterFacts.capz.crossplane.io/v1alpha1", "schema/ManagedCluster.containerservice.azure.com/v1api20250801", "schema/ResourceGroup.resources.azure.com/v1api20200601"}
	if diff := cmp.Diff(schemas, sortedKeys(rsp.GetRequirements().GetSchemas())); diff != "" {
		t.Errorf("required schemas: -want, +got:\n%s", diff)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func TestCallsUntilSettled(t *testing.T) {
	left := set(list(statusItem(group("left"), true)), "status", "resources")
	mc := edited(aksCluster(), func(o *unstr) { o.SetAPIVersion(aksPreview) })
	cases := map[string]struct {
		xr       *unstr
		observed []*unstr
		want     int
	}{
		"cluster, new":          {xr: infraXR(group("rg")), want: 4},
		"cluster, removal":      {xr: edited(infraXR(group("rg")), left), want: 5},
		"control plane, new":    {xr: controlPlaneXR(aksCluster()), want: 4},
		"control plane, ready":  {xr: controlPlaneXR(aksCluster()), observed: []*unstr{exists(t, controlPlaneXR(), settledCluster(), inAzure)}, want: 3},
		"control plane, all":    {xr: edited(controlPlaneXR(mc), left), want: 5},
		"machine pool, new":     {xr: poolXR("p0", aksPool("p0")), want: 4},
		"machine pool, removal": {xr: edited(poolXR("p0", aksPool("p0")), left), want: 5},
		"template":              {xr: live(capz, "AzureASOManagedClusterTemplate", "t"), want: 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, calls := composers.Calls(t, aksWorld("p0"), request(t, c.xr, c.observed...))
			if calls != c.want || calls > composertest.MostCalls {
				t.Errorf("want %d calls of at most %d, got %d", c.want, composertest.MostCalls, calls)
			}
		})
	}
}

// TestServedKinds shows that Crossplane is not asked for the schema of a kind of which the facts tell that it is served, as that
// takes it long.
func TestServedKinds(t *testing.T) {
	for name, xr := range map[string]*unstr{
		"owned":     infraXR(group("rg"), owned("keyvault.azure.com/v1api20230701", "Vault", "v", "rg")),
		"not owned": edited(infraXR(group("rg"), owned("keyvault.azure.com/v1api20230701", "Vault", "v", "rg")), remove("metadata", "ownerReferences"), func(o *unstr) { o.SetName("infra") }),
	} {
		t.Run(name, func(t *testing.T) {
			w := world{Objects: []*unstr{cluster(), controlPlaneXR(), infraXR(group("rg"))}}.WithFacts(cluster())
			rsp := composers.Settle(t, w, request(t, xr))
			want := []string{"schema/Vault.keyvault.azure.com/v1api20230701"}
			got := slices.DeleteFunc(sortedKeys(rsp.GetRequirements().GetSchemas()), func(s string) bool { return strings.Contains(s, "ClusterFacts") })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("required schemas: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestWithoutSchemas(t *testing.T) {
	xr := controlPlaneXR(aksCluster())
	for name, capabilities := range map[string][]fnv1.Capability{
		"none advertised":         nil,
		"advertised, schemas not": {fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, xr)
			req.Meta.Capabilities = capabilities
			rsp := composers.Settle(t, aksWorld("p0").Serving(schema.GroupVersionKind{}, nil), req)
			if len(rsp.GetRequirements().GetSchemas()) != 0 {
				t.Errorf("asks for schemas that never come: %v", rsp.GetRequirements().GetSchemas())
			}
			if got := sortedKeys(desired(t, rsp)); !slices.Contains(got, "ManagedCluster.containerservice.azure.com/mc") {
				t.Errorf("the ManagedCluster is not composed, only %v", got)
			}
		})
	}
}
