package selfmanaged_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

type unstr = unstructured.Unstructured

var (
	machineComposers = composertest.Composers{
		"AzureMachine": selfmanaged.Machine{}, "AzureMachinePool": selfmanaged.MachinePool{}, "AzureMachineTemplate": selfmanaged.MachineTemplate{},
	}
	parsed, must = composertest.Stored, composertest.Must
)

const infra = "infrastructure.cluster.x-k8s.io"

// machineWorld has a Cluster whose infrastructure is there.
func machineWorld(t testing.TB) composertest.World {
	t.Helper()
	cluster := parsed(t, `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c1}, spec: {infrastructureRef: {apiGroup: %s, kind: AzureCluster, name: c1}}}`, infra)
	var ready []string
	for _, s := range []string{"resources.azure.com ResourceGroup c1", "network.azure.com VirtualNetworksSubnet c1-vnet-control-plane-subnet",
		"network.azure.com VirtualNetworksSubnet c1-vnet-node-subnet", "network.azure.com LoadBalancer c1-public-lb", "network.azure.com LoadBalancer c1"} {
		p := strings.Fields(s)
		ready = append(ready, fmt.Sprintf("{resource: {group: %s, version: v1, kind: %s, name: %s}, ready: true, ownership: owned}", p[0], p[1], p[2]))
	}
	azureCluster := parsed(t, `{apiVersion: %s/v1beta1, kind: AzureCluster, metadata: {name: c1, labels: {cluster.x-k8s.io/cluster-name: c1}, annotations: {%[1]s/credential-secret: c1-aso-secret}},
		spec: {location: westeurope, subscriptionID: sub, controlPlaneEnabled: true, networkSpec: {nodeOutboundLB: {},
		subnets: [{name: control-plane-subnet, role: control-plane}, {name: node-subnet, role: node}]}}, status: {resources: [%s]}}`, infra, strings.Join(ready, ","))
	return composertest.World{Objects: []*unstr{cluster, azureCluster}}
}

// facts are those of a machine that waits for nothing.
func facts() v1alpha1.MachineFacts {
	return v1alpha1.MachineFacts{
		Machine: v1alpha1.FactsOfMachine{Name: "m", Version: "v1.33.2", BootstrapReady: true, FailureDomain: "1"},
		Size:    v1alpha1.FactsOfSize{Name: "Standard_D2s_v3", Known: true, Offered: true, VCPUs: 2, MemoryGiB: 8, Zones: []string{"1"}, Architecture: "x64"},
	}
}

// azureMachine returns an AzureMachine with everything that a machine may consist of.
func azureMachine(t testing.TB, edits ...composertest.Edit) *unstr {
	t.Helper()
	xr := parsed(t, `{apiVersion: %s/v1beta1, kind: AzureMachine, metadata: {name: m, labels: {cluster.x-k8s.io/cluster-name: c1}}, spec: {
		vmSize: Standard_D2s_v3, osDisk: {osType: Linux, diskSizeGB: 128}, sshPublicKey: c3NoLXJzYSBBQUFBIHRlc3Q=, allocatePublicIP: true, identity: SystemAssigned,
		systemAssignedIdentityRole: {name: 0b5a2fd8-4ca5-4cb7-9a4a-1e3f65b0a2f1}, vmExtensions: [{name: CustomScript, publisher: p, version: '2.1', protectedSettings: {commandToExecute: TOP-SECRET}}]}}`, infra)
	xr.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "Machine", Name: "m", UID: "uid-machine"}})
	return composertest.Edited(xr, edits...)
}

// A play has an AzureMachine with Crossplane, ASO, provider-capz and Azure around it, each as far as the composer can tell.
type play struct {
	t     testing.TB
	world composertest.World
	xr    *unstr
	facts v1alpha1.MachineFacts
	live  composertest.Live
	// azure has the tags of what is in Azure, by kind and Azure name.
	azure map[string]map[string]any
	// did is what was done in Azure, in order.
	did []string
	// vm is what Azure answers to the creation of the virtual machine.
	vm  v1alpha1.FactsOfCreation
	rsp *fnv1.RunFunctionResponse
}

func newPlay(t testing.TB, f v1alpha1.MachineFacts, edits ...composertest.Edit) *play {
	t.Helper()
	world := machineWorld(t)
	world = world.WithFacts(world.Objects[0], composertest.Set(true, "spec", "failureDomainsKnown"), composertest.Set([]any{"1", "2"}, "spec", "failureDomains"))
	return &play{t: t, world: world, xr: azureMachine(t, edits...), facts: f, live: composertest.Live{}, azure: map[string]map[string]any{}, vm: v1alpha1.FactsOfCreation{State: v1alpha1.Created}}
}

