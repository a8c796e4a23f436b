package managed

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// another is the control plane of another Cluster of the namespace, which has an object of the name of one of ours.
func another(t testing.TB, kind, text string, edits ...edit) *unstr {
	return edited(object(t, "%s", text), append([]edit{func(o *unstr) {
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "infrastructure.cluster.x-k8s.io/v1beta1", Kind: kind, Name: "other", UID: "uid-other", Controller: new(true)}})
	}}, edits...)...)
}

// at has ASO have taken an object up.
func at(id string) edit { return annotate("serviceoperator.azure.com/resource-id", id) }

const (
	typedKind, inlineKind = "AzureManagedControlPlane", "AzureASOManagedCluster"

	theirGroup   = `{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: rg}, spec: {azureName: rg}}`
	theirNetwork = `{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetwork, metadata: {name: net}, spec: {azureName: net, owner: {name: rg}}}`
	theirSubnet  = `{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetworksSubnet, metadata: {name: net-nodes}, spec: {azureName: nodes, owner: {name: net}}}`
	theirFlux    = `{apiVersion: kubernetesconfiguration.azure.com/v1api20230501, kind: Extension, metadata: {name: flux}, spec: {azureName: flux, owner: {armId: %s}}}`

	groupID   = "/subscriptions/sub/resourceGroups/rg"
	networkID = groupID + "/providers/Microsoft.Network/virtualNetworks/net"
	subnetID  = networkID + "/subnets/nodes"
)

