package compute

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

const nicYAML = "{apiVersion: network.azure.com/v1api20201101, kind: NetworkInterface, metadata: {name: m0-nic}, status: {id: " + nicID + "}}"

// TestMachineIsCreated creates a virtual machine with its bootstrap data, by one process and by several.
func TestMachineIsCreated(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		t.Run(fmt.Sprintf("restarts %v", restarts), func(t *testing.T) {
			s := newScene(t, map[string][]anAnswer{getSKUs: {skus}, getMachine: {absent, created}, putMachine: {{201, `{"properties": {"provisioningState": "Succeeded"}}`}}},
				append(world(t), fixture.Parse(t, nicYAML))...)
			for i, want := range []v1alpha1.CreationState{v1alpha1.Creating, v1alpha1.Created} {
				if result := s.step("m0"); result.RequeueAfter == 0 {
					t.Errorf("step %d: it is not looked at again", i)
				}
				if got := s.facts("m0").Created; got != (v1alpha1.FactsOfCreation{State: want}) {
					t.Errorf("step %d: got %+v", i, got)
				}
				id := map[v1alpha1.CreationState]string{v1alpha1.Created: "azure://" + machineID}[want]
				if got := specProviderID.Value(s.Find(composite.AzureMachine.GroupVersionKind, "m0")); got != id {
					t.Errorf("step %d: spec.providerID is %q, want %q", i, got, id)
				}
				if restarts {
					s.restart()
				}
			}
			want := v1alpha1.MachineFacts{
				Format:  v1alpha1.MachineFactsFormat,
				Machine: v1alpha1.FactsOfMachine{Name: "m0", FailureDomain: "2", Version: "v1.33.2", BootstrapReady: true, Owner: v1alpha1.FactsOfOwner{Kind: v1alpha1.OwnerMachineDeployment, Name: "md-0"}},
				Size:    v1alpha1.FactsOfSize{Name: "Standard_D2s_v3", Known: true, Offered: true, VCPUs: 2, MemoryGiB: 8, Zones: []string{"1", "2"}, Architecture: "x64"},
				Created: v1alpha1.FactsOfCreation{State: v1alpha1.Created}, PrincipalID: "p",
			}
			if diff := cmp.Diff(want, s.facts("m0")); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			sent := map[string]any{}
			if err := json.Unmarshal([]byte(s.azure.bodies[putMachine]), &sent); err != nil {
				t.Fatal(err)
			}
			data, _, _ := unstructured.NestedString(sent, "properties", "osProfile", "customData")
			if data != base64.StdEncoding.EncodeToString([]byte(hushBootstrap)) {
				t.Errorf("customData is %q", data)
			}
			if nics, _, _ := unstructured.NestedSlice(sent, "properties", "networkProfile", "networkInterfaces"); len(nics) != 1 || nics[0].(map[string]any)["id"] != nicID {
				t.Errorf("network interfaces are %v", nics)
			}
			s.tellNothing(composite.AzureMachine, composite.AzureCluster)
			if puts := slices.DeleteFunc(s.azure.take(), func(asked string) bool { return asked != putMachine }); len(puts) != 1 {
				t.Errorf("it is requested %d times", len(puts))
			}
		})
	}
}

