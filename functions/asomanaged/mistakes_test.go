package asomanaged

import (
	"fmt"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func putEntry(n int, value any) edit {
	return func(o *unstr) {
		items, _, _ := unstructured.NestedSlice(o.Object, "spec", "resources")
		if n >= len(items) {
			return
		}
		items[n] = value
		_ = unstructured.SetNestedSlice(o.Object, items, "spec", "resources")
	}
}

// TestKindChecks has the mistakes that leave nothing to compose: references to the wrong kinds, and a missing resource.
func TestKindChecks(t *testing.T) {
	wrong := func(field string) world {
		return aksWorld("p0").With(cluster(set(dict("apiGroup", "infrastructure.cluster.x-k8s.io", "kind", "AzureManagedCluster", "name", "x"), "spec", field)))
	}
	const not = ` of Cluster "c1" is AzureManagedCluster "x" of group "infrastructure.cluster.x-k8s.io", but must be an `
	cases := map[string]struct {
		xr     *unstr
		world  world
		reason string
		want   string
	}{
		"cluster, other control plane": {infraXR(group("rg")), wrong("controlPlaneRef"), "InvalidClusterReference",
			"AzureASOManagedCluster cannot be used without AzureASOManagedControlPlane: spec.controlPlaneRef" + not + `AzureASOManagedControlPlane of group "infrastructure.cluster.x-k8s.io"`},
		"cluster, no control plane": {infraXR(group("rg")), aksWorld().With(cluster(remove("spec", "controlPlaneRef"))), "InvalidClusterReference",
			`AzureASOManagedCluster cannot be used without AzureASOManagedControlPlane: spec.controlPlaneRef of Cluster "c1" is absent, but must be an AzureASOManagedControlPlane of group "infrastructure.cluster.x-k8s.io"`},
		"control plane, other infrastructure": {controlPlaneXR(aksCluster()), wrong("infrastructureRef"), "InvalidClusterReference",
			"AzureASOManagedControlPlane cannot be used without AzureASOManagedCluster: spec.infrastructureRef" + not + `AzureASOManagedCluster of group "infrastructure.cluster.x-k8s.io"`},
		"pool, other control plane": {poolXR("p0", aksPool("p0")), wrong("controlPlaneRef"), "InvalidClusterReference",
			"AzureASOManagedMachinePool cannot be used without AzureASOManagedControlPlane: spec.controlPlaneRef" + not + `AzureASOManagedControlPlane of group "infrastructure.cluster.x-k8s.io"`},
		"control plane, no ManagedCluster": {controlPlaneXR(group("rg")), aksWorld("p0"), "MissingResource",
			"spec.resources has no ManagedCluster of group containerservice.azure.com, but an AzureASOManagedControlPlane needs one"},
		"control plane, ManagedCluster of another group": {controlPlaneXR(inline("example.azure.com/v1", "ManagedCluster", "mc")), aksWorld("p0"), "MissingResource",
			"spec.resources has no ManagedCluster of group containerservice.azure.com, but an AzureASOManagedControlPlane needs one"},
		"control plane, no resources": {edited(controlPlaneXR(), remove("spec", "resources")), aksWorld("p0"), "MissingResource",
			"spec.resources has no ManagedCluster of group containerservice.azure.com, but an AzureASOManagedControlPlane needs one"},
		"pool, no agent pool": {poolXR("p0", group("rg")), aksWorld("p0"), "MissingResource",
			"spec.resources has no ManagedClustersAgentPool of group containerservice.azure.com, but an AzureASOManagedMachinePool needs one"},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			rsp := composers.Settle(t, c.world, request(t, c.xr))
			if len(desired(t, rsp)) > 0 || fatal(rsp) != "" {
				t.Errorf("want nothing composed and no error, got %v, %q", sortedKeys(desired(t, rsp)), fatal(rsp))
			}
			got := contract(rsp, "Ready")
			if diff := cmp.Diff([]any{"False", c.reason, c.want}, []any{got["status"], got["reason"], got["message"]}); diff != "" {
				t.Errorf("Ready: -want, +got:\n%s", diff)
			}

			// With something there, nothing may be applied, because what is not returned is deleted.
			there := exists(t, c.xr, group("rg"))
			rsp = composers.Settle(t, c.world, request(t, c.xr, there))
			if got := fatal(rsp); got != c.want {
				t.Errorf("with objects there: want the error %q, got %q", c.want, got)
			}
			if shown := rsp.GetConditions(); len(shown) != 1 || shown[0].GetType() != "ResourcesReady" || shown[0].GetMessage() != c.want || shown[0].GetStatus() != no {
				t.Errorf("with objects there: want ResourcesReady to say why, got %v", shown)
			}
		})
	}
}

