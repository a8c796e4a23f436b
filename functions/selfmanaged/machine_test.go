package selfmanaged_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// TestMachineUp brings a machine up, and shows what is made in which order and what Cluster API reads.
func TestMachineUp(t *testing.T) {
	p := newPlay(t, facts()).rounds(8)
	want := []string{"create PublicIPAddress pip-m", "create NetworkInterface m-nic", "create VirtualMachine m",
		"create RoleAssignment 0b5a2fd8-4ca5-4cb7-9a4a-1e3f65b0a2f1", "create VirtualMachinesExtension CustomScript"}
	slices.Sort(p.did[3:])
	if diff := cmp.Diff(want, p.did); diff != "" {
		t.Errorf("in Azure: -want, +got:\n%s", diff)
	}
	if got := p.status("ready", "initialization.provisioned", "vmState", "failureDomain", "failureReason"); got != "true true Succeeded 1 <nil>" {
		t.Errorf("status: %s", got)
	}
	if got := p.status("providerID"); got != "azure:///subscriptions/sub/resourceGroups/c1/providers/Microsoft.Compute/virtualMachines/m" {
		t.Errorf("status.providerID: %s", got)
	}
	const addresses = "[map[address:m type:InternalDNS] map[address:10.1.0.4 type:InternalIP] map[address:20.0.0.1 type:ExternalIP] map[address:10.1.0.5 type:InternalIP]]"
	if got := p.status("addresses"); got != addresses {
		t.Errorf("status.addresses: %s", got)
	}
	for _, c := range []string{"Ready", "ResourcesReady", "VMRunning", "DisksReady", "NetworkInterfacesReady", "PublicIPsReady", "BootstrapSucceeded", "RoleAssignmentReady"} {
		if got := p.condition(c); !strings.HasPrefix(got, "True ") {
			t.Errorf("condition %s: %q", c, got)
		}
	}
	for name, o := range p.live {
		if text := fmt.Sprint(o.Fields.Live()); strings.Contains(text, "TOP-SECRET") || strings.Contains(text, "customData") {
			t.Errorf("%s has a secret", name)
		}
	}
	if got := p.live.Object("NetworkInterface.network.azure.com/m-nic").GetAnnotations()[aso.AnnotationLifecycle]; got != string(aso.CreateOnly) {
		t.Errorf("ASO may write the network interface again: %q", got)
	}
	before := len(p.did)
	if p.rounds(3); len(p.did) != before {
		t.Errorf("it does not rest: %v", p.did[before:])
	}
}

