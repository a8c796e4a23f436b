package databases_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

const (
	server     = armtest.Group + "/providers/Microsoft.DBforPostgreSQL/flexibleServers/shop"
	serverBody = `{"location":"eastus","sku":{"name":"Standard_B1ms","tier":"Burstable"},"properties":{"administratorLogin":"platform","administratorLoginPassword":"hunter2!",
		"version":"17","storage":{"storageSizeGB":32}}}`
)

// TestServer checks that a server has a host name, tells when it can be changed, and never its password.
func TestServer(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	f.Make(armtest.Request{http.MethodPut, server, serverBody})
	got := fields.Child(f.Get(server), "properties")
	want := map[string]any{
		"administratorLogin": "platform", "version": "17", "storage": map[string]any{"storageSizeGB": int64(32)}, "state": "Ready",
		"fullyQualifiedDomainName": "shop.postgres.database.azure.com", "replicationRole": "Primary",
		"network":          map[string]any{"publicNetworkAccess": "Enabled"},
		"backup":           map[string]any{"backupRetentionDays": int64(7), "geoRedundantBackup": "Disabled"},
		"highAvailability": map[string]any{"mode": "Disabled", "state": "NotEnabled"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	w := f.Send(http.MethodPut, server, strings.Replace(serverBody, `"storageSizeGB":32`, `"storageSizeGB":64`, 1))
	if w.Code != http.StatusAccepted || w.Header().Get("Azure-AsyncOperation") == "" || w.Header().Get("Retry-After") != "60" || strings.Contains(w.Body.String(), "hunter2") {
		t.Errorf("PUT: %d %v %s", w.Code, w.Header(), w.Body)
	}
	if state := fields.Text(f.Get(server), "properties", "state"); state != "Updating" {
		t.Errorf("state while it is changed %q, want Updating", state)
	}
}

// TestBelowServer checks that what is below a server goes with it.
func TestBelowServer(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	f.Make(armtest.Request{http.MethodPut, server, serverBody})
	for path, body := range map[string]string{
		"/databases/shop":        `{"properties":{"charset":"UTF8"}}`,
		"/firewallRules/allowed": `{"properties":{"startIpAddress":"203.0.113.0","endIpAddress":"203.0.113.255"}}`,
		"/administrators/a":      `{"properties":{"principalName":"shop","principalType":"ServicePrincipal"}}`,
	} {
		f.Settle(http.MethodPut, server+path, body)
		if _, there := fields.Child(f.Get(server+path), "properties")["provisioningState"]; there {
			t.Errorf("%s tells a provisioningState, which Azure does not", path)
		}
	}
	f.Settle(http.MethodDelete, server, "")
	if left := f.Resources(server); len(left) != 0 {
		t.Errorf("%d resources are left of a deleted server", len(left))
	}
}

// TestServerWithoutPassword checks that a server needs a password unless nobody signs in by one.
func TestServerWithoutPassword(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	without := strings.Replace(serverBody, `"administratorLoginPassword":"hunter2!",`, "", 1)
	if w := f.Send(http.MethodPut, server, without); w.Code != http.StatusBadRequest || armtest.ErrorCodeOf(w) != "InvalidParameterValue" {
		t.Errorf("PUT: %d %s", w.Code, w.Body)
	}
	f.Settle(http.MethodPut, server, strings.Replace(without, `"version"`, `"authConfig":{"activeDirectoryAuth":"Enabled","passwordAuth":"Disabled"},"version"`, 1))
}
