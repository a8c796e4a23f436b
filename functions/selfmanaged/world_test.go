package selfmanaged

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

type unstr = unstructured.Unstructured

var composers = composertest.Composers{"AzureCluster": Cluster{}}

// The short names of what plays Crossplane.
type (
	world = composertest.World
	edit  = composertest.Edit
)

var (
	set, remove, annotate, edited = composertest.Set, composertest.Remove, composertest.Annotate, composertest.Edited
	object, owned                 = composertest.Stored, composertest.Owned
	request, condition            = composertest.Request, composertest.Condition
	fatal, dropped, status        = composertest.Fatal, composertest.Dropped, composertest.Status
)

func cluster(t testing.TB) *unstr {
	return object(t, `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c1}, spec: {
		infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureCluster, name: c1},
		controlPlaneRef: {apiGroup: controlplane.cluster.x-k8s.io, kind: KubeadmControlPlane, name: c1-control-plane}}}`)
}

// azureCluster is that of CAPZ's default flavor.
func azureCluster(t testing.TB, edits ...edit) *unstr {
	return edited(owned(object(t, `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureCluster,
		metadata: {name: c1, labels: {cluster.x-k8s.io/cluster-name: c1}, annotations: {infrastructure.cluster.x-k8s.io/credential-secret: c1-aso-secret}},
		spec: {location: westeurope, resourceGroup: rg, subscriptionID: sub, controlPlaneEnabled: true, identityRef: {kind: AzureClusterIdentity, name: id},
			networkSpec: {vnet: {name: net}, subnets: [{name: cps, role: control-plane}, {name: nodes, role: node}]}}}`), "Cluster", "c1"), edits...)
}

// zonesKnown has provider-capz have told the zones of the location.
func zonesKnown(o *unstr) {
	set([]any{"1", "2", "3"}, "spec", "failureDomains")(o)
	set(true, "spec", "failureDomainsKnown")(o)
}

// azureWorld has a Cluster in a location whose zones are known.
func azureWorld(t testing.TB, more ...*unstr) world {
	c := cluster(t)
	w := world{Objects: append([]*unstr{c}, more...)}
	return w.WithFacts(c, zonesKnown)
}

// statusOf is what Azure says of a resource beside.
func statusOf(o *unstr) map[string]any {
	switch o.GetKind() {
	case "LoadBalancer":
		frontends, _, _ := unstructured.NestedSlice(o.Object, "spec", "frontendIPConfigurations")
		return map[string]any{"frontendIPConfigurations": frontends}
	case "PublicIPAddress":
		return map[string]any{"ipAddress": "203.0.113.7"}
	case "VirtualNetworksVirtualNetworkPeering":
		id, _, _ := unstructured.NestedString(o.Object, "spec", "remoteVirtualNetwork", "reference", "armId")
		return map[string]any{"remoteVirtualNetwork": map[string]any{"id": id}}
	}
	return nil
}

func newPlay(t testing.TB, w world, xr *unstr, inAzure ...string) *composertest.Play {
	p := composertest.NewPlay(t, composers, w, xr, inAzure...)
	p.Status = statusOf
	return p
}

// mirrored does what provider-capz does with the endpoint.
func mirrored(p *composertest.Play) *composertest.Play {
	if endpoint, found, _ := unstructured.NestedMap(p.XR.Object, "status", "controlPlaneEndpoint"); found {
		p.XR = edited(p.XR, set(endpoint, "spec", "controlPlaneEndpoint"))
	}
	p.Compose()
	return p
}
