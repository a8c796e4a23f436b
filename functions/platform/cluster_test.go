package platform

import (
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

func TestComposesCluster(t *testing.T) {
	rsp := composers.Settle(t, fullWorld(t), request(t, object(t, xrText), object(t, policyText), nil))
	want := object(t, `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: shop, namespace: team-a}
spec:
  clusterNetwork: {pods: {cidrBlocks: [10.244.0.0/16]}, services: {cidrBlocks: [10.10.0.0/16]}}
  topology:
    classRef: {name: aks, namespace: capz-platform}
    version: v1.33.6
    variables:
    - {name: location, value: westeurope}
    - {name: network, value: {serviceCIDR: 10.10.0.0/16, podCIDR: 10.244.0.0/16}}
    - {name: dnsServiceIP, value: 10.10.0.10}
    - {name: maintenance, value: {day: Saturday, startTime: "22:00", durationHours: 4, utcOffset: "+00:00"}}
    workers:
      machinePools:
      - {class: nodepool, name: system, replicas: 3, variables: {overrides: [{name: nodePool, value: {mode: system, size: Standard_D2s_v5, spot: false}}]}}
      - class: nodepool
        name: work
        metadata:
          annotations:
            cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: "1"
            cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: "5"
        variables:
          overrides:
          - name: nodePool
            value: {mode: user, min: 1, max: 5, size: Standard_D4s_v5, spot: true, zones: ["1"], labels: {a: b}, taints: [{key: k, effect: NoSchedule}]}
`)
	if diff := cmp.Diff(want, composed(rsp)); diff != "" {
		t.Errorf("Cluster (-want +got):\n%s", diff)
	}
	if c := shownAs(rsp, conditionAccepted); c.GetStatus() != fnv1.Status_STATUS_CONDITION_TRUE || c.GetTarget() != fnv1.Target_TARGET_COMPOSITE_AND_CLAIM {
		t.Errorf("condition %v", c)
	}
	if ready := rsp.GetDesired().GetComposite().GetReady(); ready != fnv1.Ready_READY_FALSE {
		t.Errorf("is %s before there is a Cluster", ready)
	}
}

// TestComposesForClaim checks that the Cluster is where the claim is, under the claim's name, with the defaults.
func TestComposesForClaim(t *testing.T) {
	rsp := composers.Settle(t, fullWorld(t), request(t, object(t, claimedText), object(t, policyText), nil))
	want := object(t, `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: blog, namespace: team-b}
spec:
  topology:
    classRef: {name: aks, namespace: capz-platform}
    version: v1.33.6
    variables: [{name: location, value: westeurope}]
    workers:
      machinePools:
      - {class: nodepool, name: system, replicas: 2, variables: {overrides: [{name: nodePool, value: {mode: system, size: Standard_D2s_v5, spot: false}}]}}
`)
	if diff := cmp.Diff(want, composed(rsp)); diff != "" {
		t.Errorf("Cluster (-want +got):\n%s", diff)
	}
}

func TestStatus(t *testing.T) {
	rsp := composers.Settle(t, fullWorld(t), request(t, object(t, xrText), object(t, policyText), object(t, clusterText)))
	want := object(t, `
version: v1.33.6
endpoint: https://shop.example.org:443
message: "pool work: no cores left"
nodes: {ready: 4, desired: 5, summary: 4/5}
nodePools:
- {name: system, version: v1.33.6, ready: 3, desired: 3}
- {name: work, version: v1.33.6, ready: 1, desired: 2, message: no cores left}
`)
	if diff := cmp.Diff(want, status(rsp)); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	conditions := map[string]string{}
	for _, c := range rsp.GetConditions() {
		conditions[c.GetType()] = c.GetStatus().String() + " " + c.GetMessage()
	}
	wantConditions := map[string]string{
		"Accepted":          "STATUS_CONDITION_TRUE ",
		"ControlPlaneReady": "STATUS_CONDITION_TRUE ",
		"NodesReady":        "STATUS_CONDITION_FALSE pool work: no cores left",
		"ClusterReconciled": "STATUS_CONDITION_FALSE upgrading",
	}
	if diff := cmp.Diff(wantConditions, conditions); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if ready := rsp.GetDesired().GetResources()[clusterResource].GetReady(); ready != fnv1.Ready_READY_TRUE {
		t.Errorf("the available Cluster is %s", ready)
	}
}

// TestAzureRefuses checks that what Azure says is what the team reads.
func TestAzureRefuses(t *testing.T) {
	const azure = "The VM size of Standard_D2s_v5 is not allowed"
	cluster := object(t, strings.ReplaceAll(clusterText, `{type: ControlPlaneAvailable, status: "True", reason: Available, message: ""}`,
		`{type: ControlPlaneAvailable, status: "False", reason: NotAvailable, message: "`+azure+`"}`))
	rsp := composers.Settle(t, fullWorld(t), request(t, object(t, xrText), object(t, policyText), cluster))
	c := shownAs(rsp, conditionControlPlane)
	if c.GetStatus() != fnv1.Status_STATUS_CONDITION_FALSE || c.GetMessage() != azure || c.GetTarget() != fnv1.Target_TARGET_COMPOSITE_AND_CLAIM {
		t.Errorf("condition %v", c)
	}
	if message := status(rsp)["message"]; message != azure {
		t.Errorf("status.message is %v", message)
	}
}

// TestRefusedByAPIServer shows that the answer of a webhook of Cluster API's reaches the team, and that the Cluster stays as it was.
func TestRefusedByAPIServer(t *testing.T) {
	xr := object(t, xrText)
	composertest.Refused(`cannot compose resources: cannot apply composed resource "cluster": admission webhook "w" denied the request: no such version`, nil)(&unstructured.Unstructured{Object: xr})
	for title, observed := range map[string]map[string]any{"new": nil, "there": object(t, clusterText)} {
		rsp := composers.Settle(t, fullWorld(t), request(t, xr, object(t, policyText), observed))
		const want = `Cluster team-a/shop is refused by the API server: admission webhook "w" denied the request: no such version`
		if c := shownAs(rsp, conditionAccepted); c.GetStatus() != fnv1.Status_STATUS_CONDITION_FALSE || c.GetReason() != "RefusedByAPIServer" || c.GetMessage() != want || status(rsp)["message"] != want {
			t.Errorf("%s: condition %v, status %v", title, c, status(rsp))
		}
		if (rsp.GetDesired().GetResources()[clusterResource] != nil) != (observed != nil) {
			t.Errorf("%s: composed %v", title, composed(rsp))
		}
	}
}

// TestTaken has a Cluster of the name that is not the composite's.
func TestTaken(t *testing.T) {
	cases := map[string]struct{ owner, want string }{
		"of another composite": {
			owner: "[{apiVersion: platform.capz.crossplane.io/v1alpha1, kind: XAKSCluster, name: shop-12345, uid: other, controller: true}]",
			want:  `metadata.name is "shop", but must be another because Cluster team-a/shop exists and belongs to XAKSCluster shop-12345; it is left as it is`,
		},
		"of nobody": {
			owner: "[]",
			want:  `metadata.name is "shop", but must be another because Cluster team-a/shop exists and was made by hand; it is left as it is`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			other := object(t, "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: shop, namespace: team-a, ownerReferences: "+tc.owner+"}")
			rsp := composers.Settle(t, fullWorld(t).With(unstructuredOf(other)), request(t, object(t, xrText), object(t, policyText), nil))
			if composed(rsp) != nil || rsp.GetDesired().GetComposite().GetReady() != fnv1.Ready_READY_FALSE {
				t.Errorf("composed %v, ready %s", composed(rsp), rsp.GetDesired().GetComposite().GetReady())
			}
			if c := shownAs(rsp, conditionAccepted); c.GetMessage() != tc.want || c.GetReason() != reasonNameTaken {
				t.Errorf("condition %v", c)
			}
		})
	}
	t.Run("just made by itself", func(t *testing.T) {
		rsp := composers.Settle(t, fullWorld(t).With(unstructuredOf(object(t, clusterText))), request(t, object(t, xrText), object(t, policyText), nil))
		if composed(rsp) == nil {
			t.Errorf("is not composed: %v", rsp.GetConditions())
		}
	})
}