// TestMachineWaits shows what a user reads while something is missing.
func TestMachineWaits(t *testing.T) {
	noBootstrap := facts()
	noBootstrap.Machine.BootstrapReady = false
	noSize := facts()
	noSize.Size = v1alpha1.FactsOfSize{}
	refusedForNow := facts()
	refusedForNow.Created = v1alpha1.FactsOfCreation{Reason: "AllocationFailed", Message: "no capacity just now"}
	cases := map[string]struct {
		facts v1alpha1.MachineFacts
		edit  composertest.Edit
		world func(composertest.World) composertest.World
		want  string
	}{
		"no facts":             {facts: v1alpha1.MachineFacts{}, want: "False WaitingForMachineFacts: waits for provider-capz to say in annotation infrastructure.cluster.x-k8s.io/machine-facts what is to be known of the Machine and of its size"},
		"facts of a later day": {edit: composertest.Annotate(v1alpha1.AnnotationMachineFacts, `{"format":99}`), want: "False WaitingForMachineFacts: annotation infrastructure.cluster.x-k8s.io/machine-facts has format 99; this version of function-capz reads format 1, so that provider-capz has to be of the same version"},
		"no owner":             {edit: composertest.Annotate(v1alpha1.AnnotationMachineFacts, `{"format":1}`), want: `False WaitingForOwner: waits for a Machine to own it: a Machine in namespace "ns" must refer to AzureMachine "m"`},
		"no label":             {facts: facts(), edit: composertest.Remove("metadata", "labels"), want: "False WaitingForOwner: waits for a Machine to own it: label cluster.x-k8s.io/cluster-name, which says what Cluster it is of, is absent"},
		"no AzureCluster": {facts: facts(), world: func(w composertest.World) composertest.World { return composertest.World{Objects: w.Objects[:1]} },
			want: `False WaitingForOwner: waits for AzureCluster "c1", which spec.infrastructureRef of Cluster "c1" names and which does not exist`},
		"no credential": {facts: facts(), world: editCluster(composertest.Remove("metadata", "annotations")), want: "False WaitingForResource: PublicIPAddress pip-m, NetworkInterface m-nic, VirtualMachine m, VirtualMachinesExtension m-customscript, RoleAssignment m: waits until AzureCluster c1 has the credential for Azure"},
		"no subscription": {facts: facts(), world: editCluster(composertest.Remove("spec", "subscriptionID")), want: "False WaitingForResource: PublicIPAddress pip-m, NetworkInterface m-nic, VirtualMachine m, VirtualMachinesExtension m-customscript, RoleAssignment m: " +
			"waits until spec.subscriptionID of AzureCluster c1 is set, as the IDs of what the machine refers to are built with it"},
		"no resource group":   {facts: facts(), world: editCluster(composertest.Remove("status")), want: "False WaitingForResource: PublicIPAddress pip-m, NetworkInterface m-nic, VirtualMachine m, VirtualMachinesExtension m-customscript, RoleAssignment m: waits until AzureCluster c1 has ResourceGroup c1"},
		"no bootstrap data":   {facts: noBootstrap, want: "VirtualMachine m: waits until Machine m has bootstrap data"},
		"no size":             {facts: noSize, want: "NetworkInterface m-nic: waits until provider-capz knows what Azure offers of size Standard_D2s_v3 in location westeurope"},
		"refused for a while": {facts: refusedForNow, want: "False AllocationFailed: VirtualMachine m: no capacity just now"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t, c.facts)
			if c.edit != nil {
				p.xr = composertest.Edited(p.xr, c.edit)
			}
			if c.world != nil {
				p.world = c.world(machineWorld(t))
			}
			p.vm = v1alpha1.FactsOfCreation{}
			if name == "refused for a while" {
				p.vm = c.facts.Created
			}
			p.rounds(5)
			if got := p.condition("Ready"); !strings.Contains(got, c.want) {
				t.Errorf("Ready: want %s\ngot %s", c.want, got)
			}
			if got := p.status("ready"); got != "false" || slices.Contains(p.did, "create VirtualMachine m") {
				t.Errorf("ready is %s, in Azure: %v", got, p.did)
			}
		})
	}
}

func editCluster(edits ...composertest.Edit) func(composertest.World) composertest.World {
	return func(w composertest.World) composertest.World {
		return w.With(composertest.Edited(w.Objects[1], edits...))
	}
}

