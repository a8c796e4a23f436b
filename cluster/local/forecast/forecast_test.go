package forecast

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

func TestHolds(t *testing.T) {
	const group = "/subscriptions/s/resourceGroups/g"
	request := func(method, path string, changed bool) admin.Request {
		return admin.Request{Method: method, Path: group + path, Changed: changed, UserAgent: "aso-controller"}
	}
	const aks, machines, scaleSets = "/providers/Microsoft.ContainerService/managedClusters/c", "/providers/Microsoft.Compute/virtualMachines/", "/providers/Microsoft.Compute/virtualMachineScaleSets/s"
	person := request(http.MethodPut, aks, true)
	person.UserAgent = stack.PersonAgent
	const change = `{"changes": [{"action": "change", "resource": {"kind": "ManagedCluster", "type": "Microsoft.ContainerService/managedClusters", "azureName": "c"}}]}`
	const replaceMachine = `{"changes": [{"action": "replace", "resource": {"kind": "VirtualMachine", "type": "Microsoft.Compute/virtualMachines", "azureName": "m-old"}}]}`
	cases := map[string]struct {
		plan     string
		requests []admin.Request
		want     []string
	}{
		"nothing":  {plan: `{}`},
		"a change": {plan: change, requests: []admin.Request{request(http.MethodPut, aks, true)}},
		"a change that changes nothing": {plan: change, requests: []admin.Request{request(http.MethodPut, aks, false)},
			want: []string{"the plan has put managedclusters/c, which Azure has not been sent"}},
		"a change that nobody sends": {plan: change, want: []string{"the plan has put managedclusters/c, which Azure has not been sent"}},
		"a change of tags alone":     {plan: change, requests: []admin.Request{request(http.MethodPatch, aks+tags, true)}},
		"something else": {plan: `{}`, requests: []admin.Request{request(http.MethodPut, aks, true), request(http.MethodDelete, aks+"/agentPools/p", false)},
			want: []string{"Azure has been sent DELETE agentPools/p, which the plan did not have", "Azure has been sent PUT managedClusters/c, which the plan did not have"}},
		"what changes nothing": {plan: `{}`, requests: []admin.Request{request(http.MethodPut, aks, false), request(http.MethodGet, aks, false)}},
		"what a person does":   {plan: `{}`, requests: []admin.Request{person}},
		"what is left or held": {plan: `{"changes": [{"action": "leave", "resource": {"type": "a/b", "azureName": "c"}}, {"action": "hold", "resource": {"type": "a/b", "azureName": "c"}}]}`},
		"a pool that AKS has made": {plan: `{"changes": [{"action": "create", "resource": {"type": "Microsoft.ContainerService/managedClusters/agentPools", "azureName": "p"}}]}`,
			requests: []admin.Request{request(http.MethodPut, aks+"/agentPools/p", false)}},
		"a new machine": {plan: `{"changes": [{"action": "create", "resource": {"type": "Microsoft.Compute/virtualMachines", "azureName": "md-new"}}]}`,
			requests: []admin.Request{request(http.MethodPut, machines+"md-x7-2k", true)}},
		"a new machine of somebody else": {plan: `{"changes": [{"action": "create", "resource": {"type": "Microsoft.Compute/virtualMachines", "azureName": "md-new"}}]}`,
			requests: []admin.Request{request(http.MethodPut, machines+"other-x7", true)},
			want:     []string{`the plan has put virtualmachines/md[a-z0-9-]+, which Azure has not been sent`, "Azure has been sent PUT virtualMachines/other-x7, which the plan did not have"}},
		"a machine in place of another": {plan: replaceMachine,
			requests: []admin.Request{request(http.MethodPut, machines+"m-x", true), request(http.MethodDelete, machines+"m-old", false), request(http.MethodDelete, "/providers/Microsoft.Compute/disks/d", false)}},
		"another machine goes": {plan: replaceMachine,
			requests: []admin.Request{request(http.MethodPut, machines+"m-x", true), request(http.MethodDelete, machines+"m-other", false)},
			want:     []string{"the plan has delete virtualmachines/m-old, which Azure has not been sent", "Azure has been sent DELETE virtualMachines/m-other, which the plan did not have"}},
		"some machine goes": {plan: `{"changes": [{"action": "delete", "resource": {"type": "Microsoft.Compute/virtualMachines"}}]}`,
			requests: []admin.Request{request(http.MethodDelete, machines+"any", false)}},
		"another name": {plan: `{"changes": [{"action": "replace", "resource": {"type": "a/b/agentPools", "azureName": "new"}, "replaces": {"type": "a/b/agentPools", "azureName": "old"}}]}`,
			requests: []admin.Request{request(http.MethodPut, aks+"/agentPools/new", true), request(http.MethodDelete, aks+"/agentPools/old", false)}},
		"an instance": {plan: `{"changes": [{"action": "replace", "resource": {"kind": "AzureMachinePoolMachine", "type": "Microsoft.Compute/virtualMachineScaleSets/virtualMachines", "azureName": "3"}}]}`,
			requests: []admin.Request{request(http.MethodPut, scaleSets, true), request(http.MethodDelete, scaleSets+"/virtualMachines/3", false)}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f, complete, err := Read([]byte(c.plan))
			if err != nil || !complete {
				t.Fatal(complete, err)
			}
			if diff := cmp.Diff(c.want, f.Holds(c.requests)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestRead(t *testing.T) {
	if _, complete, err := Read([]byte(`{"incomplete": true}`)); complete || err != nil {
		t.Errorf("an incomplete plan is complete: %v, %v", complete, err)
	}
	if _, _, err := Read([]byte(`Mistake`)); err == nil {
		t.Error("a mistake is read as a plan")
	}
	f, _, err := Read([]byte(`{"changes": [{"action": "create", "resource": {"type": "Microsoft.Resources/resourceGroups", "azureName": "g"}}]}`))
	if err != nil || !f.Changes() || f.String() != "put resourcegroups/g" {
		t.Errorf("%v, %s", err, f)
	}
}