// TestNothingDropped takes each input away, or spoils it: a Cluster that exists must be desired still, or nothing be applied.
func TestNothingDropped(t *testing.T) {
	spoil := func(old, by string) func(string) string {
		return func(text string) string {
			if !strings.Contains(text, old) {
				t.Fatalf("%q is not in\n%s", old, text)
			}
			return strings.Replace(text, old, by, 1)
		}
	}
	keep := func(text string) string { return text }
	cases := map[string]struct {
		xr, policy, cluster func(string) string
		world               world
	}{
		"nothing":                   {keep, keep, keep, fullWorld(t)},
		"the world":                 {keep, keep, keep, world{}},
		"the ClusterClass":          {keep, keep, keep, fullWorld(t).Without(unstructuredOf(object(t, classText)))},
		"spec":                      {func(string) string { return strings.Split(xrText, "spec:")[0] }, keep, keep, fullWorld(t)},
		"location":                  {spoil("  location: westeurope\n", ""), keep, keep, fullWorld(t)},
		"another location":          {spoil("location: westeurope", "location: northeurope"), keep, keep, fullWorld(t)},
		"nodePools garbage":         {spoil("{name: system, mode: system, count: 3}", "x"), keep, keep, fullWorld(t)},
		"no system pool":            {spoil("{name: system, mode: system, count: 3}", "{name: system}"), keep, keep, fullWorld(t)},
		"an unusable CIDR":          {spoil("10.10.0.0/16", "x"), keep, spoil("serviceCIDR: 10.10.0.0/16, ", ""), fullWorld(t)},
		"policy of another kind":    {keep, spoil("AKSClusterPolicy", "Other"), keep, fullWorld(t)},
		"policy without a class":    {keep, spoil("name: aks, ", ""), keep, fullWorld(t)},
		"policy with a typo":        {keep, spoil("clusterClass", "clusterclass"), keep, fullWorld(t)},
		"another class":             {keep, spoil("name: aks,", "name: other,"), keep, fullWorld(t)},
		"a fixed value":             {keep, func(s string) string { return s + "fixed: {location: northeurope}\n" }, keep, fullWorld(t)},
		"a hidden field":            {keep, func(s string) string { return s + "hidden: [network]\n" }, keep, fullWorld(t)},
		"a hidden field of nothing": {keep, func(s string) string { return s + "hidden: [nowhere]\n" }, keep, fullWorld(t)},
		"managedFields":             {keep, func(s string) string { return s + "hidden: [network]\n" }, spoil("manager: apiextensions", "manager: other"), fullWorld(t)},
		"the Cluster's controller":  {keep, keep, spoil("uid: shop-uid", "uid: other"), fullWorld(t)},
		"the Cluster's topology":    {keep, keep, func(s string) string { return strings.Split(s, "  topology:")[0] }, fullWorld(t)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := composers.Settle(t, tc.world, request(t, object(t, tc.xr(xrText)), object(t, tc.policy(policyText)), object(t, tc.cluster(clusterText))))
			if fatal(rsp) == "" && composed(rsp) == nil {
				t.Errorf("the Cluster was dropped; conditions %v", rsp.GetConditions())
			}
		})
	}
	t.Run("no input", func(t *testing.T) {
		rsp := composers.Settle(t, fullWorld(t), request(t, object(t, xrText), nil, object(t, clusterText)))
		if want := "the step has no input, but needs an AKSClusterPolicy of platform.capz.crossplane.io/v1alpha1 that names a ClusterClass"; fatal(rsp) != want {
			t.Errorf("fatal %q, want %q", fatal(rsp), want)
		}
	})
}