// TestMachineFails shows that a machine which will never be one says so, keeps saying so, and serves no load balancer.
func TestMachineFails(t *testing.T) {
	small := facts()
	small.Size.VCPUs = 1
	member := facts()
	member.Machine.ControlPlane, member.SSHPort = true, 22
	unoffered := facts()
	unoffered.Size.Offered = false
	const tooSmall = "spec.vmSize is Standard_D2s_v3, which in location westeurope has 1 vCPUs, but a node needs 2; choose another size, or take away what asks for it"
	cases := map[string]struct {
		facts v1alpha1.MachineFacts
		vm    v1alpha1.FactsOfCreation
		azure map[string]map[string]any
		want  string
		did   []string
	}{
		"refused by Azure": {facts: member, vm: v1alpha1.FactsOfCreation{State: v1alpha1.CreationFailed, Reason: "QuotaExceeded", Message: "Operation could not be completed as it results in exceeding approved quota"},
			want: "false Failed CreateError QuotaExceeded: Operation could not be completed as it results in exceeding approved quota",
			did:  []string{"create LoadBalancersInboundNatRule m", "create PublicIPAddress pip-m", "create NetworkInterface m-nic", "change NetworkInterface m-nic"}},
		"too small":   {facts: small, want: "false Failed CreateError " + tooSmall},
		"not offered": {facts: unoffered, want: "false Failed InvalidConfiguration spec.vmSize is Standard_D2s_v3, which Azure does not offer the subscription in location westeurope; choose another size or location"},
		"somebody else's": {facts: facts(), azure: map[string]map[string]any{"VirtualMachine m": {"of": "another"}},
			want: "false Failed CreateError virtual machine m is in the resource group already and lacks tag sigs.k8s.io_cluster-api-provider-azure_cluster_c1, so that it is somebody else's; delete it, or have the Machine replaced by one with another name"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t, c.facts)
			p.vm = c.vm
			if c.azure != nil {
				p.azure = c.azure
			}
			p.rounds(6)
			check := func(when string) {
				if got := p.status("ready", "vmState", "failureReason", "failureMessage"); got != c.want {
					t.Errorf("%s: want %s\ngot %s", when, c.want, got)
				}
				if got := p.condition("Ready"); !strings.HasPrefix(got, "False ") {
					t.Errorf("%s: condition Ready: %s", when, got)
				}
			}
			check("at first")
			if c.did != nil {
				if diff := cmp.Diff(c.did, p.did); diff != "" {
					t.Errorf("in Azure: -want, +got:\n%s", diff)
				}
			}
			if nic := p.live["NetworkInterface.network.azure.com/m-nic"]; nic != nil && slices.Contains(p.did, "create NetworkInterface m-nic") {
				if text := fmt.Sprint(nic.Fields.Live()); c.vm.State == v1alpha1.CreationFailed && strings.Contains(text, "backendAddressPools") {
					t.Errorf("it is in a pool of a load balancer: %s", text)
				}
			}
			created := p.facts.Created
			p.facts = facts()
			p.facts.Created = created
			p.azure = map[string]map[string]any{}
			p.rounds(3)
			check("after Azure has changed its mind")
			if slices.Contains(p.did, "create VirtualMachine m") {
				t.Error("it is made all the same")
			}
		})
	}
}

// TestMachineIsGone shows that a machine which Azure lost is not made again, and says so.
func TestMachineIsGone(t *testing.T) {
	p := newPlay(t, facts()).rounds(8)
	delete(p.azure, "VirtualMachine m")
	p.facts.Created.State = v1alpha1.Deleted
	did := len(p.did)
	p.rounds(3)
	if got := p.status("ready", "initialization.provisioned", "vmState", "failureReason", "failureMessage"); got !=
		"false true Deleted UpdateError virtual machine m is gone from Azure, where it was; it is not made again" {
		t.Errorf("status: %s", got)
	}
	if got := p.condition("VMRunning"); !strings.HasPrefix(got, "False AzureResourceNotFound") {
		t.Errorf("VMRunning: %s", got)
	}
	if len(p.did) != did {
		t.Errorf("in Azure: %v", p.did[did:])
	}
}

// TestMachineOfBefore shows that what Azure has of a machine already, as after a move to another management cluster, is neither made nor
// written again where others write it.
func TestMachineOfBefore(t *testing.T) {
	p := newPlay(t, facts())
	owned := map[string]any{"sigs.k8s.io_cluster-api-provider-azure_cluster_c1": "owned"}
	for _, key := range []string{"NetworkInterface m-nic", "VirtualMachine m", "PublicIPAddress pip-m"} {
		p.azure[key] = owned
	}
	p.facts.Created.State, p.facts.PrincipalID = v1alpha1.Created, "principal"
	p.xr = composertest.Edited(p.xr, composertest.Set("azure:///subscriptions/sub/resourceGroups/c1/providers/Microsoft.Compute/virtualMachines/m", "spec", "providerID"))
	p.rounds(6)
	for _, did := range p.did {
		if strings.HasSuffix(did, "NetworkInterface m-nic") || strings.HasSuffix(did, "VirtualMachine m") {
			t.Errorf("in Azure: %v", p.did)
		}
	}
	if got := p.status("ready", "vmState"); got != "true Succeeded" {
		t.Errorf("status: %s, %s", got, p.condition("Ready"))
	}
}