// TestEntryMistakes has those of a single entry of spec.resources. The others go on; what exists stays as it is.
func TestEntryMistakes(t *testing.T) {
	good := group("good")
	const anASOKind = "group and version of an Azure Service Operator kind, such as resources.azure.com/v1api20200601"
	const notForUsers = `, but must be absent: it is not for users, as the object belongs to the one that defines it`
	const isCredential = `, but must be another because a Secret of that name is a credential for Azure`
	reserved := func(annotation, value, why string) string {
		return fmt.Sprintf("spec.resources[1].metadata.annotations[%s] is %q, but must be absent because %s", annotation, value, why)
	}
	const anObject = "an Azure Service Operator object with apiVersion, kind and metadata.name"
	bad := func(edits ...edit) map[string]any { return edited(group("bad"), edits...).Object }
	cases := map[string]struct {
		entry     any
		reason    string
		message   string
		unlisted  bool
		unserved  string
		unwatched bool
	}{
		"no object":           {entry: "text", reason: "InvalidResource", message: "spec.resources[1] is \"text\", but must be " + anObject, unlisted: true},
		"null":                {entry: nil, reason: "InvalidResource", message: "spec.resources[1] is null, but must be " + anObject, unlisted: true},
		"no apiVersion":       {entry: bad(remove("apiVersion")), reason: "InvalidResource", message: `spec.resources[1].apiVersion is "", but must be ` + anASOKind},
		"apiVersion of core":  {entry: bad(set("v1", "apiVersion")), reason: "InvalidResource", message: `spec.resources[1].apiVersion is "v1", but must be ` + anASOKind},
		"apiVersion of apps":  {entry: bad(set("apps/v1", "apiVersion")), reason: "InvalidResource", message: `spec.resources[1].apiVersion is "apps/v1", but must be ` + anASOKind},
		"apiVersion, garbage": {entry: bad(set("a/b/c", "apiVersion")), reason: "InvalidResource", message: `spec.resources[1].apiVersion is "a/b/c", but must be ` + anASOKind},
		"no version":          {entry: bad(set("resources.azure.com/", "apiVersion")), reason: "InvalidResource", message: `spec.resources[1].apiVersion is "resources.azure.com/", but must be ` + anASOKind},
		"no kind":             {entry: bad(remove("kind")), reason: "InvalidResource", message: `spec.resources[1].kind is "", but must be the name of a kind, such as ResourceGroup`},
		"no name":             {entry: bad(remove("metadata")), reason: "InvalidResource", message: `spec.resources[1].metadata.name is "", but must be set, because it identifies the resource among those of this object`, unlisted: true},
		"other namespace":     {entry: bad(set("elsewhere", "metadata", "namespace")), reason: "InvalidResource", message: `spec.resources[1].metadata.namespace is "elsewhere", but must be "ns" or absent, because composed resources live in the namespace of the object that defines them`},
		"labels":              {entry: bad(set(int64(1), "metadata", "labels", "a")), reason: "InvalidResource", message: `spec.resources[1].metadata.labels is {"a":1}, but must be an object of strings`},
		"annotations":         {entry: bad(set("x", "metadata", "annotations")), reason: "InvalidResource", message: `spec.resources[1].metadata.annotations is "x", but must be an object of strings`},
		"spec":                {entry: bad(set(list("x"), "spec")), reason: "InvalidResource", message: `spec.resources[1].spec is ["x"], but must be an object`},
		"duplicate":           {entry: good.Object, reason: "DuplicateResource", message: `spec.resources[1]: ResourceGroup "good" is defined at spec.resources[0] already; give each resource of a kind its own metadata.name`, unlisted: true},
		"duplicate in another version": {entry: edited(good, inVersion("resources.azure.com/v1beta20200601")).Object, reason: "DuplicateResource",
			message: `spec.resources[1]: ResourceGroup "good" is defined at spec.resources[0] already; give each resource of a kind its own metadata.name`, unlisted: true},
		"generated name":         {entry: bad(set("x-", "metadata", "generateName")), reason: "InvalidResource", message: `spec.resources[1].metadata.generateName is "x-"` + notForUsers},
		"owner":                  {entry: bad(set(list(dict("kind", "Namespace")), "metadata", "ownerReferences")), reason: "InvalidResource", message: `spec.resources[1].metadata.ownerReferences is [{"kind":"Namespace"}]` + notForUsers},
		"finalizer":              {entry: bad(set(list("a/b"), "metadata", "finalizers")), reason: "InvalidResource", message: `spec.resources[1].metadata.finalizers is ["a/b"]` + notForUsers},
		"other operator":         {entry: bad(annotate("serviceoperator.azure.com/operator-namespace", "elsewhere")), reason: "InvalidResource", message: reserved("serviceoperator.azure.com/operator-namespace", "elsewhere", "Azure Service Operator writes it and acts on it")},
		"address of operation":   {entry: bad(annotate("serviceoperator.azure.com/poller-resume-token", "x")), reason: "InvalidResource", message: reserved("serviceoperator.azure.com/poller-resume-token", "x", "Azure Service Operator writes it and acts on it")},
		"ID in Azure":            {entry: bad(annotate("serviceoperator.azure.com/resource-id", "/x")), reason: "InvalidResource", message: reserved("serviceoperator.azure.com/resource-id", "/x", "Azure Service Operator writes it and acts on it")},
		"ownership":              {entry: bad(annotate("infrastructure.cluster.x-k8s.io/ownership", "owned")), reason: "InvalidResource", message: reserved("infrastructure.cluster.x-k8s.io/ownership", "owned", "it records whose the resource is, which is found out in Azure")},
		"Crossplane's":           {entry: bad(annotate("crossplane.io/external-name", "x")), reason: "InvalidResource", message: reserved("crossplane.io/external-name", "x", "Crossplane writes it")},
		"credential of another":  {entry: bad(annotate("serviceoperator.azure.com/credential-from", "other/x")), reason: "InvalidResource", message: `spec.resources[1].metadata.annotations[serviceoperator.azure.com/credential-from] is "other/x", but must be the name of a Secret in the same namespace`},
		"credential written":     {entry: bad(set("c-aso-secret", "spec", "operatorSpec", "secrets", "key", "name")), reason: "InvalidResource", message: `spec.resources[1].spec.operatorSpec.secrets.key.name is "c-aso-secret"` + isCredential},
		"credential, expression": {entry: bad(set(list(dict(), dict("name", "aso-credential")), "spec", "operatorSpec", "secretExpressions")), reason: "InvalidResource", message: `spec.resources[1].spec.operatorSpec.secretExpressions[1].name is "aso-credential"` + isCredential},
		"kubeconfig, expression": {entry: bad(set(list(dict("name", "c-kubeconfig")), "spec", "operatorSpec", "secretExpressions")), reason: "InvalidResource", message: `spec.resources[1].spec.operatorSpec.secretExpressions[0].name is "c-kubeconfig", but must be another because Cluster API takes what is in such a Secret for a kubeconfig from Azure`},
		"kind not installed": {entry: inline("cdn.azure.com/v1", "Profile", "bad").Object, reason: "KindNotInstalled", unserved: "cdn.azure.com/v1", unwatched: true,
			message: "spec.resources[1] is a Profile of cdn.azure.com/v1, which this cluster does not serve; install its CRD with Azure Service Operator's --crd-pattern, or correct apiVersion and kind"},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			xr := edited(infraXR(good, good), putEntry(1, c.entry))
			w := world{Objects: []*unstr{cluster(), controlPlaneXR()}}.Serving(gvk(c.unserved, "Profile"), nil)
			rsp := composers.Settle(t, w, request(t, xr, exists(t, xr, good)))
			if f := fatal(rsp); f != "" {
				t.Fatal(f)
			}
			// The good one goes on.
			if diff := cmp.Diff([]string{name(good)}, sortedKeys(desired(t, rsp))); diff != "" {
				t.Errorf("composed: -want, +got:\n%s", diff)
			}
			if isReady, _, _ := outcome(rsp, "good"); !isReady {
				t.Error("the good resource is not shown as ready")
			}
			if !c.unlisted {
				isReady, reason, message := outcome(rsp, c.entry.(map[string]any)["metadata"].(map[string]any)["name"].(string))
				if diff := cmp.Diff([]any{false, c.reason, c.message}, []any{isReady, reason, message}); diff != "" {
					t.Errorf("status.resources: -want, +got:\n%s", diff)
				}
			}
			for _, condition := range []string{"Ready", "ResourcesReady"} {
				got := contract(rsp, condition)
				if diff := cmp.Diff([]any{"False", c.reason, c.message}, []any{got["status"], got["reason"], got["message"]}); diff != "" {
					t.Errorf("%s: -want, +got:\n%s", condition, diff)
				}
			}
			if rsp.GetDesired().GetComposite().GetReady() != fnv1.Ready_READY_FALSE {
				t.Error("the XR counts as ready")
			}
			if soon := rsp.GetMeta().GetTtl().AsDuration().Minutes() < 1; soon != c.unwatched {
				t.Errorf("asked again soon: want %v, TTL is %s", c.unwatched, rsp.GetMeta().GetTtl().AsDuration())
			}
		})
	}
}

