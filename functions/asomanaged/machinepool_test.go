package asomanaged

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
)

// settledPool is the agent pool that is desired for poolXR(name, aksPool(name)).
func settledPool(name string) *unstr {
	return edited(aksPool(name), set("1.33.6", "spec", "orchestratorVersion"), set(int64(3), "spec", "count"))
}

func count(n int64) edit { return set(n, "status", "count") }

var nodes = set(list("azure:///vm0", "azure:///vm1"), "spec", "providerIDList")

func TestMachinePoolStages(t *testing.T) {
	xr := poolXR("p0", aksPool("p0"))
	ap := settledPool("p0")
	notPaused := contractCondition("Paused", "False", "NotPaused", "")
	type stage struct {
		xr       *unstr
		world    world
		observed []*unstr
		done     bool
		replicas any
		ready    fnv1.Ready
		readyIs  []string
		resource []string
		composed *fnv1.Resource
	}
	cases := map[string]stage{
		"control plane not ready": {xr: xr, world: aksWorld("p0").With(controlPlaneXR(aksCluster())), ready: fnv1.Ready_READY_FALSE,
			readyIs:  []string{"False", "WaitingForResource", "ManagedClustersAgentPool p0: waits until ManagedCluster mc (spec.owner) of AzureASOManagedControlPlane cp is ready"},
			resource: []string{"WaitingForResource", "waits until ManagedCluster mc (spec.owner) of AzureASOManagedControlPlane cp is ready"},
			composed: composedAs(t, edited(ap, held), fnv1.Ready_READY_FALSE)},
		"control plane does not exist": {xr: xr, world: aksWorld("p0").Without(controlPlaneXR()), ready: fnv1.Ready_READY_FALSE,
			readyIs:  []string{"False", "WaitingForResource", "ManagedClustersAgentPool p0: waits until AzureASOManagedControlPlane cp exists, which says what credential is used in Azure, AzureASOManagedControlPlane cp exists, which may define ManagedCluster mc (spec.owner)"},
			resource: []string{"WaitingForResource", "waits until AzureASOManagedControlPlane cp exists, which says what credential is used in Azure, AzureASOManagedControlPlane cp exists, which may define ManagedCluster mc (spec.owner)"}},
		"first creation": {xr: xr, world: aksWorld("p0"), ready: fnv1.Ready_READY_FALSE,
			readyIs: []string{"False", "Creating", "ManagedClustersAgentPool p0: is being created"}, resource: []string{"Creating", "is being created"},
			composed: composedAs(t, edited(ap, held), fnv1.Ready_READY_FALSE)},
		"ready but for the nodes": {xr: xr, world: aksWorld("p0"), observed: []*unstr{exists(t, xr, ap, count(3))}, replicas: 3,
			readyIs: []string{"False", "WaitingForNodes", "waits for spec.providerIDList, which comes from the nodes of the pool"}, resource: []string{"Succeeded", ""},
			composed: composedAs(t, ap, fnv1.Ready_READY_TRUE)},
		"ready": {xr: edited(xr, nodes), world: aksWorld("p0"), observed: []*unstr{exists(t, xr, ap, count(3))}, done: true, replicas: 3,
			readyIs: []string{"True", "Provisioned", ""}, resource: []string{"Succeeded", ""}, composed: composedAs(t, ap, fnv1.Ready_READY_TRUE)},
		"ready without nodes, if none are asked for": {xr: xr, world: aksWorld("p0").With(machinePool("p0", set(int64(0), "spec", "replicas"))),
			observed: []*unstr{exists(t, xr, ap, count(0))}, done: true, replicas: 0, readyIs: []string{"True", "Provisioned", ""}, resource: []string{"Succeeded", ""},
			composed: composedAs(t, edited(ap, set(int64(0), "spec", "count")), fnv1.Ready_READY_TRUE)},
		"scaling takes nothing away": {xr: edited(xr, nodes, set(true, "status", "ready"), set(int64(3), "status", "replicas")),
			world: aksWorld("p0").With(machinePool("p0", set(int64(5), "spec", "replicas"))), ready: fnv1.Ready_READY_FALSE, done: true, replicas: 4,
			observed: []*unstr{exists(t, xr, ap, count(4), condition("False", "Info", "Reconciling", "scaling"))},
			readyIs:  []string{"True", "Provisioned", "ManagedClustersAgentPool p0: scaling"}, resource: []string{"Reconciling", "scaling"},
			composed: composedAs(t, edited(ap, set(int64(5), "spec", "count")), fnv1.Ready_READY_FALSE)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			isReady := c.resource[0] == "Succeeded"
			resourcesReady := []string{"True", "AllReady", ""}
			shownStatus := yes
			if !isReady {
				resourcesReady, shownStatus = []string{"False", c.resource[0], "ManagedClustersAgentPool p0: " + c.resource[1]}, no
			}
			state := clusterStatus(c.done, list(resourceStatus(ap, isReady, c.resource[0], c.resource[1])),
				contractCondition("Ready", c.readyIs[0], c.readyIs[1], c.readyIs[2]),
				contractCondition("ResourcesReady", resourcesReady[0], resourcesReady[1], resourcesReady[2]), notPaused)
			if c.replicas != nil {
				state["replicas"] = c.replicas
			}
			var composed []*fnv1.Resource
			if c.composed != nil {
				composed = append(composed, c.composed)
			}
			want := response(t, c.xr, state, c.ready, composed...)
			want.Conditions = []*fnv1.Condition{shownCondition("ResourcesReady", shownStatus, resourcesReady[1], resourcesReady[2]), shownCondition("Paused", no, "NotPaused", "")}
			got := composers.Settle(t, c.world, request(t, c.xr, c.observed...))
			if diff := cmp.Diff(want, got, protocmp.Transform(), protocmp.IgnoreFields(&fnv1.RunFunctionResponse{}, "requirements")); diff != "" {
				t.Errorf("RunFunction: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestMachinePoolWaitsForOwner(t *testing.T) {
	xr := poolXR("p0", aksPool("p0"))
	cases := map[string]struct {
		xr    *unstr
		world world
		want  string
	}{
		"no owner": {xr: edited(xr, remove("metadata", "ownerReferences")), world: aksWorld("p0"),
			want: `waits for a MachinePool to own it: a MachinePool in namespace "ns" must refer to AzureASOManagedMachinePool "p0"`},
		"owner does not exist": {xr: xr, world: aksWorld(), want: `waits for MachinePool "mp-p0", which owns it and does not exist in namespace "ns"`},
		"Cluster does not exist": {xr: xr, world: aksWorld("p0").Without(cluster()),
			want: `waits for Cluster "c1", which owns it and does not exist in namespace "ns"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := composers.Settle(t, c.world, request(t, c.xr))
			if got := contract(rsp, "Ready"); got["reason"] != "WaitingForOwner" || got["message"] != c.want {
				t.Errorf("Ready: want WaitingForOwner, %q, got %v", c.want, got)
			}
			if len(desired(t, rsp)) != 0 || fatal(rsp) != "" {
				t.Errorf("want nothing composed and no error, got %v, %q", sortedKeys(desired(t, rsp)), fatal(rsp))
			}
		})
	}
}

func TestTemplates(t *testing.T) {
	for _, kind := range []string{"AzureASOManagedClusterTemplate", "AzureASOManagedControlPlaneTemplate", "AzureASOManagedMachinePoolTemplate"} {
		t.Run(kind, func(t *testing.T) {
			xr := live(capz, kind, "t", set(list(group("rg").Object), "spec", "template", "spec", "resources"))
			want := response(t, xr, map[string]any{}, fnv1.Ready_READY_UNSPECIFIED)
			got := composers.Settle(t, world{}, request(t, xr))
			if diff := cmp.Diff(want, got, protocmp.Transform(), protocmp.IgnoreFields(&fnv1.RunFunctionResponse{}, "requirements")); diff != "" {
				t.Errorf("RunFunction: -want, +got:\n%s", diff)
			}
		})
	}
}
