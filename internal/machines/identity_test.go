package machines

import (
	"testing"
)

func TestClientID(t *testing.T) {
	const id = "/subscriptions/" + subscription + "/resourceGroups/rg/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i"
	azure := newAzure(t, map[string][]answer{"GET " + id: {{status: 200, body: `{"properties": {"clientId": "c"}}`}, failure(500, "", "")}})
	identities := NewIdentities(azure.client())
	for range 2 {
		if got, err := identities.ClientID(t.Context(), azure.account, "azure://"+id); err != nil || got != "c" {
			t.Errorf("got %q, %v", got, err)
		}
	}
	for name, wrong := range map[string]string{"nothing": "", "a virtual machine": machineID, "a word": "i"} {
		if got, err := identities.ClientID(t.Context(), azure.account, wrong); err == nil {
			t.Errorf("%s is %q", name, got)
		}
	}
	for name, given := range map[string]answer{"none": failure(404, "ResourceNotFound", "none"), "not yet": {status: 200, body: `{"properties": {}}`}, "forbidden": failure(403, "AuthorizationFailed", "no")} {
		azure := newAzure(t, map[string][]answer{"GET " + id: {given}})
		if got, err := NewIdentities(azure.client()).ClientID(t.Context(), azure.account, id); err == nil {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
