package compute

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

const (
	listOfMachines = "GET " + groupID + "/providers/Microsoft.Compute/virtualMachines"
	listOfNICs     = "GET " + groupID + "/providers/Microsoft.Network/networkInterfaces"
)

// TestLookForResources looks which resources of a machine Azure lacks, before they are composed, and no longer.
func TestLookForResources(t *testing.T) {
	provisioned := cluster()
	provisioned.Status.Initialization.InfrastructureProvisioned = ptr.To(true)
	uncomposed := fixture.With(fixture.Parse(t, azureMachineYAML), ofMachine)
	machine, nic := "microsoft.compute/virtualmachines/m0", "microsoft.network/networkinterfaces/m0-nic"
	none, some := anAnswer{200, `{"value": []}`}, anAnswer{200, `{"value": [{"id": "` + nicID + `"}, {"id": "` + nicID + `-2"}]}`}
	for name, c := range map[string]struct {
		cluster *clusterv1.Cluster
		machine *unstructured.Unstructured
		nics    anAnswer
		want    []string
		asked   []string
	}{
		"Azure has nothing":                       {provisioned, uncomposed, none, []string{machine, nic}, []string{listOfMachines, listOfNICs}},
		"Azure has the network interface":         {provisioned, uncomposed, some, []string{machine}, []string{listOfMachines, listOfNICs}},
		"the resource group is gone":              {provisioned, uncomposed, anAnswer{404, `{"error": {"code": "ResourceGroupNotFound"}}`}, []string{machine, nic}, []string{listOfMachines, listOfNICs}},
		"something is composed":                   {provisioned, fixture.With(fixture.Parse(t, azureMachineYAML), ofMachine, composing), none, nil, nil},
		"what the machine needs is not there yet": {cluster(), uncomposed, none, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, map[string][]anAnswer{getSKUs: {skus}, listOfMachines: {none}, listOfNICs: {c.nics}},
				c.cluster, c.machine.DeepCopy(), machineOwner(), fixture.With(fixture.Parse(t, azureClusterYAML), fixture.OfCluster), credentialSecret(),
				secret("bootstrap", map[string]string{"value": hushBootstrap}))
			result := s.step("m0")
			if diff := cmp.Diff(c.want, s.facts("m0").Absent); diff != "" {
				t.Errorf("absent: -want, +got:\n%s", diff)
			}
			if again := result.RequeueAfter > 0; again != (c.asked != nil) {
				t.Errorf("it is looked again after %v", result.RequeueAfter)
			}
			if diff := cmp.Diff(append([]string{getSKUs}, c.asked...), s.azure.take()); diff != "" {
				t.Errorf("asked: -want, +got:\n%s", diff)
			}
			if s.step("m0"); len(s.azure.take()) > 0 {
				t.Error("what was listed a moment ago is listed again")
			}
		})
	}
}

// TestAbsenceIsForgotten drops what Azure lacked once it has been asked for the machine.
func TestAbsenceIsForgotten(t *testing.T) {
	noted, err := v1alpha1.MachineFacts{
		Format: v1alpha1.MachineFactsFormat, Absent: []string{"microsoft.compute/virtualmachines/m0"},
		Size: v1alpha1.FactsOfSize{Known: true, Name: "Standard_D2s_v3", Offered: true},
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	s := newScene(t, map[string][]anAnswer{getMachine: {absent, created}, putMachine: {{201, `{"properties": {"provisioningState": "Creating"}}`}}},
		append(world(t, fixture.Annotated(v1alpha1.AnnotationMachineFacts, noted)), client.Object(fixture.Parse(t, nicYAML)))...)
	if s.step("m0"); s.facts("m0").Created.State != v1alpha1.Creating {
		t.Fatalf("the machine is %+v", s.facts("m0").Created)
	}
	if result := s.step("m0"); s.facts("m0").Absent != nil {
		t.Errorf("absent: %v, looked at again after %v", s.facts("m0").Absent, result.RequeueAfter)
	}
}