// compose runs the function once and does with its answer what Crossplane does.
func (p *play) compose() {
	p.t.Helper()
	if text, err := p.facts.Encode(); p.facts.Machine.Name != "" {
		must(p.t, err)
		p.xr = composertest.Edited(p.xr, composertest.Annotate(v1alpha1.AnnotationMachineFacts, text))
	}
	p.rsp = machineComposers.SettleByObjects(p.t, p.world, composertest.Request(p.t, p.xr, p.live.Objects()...))
	if composertest.Fatal(p.rsp) != "" {
		return
	}
	p.xr = composertest.Edited(p.xr, composertest.Set(composertest.Status(p.rsp), "status"))
	desired := composertest.Desired(p.t, p.rsp)
	for n := range p.live {
		if desired[n] == nil {
			p.did = append(p.did, "delete "+p.key(n))
			delete(p.live, n)
		}
	}
	for n, o := range desired {
		p.live.Apply(p.t, p.xr, n, o)
	}
}

func (p *play) key(n string) string {
	o := p.live.Object(n)
	name, _, _ := unstructured.NestedString(o.Object, "spec", "azureName")
	return o.GetKind() + " " + name
}

// azureTurn has ASO and provider-capz look at every object once.
func (p *play) azureTurn() {
	for _, n := range slices.Sorted(maps.Keys(p.live)) {
		o, key := p.live.Object(n), p.key(n)
		annotations := o.GetAnnotations()
		_, there := p.azure[key]
		switch {
		case annotations[aso.AnnotationLifecycle] == string(aso.ProviderCreated) && annotations[v1beta1.AnnotationOwnership] == v1beta1.OwnershipOwned && p.facts.Created.State == "":
			p.create(key, o)
		case annotations[aso.AnnotationReconcilePolicy] == aso.PolicySkip && !there:
			p.live.Say(n, "False", "Warning", aso.ReasonResourceNotFound, nil)
			continue
		case annotations[aso.AnnotationReconcilePolicy] == aso.PolicySkip:
		default:
			if !there {
				p.did = append(p.did, "create "+key)
				p.live.Edit(p.t, n, composertest.Annotate(aso.AnnotationSent, "1"))
			} else if p.live[n].Status["sentGeneration"] != p.live[n].Generation {
				p.did = append(p.did, "change "+key)
			}
			tags, _, _ := unstructured.NestedMap(o.Object, "spec", "tags")
			p.azure[key] = tags
		}
		p.live.Say(n, "True", "", "Succeeded", p.statusOf(n, o, key))
	}
}

func (p *play) create(key string, o *unstr) {
	p.facts.Created = p.vm
	if p.vm.State != v1alpha1.Created {
		return
	}
	p.did = append(p.did, "create "+key)
	tags, _, _ := unstructured.NestedMap(o.Object, "spec", "tags")
	p.azure[key] = tags
	p.facts.PrincipalID = "principal"
	id := map[string]string{"VirtualMachine": "virtualMachines/m", "VirtualMachineScaleSet": "virtualMachineScaleSets/mp"}[o.GetKind()]
	p.xr = composertest.Edited(p.xr, composertest.Set("azure:///subscriptions/sub/resourceGroups/c1/providers/Microsoft.Compute/"+id, "spec", "providerID"))
}

func (p *play) statusOf(n string, o *unstr, key string) map[string]any {
	status := map[string]any{"id": "/subscriptions/sub/of/" + key, "sentGeneration": p.live[n].Generation}
	if tags := p.azure[key]; len(tags) > 0 {
		status["tags"] = tags
	}
	switch o.GetKind() {
	case "NetworkInterface":
		status["ipConfigurations"] = []any{map[string]any{"privateIPAddress": "10.1.0.4", "publicIPAddress": map[string]any{"id": "x"}}, map[string]any{"privateIPAddress": "10.1.0.5"}}
	case "PublicIPAddress":
		status["ipAddress"], status["zones"] = "20.0.0.1", []any{"1", "2"}
	}
	return status
}

func (p *play) rounds(n int) *play {
	p.t.Helper()
	for range n {
		p.compose()
		p.azureTurn()
	}
	p.compose()
	return p
}

// status returns fields of the status of the AzureMachine, in words.
func (p *play) status(names ...string) string {
	var all []string
	for _, name := range names {
		value, _, _ := unstructured.NestedFieldNoCopy(composertest.Status(p.rsp), strings.Split(name, ".")...)
		all = append(all, fmt.Sprint(value))
	}
	return strings.Join(all, " ")
}

// condition returns the condition of the type as Cluster API reads it.
func (p *play) condition(conditionType string) string {
	m := composertest.ContractCondition(p.rsp, conditionType)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%v %v: %v", m["status"], m["reason"], m["message"]))
}
