package selfmanaged

import (
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// everything has an AzureCluster with whatever it may have.
func everything(o *unstr) {
	network := func(value any, path ...string) { set(value, append([]string{"spec", "networkSpec"}, path...)...)(o) }
	network(map[string]any{"type": "Internal", "privateLinks": []any{map[string]any{"name": "pl", "lbFrontendIPConfigNames": []any{"c1-internal-lb-frontEnd"},
		"natIPConfigurations": []any{map[string]any{"allocationMethod": "Dynamic", "subnet": "nodes"}}}}}, "apiServerLB")
	network(map[string]any{"frontendIPsCount": int64(1)}, "nodeOutboundLB")
	network(map[string]any{"frontendIPsCount": int64(1)}, "controlPlaneOutboundLB")
	network([]any{map[string]any{"resourceGroup": "hub", "remoteVnetName": "hub"}}, "vnet", "peerings")
	network([]any{map[string]any{"name": "cps", "role": "control-plane"}, map[string]any{"name": "nodes", "role": "node", "privateEndpoints": []any{
		map[string]any{"name": "pe", "privateLinkServiceConnections": []any{map[string]any{"name": "c", "privateLinkServiceID": "/some/id"}}}}}}, "subnets")
	set(map[string]any{"azureBastion": map[string]any{"sku": "Basic"}}, "spec", "bastionSpec")(o)
}

// played are the scenes, which take long to play and are never changed.
var played map[string]composertest.Scene

func scenes(t testing.TB) map[string]composertest.Scene {
	t.Helper()
	if played != nil {
		return played
	}
	identity := object(t, `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, metadata: {name: id},
		spec: {type: WorkloadIdentity, clientID: x, tenantID: t, allowedNamespaces: {}}}`)
	of := func(rounds int, xr *unstr, inAzure ...string) composertest.Scene {
		return newPlay(t, azureWorld(t, identity), xr, inAzure...).Rounds(rounds).Scene()
	}
	played = map[string]composertest.Scene{
		"default":             of(12, azureCluster(t)),
		"everything":          of(14, azureCluster(t, everything)),
		"own network":         of(12, azureCluster(t), "ResourceGroup rg", "VirtualNetwork net", "VirtualNetworksSubnet cps", "VirtualNetworksSubnet nodes"),
		"all held":            of(1, azureCluster(t, everything)),
		"being made":          of(4, azureCluster(t, everything)),
		"no control plane":    of(12, azureCluster(t, set(false, "spec", "controlPlaneEnabled"))),
		"all somebody else's": of(12, azureCluster(t), defaultFlavor...),
	}
	if n := len(played["default"].Observed); n != len(defaultFlavor) {
		t.Fatalf("the default scene has %d objects", n)
	}
	return played
}

func disturbances(s composertest.Scene) []composertest.Disturbance {
	onXR := composertest.OnXR
	return append(composertest.Disturbances(s),
		onXR("subscription gone", remove("spec", "subscriptionID")), onXR("location gone", remove("spec", "location")),
		onXR("another group", set("other", "spec", "resourceGroup")),
		onXR("identity gone", remove("spec", "identityRef")), onXR("in an edge zone", set(map[string]any{"name": "e", "type": "EdgeZone"}, "spec", "extendedLocation")),
		onXR("another port", set(int64(443), "spec", "controlPlaneEndpoint", "port")),
	)
}

func TestNothingIsDropped(t *testing.T) {
	for name, s := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			for n, d := range disturbances(s) {
				if n%4 != 0 && name != "everything" && name != "own network" {
					continue // They differ little.
				}
				s := s
				d.Do(&s)
				req := request(t, s.XR, s.Observed...)
				rsp := composers.SettleByObjects(t, s.World, req)
				if m := dropped(req, rsp); len(m) > 0 {
					t.Errorf("%s: %v would be deleted", d.Name, m)
				}
				if m := s.ChangedHands(rsp); len(m) > 0 {
					t.Errorf("%s: %v would be managed", d.Name, m)
				}
			}
		})
	}
}

func TestNothingIsDroppedByAnUnansweredRequirement(t *testing.T) {
	for name, s := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			withoutFacts := s.World.Without(&unstr{Object: map[string]any{"apiVersion": clusterfacts.Kind.GroupVersion().String(), "kind": clusterfacts.Kind.Kind, "metadata": map[string]any{"name": "c1"}}})
			composers.LeaveUnanswered(t, withoutFacts, request(t, s.XR, s.Observed...))
		})
	}
}

// TestPurity shows that the same request gives the same bytes, whatever Go's order of maps, and stays as it was.
func TestPurity(t *testing.T) {
	for name, s := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			for n, d := range disturbances(s) {
				if n%32 != 0 {
					continue // That nothing is dropped is tested with all of them.
				}
				s := s
				d.Do(&s)
				composers.CheckPurity(t, s, d.Name)
			}
		})
	}
}

// stands are the kinds that stay whatever is in the spec.
var stands = []string{"ResourceGroup.", "VirtualNetwork.", "LoadBalancer.", "PrivateDnsZone."}

// TestNothingIsDroppedByAnyValue puts values into every field of the spec that no API server should let through. The function must not
// panic, and what the cluster stands on must stay.
func TestNothingIsDroppedByAnyValue(t *testing.T) {
	for name, s := range scenes(t) {
		if name != "everything" && name != "own network" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for path, value := range composertest.Garbled(s.XR.Object["spec"]) {
				req := request(t, edited(s.XR, func(o *unstr) { o.Object["spec"] = value }), s.Observed...)
				rsp := composers.SettleByObjects(t, s.World, req)
				if strings.Contains(fatal(rsp), "internal error") {
					t.Errorf("%s: panic: %s", path, fatal(rsp))
				}
				for _, m := range dropped(req, rsp) {
					if strings.HasPrefix(path, "networkSpec.nodeOutboundLB ") && m == "LoadBalancer.network.azure.com/c1" {
						continue // That may be taken out, and the API server lets it through.
					}
					for _, kind := range stands {
						if strings.HasPrefix(m, kind) {
							t.Errorf("%s: %s would be deleted", path, m)
						}
					}
				}
				if m := s.ChangedHands(rsp); len(m) > 0 {
					t.Errorf("%s: %v would be managed", path, m)
				}
			}
		})
	}
}

func TestCallsUntilSettled(t *testing.T) {
	for name, s := range scenes(t) {
		if _, calls := composers.Calls(t, s.World, request(t, s.XR)); calls > composertest.MostCalls {
			t.Errorf("%s, new: %d calls of at most %d", name, calls, composertest.MostCalls)
		}
	}
}
