package arm_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
)

// TestOperationCourse follows the creation of a cluster from its start to its end.
func TestOperationCourse(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	created := f.Ask(armtest.CreateCluster)
	var statuses []string
	started := f.Clock.Now()
	for quarter := range 5 {
		f.Clock.SetTime(started.Add(time.Duration(quarter) * armtest.Latency / 4))
		body, err := fields.Decode(f.Poll(created, "Azure-AsyncOperation").Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		statuses = append(statuses, fields.Text(body, "status"))
	}
	want := []string{"InProgress", "ProvisioningNetworkResources", "ProvisioningControlPlane", "CreatingAgentPools", "Succeeded"}
	if diff := cmp.Diff(want, statuses); diff != "" {
		t.Errorf("statuses: -want +got\n%s", diff)
	}
	if state := fields.Text(f.Get(armtest.Cluster), "properties", "provisioningState"); state != "Succeeded" {
		t.Errorf("provisioningState %s, want Succeeded", state)
	}
	f.Get("/subscriptions/s/resourceGroups/MC_rg_aks_eastus")
}

// TestLocationPoll checks the polls of a resource group's deletion, which takes all that is in the group with it.
func TestLocationPoll(t *testing.T) {
	f := armtest.New(t)
	for _, r := range []armtest.Request{armtest.CreateGroup, armtest.CreateNetwork, armtest.CreateSubnet, armtest.CreateCluster} {
		f.Make(r)
	}
	deleted := f.Send(http.MethodDelete, armtest.Group, "")
	if w := f.Poll(deleted, "Location"); w.Code != http.StatusAccepted || w.Header().Get("Location") == "" || w.Header().Get("Retry-After") != "15" {
		t.Errorf("poll: %d %v, want 202 with Location and Retry-After", w.Code, w.Header())
	}
	f.Clock.SetTime(f.Clock.Now().Add(armtest.Latency))
	if w := f.Poll(deleted, "Location"); w.Code != http.StatusOK {
		t.Errorf("poll at the end: %d, want 200", w.Code)
	}
	if left := f.Resources(""); len(left) != 0 {
		t.Errorf("%d resources are left, the first is %s", len(left), left[0].ID)
	}
}

// TestFailingOperation checks that an operation ends as the fault says.
func TestFailingOperation(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	r := httptest.NewRequest(http.MethodPut, "https://"+clouds.Public.ARMHost+armtest.Cluster+"?api-version=2025-08-01", strings.NewReader(armtest.ClusterBody))
	r = r.WithContext(arm.WithCourse(context.Background(), arm.Course{Fail: &arm.Error{Code: "QuotaExceeded", Message: "no cores left"}}))
	created := httptest.NewRecorder()
	f.Service.ServeHTTP(created, r)
	if created.Code != http.StatusCreated {
		t.Fatalf("PUT: %d %s", created.Code, created.Body)
	}
	f.Clock.SetTime(f.Clock.Now().Add(armtest.Latency))
	body, err := fields.Decode(f.Poll(created, "Azure-AsyncOperation").Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got := []string{fields.Text(body, "status"), fields.Text(body, "error", "code"), fields.Text(f.Get(armtest.Cluster), "properties", "provisioningState")}
	if diff := cmp.Diff([]string{"Failed", "QuotaExceeded", "Failed"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	f.Make(armtest.CreateCluster)
	if state := fields.Text(f.Get(armtest.Cluster), "properties", "provisioningState"); state != "Succeeded" {
		t.Errorf("provisioningState after a second PUT %s, want Succeeded", state)
	}
}

// TestFailingAgain checks that a resource which has failed is not Succeeded as soon as the same is asked for again, nor one whose operation fails later.
func TestFailingAgain(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	fails, works := arm.Course{Fail: &arm.Error{Code: "InternalServerError", Message: "try again"}}, arm.Course{}
	for number, course := range []arm.Course{fails, fails, works, fails, works, works} {
		shown := "Updating"
		if number == 5 {
			shown = "Succeeded" // Nothing was to be done.
		}
		body, err := fields.Decode(sendWith(f, course, armtest.CreateAddress).Body.Bytes())
		if got := fields.Text(body, "properties", "provisioningState"); err != nil || got != shown {
			t.Errorf("PUT %d is answered with %s, want %s: %v", number, got, shown, err)
		}
		f.Clock.SetTime(f.Clock.Now().Add(armtest.Latency))
		end := "Succeeded"
		if course.Fail != nil {
			end = "Failed"
		}
		if got := fields.Text(f.Get(armtest.Address), "properties", "provisioningState"); got != end {
			t.Errorf("PUT %d ends as %s, want %s", number, got, end)
		}
	}
}

// TestFailedDelete checks that a resource whose deletion failed stays and can be deleted again.
func TestFailedDelete(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	f.Make(armtest.CreateNetwork)
	r := httptest.NewRequest(http.MethodDelete, "https://"+clouds.Public.ARMHost+armtest.Network+"?api-version=2025-08-01", nil)
	r = r.WithContext(arm.WithCourse(context.Background(), arm.Course{Fail: &arm.Error{Code: "InternalServerError", Message: "try again"}}))
	f.Service.ServeHTTP(httptest.NewRecorder(), r)
	f.Clock.SetTime(f.Clock.Now().Add(armtest.Latency))
	if state := fields.Text(f.Get(armtest.Network), "properties", "provisioningState"); state != "Failed" {
		t.Errorf("provisioningState %s, want Failed", state)
	}
	f.Settle(http.MethodDelete, armtest.Network, "")
	if w := f.Send(http.MethodGet, armtest.Network, ""); w.Code != http.StatusNotFound {
		t.Errorf("GET: %d, want 404", w.Code)
	}
}

// TestHangingOperation checks an operation that takes longer than others of its kind.
func TestHangingOperation(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	created := sendWith(f, arm.Course{Longer: time.Hour}, armtest.CreateCluster)
	for _, at := range []struct {
		after time.Duration
		want  string
	}{{armtest.Latency, "InProgress"}, {armtest.Latency + time.Hour, "Succeeded"}} {
		if got := pollAfter(f, created, at.after); got != at.want && (at.want == "Succeeded" || got == "Succeeded") {
			t.Errorf("after %s the operation is %s, want %s", at.after, got, at.want)
		}
	}
}

// TestLostOperation checks an operation that nobody finds: what it is for is done.
func TestLostOperation(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	created := sendWith(f, arm.Course{Lost: true}, armtest.CreateCluster)
	for _, after := range []time.Duration{0, armtest.Latency} {
		f.Clock.SetTime(f.Clock.Now().Add(after))
		if w := f.Poll(created, "Azure-AsyncOperation"); w.Code != http.StatusNotFound {
			t.Errorf("poll after %s: %d %s, want 404", after, w.Code, w.Body)
		}
	}
	if state := fields.Text(f.Get(armtest.Cluster), "properties", "provisioningState"); state != "Succeeded" {
		t.Errorf("provisioningState %s, want Succeeded", state)
	}
}

// sendWith sends a request whose operation goes as given.
func sendWith(f *armtest.Fixture, course arm.Course, request armtest.Request) *httptest.ResponseRecorder {
	f.T.Helper()
	r := httptest.NewRequest(request[0], "https://"+clouds.Public.ARMHost+request[1]+"?api-version=2025-08-01", strings.NewReader(request[2]))
	answer := httptest.NewRecorder()
	f.Service.ServeHTTP(answer, r.WithContext(arm.WithCourse(context.Background(), course)))
	if answer.Code >= http.StatusMultipleChoices {
		f.T.Fatalf("%s: %d %s", request, answer.Code, answer.Body)
	}
	return answer
}

// pollAfter returns the status of an operation at a time after its start.
func pollAfter(f *armtest.Fixture, begun *httptest.ResponseRecorder, after time.Duration) string {
	f.T.Helper()
	now := f.Clock.Now()
	defer f.Clock.SetTime(now)
	f.Clock.SetTime(now.Add(after))
	body, err := fields.Decode(f.Poll(begun, "Azure-AsyncOperation").Body.Bytes())
	if err != nil {
		f.T.Fatal(err)
	}
	return fields.Text(body, "status")
}