// TestRefusalKeepsTheCluster checks that a Cluster whose spec is refused is returned just as it was applied.
func TestRefusalKeepsTheCluster(t *testing.T) {
	rsp := composers.Settle(t, fullWorld(t), request(t, object(t, xrText), object(t, policyText+"fixed: {nodePool: {spot: false}}\n"), object(t, clusterText)))
	want := object(t, clusterText)
	delete(want, "status")
	spec := want["spec"].(map[string]any)
	delete(spec, "controlPlaneEndpoint")
	delete(spec, "controlPlaneRef")
	want["metadata"] = map[string]any{"name": "shop", "namespace": "team-a"}
	if diff := cmp.Diff(want, composed(rsp)); diff != "" {
		t.Errorf("Cluster (-want +got):\n%s", diff)
	}
	if c := shownAs(rsp, conditionAccepted); c.GetMessage() != "spec.nodePools[work].spot is true, but must be false or left out because the platform team has fixed it" {
		t.Errorf("condition %v", c)
	}
	if status(rsp)["version"] != "v1.33.6" {
		t.Errorf("status is %v", status(rsp))
	}
}

// TestPure asks the same twice, and once with everything in another order.
func TestPure(t *testing.T) {
	w := fullWorld(t)
	first := composers.Settle(t, w, request(t, object(t, xrText), object(t, policyText), object(t, clusterText)))
	turned := world{Objects: slices.Clone(w.Objects)}
	slices.Reverse(turned.Objects)
	for range 20 {
		second := composers.Settle(t, turned, request(t, object(t, xrText), object(t, policyText), object(t, clusterText)))
		if !proto.Equal(first, second) {
			t.Fatalf("answers differ:\n%v\n%v", first, second)
		}
	}
}

