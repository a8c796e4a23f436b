package asomanaged

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	lostMark       = "infrastructure.cluster.x-k8s.io/lost"
	aksLacksPools  = "Required parameter agentPoolProfiles is missing (null)."
	policySkipMark = "serviceoperator.azure.com/reconcile-policy"
)

// TestAClusterThatAzureLost shows what becomes of a ManagedCluster that somebody has deleted in Azure: it is made again with its pools,
// once Azure has said twice that it is gone.
func TestAClusterThatAzureLost(t *testing.T) {
	xr := controlPlaneXR(aksCluster())
	xr.Object["status"] = dict("initialized", true, "initialization", dict("controlPlaneInitialized", true))
	refused := condition("False", "Warning", "InvalidParameter", aksLacksPools)
	notFound := condition("False", "Warning", "AzureResourceNotFound", "404")
	asked := func(o *unstr) { annotate(lostMark, "InvalidParameter x")(o); annotate(policySkipMark, "skip")(o) }
	confirmed := annotate(lostMark, "confirmed")
	sent := set(list(profile("p0"), profile("p1")), "spec", "agentPoolProfiles")
	settled := aksWorld().With(machinePool("p0"), ready(poolXR("p0", aksPool("p0"))), machinePool("p1"), ready(poolXR("p1", aksPool("p1"))))
	both := list(profileAsRead("p0"), profileAsRead("p1"))
	cases := map[string]struct {
		xr    *unstr
		world world
		// applied is what Crossplane has applied beside the settled cluster, observed what ASO says of it.
		applied  []edit
		observed []edit
		policy   any
		lost     string
		profiles any
		says     string
	}{
		"it is there":                 {observed: []edit{inAzure}, says: "True"},
		"AKS refuses":                 {observed: []edit{inAzure, refused}, policy: "skip", lost: "InvalidParameter ", says: "Azure seems to have it no more, and is asked again"},
		"Azure is asked":              {applied: []edit{asked}, observed: []edit{inAzure, refused}, policy: "skip", lost: "InvalidParameter x", says: "Azure seems to have it no more, and is asked again"},
		"Azure has it":                {applied: []edit{asked}, observed: []edit{inAzure}, says: "True"},
		"Azure does not have it":      {applied: []edit{asked}, observed: []edit{inAzure, notFound}, lost: "confirmed", profiles: both, says: "is gone from Azure, and is made again"},
		"a pool is not known":         {world: settled.Without(poolXR("p1")), applied: []edit{asked}, observed: []edit{inAzure, notFound}, policy: "skip", lost: "InvalidParameter x", profiles: list(profileAsRead("p0")), says: "is gone from Azure, and is made again when AzureASOManagedMachinePool p1 exists"},
		"it is made again":            {applied: []edit{confirmed, sent}, observed: []edit{inAzure, condition("False", "Info", "Reconciling", "")}, lost: "confirmed", profiles: both, says: "is gone from Azure, and is made again"},
		"Azure refuses to make it":    {applied: []edit{confirmed, sent}, observed: []edit{inAzure, condition("False", "Warning", "SkuNotAvailable", "none left")}, lost: "confirmed", profiles: both, says: "is gone from Azure, and is made again (SkuNotAvailable: none left)"},
		"it has been made again":      {applied: []edit{confirmed, sent}, observed: []edit{inAzure}, says: "True"},
		"the user's policy":           {xr: edited(xr, func(o *unstr) { entriesEdit(o, annotate(policySkipMark, "detach-on-delete")) }), applied: []edit{annotate(policySkipMark, "detach-on-delete")}, observed: []edit{inAzure, refused}, policy: "detach-on-delete", says: "is gone from Azure; it is not made again while ManagedCluster mc has annotation"},
		"the user's skip, it is gone": {xr: edited(xr, func(o *unstr) { entriesEdit(o, annotate(policySkipMark, "skip")) }), applied: []edit{annotate(policySkipMark, "skip")}, observed: []edit{inAzure, notFound}, policy: "skip", says: "404"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			xr, w := xr, c.world
			if c.xr != nil {
				xr = c.xr
			}
			if w.Objects == nil {
				w = settled
			}
			rsp := composers.Settle(t, w, request(t, xr, exists(t, xr, edited(settledCluster(), c.applied...), c.observed...)))
			composed := desired(t, rsp)["ManagedCluster.containerservice.azure.com/mc"]
			if composed == nil {
				t.Fatalf("the ManagedCluster is not composed; %s", fatal(rsp))
			}
			annotations, _, _ := unstructured.NestedMap(composed.Object, "metadata", "annotations")
			if annotations[policySkipMark] != c.policy || composed.GetAnnotations()[lostMark] != c.lost {
				t.Errorf("policy %v, lost %q", annotations[policySkipMark], composed.GetAnnotations()[lostMark])
			}
			profiles, _, _ := unstructured.NestedFieldNoCopy(composed.Object, "spec", "agentPoolProfiles")
			if diff := cmp.Diff(c.profiles, profiles); diff != "" {
				t.Errorf("spec.agentPoolProfiles: -want, +got:\n%s", diff)
			}
			isReady, _, message := outcome(rsp, "mc")
			if c.says == "True" != isReady || c.says != "True" && !strings.HasPrefix(message, c.says) {
				t.Errorf("want %s\ngot %v %s", c.says, isReady, message)
			}
			// All but what is being updated is as the resource is: neither Ready nor Available while that is not there.
			there := isReady || c.lost == "" && c.policy == nil
			for _, conditionType := range []string{"Ready", "Available"} {
				if is := contract(rsp, conditionType)["status"] == "True"; is != there {
					t.Errorf("%s is %v: %v", conditionType, is, contract(rsp, conditionType)["message"])
				}
			}
		})
	}
}

// entriesEdit edits every entry of spec.resources.
func entriesEdit(xr *unstr, edits ...edit) {
	resources, _, _ := unstructured.NestedSlice(xr.Object, "spec", "resources")
	for n := range resources {
		resources[n] = edited(&unstr{Object: resources[n].(map[string]any)}, edits...).Object
	}
	_ = unstructured.SetNestedSlice(xr.Object, resources, "spec", "resources")
}

// TestAPoolOfAClusterThatAzureLost shows that a pool does not say that it is there when its cluster is not.
func TestAPoolOfAClusterThatAzureLost(t *testing.T) {
	lost := func(o *unstr) {
		set(list(dict("ready", false, "reason", "AzureResourceNotFound", "resource", dict("group", "containerservice.azure.com", "version", "v1api20250801", "kind", "ManagedCluster", "name", "mc"))), "status", "resources")(o)
	}
	xr := poolXR("p0", aksPool("p0"))
	w := aksWorld("p0").With(edited(controlPlaneXR(aksCluster()), lost))
	rsp := composers.Settle(t, w, request(t, xr, exists(t, xr, edited(aksPool("p0"), set("1.33.0", "spec", "orchestratorVersion"), set(int64(3), "spec", "count")), succeeded)))
	if isReady, reason, message := outcome(rsp, "p0"); isReady || reason != "AzureResourceNotFound" || message != "is gone from Azure with ManagedCluster mc, which it was in" {
		t.Errorf("got %v %s: %s", isReady, reason, message)
	}
}
