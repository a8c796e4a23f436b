package managed

import (
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// A scene is a composite resource all of whose objects exist, and what surrounds it.
type scene = composertest.Scene

// attachments are what a control plane may have beside its cluster, and a patch.
func attachments(o *unstr) {
	set([]any{map[string]any{"name": "flux", "extensionType": "microsoft.flux"}}, "spec", "extensions")(o)
	set(map[string]any{"managerName": "fleet", "managerResourceGroup": "fleets", "name": "m", "group": "g"}, "spec", "fleetsMember")(o)
	set([]any{map[string]any{"name": "pe", "privateLinkServiceConnections": []any{map[string]any{"name": "c", "privateLinkServiceID": "/some/id"}}}},
		"spec", "virtualNetwork", "subnet", "privateEndpoints")(o)
	set([]any{`{"spec":{"nodeResourceGroup":"nodes"}}`}, "spec", "asoManagedClusterPatches")(o)
}

func scenes(t testing.TB) map[string]scene {
	t.Helper()
	identity := object(t, `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, metadata: {name: id},
		spec: {type: WorkloadIdentity, clientID: x, tenantID: t, allowedNamespaces: {}}}`)
	of := func(p *play) scene {
		p.T = t
		p.rounds(8)
		return scene{XR: p.XR, World: p.World, Observed: p.Live.Objects()}
	}
	full := newPlay(t, aksWorld(t, identity), controlPlane(t, attachments))
	mine := of(full)
	waiting := newPlay(t, aksWorld(t, identity), controlPlane(t))
	waiting.rounds(3)
	held := newPlay(t, aksWorld(t, identity), controlPlane(t, attachments))
	held.rounds(1)
	external := of(newPlay(t, aksWorld(t, identity), controlPlane(t, attachments), "ResourceGroup rg", "VirtualNetwork net", "VirtualNetworksSubnet nodes", "ManagedCluster cp"))
	cp := mine.XR
	pool := of(newPlay(t, aksWorld(t, cp), edited(poolXR(t, "p0", "System"), set([]any{"azure:///x"}, "spec", "providerIDList"))))
	foreign := of(newPlay(t, aksWorld(t, external.XR), poolXR(t, "p1", "User")))
	if len(mine.Observed) != 7 || len(external.Observed) != 7 || len(pool.Observed) != 1 || len(foreign.Observed) != 1 {
		t.Fatalf("the scenes are not complete: %d, %d, %d, %d", len(mine.Observed), len(external.Observed), len(pool.Observed), len(foreign.Observed))
	}
	return map[string]scene{
		"control plane": mine, "control plane, external": external, "pool": pool, "pool of an external cluster": foreign,
		"control plane, being made": {XR: waiting.XR, World: waiting.World, Observed: waiting.Live.Objects()},
		"control plane, all held":   {XR: held.XR, World: held.World, Observed: held.Live.Objects()},
	}
}

// disturbances are those of any scene, and those of these kinds.
func disturbances(s scene) []composertest.Disturbance {
	onXR := composertest.OnXR
	return append(composertest.Disturbances(s),
		onXR("names another ManagedCluster", annotate(managedClusterAnnotation, "other")),
		onXR("names another pool", annotate("infrastructure.cluster.x-k8s.io/agent-pool", "other")),
		onXR("version changed", set("v1.99.0", "spec", "version")),
		onXR("version is no text", set(int64(1), "spec", "version")),
		onXR("subscription gone", remove("spec", "subscriptionID")),
		onXR("location gone", remove("spec", "location")),
		onXR("network's address range is nonsense", set("x", "spec", "virtualNetwork", "cidrBlock")),
		onXR("identity gone", remove("spec", "identityRef")),
		onXR("patch that is no JSON", set([]any{"{"}, "spec", "asoManagedClusterPatches")),
		onXR("patch of an unknown field", set([]any{`{"spec":{"x":1}}`}, "spec", "asoManagedClusterPatches"), set([]any{`{"spec":{"x":1}}`}, "spec", "asoManagedClustersAgentPoolPatches")),
		onXR("patch of the name", set([]any{`{"metadata":{"name":"x"}}`}, "spec", "asoManagedClusterPatches"), set([]any{`{"metadata":{"name":"x"}}`}, "spec", "asoManagedClustersAgentPoolPatches")),
		onXR("patch of the kind", set([]any{`{"kind":"x"}`}, "spec", "asoManagedClusterPatches"), set([]any{`{"kind":"x"}`}, "spec", "asoManagedClustersAgentPoolPatches")),
		onXR("patch of the policy", set([]any{`{"metadata":{"annotations":{"` + policy + `":"manage"}}}`}, "spec", "asoManagedClusterPatches")),
		onXR("preview features", set(true, "spec", "enablePreviewFeatures")),
		onXR("mode changed", set("User", "spec", "mode")),
	)
}

func TestNothingIsDropped(t *testing.T) {
	for name, s := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			for _, d := range disturbances(s) {
				s := s
				d.Do(&s)
				req := request(t, s.XR, s.Observed...)
				rsp := composers.Settle(t, s.World, req)
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
		t.Run(name, func(t *testing.T) { composers.LeaveUnanswered(t, s.World, request(t, s.XR, s.Observed...)) })
	}
}

// purityOneIn of the disturbances is enough to see that a composer is pure.
const purityOneIn = 4

// TestPurity shows that the same request gives the same bytes, whatever Go's order of maps, and stays as it was.
func TestPurity(t *testing.T) {
	for name, s := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			for n, d := range disturbances(s) {
				if n%purityOneIn != 0 {
					continue // That nothing is dropped is tested with all of them.
				}
				s := s
				d.Do(&s)
				composers.CheckPurity(t, s, d.Name)
			}
		})
	}
}