// TestMachineIsMissed finds a virtual machine gone as soon as its Node is not ready, though it was listed a moment ago.
func TestMachineIsMissed(t *testing.T) {
	const listMachines = "GET " + groupID + "/providers/Microsoft.Compute/virtualMachines"
	noted, err := v1alpha1.MachineFacts{
		Format: v1alpha1.MachineFactsFormat, Size: v1alpha1.FactsOfSize{Known: true, Name: "Standard_D2s_v3", Offered: true}, Created: v1alpha1.FactsOfCreation{State: v1alpha1.Created},
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	s := newScene(t, map[string][]anAnswer{listMachines: {{200, `{"value": [{"id": "` + machineID + `"}]}`}, {200, `{"value": []}`}}, getMachine: {absent}},
		world(t, fixture.Annotated(v1alpha1.AnnotationMachineFacts, noted))...)
	s.step("m0")
	if got := s.facts("m0").Created.State; got != v1alpha1.Created {
		t.Fatalf("at first it is %q", got)
	}
	machine := &clusterv1.Machine{}
	if err := s.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "m0"}, machine); err != nil {
		t.Fatal(err)
	}
	machine.Status.NodeRef.Name = "m0"
	machine.Status.Conditions = []metav1.Condition{{Type: clusterv1.MachineNodeReadyCondition, Status: metav1.ConditionUnknown, LastTransitionTime: metav1.NewTime(time.Now().Add(time.Second))}}
	if err := s.Update(t.Context(), machine); err != nil {
		t.Fatal(err)
	}
	s.step("m0")
	if got := s.facts("m0").Created.State; got != v1alpha1.Deleted {
		t.Errorf("then it is %q", got)
	}
}

// TestMachineIsNotCreated has virtual machines that are not to be created, or not yet.
func TestMachineIsNotCreated(t *testing.T) {
	on := func(changes ...fixture.Change) func(client.Object) {
		return func(obj client.Object) {
			if u, ok := obj.(*unstructured.Unstructured); ok && u.GetKind() == "VirtualMachine" {
				fixture.With(u, changes...)
			}
		}
	}
	without := func(name string) func([]client.Object) []client.Object {
		return func(all []client.Object) []client.Object {
			return slices.DeleteFunc(all, func(obj client.Object) bool {
				return obj.GetName() == name && obj.GetUID() != fixture.UID("AzureMachine", "m0")
			})
		}
	}
	lifecycle, policy, ownership := aso.AnnotationLifecycle, aso.AnnotationReconcilePolicy, "infrastructure.cluster.x-k8s.io/ownership"
	cases := map[string]struct {
		change func(client.Object)
		world  func([]client.Object) []client.Object
		asked  bool
		fails  string
	}{
		"while nobody knows whose it is": {change: on(fixture.Annotated(ownership, "undecided"))},
		"that is somebody else's":        {change: on(fixture.Annotated(ownership, "external"))},
		"that is the user's":             {change: on(fixture.Annotated(ownership, "user"))},
		"that is held":                   {change: on(fixture.Annotated(aso.AnnotationHeld, "true"))},
		"that is paused":                 {change: on(fixture.Annotated(aso.AnnotationSkippedByPause, "true"))},
		"that ASO writes":                {change: on(fixture.Annotated(lifecycle, ""))},
		"whose policy a user has":        {change: on(fixture.Annotated(policy, "detach-on-delete"))},
		"of another AzureMachine":        {change: on(fixture.Controlled(composite.AzureMachine.GroupVersionKind, "m1"))},
		"that is being deleted":          {change: on(fixture.Deleting("aso"))},
		"that is not composed":           {world: without("m0")},
		"without bootstrap data":         {world: without("bootstrap"), asked: true, fails: "Secret bootstrap with the bootstrap data does not exist"},
		"without a network interface":    {world: without("m0-nic"), asked: true, fails: "does not have NetworkInterface.network.azure.com m0-nic yet"},
		"without a resource group":       {world: without("rg")},
		"of a Machine that is being deleted": {change: func(obj client.Object) {
			if m, ok := obj.(*clusterv1.Machine); ok {
				m.DeletionTimestamp, m.Finalizers = ptr.To(metav1.Now()), []string{"capi"}
			}
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			all := append(world(t), fixture.Parse(t, nicYAML))
			for _, obj := range all {
				if c.change != nil {
					c.change(obj)
				}
			}
			if c.world != nil {
				all = c.world(all)
			}
			s := newScene(t, map[string][]anAnswer{getSKUs: {skus}, getMachine: {absent}}, all...)
			_, err := s.try("m0")
			if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
				t.Errorf("got %v, want %q", err, c.fails)
			}
			if got := s.facts("m0").Created; got.State != v1alpha1.NotCreated {
				t.Errorf("got %+v", got)
			}
			if asked := slices.Contains(s.azure.take(), getMachine); asked != c.asked {
				t.Errorf("Azure is asked: %v", asked)
			}
			s.tellNothing(composite.AzureMachine)
		})
	}
}

