package compute

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// TestRemains deletes what Azure has of a machine, in order, and nothing of anybody else.
func TestRemains(t *testing.T) {
	const (
		getNIC, deleteNIC = "GET " + nicID, "DELETE " + nicID
		deleteMachine     = "DELETE " + machineID
	)
	accepted := anAnswer{202, ""}
	others := anAnswer{200, `{"tags": {"a": "b"}}`}
	cases := map[string]struct {
		answers map[string][]anAnswer
		without bool
		want    bool
		asked   []string
		told    int
	}{
		"nothing":                   {answers: map[string][]anAnswer{getMachine: {absent}, getNIC: {absent}}, asked: []string{getMachine, getNIC}},
		"a virtual machine":         {answers: map[string][]anAnswer{getMachine: {created}, deleteMachine: {accepted}}, want: true, asked: []string{getMachine, deleteMachine}},
		"one that is being deleted": {answers: map[string][]anAnswer{getMachine: {{200, `{"tags": {"sigs.k8s.io_cluster-api-provider-azure_cluster_my-cluster": "owned"}, "properties": {"provisioningState": "Deleting"}}`}}}, want: true, asked: []string{getMachine}},
		"a network interface":       {answers: map[string][]anAnswer{getMachine: {absent}, getNIC: {created}, deleteNIC: {accepted}}, want: true, asked: []string{getMachine, getNIC, deleteNIC}},
		"what is somebody else's":   {answers: map[string][]anAnswer{getMachine: {others}, getNIC: {others}}, asked: []string{getMachine, getNIC}},
		"nobody can look":           {without: true, told: 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			infrastructure := fixture.With(fixture.Parse(t, azureClusterYAML), fixture.OfCluster)
			if c.without {
				infrastructure.SetAnnotations(nil)
			}
			machine := fixture.With(fixture.Parse(t, azureMachineYAML), ofMachine)
			s := newScene(t, c.answers, cluster(), infrastructure, machine, credentialSecret())
			m := &Machine{API: s.API(), Azure: s.own}
			got, err := m.Remains(t.Context(), s.Scope(composite.AzureMachine, "m0"))
			if err != nil || got != c.want {
				t.Errorf("got %v, %v", got, err)
			}
			if diff := cmp.Diff(c.asked, s.azure.take()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if events := s.TakeEvents(); len(events) != c.told {
				t.Errorf("it tells %v", events)
			}
		})
	}
}