// TestTagsChange shows what a user reads of changed tags until provider-capz notes that Azure has them.
func TestTagsChange(t *testing.T) {
	p := newPlay(t, facts()).rounds(8)
	note := func() {
		tags, _, err := unstructured.NestedStringMap(p.live.Object("VirtualMachine.compute.azure.com/m").Object, "spec", "tags")
		must(t, err)
		text, err := v1alpha1.AppliedTags{Resource: "VirtualMachine m", Tags: tags}.Encode()
		must(t, err)
		p.xr = composertest.Edited(p.xr, composertest.Annotate(v1alpha1.AnnotationAppliedTags, text))
		p.rounds(2)
	}
	team := composertest.Set(map[string]any{"team": "a"}, "spec", "additionalTags")
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"nothing is noted", func() {}, ""},
		{"noted", note, ""},
		{"changed", func() { p.xr = composertest.Edited(p.xr, team); p.rounds(2) }, "False Changed: the tags of VirtualMachine m and of what belongs to it have changed, and are being written; Events say what is in the way"},
		{"written", note, ""},
	} {
		step.do()
		if got := p.condition("TagsApplied"); got != step.want {
			t.Errorf("%s: want %q, got %q", step.name, step.want, got)
		}
		if got := p.status("ready"); got != "true" {
			t.Errorf("%s: ready is %s", step.name, got)
		}
	}
}

// TestExtensionsChange shows that extensions come and go with the spec.
func TestExtensionsChange(t *testing.T) {
	p := newPlay(t, facts()).rounds(8)
	did := len(p.did)
	p.xr = composertest.Edited(p.xr, composertest.Set([]any{map[string]any{"name": "Other", "publisher": "p", "version": "1"}}, "spec", "vmExtensions"))
	p.rounds(3)
	if diff := cmp.Diff([]string{"delete VirtualMachinesExtension CustomScript", "create VirtualMachinesExtension Other"}, p.did[did:]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestMachineTemplate shows what an autoscaler reads of the machines of a template.
func TestMachineTemplate(t *testing.T) {
	template := func(os string, f *v1alpha1.MachineFacts) *unstructured.Unstructured {
		xr := parsed(t, "{apiVersion: %s/v1beta1, kind: AzureMachineTemplate, metadata: {name: t}, spec: {template: {spec: {vmSize: Standard_D2s_v3, osDisk: {osType: %s}}}}}", infra, os)
		if f != nil {
			text, err := f.Encode()
			must(t, err)
			xr = composertest.Edited(xr, composertest.Annotate(v1alpha1.AnnotationMachineFacts, text))
		}
		return xr
	}
	arm := facts()
	arm.Size.Architecture, arm.Size.MemoryGiB = "Arm64", 3.5
	unknown := v1alpha1.MachineFacts{}
	x64 := facts()
	cases := map[string]struct {
		xr   *unstructured.Unstructured
		want string
	}{
		"Linux":       {template("Linux", &x64), "map[capacity:map[cpu:2 memory:8Gi] nodeInfo:map[architecture:amd64 operatingSystem:linux]]"},
		"Windows":     {template("Windows", &x64), "map[capacity:map[cpu:2 memory:8Gi] nodeInfo:map[architecture:amd64 operatingSystem:windows]]"},
		"on Arm":      {template("Linux", &arm), "map[capacity:map[cpu:2 memory:3.5Gi] nodeInfo:map[architecture:arm64 operatingSystem:linux]]"},
		"no facts":    {template("Linux", nil), "map[]"},
		"of no known": {template("Linux", &unknown), "map[]"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := machineComposers.SettleByObjects(t, composertest.World{}, composertest.Request(t, c.xr))
			if got := fmt.Sprint(composertest.Status(rsp)); got != c.want {
				t.Errorf("want %s, got %s", c.want, got)
			}
		})
	}
}
