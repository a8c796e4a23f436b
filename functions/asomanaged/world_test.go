package asomanaged

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

var composers = composertest.Composers{
	"AzureASOManagedCluster": Cluster{}, "AzureASOManagedControlPlane": ControlPlane{}, "AzureASOManagedMachinePool": MachinePool{},
	"AzureASOManagedClusterTemplate": capi.ReadOnly{}, "AzureASOManagedControlPlaneTemplate": capi.ReadOnly{}, "AzureASOManagedMachinePoolTemplate": capi.ReadOnly{},
}

// The short names of what plays Crossplane.
type (
	world = composertest.World
	edit  = composertest.Edit
)

var (
	set, remove, annotate, edited             = composertest.Set, composertest.Remove, composertest.Annotate, composertest.Edited
	request, name, must                       = composertest.Request, composertest.ResourceName, composertest.Must
	fatal, desired, dropped, status, contract = composertest.Fatal, composertest.Desired, composertest.Dropped, composertest.Status, composertest.ContractCondition
)

// aksWorld has a whole cluster with pools of the given names, all of it ready in Azure.
func aksWorld(pools ...string) world {
	w := world{Objects: []*unstr{cluster(), ready(infraXR(group("rg"))), ready(controlPlaneXR(aksCluster()))}}
	for _, p := range pools {
		w.Objects = append(w.Objects, machinePool(p), poolXR(p, aksPool(p)))
	}
	return w
}

func gvk(apiVersion, kind string) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

// sent returns the names of the composed objects that ASO may send to Azure.
func sent(t testing.TB, rsp *fnv1.RunFunctionResponse) []string {
	t.Helper()
	var names []string
	for n, o := range desired(t, rsp) {
		if o.GetAnnotations()[heldMark] == "" {
			names = append(names, n)
		}
	}
	return names
}

// outcome returns what status.resources says of the object of the given name: ready, reason and message.
func outcome(rsp *fnv1.RunFunctionResponse, name string) (isReady bool, reason, message string) {
	items, _, _ := unstructured.NestedSlice(status(rsp), "resources")
	for _, i := range items {
		m := i.(map[string]any)
		if r, _, _ := unstructured.NestedString(m, "resource", "name"); r == name {
			return m["ready"] == true, m["reason"].(string), m["message"].(string)
		}
	}
	return false, "", "not in status.resources"
}
