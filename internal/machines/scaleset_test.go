package machines

import (
	"net/http"
	"slices"
	"testing"
)

// TestDeleteInstance deletes what is an instance of a scale set of the Cluster's, and nothing else that an object may name.
func TestDeleteInstance(t *testing.T) {
	const (
		group    = "/subscriptions/" + subscription + "/resourceGroups/rg/providers/Microsoft.Compute"
		set      = group + "/virtualMachineScaleSets/mp-0"
		uniform  = set + "/virtualMachines/3"
		flexible = group + "/virtualMachines/mp-0_1a2b"
		owned    = `{"tags": {"sigs.k8s.io_cluster-api-provider-azure_cluster_my-cluster": "owned"}}`
		ofSet    = `{"properties": {"virtualMachineScaleSet": {"id": "` + set + `"}}}`
	)
	cases := map[string]struct {
		instance, found, set string
		deleted, goesOn      bool
	}{
		"uniform":                                {instance: uniform, found: `{}`, set: owned, deleted: true},
		"flexible":                               {instance: flexible, found: ofSet, set: owned, deleted: true},
		"a scale set of somebody else":           {instance: uniform, found: `{}`, set: `{}`},
		"a scale set of another Cluster":         {instance: flexible, found: ofSet, set: `{"tags": {"sigs.k8s.io_cluster-api-provider-azure_cluster_other": "owned"}}`},
		"a virtual machine by itself":            {instance: flexible, found: `{}`, set: owned},
		"a virtual machine of another scale set": {instance: flexible, found: `{"properties": {"virtualMachineScaleSet": {"id": "` + set + `1"}}}`, set: owned},
		"an instance of another scale set":       {instance: set + "1/virtualMachines/3", found: `{}`, set: owned},
		"the scale set":                          {instance: set, found: owned, set: owned},
		"a disk":                                 {instance: group + "/disks/d", found: ofSet, set: owned},
		"something that is no ID":                {instance: "/healthz", found: `{}`, set: owned},
		"an instance that Azure deletes":         {instance: uniform, found: `{"properties": {"provisioningState": "Deleting"}}`, set: owned, goesOn: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			azure := newAzure(t, map[string][]answer{
				"GET " + c.instance: {{status: http.StatusOK, body: c.found}}, "GET " + set: {{status: http.StatusOK, body: c.set}},
				"DELETE " + c.instance: {{status: http.StatusAccepted}},
			})
			gone, err := NewScaleSets(azure.client()).DeleteInstance(t.Context(), azure.account, "my-cluster", set, c.instance)
			if err != nil {
				t.Fatal(err)
			}
			deleted := slices.Contains(azure.asked, "DELETE "+c.instance)
			if deleted != c.deleted || gone == (c.deleted || c.goesOn) {
				t.Errorf("asked was %v, and gone is %v", azure.asked, gone)
			}
		})
	}
}