// TestMachineFactsGrow has what is noted while parts of the Cluster are missing.
func TestMachineFactsGrow(t *testing.T) {
	machine := fixture.With(fixture.Parse(t, azureMachineYAML), ofMachine)
	s := newScene(t, map[string][]anAnswer{getSKUs: {noZones}}, cluster(), machine)
	s.step("m0")
	if diff := cmp.Diff(v1alpha1.MachineFacts{Format: 1}, s.facts("m0")); diff != "" {
		t.Errorf("without a Machine: -want, +got:\n%s", diff)
	}
	owner := machineOwner(func(m *clusterv1.Machine) { m.Spec.FailureDomain = "" })
	for _, obj := range []client.Object{owner, fixture.With(fixture.Parse(t, azureClusterYAML), fixture.OfCluster, func(o *unstructured.Unstructured) { o.SetAnnotations(nil) })} {
		if err := s.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
	if result := s.step("m0"); result.RequeueAfter != bootstrapInterval {
		t.Errorf("bootstrap data are looked for after %v", result.RequeueAfter)
	}
	facts := v1alpha1.MachineFacts{Format: 1, Machine: v1alpha1.FactsOfMachine{Name: "m0", Version: "v1.33.2", Owner: v1alpha1.FactsOfOwner{Kind: v1alpha1.OwnerMachineDeployment, Name: "md-0"}}}
	if diff := cmp.Diff(facts, s.facts("m0")); diff != "" {
		t.Errorf("without a credential: -want, +got:\n%s", diff)
	}
	s.Change(composite.AzureCluster.GroupVersionKind, "my-cluster", fixture.Annotated("infrastructure.cluster.x-k8s.io/credential-secret", "my-cluster-aso-secret"))
	if err := s.Create(t.Context(), credentialSecret()); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(t.Context(), secret("bootstrap", map[string]string{"value": "x"})); err != nil {
		t.Fatal(err)
	}
	s.step("m0")
	facts.Machine.BootstrapReady, facts.Machine.AvailabilitySet = true, "my-cluster_md-0-as"
	facts.Size = v1alpha1.FactsOfSize{Name: "Standard_D2s_v3", Known: true, Offered: true, FaultDomains: 3}
	if diff := cmp.Diff(facts, s.facts("m0")); diff != "" {
		t.Errorf("with all: -want, +got:\n%s", diff)
	}
	s.TakeWrites()
	s.step("m0")
	if writes := s.TakeWrites(); len(writes) > 0 {
		t.Errorf("nothing has changed, but it writes %v", writes)
	}
}

// TestProviderID copies what function-capz has found, once.
func TestProviderID(t *testing.T) {
	for name, c := range map[string]struct{ given, found, want string }{
		"found":     {found: "azure://id", want: "azure://id"},
		"not found": {},
		"there":     {given: "azure://other", found: "azure://id", want: "azure://other"},
	} {
		t.Run(name, func(t *testing.T) {
			machine := fixture.With(fixture.Parse(t, azureMachineYAML), ofMachine)
			if c.given != "" {
				fixture.InSpec("providerID", c.given)(machine)
			}
			if c.found != "" {
				fixture.InStatus("providerID", c.found)(machine)
			}
			s := newScene(t, nil, cluster(), machine)
			s.step("m0")
			if got := specProviderID.Value(s.Find(composite.AzureMachine.GroupVersionKind, "m0")); got != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestSSHPorts gives each machine of the control plane a port of its own: the one that its rule has in Azure already, as one that CAPZ has made,
// and none that another rule has there.
func TestSSHPorts(t *testing.T) {
	controlPlane := func(name string, changes ...fixture.Change) []client.Object {
		machine := machineOwner(func(m *clusterv1.Machine) {
			m.Name, m.UID, m.Spec.Bootstrap.DataSecretName = name, fixture.UID("Machine", name), nil
			m.Labels[clusterv1.MachineControlPlaneLabel] = ""
		})
		owned := func(o *unstructured.Unstructured) {
			o.SetName(name)
			o.SetUID(fixture.UID("AzureMachine", name))
			o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: name, UID: machine.UID}})
		}
		return []client.Object{machine, fixture.With(fixture.Parse(t, azureMachineYAML), append(fixture.Changes(ofMachine, owned), changes...)...)}
	}
	at := func(port int32) fixture.Change {
		text, err := v1alpha1.MachineFacts{SSHPort: port}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return fixture.Annotated(v1alpha1.AnnotationMachineFacts, text)
	}
	infrastructure := fixture.With(fixture.Parse(t, azureClusterYAML), fixture.OfCluster)
	objects := slices.Concat([]client.Object{cluster(), infrastructure, credentialSecret()}, controlPlane("a"), controlPlane("b"), controlPlane("c", at(2201)), controlPlane("d", at(2201)))
	s := newScene(t, map[string][]anAnswer{getSKUs: {skus}, "GET " + groupID + "/providers/Microsoft.Network/loadBalancers/my-cluster-public-lb/inboundNatRules": {
		{200, `{"value": [{"name": "A", "properties": {"frontendPort": 2204}}, {"name": "people", "properties": {"frontendPort": 2202}}]}`},
	}}, objects...)
	for _, name := range []string{"d", "c", "b", "a", "d"} {
		s.step(name)
	}
	got := map[string]int32{}
	for _, name := range []string{"a", "b", "c", "d"} {
		got[name] = s.facts(name).SSHPort
	}
	if diff := cmp.Diff(map[string]int32{"c": 2201, "d": 22, "b": 2203, "a": 2204}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if port := freePort(map[int32]bool{}); port != 22 {
		t.Errorf("the first is %d", port)
	}
	all := map[int32]bool{22: true}
	for port := int32(2201); port <= 2219; port++ {
		all[port] = true
	}
	if port := freePort(all); port != 0 {
		t.Errorf("there is one more: %d", port)
	}
}

// TestSecretsOfAMachine writes what a machine of no template needs.
func TestSecretsOfAMachine(t *testing.T) {
	extensions := fixture.InSpec("vmExtensions", []any{
		map[string]any{"name": "CustomScript", "publisher": "p", "version": "2.1", "protectedSettings": map[string]any{"commandToExecute": hushSetting}},
		map[string]any{"name": "Plain", "publisher": "p", "version": "1.0"},
	})
	machine := fixture.With(fixture.Parse(t, azureMachineYAML), ofMachine, extensions, func(o *unstructured.Unstructured) { o.SetAnnotations(nil) })
	s := newScene(t, map[string][]anAnswer{getSKUs: {skus}}, cluster(), fixture.With(fixture.Parse(t, azureClusterYAML), fixture.OfCluster), machine, machineOwner(), credentialSecret())
	s.step("m0")
	if diff := cmp.Diff(map[string]string{"commandToExecute": hushSetting}, s.secretData("m0-customscript-protected-settings")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if s.secretData("m0-azure-json") == nil {
		t.Error("a machine of no template has no settings of the cloud provider")
	}
	s.Change(composite.AzureMachine.GroupVersionKind, "m0", fixture.Annotated(clusterv1.TemplateClonedFromGroupKindAnnotation, "AzureMachineTemplate.x"))
	if err := s.Delete(t.Context(), secret("m0-azure-json", nil)); err != nil {
		t.Fatal(err)
	}
	s.step("m0")
	if s.secretData("m0-azure-json") != nil {
		t.Error("a machine of a template has settings of its own")
	}
}
