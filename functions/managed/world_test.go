package managed

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

type unstr = unstructured.Unstructured

var composers = composertest.Composers{
	"AzureManagedCluster": Cluster{}, "AzureManagedControlPlane": ControlPlane{}, "AzureManagedMachinePool": MachinePool{},
}

// The short names of what plays Crossplane.
type (
	world = composertest.World
	edit  = composertest.Edit
)

var (
	set, remove, annotate, edited = composertest.Set, composertest.Remove, composertest.Annotate, composertest.Edited
	object, owned, must           = composertest.Stored, composertest.Owned, composertest.Must
	request, name                 = composertest.Request, composertest.ResourceName
	condition                     = composertest.Condition
	fatal, dropped, status        = composertest.Fatal, composertest.Dropped, composertest.Status
)

func cluster(t testing.TB) *unstr {
	return object(t, `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c1}, spec: {
		infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedCluster, name: infra},
		controlPlaneRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedControlPlane, name: cp},
		clusterNetwork: {services: {cidrBlocks: [192.168.0.0/16]}}}}`)
}

func machinePool(t testing.TB, pool string) *unstr {
	return object(t, `{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, metadata: {name: mp-%[1]s, labels: {cluster.x-k8s.io/cluster-name: c1}},
		spec: {clusterName: c1, replicas: 3, template: {spec: {version: v1.33.6,
		infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedMachinePool, name: %[1]s}}}}}`, pool)
}

func poolXR(t testing.TB, name, mode string) *unstr {
	return owned(object(t, `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedMachinePool,
		metadata: {name: %s, labels: {cluster.x-k8s.io/cluster-name: c1}}, spec: {mode: %s, sku: Standard_D2s_v5}}`, name, mode), "MachinePool", "mp-"+name)
}

func controlPlane(t testing.TB, edits ...edit) *unstr {
	return edited(owned(object(t, `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane,
		metadata: {name: cp, labels: {cluster.x-k8s.io/cluster-name: c1}, annotations: {infrastructure.cluster.x-k8s.io/credential-secret: c1-aso-secret}},
		spec: {version: v1.33.6, location: westeurope, resourceGroupName: rg, subscriptionID: sub, networkPlugin: azure,
			identityRef: {kind: AzureClusterIdentity, name: id}, virtualNetwork: {name: net, subnet: {name: nodes}}}}`), "Cluster", "c1"), edits...)
}

func infrastructure(t testing.TB) *unstr {
	return owned(object(t, `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedCluster,
		metadata: {name: infra, labels: {cluster.x-k8s.io/cluster-name: c1}}, spec: {}}`), "Cluster", "c1")
}

// aksWorld has a Cluster with two pools.
func aksWorld(t testing.TB, more ...*unstr) world {
	return world{Objects: append([]*unstr{cluster(t), machinePool(t, "p0"), poolXR(t, "p0", "System"), machinePool(t, "p1"), poolXR(t, "p1", "User")}, more...)}
}

// resources returns status.resources: for each kind and name, whose it is, whether it is ready, and why.
func resources(rsp *fnv1.RunFunctionResponse) map[string]string {
	items, _, _ := unstructured.NestedSlice(status(rsp), "resources")
	out := map[string]string{}
	for _, i := range items {
		m := i.(map[string]any)
		r := m["resource"].(map[string]any)
		ownership, _ := m["ownership"].(string)
		out[fmt.Sprintf("%s %s", r["kind"], r["name"])] = strings.TrimSpace(fmt.Sprintf("%s %v %s", ownership, m["ready"], m["reason"]))
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
