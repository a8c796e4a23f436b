package iam

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
)

func TestRoleAssignment(t *testing.T) {
	const id = "0b5a2fd8-4ca5-4cb7-9a4a-1e3f65b0a2f1"
	const contributor = "/subscriptions/sub/providers/Microsoft.Authorization/roleDefinitions/b24988ac-6180-42a0-ab88-20f7382dd24c"
	cases := map[string]struct {
		spec, principal, wrong string
		want                   map[string]any
		waits                  bool
	}{
		"no identity":            {spec: "{}"},
		"a user's identity":      {spec: "{identity: UserAssigned}"},
		"the usual role":         {spec: "{identity: SystemAssigned, systemAssignedIdentityRole: {name: " + id + "}}", principal: "p", want: map[string]any{"scope": "/subscriptions/sub", "role": contributor}},
		"in the field of before": {spec: "{identity: SystemAssigned, roleAssignmentName: " + id + "}", principal: "p", want: map[string]any{"scope": "/subscriptions/sub", "role": contributor}},
		"another role": {spec: "{identity: SystemAssigned, systemAssignedIdentityRole: {name: " + id + ", scope: /subscriptions/other/resourceGroups/rg/, definitionID: /some/role}}", principal: "p",
			want: map[string]any{"scope": "/subscriptions/other/resourceGroups/rg", "role": "/some/role"}},
		"before the machine": {spec: "{identity: SystemAssigned, systemAssignedIdentityRole: {name: " + id + "}}", waits: true, want: map[string]any{"scope": "/subscriptions/sub", "role": contributor}},
		"no name":            {spec: "{identity: SystemAssigned}", wrong: "spec.systemAssignedIdentityRole.name is empty, but must be a UUID, because role assignments are named so; provider-capz sets one when the object is created"},
		"a scope that is none": {spec: "{identity: SystemAssigned, systemAssignedIdentityRole: {name: " + id + ", scope: x}}",
			wrong: `spec.systemAssignedIdentityRole.scope is "x", but must be the ID of a subscription, resource group or resource in Azure`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			xr := &v1beta1.AzureMachine{}
			xr.Name = "m"
			if err := yaml.UnmarshalStrict([]byte(c.spec), &xr.Spec); err != nil {
				t.Fatal(err)
			}
			r := RoleAssignment(xr, typed.Cluster{Namespace: "ns", Name: "c1", Subscription: "sub"}, "virtual machine m", c.principal)
			switch {
			case c.wrong != "":
				if r == nil || r.Err == nil || r.Err.Message != c.wrong {
					t.Errorf("want %s, got %v", c.wrong, r)
				}
				return
			case c.want == nil:
				if r != nil {
					t.Errorf("there is one: %v", r.Object)
				}
				return
			}
			want := map[string]any{
				"azureName": id, "owner": map[string]any{"armId": c.want["scope"]}, "principalType": "ServicePrincipal",
				"roleDefinitionReference": map[string]any{"armId": c.want["role"]},
			}
			if c.principal != "" {
				want["principalId"] = c.principal
			}
			if diff := cmp.Diff(want, r.Object.Object["spec"]); diff != "" || r.Err != nil {
				t.Errorf("%v, -want, +got:\n%s", r.Err, diff)
			}
			if (len(r.After) > 0) != c.waits {
				t.Errorf("it waits for %v", r.After)
			}
		})
	}
}
