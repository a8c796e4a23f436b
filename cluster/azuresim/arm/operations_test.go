package arm

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
)

// poll gets an operation's URL from a header and polls it.
func (f *fixture) poll(w *httptest.ResponseRecorder, header string) *httptest.ResponseRecorder {
	f.t.Helper()
	address, err := url.Parse(w.Header().Get(header))
	if err != nil || address.Path == "" {
		f.t.Fatalf("header %s is %q", header, w.Header().Get(header))
	}
	return f.send(http.MethodGet, address.RequestURI(), "")
}

// TestOperationCourse follows the creation of a cluster from its start to its end.
func TestOperationCourse(t *testing.T) {
	f := newFixture(t)
	f.settle(createGroup.method, createGroup.path, createGroup.body)
	created := f.send(createCluster.method, createCluster.path, createCluster.body)
	var statuses []string
	started := f.clock.Now()
	for quarter := range 5 {
		f.clock.SetTime(started.Add(time.Duration(quarter) * latency / 4))
		body, err := decode(f.poll(created, "Azure-AsyncOperation").Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		statuses = append(statuses, text(body, "status"))
	}
	want := []string{"InProgress", "ProvisioningNetworkResources", "ProvisioningControlPlane", "CreatingAgentPools", "Succeeded"}
	if diff := cmp.Diff(want, statuses); diff != "" {
		t.Errorf("statuses: -want +got\n%s", diff)
	}
	if state := text(f.get(testCluster), "properties", "provisioningState"); state != "Succeeded" {
		t.Errorf("provisioningState %s, want Succeeded", state)
	}
	f.get("/subscriptions/s/resourceGroups/MC_rg_aks_eastus")
}

// TestLocationPoll checks the polls of a resource group's deletion, which takes all that is in the group with it.
func TestLocationPoll(t *testing.T) {
	f := newFixture(t)
	for _, r := range []request{createGroup, createNetwork, createSubnet, createCluster} {
		f.settle(r.method, r.path, r.body)
	}
	deleted := f.send(http.MethodDelete, testGroup, "")
	if w := f.poll(deleted, "Location"); w.Code != http.StatusAccepted || w.Header().Get("Location") == "" || w.Header().Get("Retry-After") != "15" {
		t.Errorf("poll: %d %v, want 202 with Location and Retry-After", w.Code, w.Header())
	}
	f.clock.SetTime(f.clock.Now().Add(latency))
	if w := f.poll(deleted, "Location"); w.Code != http.StatusOK {
		t.Errorf("poll at the end: %d, want 200", w.Code)
	}
	if left := f.resources(""); len(left) != 0 {
		t.Errorf("%d resources are left, the first is %s", len(left), left[0].ID)
	}
}

// TestFailingOperation checks that an operation ends as the fault says.
func TestFailingOperation(t *testing.T) {
	f := newFixture(t)
	f.settle(createGroup.method, createGroup.path, createGroup.body)
	r := httptest.NewRequest(http.MethodPut, "https://"+clouds.Public.ARMHost+testCluster+"?api-version=2025-08-01", strings.NewReader(clusterBody))
	r = r.WithContext(WithFailingOperation(context.Background(), &Error{Code: "QuotaExceeded", Message: "no cores left"}))
	created := httptest.NewRecorder()
	f.service.ServeHTTP(created, r)
	if created.Code != http.StatusCreated {
		t.Fatalf("PUT: %d %s", created.Code, created.Body)
	}
	f.clock.SetTime(f.clock.Now().Add(latency))
	body, err := decode(f.poll(created, "Azure-AsyncOperation").Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got := []string{text(body, "status"), text(body, "error", "code"), text(f.get(testCluster), "properties", "provisioningState")}
	if diff := cmp.Diff([]string{"Failed", "QuotaExceeded", "Failed"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	f.settle(createCluster.method, createCluster.path, createCluster.body)
	if state := text(f.get(testCluster), "properties", "provisioningState"); state != "Succeeded" {
		t.Errorf("provisioningState after a second PUT %s, want Succeeded", state)
	}
}

// TestFailedDelete checks that a resource whose deletion failed stays and can be deleted again.
func TestFailedDelete(t *testing.T) {
	f := newFixture(t)
	f.settle(createGroup.method, createGroup.path, createGroup.body)
	f.settle(createNetwork.method, createNetwork.path, createNetwork.body)
	r := httptest.NewRequest(http.MethodDelete, "https://"+clouds.Public.ARMHost+testNetwork+"?api-version=2025-08-01", nil)
	r = r.WithContext(WithFailingOperation(context.Background(), &Error{Code: "InternalServerError", Message: "try again"}))
	f.service.ServeHTTP(httptest.NewRecorder(), r)
	f.clock.SetTime(f.clock.Now().Add(latency))
	if state := text(f.get(testNetwork), "properties", "provisioningState"); state != "Failed" {
		t.Errorf("provisioningState %s, want Failed", state)
	}
	f.settle(http.MethodDelete, testNetwork, "")
	if w := f.send(http.MethodGet, testNetwork, ""); w.Code != http.StatusNotFound {
		t.Errorf("GET: %d, want 404", w.Code)
	}
}