// TestNothingIsDroppedByAnyValue puts values into every field of the specs that no API server should let through. The
// function must not panic, and what the cluster stands on must stay.
func TestNothingIsDroppedByAnyValue(t *testing.T) {
	for name, s := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			for path, value := range composertest.Garbled(s.XR.Object["spec"]) {
				xr := edited(s.XR, func(o *unstr) { o.Object["spec"] = value })
				req := request(t, xr, s.Observed...)
				rsp := composers.SettleByObjects(t, s.World, req)
				if strings.Contains(fatal(rsp), "internal error") {
					t.Errorf("%s: panic: %s", path, fatal(rsp))
				}
				for _, m := range dropped(req, rsp) {
					if composertest.Object(t, req.GetObserved().GetResources()[m].GetResource()).GetAnnotations()[heldMark] != "" {
						continue // Nothing of it is in Azure.
					}
					if !strings.HasPrefix(m, "Extension.") && !strings.HasPrefix(m, "FleetsMember.") && !strings.HasPrefix(m, "PrivateEndpoint.") {
						t.Errorf("%s: %s would be deleted", path, m)
					}
				}
				if m := s.ChangedHands(rsp); len(m) > 0 {
					t.Errorf("%s: %v would be managed", path, m)
				}
			}
		})
	}
}

// TestWhatLeavesTheSpecIsDeleted shows that nothing but that is.
func TestWhatLeavesTheSpecIsDeleted(t *testing.T) {
	s := scenes(t)["control plane"]
	for field, want := range map[string]string{
		"extensions": "Extension.kubernetesconfiguration.azure.com/flux", "fleetsMember": "FleetsMember.containerservice.azure.com/m",
	} {
		req := request(t, edited(s.XR, remove("spec", field)), s.Observed...)
		rsp := composers.Settle(t, s.World, req)
		if got := dropped(req, rsp); len(got) != 1 || got[0] != want || fatal(rsp) != "" {
			t.Errorf("%s: want just %s deleted, got %v (error %q)", field, want, got, fatal(rsp))
		}
	}
}

func TestCallsUntilSettled(t *testing.T) {
	all := scenes(t)
	for name, s := range all {
		if _, calls := composers.Calls(t, s.World, request(t, s.XR)); calls > composertest.MostCalls {
			t.Errorf("%s, new: %d calls of at most %d", name, calls, composertest.MostCalls)
		}
		old := []any{map[string]any{"resource": map[string]any{"group": "network.azure.com", "version": "v1api20220701", "kind": "PrivateEndpoint", "name": "old"}, "ready": true}}
		if _, calls := composers.Calls(t, s.World, request(t, edited(s.XR, set(old, "status", "resources"), remove("metadata", "labels")))); calls > composertest.MostCalls {
			t.Errorf("%s, without labels and with a removal: %d calls of at most %d", name, calls, composertest.MostCalls)
		}
	}
}