// TestChangesThatAreRefused has those that would fail the whole composite, or take apart what exists.
func TestChangesThatAreRefused(t *testing.T) {
	net := owned(network, "VirtualNetwork", "net", "rg", set("westeurope", "spec", "location"), set("azure-net", "spec", "azureName"))
	const stays = " because the resource exists in Azure; give another resource another metadata.name"
	w := world{Objects: []*unstr{cluster(), controlPlaneXR()}}
	cases := map[string]struct {
		before, after *unstr
		world         world
		reason        string
		message       string
	}{
		"owner":          {before: net, after: edited(net, set("other", "spec", "owner", "name")), reason: "ImmutableField", message: `spec.resources[1].spec.owner.name is "other", but must stay "rg"` + stays},
		"owner to armId": {before: net, after: edited(net, set(dict("armId", "/subscriptions/s"), "spec", "owner")), reason: "ImmutableField", message: `spec.resources[1].spec.owner.name is "", but must stay "rg"` + stays},
		"armId": {before: edited(net, set(dict("armId", "/subscriptions/s"), "spec", "owner")), after: edited(net, set(dict("armId", "/subscriptions/t"), "spec", "owner")),
			reason: "ImmutableField", message: `spec.resources[1].spec.owner.armId is "/subscriptions/t", but must stay "/subscriptions/s"` + stays},
		"azureName": {before: net, after: edited(net, set("other", "spec", "azureName")), reason: "ImmutableField", message: `spec.resources[1].spec.azureName is "other", but must stay "azure-net"` + stays},
		"azureName taken away": {before: net, after: edited(net, remove("spec", "azureName")), reason: "ImmutableField",
			message: `spec.resources[1].spec.azureName is "net", but must stay "azure-net"` + stays},
		"azureName added": {before: edited(net, remove("spec", "azureName")), after: net, reason: "ImmutableField", message: `spec.resources[1].spec.azureName is "azure-net", but must stay "net"` + stays},
		"a version that is not served": {before: net, after: edited(net, inVersion("network.azure.com/v1")), world: w.Serving(gvk("network.azure.com/v1", "VirtualNetwork"), nil), reason: "KindNotInstalled",
			message: "spec.resources[1] is a VirtualNetwork of network.azure.com/v1, which this cluster does not serve; install its CRD with Azure Service Operator's --crd-pattern, or correct apiVersion and kind"},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			if c.world.Objects == nil {
				c.world = w
			}
			xr := infraXR(group("rg"), c.after)
			before := edited(c.before, set("c1", "metadata", "labels", "cluster.x-k8s.io/cluster-name"))
			rsp := composers.Settle(t, c.world, request(t, xr, exists(t, xr, group("rg")), exists(t, xr, before)))
			_, reason, message := outcome(rsp, "net")
			if diff := cmp.Diff([]string{c.reason, c.message}, []string{reason, message}); diff != "" {
				t.Errorf("status.resources: -want, +got:\n%s", diff)
			}
			composed := desired(t, rsp)
			if got := composed["ResourceGroup.resources.azure.com/rg"]; got == nil {
				t.Error("the other resource is not composed")
			}
			// It is returned as it was applied: no more, no less.
			want := edited(before, set(ns, "metadata", "namespace"),
				set("infra", "metadata", "labels", "crossplane.io/composite"), annotate("crossplane.io/composition-resource-name", name(before)))
			if diff := cmp.Diff(want, composed[name(before)]); diff != "" {
				t.Errorf("composed: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestChangesThatAreAdmitted has those that look alike.
func TestChangesThatAreAdmitted(t *testing.T) {
	net := owned(network, "VirtualNetwork", "net", "rg", set("azure-net", "spec", "azureName"))
	w := world{Objects: []*unstr{cluster(), controlPlaneXR()}}
	notInAzure := remove("metadata", "annotations", "serviceoperator.azure.com/resource-id")
	cases := map[string]struct {
		before *unstr
		edit   edit
		after  *unstr
	}{
		"ASO's default name is not the user's to set": {edited(net, remove("spec", "azureName")), func(*unstr) {}, edited(net, remove("spec", "azureName"))},
		"the same name in words":                      {edited(net, remove("spec", "azureName")), func(*unstr) {}, edited(net, set("net", "spec", "azureName"))},
		"another version":                             {net, func(*unstr) {}, edited(net, inVersion("network.azure.com/v1api20201101"))},
		"owner, before Azure has it":                  {net, notInAzure, edited(net, set("other", "spec", "owner", "name"))},
		"azureName, before Azure has it":              {net, notInAzure, edited(net, set("other", "spec", "azureName"))},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			xr := infraXR(group("rg"), c.after)
			rsp := composers.Settle(t, w, request(t, xr, exists(t, xr, group("rg")), exists(t, xr, c.before, c.edit)))
			want := edited(c.after, set("c1", "metadata", "labels", "cluster.x-k8s.io/cluster-name"), set(ns, "metadata", "namespace"))
			if diff := cmp.Diff(want, desired(t, rsp)[name(c.after)]); diff != "" {
				t.Errorf("composed: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestServerFieldsOfEntriesAreLeftOut(t *testing.T) {
	entry := edited(exists(t, infraXR(), group("rg")), remove("metadata", "labels"), remove("metadata", "annotations"), remove("metadata", "ownerReferences"), remove("metadata", "finalizers"), remove("spec", "azureName"))
	rsp := composers.Settle(t, world{Objects: []*unstr{cluster(), controlPlaneXR()}}, request(t, infraXR(entry)))
	want := edited(group("rg"), set("c1", "metadata", "labels", "cluster.x-k8s.io/cluster-name"), set(ns, "metadata", "namespace"), looked)
	if diff := cmp.Diff(want, desired(t, rsp)[name(want)]); diff != "" {
		t.Errorf("composed: -want, +got:\n%s", diff)
	}
}

// TestUsersAnnotationsArePassedOn shows that what ASO has for users stays.
func TestUsersAnnotationsArePassedOn(t *testing.T) {
	want := map[string]string{"serviceoperator.azure.com/credential-from": "mine", "serviceoperator.azure.com/reconcile-policy": "skip", "example.org/a": "b"}
	rsp := composers.Settle(t, world{Objects: []*unstr{cluster()}}, request(t, infraXR(edited(group("rg"), func(o *unstr) { o.SetAnnotations(want) }))))
	if diff := cmp.Diff(want, desired(t, rsp)[name(group("rg"))].GetAnnotations()); diff != "" {
		t.Errorf("annotations: -want, +got:\n%s", diff)
	}
}

func TestAllThatIsNotReadyIsNamedTheWorstFirst(t *testing.T) {
	a, b, c, d := group("a"), group("b"), group("c"), group("d")
	xr := infraXR(a, b, c, edited(d, set("elsewhere", "metadata", "namespace")))
	rsp := composers.Settle(t, world{Objects: []*unstr{cluster(), controlPlaneXR()}}, request(t, xr, exists(t, xr, a), exists(t, xr, b, condition("False", "Info", "Reconciling", "working")),
		exists(t, xr, c, condition("False", "Warning", "Throttled", "too many"))))
	got := contract(rsp, "ResourcesReady")
	lines := strings.Split(got["message"].(string), "; ")
	want := []string{
		`spec.resources[3].metadata.namespace is "elsewhere", but must be "ns" or absent, because composed resources live in the namespace of the object that defines them`,
		"ResourceGroup c: too many", "ResourceGroup b: working",
	}
	if diff := cmp.Diff(want, lines); diff != "" || got["reason"] != "InvalidResource" {
		t.Errorf("ResourcesReady: reason %v, -want, +got:\n%s", got["reason"], diff)
	}
}