// TestTwoClustersOfOneNamespace has another cluster that names what this one names.
func TestTwoClustersOfOneNamespace(t *testing.T) {
	external, skipped := annotate(ownership, "external"), annotate(policy, "skip")
	all := []string{"ResourceGroup rg", "VirtualNetwork net", "VirtualNetworksSubnet nodes"}
	shared := []*unstr{
		another(t, typedKind, theirGroup, external, skipped, at(groupID)), another(t, typedKind, theirNetwork, external, skipped, at(networkID)),
		another(t, typedKind, theirSubnet, external, skipped, at(subnetID)),
	}
	made := []string{"create ResourceGroup rg", "create VirtualNetwork net", "create VirtualNetworksSubnet nodes", "create ManagedCluster cp"}
	foreignGroup := "/subscriptions/sub/resourceGroups/other"
	cases := map[string]struct {
		xr      *unstr
		theirs  []*unstr
		inAzure []string
		did     []string
		has     map[string]string
		says    string
	}{
		"what is external is shared": {theirs: shared, inAzure: all, did: made[3:], says: "True AllReady: ", has: map[string]string{
			"ResourceGroup rg.cp": "external true Succeeded", "VirtualNetwork net.cp": "external true Succeeded",
			"VirtualNetworksSubnet net-nodes.cp": "external true Succeeded", "ManagedCluster cp": "owned true Succeeded"}},
		"with a subnet of its own": {theirs: shared[:2], inAzure: all[:2], did: made[2:], says: "True AllReady: ", has: map[string]string{
			"ResourceGroup rg.cp": "external true Succeeded", "VirtualNetwork net.cp": "external true Succeeded",
			"VirtualNetworksSubnet net-nodes": "owned true Succeeded", "ManagedCluster cp": "owned true Succeeded"}},
		"what others write with the policy skip is shared": {theirs: []*unstr{another(t, inlineKind, theirGroup, skipped, at(groupID))}, inAzure: all[:1], did: made[1:], says: "True AllReady: ",
			has: map[string]string{"ResourceGroup rg.cp": "external true Succeeded", "VirtualNetwork net": "owned true Succeeded",
				"VirtualNetworksSubnet net-nodes": "owned true Succeeded", "ManagedCluster cp": "owned true Succeeded"}},
		"what is theirs": {theirs: []*unstr{another(t, typedKind, theirGroup, annotate(ownership, "owned"), at(groupID))}, inAzure: all[:1],
			says: "False ControlledByOther: spec.resourceGroupName: ResourceGroup rg is made for AzureManagedControlPlane other and deleted with it, so it is not used here: name another one, or have it belong to none of them and stay, by " +
				"kubectl annotate resourcegroup.resources.azure.com rg infrastructure.cluster.x-k8s.io/ownership=external --overwrite",
			has: map[string]string{"ResourceGroup rg": "false ControlledByOther", "VirtualNetwork net": "undecided false WaitingForResource",
				"VirtualNetworksSubnet net-nodes": "undecided false WaitingForResource", "ManagedCluster cp": "undecided false WaitingForResource"}},
		"what others write is theirs": {theirs: []*unstr{another(t, inlineKind, theirGroup, at(groupID))}, inAzure: all[:1], says: "False ControlledByOther: spec.resourceGroupName: ResourceGroup rg is made for AzureASOManagedCluster other"},
		"what is theirs and paused":   {theirs: []*unstr{another(t, inlineKind, theirGroup, skipped, annotate("infrastructure.cluster.x-k8s.io/skipped-by-pause", "true"), at(groupID))}, says: "False ControlledByOther: "},
		"what is theirs and held":     {theirs: []*unstr{another(t, typedKind, theirGroup, skipped, annotate(heldMark, "true"), annotate(ownership, "owned"))}, says: "False ControlledByOther: "},
		"nobody knows yet": {theirs: []*unstr{another(t, typedKind, theirGroup, skipped, annotate(ownership, "undecided"), at(groupID))}, inAzure: all[:1],
			says: "False WaitingForResource: ResourceGroup rg: waits until AzureManagedControlPlane other has found out whose ResourceGroup rg is, which it names too"},
		"what others write has no address yet": {theirs: []*unstr{another(t, inlineKind, theirGroup)}, says: "False WaitingForResource: ResourceGroup rg: waits until AzureASOManagedCluster other has found out"},
		"what is theirs goes": {theirs: []*unstr{another(t, typedKind, theirGroup, annotate(ownership, "owned"), at(groupID), set("2026-01-02T03:04:05Z", "metadata", "deletionTimestamp"))},
			says: "False WaitingForResource: ResourceGroup rg: waits until ResourceGroup rg is gone, which is deleted with AzureManagedControlPlane other"},
		"only the names are alike": {theirs: []*unstr{another(t, typedKind, theirNetwork, annotate(ownership, "owned"), at(strings.Replace(networkID, groupID, foreignGroup, 1)))}, did: made, says: "True AllReady:",
			has: map[string]string{"ResourceGroup rg": "owned true Succeeded", "VirtualNetwork net.cp": "owned true Succeeded",
				"VirtualNetworksSubnet net-nodes": "owned true Succeeded", "ManagedCluster cp": "owned true Succeeded"}},
		"only the names are alike, held": {theirs: []*unstr{another(t, typedKind, theirNetwork, annotate(heldMark, "true"), annotate(ownership, "owned"), set("other", "spec", "owner", "name"))}, did: made, says: "True AllReady:"},
		"only the names are alike, it cannot be told": {theirs: []*unstr{another(t, typedKind, theirNetwork, annotate(heldMark, "true"), annotate(ownership, "owned"), set("rg-networks", "spec", "owner", "name"))}, did: made[:1],
			says: "False WaitingForResource: "},
		"in another subscription": {theirs: []*unstr{another(t, typedKind, theirGroup, annotate(ownership, "owned"), at("/subscriptions/other/resourceGroups/rg"))}, did: made, says: "True AllReady:"},
		"an extension of each": {xr: controlPlane(t, set([]any{map[string]any{"name": "flux", "extensionType": "microsoft.flux"}}, "spec", "extensions")),
			theirs: []*unstr{another(t, typedKind, strings.ReplaceAll(theirFlux, "%s", foreignGroup+"/providers/Microsoft.ContainerService/managedClusters/other"))},
			did:    append(slices.Clone(made), "create Extension flux"), says: "True AllReady:"},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			xr := c.xr
			if xr == nil {
				xr = controlPlane(t)
			}
			p := newPlay(t, aksWorld(t, c.theirs...), xr, c.inAzure...)
			p.ByFacts = true
			p.rounds(8)
			if diff := cmp.Diff(c.did, p.Did); diff != "" {
				t.Errorf("what ASO did in Azure: -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.has, resources(p.Response)); c.has != nil && diff != "" {
				t.Errorf("status.resources: -want, +got:\n%s", diff)
			}
			if got := condition(p.Response, "ResourcesReady"); !strings.HasPrefix(got, c.says) {
				t.Errorf("want %s\ngot  %s", c.says, got)
			}
			// It stays what it is when the other cluster goes, and comes back.
			names := sortedKeys(p.Live)
			p.World = p.World.Without(c.theirs...)
			p.rounds(8)
			if got := condition(p.Response, "ResourcesReady"); !strings.HasPrefix(got, "True AllReady:") || !subset(names, sortedKeys(p.Live)) {
				t.Errorf("without the other cluster: %s, %v, before %v", got, sortedKeys(p.Live), names)
			}
			before := summary(p)
			p.World = p.World.With(c.theirs...)
			p.rounds(2)
			if diff := cmp.Diff(before, summary(p)); diff != "" {
				t.Errorf("with another cluster that comes later: -want, +got:\n%s", diff)
			}
			if slices.ContainsFunc(p.Did, func(did string) bool { return strings.HasPrefix(did, "delete") }) {
				t.Errorf("ASO did %v", p.Did)
			}
		})
	}
}

func subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(name string) bool { return !slices.Contains(all, name) })
}

// TestWhatIsSharedBelongsTogether shows that each object refers to those of its own cluster.
func TestWhatIsSharedBelongsTogether(t *testing.T) {
	skipped := annotate(policy, "skip")
	external := annotate(ownership, "external")
	theirs := []*unstr{
		another(t, typedKind, theirGroup, external, skipped, at(groupID)), another(t, typedKind, theirNetwork, external, skipped, at(networkID)), another(t, typedKind, theirSubnet, external, skipped, at(subnetID)),
	}
	xr := controlPlane(t, remove("spec", "subscriptionID")) // Without it the subnet is referred to by name.
	p := newPlay(t, aksWorld(t, theirs...), xr, "ResourceGroup rg", "VirtualNetwork net", "VirtualNetworksSubnet nodes").rounds(8)
	owners := map[string]string{}
	for _, o := range p.Live.Objects() {
		owner, _, _ := nestedString(o, "spec", "owner", "name")
		owners[o.GetKind()] = owner
	}
	if diff := cmp.Diff(map[string]string{"ResourceGroup": "", "VirtualNetwork": "rg.cp", "VirtualNetworksSubnet": "net.cp", "ManagedCluster": "rg.cp"}, owners); diff != "" {
		t.Errorf("owners: -want, +got:\n%s", diff)
	}
	pool := newPlay(t, aksWorld(t, p.XR), poolXR(t, "p0", "System")).rounds(2)
	subnets := map[string]string{}
	for _, o := range pool.Live.Objects() {
		subnets[o.GetName()], _, _ = nestedString(o, "spec", "vnetSubnetReference", "name")
	}
	for _, profile := range profilesOf(p.Live.Object(managedClusterObject)) {
		reference, _ := profile.(map[string]any)["vnetSubnetReference"].(map[string]any)
		subnets["profile"], _ = reference["name"].(string)
	}
	if diff := cmp.Diff(map[string]string{"p0": "net-nodes.cp", "profile": "net-nodes.cp"}, subnets); diff != "" {
		t.Errorf("subnets: -want, +got:\n%s", diff)
	}
}

// TestAfterAMoveTheOwnerComesSecond shows that what was made for a cluster is found to be its own though another has the usual name: which
// comes first on the other side is chance.
func TestAfterAMoveTheOwnerComesSecond(t *testing.T) {
	theirs := another(t, typedKind, theirGroup, annotate(ownership, "external"), annotate(policy, "skip"), at(groupID))
	p := newPlay(t, aksWorld(t, theirs), controlPlane(t))
	for _, resource := range []string{"ResourceGroup rg", "VirtualNetwork net", "VirtualNetworksSubnet nodes", "ManagedCluster cp"} {
		p.Azure[resource] = map[string]any{tagC1: "owned"}
	}
	p.rounds(8)
	want := map[string]string{"ResourceGroup": "/owned", "VirtualNetwork": "/owned", "VirtualNetworksSubnet": "/owned", "ManagedCluster": "/owned"}
	if diff := cmp.Diff(want, p.whose()); diff != "" || len(p.Did) > 0 {
		t.Errorf("policy/ownership: -want, +got:\n%s\nASO did %v", diff, p.Did)
	}
}

// TestHandedOver shows that what another cluster has made can be used once it belongs to none of them.
func TestHandedOver(t *testing.T) {
	theirs := another(t, typedKind, theirGroup, annotate(ownership, "owned"), at(groupID))
	p := newPlay(t, aksWorld(t, theirs), controlPlane(t), "ResourceGroup rg").rounds(4)
	if len(p.Did) > 0 || len(p.Live) > 0 {
		t.Fatalf("ASO did %v, there are %v", p.Did, sortedKeys(p.Live))
	}
	p.World = p.World.With(edited(theirs, annotate(ownership, "external")))
	p.rounds(8)
	if got := resources(p.Response)["ResourceGroup rg.cp"]; got != "external true Succeeded" || !slices.Contains(p.Did, "create ManagedCluster cp") {
		t.Errorf("%v, ASO did %v", maps.Clone(resources(p.Response)), p.Did)
	}
}