// TestRefuses are mistakes that lie outside of spec: nothing is composed, and the message says who has to do what.
func TestRefuses(t *testing.T) {
	cases := map[string]struct {
		xr, class    string
		reason, want string
	}{
		"no claim": {
			xr:     strings.Replace(claimedText, "  claimRef: {apiVersion: platform.capz.crossplane.io/v1alpha1, kind: AKSClusterClaim, name: blog, namespace: team-b}\n", "", 1),
			class:  classText,
			reason: reasonNoClaim, want: "spec.claimRef is missing, but must name a claim because the cluster goes to its namespace; make an AKSClusterClaim",
		},
		"no class": {
			xr: xrText, reason: reasonClassNotFound, want: "waits for ClusterClass capz-platform/aks, which the platform team has to provide",
		},
		"class without a variable": {
			xr: xrText, class: strings.Replace(classText, "{name: maintenance}, ", "", 1), reason: reasonClassUnfit,
			want: `the platform team's ClusterClass capz-platform/aks cannot be used because it has no variable "maintenance", which spec.maintenance needs`,
		},
		"class without pools": {
			xr: xrText, class: strings.Replace(classText, ", {name: nodePool}", "", 1), reason: reasonClassUnfit,
			want: `the platform team's ClusterClass capz-platform/aks cannot be used because it has no variable "nodePool", which spec.nodePools needs`,
		},
		"class of other pools": {
			xr: xrText, class: strings.Replace(classText, "class: nodepool", "class: other", 1), reason: reasonClassUnfit,
			want: `the platform team's ClusterClass capz-platform/aks cannot be used because it has no machine pool class "nodepool"`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var w world
			if tc.class != "" {
				w = holding(object(t, tc.class))
			}
			rsp := composers.Settle(t, w, request(t, object(t, tc.xr), object(t, policyText), nil))
			if fatal(rsp) != "" || composed(rsp) != nil || rsp.GetDesired().GetComposite().GetReady() != fnv1.Ready_READY_FALSE {
				t.Errorf("fatal %q, composed %v, ready %s", fatal(rsp), composed(rsp), rsp.GetDesired().GetComposite().GetReady())
			}
			c := shownAs(rsp, conditionAccepted)
			if c.GetMessage() != tc.want || c.GetReason() != tc.reason || c.GetTarget() != fnv1.Target_TARGET_COMPOSITE_AND_CLAIM {
				t.Errorf("condition is\n%v\nwant\n%s", c, tc.want)
			}
			if status(rsp)["message"] != tc.want {
				t.Errorf("status.message is %v", status(rsp)["message"])
			}
		})
	}
}

// TestVariablesOfExtensions takes a variable that only the status of the ClusterClass has: a runtime extension declares it.
func TestVariablesOfExtensions(t *testing.T) {
	class := strings.Replace(classText, "{name: maintenance}, ", "", 1) + "status: {variables: [{name: maintenance, definitions: [{from: extension}]}]}\n"
	w := holding(object(t, class))
	if rsp := composers.Settle(t, w, request(t, object(t, xrText), object(t, policyText), nil)); composed(rsp) == nil {
		t.Errorf("is not composed: %v", rsp.GetConditions())
	}
}
