package machines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

const (
	getMachine    = "GET " + machineID
	getFailed     = getMachine + " instanceView"
	putMachine    = "PUT " + machineID
	operationPath = "/subscriptions/" + subscription + "/providers/Microsoft.Compute/locations/l/operations/o"
	getOperation  = "GET " + operationPath
	listMachines  = "GET /subscriptions/" + subscription + "/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines"

	bootstrap = "#cloud-config\nwrite_files: [{path: /etc/kubernetes/pki/ca.key, content: SECRET-KEY-OF-THE-CLUSTER}]"
)

// machine returns Azure's answer with a machine of Cluster c in a state.
func machine(state string) answer {
	return answer{status: 200, body: fmt.Sprintf(`{"id": %q, "tags": {"sigs.k8s.io_cluster-api-provider-azure_cluster_c": "owned"},
		"identity": {"principalId": "p"}, "properties": {"provisioningState": %q}}`, machineID, state)}
}

var (
	absent   = failure(404, "ResourceNotFound", "The Resource 'vm-0' was not found.")
	accepted = answer{status: 201, body: `{"properties": {"provisioningState": "Creating"}}`, header: map[string]string{"Azure-AsyncOperation": "{host}" + operationPath + "?api-version=1"}}
	running  = answer{status: 200, body: `{"status": "InProgress"}`, header: map[string]string{"Retry-After": "7"}}
	done     = answer{status: 200, body: `{"status": "Succeeded"}`}
	timedOut = answer{status: 200, body: `{"status": "Failed", "error": {"code": "OSProvisioningTimedOut", "message": "OS Provisioning for VM 'vm-0' did not finish in the allotted time."}}`}
)

func request(context.Context) (Request, error) {
	return Request{body: []byte(`{"location": "l"}`), secrets: []string{bootstrap}}, nil
}

func TestStep(t *testing.T) {
	type step struct {
		state v1alpha1.CreationState
		// reason is empty where nothing is told.
		reason string
		asked  []string
	}
	cases := map[string]struct {
		noted   v1alpha1.CreationState
		answers map[string][]answer
		steps   []step
	}{
		"created": {
			answers: map[string][]answer{getMachine: {absent, machine("Succeeded")}, putMachine: {accepted}, getOperation: {running, done}},
			steps: []step{
				{state: v1alpha1.Creating, asked: []string{getMachine, putMachine}},
				{state: v1alpha1.Creating, asked: []string{getOperation}},
				{state: v1alpha1.Created, asked: []string{getOperation, getMachine, getMachine}}, // azcore reads the result itself.
			},
		},
		"created at once": {
			answers: map[string][]answer{getMachine: {absent, machine("Succeeded")}, putMachine: {machine("Succeeded")}},
			steps: []step{
				{state: v1alpha1.Creating, asked: []string{getMachine, putMachine}},
				{state: v1alpha1.Created, asked: []string{getMachine}},
			},
		},
		"requested, which was not noted": {
			answers: map[string][]answer{getMachine: {machine("Creating"), machine("Creating"), machine("Succeeded")}},
			steps: []step{
				{state: v1alpha1.Creating, asked: []string{getMachine}},
				{state: v1alpha1.Creating, asked: []string{getMachine}},
				{state: v1alpha1.Created, asked: []string{getMachine}},
			},
		},
		"created, which was not noted": {
			answers: map[string][]answer{getMachine: {machine("Succeeded")}},
			steps:   []step{{state: v1alpha1.Created, asked: []string{getMachine}}},
		},
		"followed by another process": {
			noted:   v1alpha1.Creating,
			answers: map[string][]answer{getMachine: {machine("Creating"), machine("Succeeded")}},
			steps:   []step{{state: v1alpha1.Creating, asked: []string{getMachine}}, {state: v1alpha1.Created, asked: []string{getMachine}}},
		},
		"provisioning fails": {
			answers: map[string][]answer{getMachine: {absent}, putMachine: {accepted}, getOperation: {timedOut}},
			steps: []step{
				{state: v1alpha1.Creating, asked: []string{getMachine, putMachine}},
				{state: v1alpha1.CreationFailed, reason: "OSProvisioningTimedOut", asked: []string{getOperation}},
				{state: v1alpha1.CreationFailed, reason: "OSProvisioningTimedOut"},
			},
		},
		"provisioning fails, followed by another process": {
			noted: v1alpha1.Creating,
			answers: map[string][]answer{getMachine: {machine("Failed")}, getFailed: {{status: 200, body: `{"properties": {"provisioningState": "Failed", "instanceView": {"statuses": [
				{"code": "PowerState/running"}, {"code": "ProvisioningState/failed/AllocationFailed", "message": "Allocation failed."}]}}}`}}},
			steps: []step{{state: v1alpha1.CreationFailed, reason: "AllocationFailed", asked: []string{getMachine, getFailed}}},
		},
		"refused for good": {
			answers: map[string][]answer{getMachine: {absent}, putMachine: {failure(409, "SkuNotAvailable", "The requested VM size is not available.")}},
			steps: []step{
				{state: v1alpha1.CreationFailed, reason: "SkuNotAvailable", asked: []string{getMachine, putMachine}},
				{state: v1alpha1.CreationFailed, reason: "SkuNotAvailable"},
			},
		},
		"no quota": {
			answers: map[string][]answer{getMachine: {absent}, putMachine: {failure(409, "OperationNotAllowed", "exceeding approved Total Regional Cores quota")}},
			steps:   []step{{state: v1alpha1.CreationFailed, reason: "OperationNotAllowed", asked: []string{getMachine, putMachine}}},
		},
		"refused in passing": {
			answers: map[string][]answer{getMachine: {absent, absent, absent, absent}, putMachine: {failure(429, "TooManyRequests", "slow"), failure(409, "AnotherOperationInProgress", "busy"), failure(500, "", ""), accepted}},
			steps: []step{
				{reason: "TooManyRequests", asked: []string{getMachine, putMachine}},
				{reason: "AnotherOperationInProgress", asked: []string{getMachine, putMachine}},
				{reason: "HTTP500", asked: []string{getMachine, putMachine}},
				{state: v1alpha1.Creating, asked: []string{getMachine, putMachine}},
			},
		},
		"not allowed yet": {
			answers: map[string][]answer{getMachine: {absent}, putMachine: {failure(403, "AuthorizationFailed", "no action virtualMachines/write")}},
			steps:   []step{{reason: "AuthorizationFailed", asked: []string{getMachine, putMachine}}},
		},
		"somebody else's": {
			answers: map[string][]answer{getMachine: {{status: 200, body: `{"tags": {"sigs.k8s.io_cluster-api-provider-azure_cluster_other": "owned"}}`}}},
			steps:   []step{{reason: "ResourceExists", asked: []string{getMachine}}},
		},
		"deleted while it is created": {
			noted:   v1alpha1.Creating,
			answers: map[string][]answer{getMachine: {absent}},
			steps:   []step{{state: v1alpha1.Deleted, asked: []string{getMachine}}, {state: v1alpha1.Deleted}},
		},
		"still there": {
			noted:   v1alpha1.Created,
			answers: map[string][]answer{listMachines: {{status: 200, body: `{"value": [{"id": "` + strings.ToUpper(machineID) + `"}]}`}}},
			steps:   []step{{state: v1alpha1.Created, asked: []string{listMachines}}, {state: v1alpha1.Created}},
		},
		"listed no more, but there": {
			noted:   v1alpha1.Created,
			answers: map[string][]answer{listMachines: {{status: 200, body: `{"value": []}`}}, getMachine: {machine("Succeeded")}},
			steps:   []step{{state: v1alpha1.Created, asked: []string{listMachines, getMachine}}},
		},
		"deleted behind our back": {
			noted:   v1alpha1.Created,
			answers: map[string][]answer{listMachines: {{status: 200, body: `{"value": []}`}}, getMachine: {absent}},
			steps:   []step{{state: v1alpha1.Deleted, asked: []string{listMachines, getMachine}}, {state: v1alpha1.Deleted}},
		},
		"deleted with its resource group": {
			noted:   v1alpha1.Created,
			answers: map[string][]answer{listMachines: {failure(404, "ResourceGroupNotFound", "gone")}, getMachine: {failure(404, "ResourceGroupNotFound", "gone")}},
			steps:   []step{{state: v1alpha1.Deleted, asked: []string{listMachines, getMachine}}},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			azure := newAzure(t, c.answers)
			creator := newCreator(azure.client())
			noted := v1alpha1.FactsOfCreation{State: c.noted}
			for i, want := range c.steps {
				got, err := creator.Step(t.Context(), Machine{ID: machineID, As: azure.account, Cluster: "c", Noted: noted, Request: request})
				if err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
				noted = got.Created
				if noted.State != want.state || noted.Reason != want.reason {
					t.Errorf("step %d: got %+v, want state %q and reason %q", i, noted, want.state, want.reason)
				}
				if asked := azure.take(); !slices.Equal(asked, want.asked) {
					t.Errorf("step %d: -want, +got:\n%s", i, cmp.Diff(want.asked, asked))
				}
				ended := slices.Contains([]v1alpha1.CreationState{v1alpha1.CreationFailed, v1alpha1.Deleted}, noted.State)
				if again := got.After > 0; again == ended {
					t.Errorf("step %d: it is looked again after %v", i, got.After)
				}
				if noted.State == v1alpha1.Created && len(want.asked) > 1 && got.PrincipalID != "p" {
					t.Errorf("step %d: principal ID %q", i, got.PrincipalID)
				}
			}
		})
	}
}

// TestDoubtedMachine looks for a machine anew whose Node has become unready since machines were listed, and again soon.
func TestDoubtedMachine(t *testing.T) {
	listed := answer{status: 200, body: `{"value": [{"id": "` + machineID + `"}]}`}
	azure := newAzure(t, map[string][]answer{listMachines: {listed, listed, {status: 200, body: `{"value": []}`}}, getMachine: {absent}})
	creator := newCreator(azure.client())
	m := Machine{ID: machineID, As: azure.account, Cluster: "c", Noted: v1alpha1.FactsOfCreation{State: v1alpha1.Created}}
	for i, want := range []struct {
		doubted bool
		state   v1alpha1.CreationState
		after   time.Duration
		asked   []string
	}{
		{state: v1alpha1.Created, after: lookInterval, asked: []string{listMachines}},
		{doubted: true, state: v1alpha1.Created, after: doubtInterval, asked: []string{listMachines}},
		{state: v1alpha1.Created, after: doubtInterval},
		{doubted: true, state: v1alpha1.Deleted, asked: []string{listMachines, getMachine}},
	} {
		if want.doubted {
			m.DoubtedSince = time.Now()
		}
		got, err := creator.Step(t.Context(), m)
		if err != nil || got.Created.State != want.state || got.After != want.after {
			t.Errorf("look %d: got %+v, %v", i, got, err)
		}
		if asked := azure.take(); !slices.Equal(asked, want.asked) {
			t.Errorf("look %d: -want, +got:\n%s", i, cmp.Diff(want.asked, asked))
		}
	}
}

// TestStepSaysNothingWithoutProof shows that what is no answer about a machine changes nothing of what is noted.
func TestStepSaysNothingWithoutProof(t *testing.T) {
	cases := map[string]answer{
		"of another subscription": failure(404, "SubscriptionNotFound", "The subscription could not be found."),
		"a page of a proxy":       {status: 404, body: "<html>not found</html>"},
		"forbidden":               failure(403, "AuthorizationFailed", "no"),
		"throttled":               failure(429, "TooManyRequests", "no"),
		"broken":                  {status: 502, body: "bad gateway"},
		"no JSON":                 {status: 200, body: "hello"},
	}
	for name, given := range cases {
		for _, state := range []v1alpha1.CreationState{v1alpha1.NotCreated, v1alpha1.Creating, v1alpha1.Created} {
			t.Run(name+" while "+string(state), func(t *testing.T) {
				azure := newAzure(t, map[string][]answer{getMachine: {given}, listMachines: {given}})
				m := Machine{ID: machineID, As: azure.account, Cluster: "c", Noted: v1alpha1.FactsOfCreation{State: state}, Request: request}
				if got, err := newCreator(azure.client()).Step(t.Context(), m); err == nil {
					t.Errorf("got %+v", got)
				}
			})
		}
	}
}

// TestStepRequestsOnce shows that a machine whose request was taken is not requested again while that is not noted.
func TestStepRequestsOnce(t *testing.T) {
	azure := newAzure(t, map[string][]answer{getMachine: {absent}, putMachine: {accepted}, getOperation: {running}})
	creator := newCreator(azure.client())
	for range 3 {
		m := Machine{ID: machineID, As: azure.account, Cluster: "c", Request: request}
		if got, err := creator.Step(t.Context(), m); err != nil || got.Created.State != v1alpha1.Creating {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
	if puts := slices.DeleteFunc(azure.take(), func(asked string) bool { return asked != putMachine }); len(puts) != 1 {
		t.Errorf("it is requested %d times", len(puts))
	}
}

// TestStepCreatesNothing shows that without a request nothing is sent, and that what is in the way of one is told.
func TestStepCreatesNothing(t *testing.T) {
	azure := newAzure(t, map[string][]answer{getMachine: {absent}})
	m := Machine{ID: machineID, As: azure.account, Cluster: "c"}
	if got, err := newCreator(azure.client()).Step(t.Context(), m); err != nil || got.Created.State != v1alpha1.NotCreated {
		t.Errorf("got %+v, %v", got, err)
	}
	wrong := errors.New("wrong")
	m.Request = func(context.Context) (Request, error) { return Request{}, wrong }
	if _, err := newCreator(azure.client()).Step(t.Context(), m); !errors.Is(err, wrong) {
		t.Errorf("got %v", err)
	}
}

// TestRefusalsQuoteNoSecret shows that of an answer which repeats what was sent nothing secret is told.
func TestRefusalsQuoteNoSecret(t *testing.T) {
	encoded := "I2Nsb3VkLWNvbmZpZwpzZWNyZXQ6IHZlcnktc2VjcmV0LXRva2Vu"
	messages := map[string]string{
		"whole":     "The value '" + encoded + "' of parameter customData is invalid.",
		"a part":    "customData:" + encoded[:30] + "...",
		"of a list": "[" + encoded[10:] + "]",
		"plain":     "line 2 of content: SECRET-KEY-OF-THE-CLUSTER is no key",
		"password":  `{"adminPassword":"Pa55word-of-the-machine"}`,
	}
	secrets := []string{encoded, bootstrap, "Pa55word-of-the-machine"}
	for name, message := range messages {
		t.Run(name, func(t *testing.T) {
			inner, err := json.Marshal(message)
			if err != nil {
				t.Fatal(err)
			}
			body := `{"error": {"code": "InvalidParameter", "message": ` + string(inner) + `, "details": [{"code": "x", "message": ` + string(inner) + `}]}, "request": {"customData": "` + encoded + `"}}`
			azure := newAzure(t, map[string][]answer{getMachine: {absent}, putMachine: {{status: 400, body: body}}})
			m := Machine{ID: machineID, As: azure.account, Cluster: "c", Request: func(context.Context) (Request, error) {
				return Request{body: []byte("{}"), secrets: secrets}, nil
			}}
			got, err := newCreator(azure.client()).Step(t.Context(), m)
			if err != nil || got.Created.State != v1alpha1.CreationFailed || got.Created.Reason != "InvalidParameter" {
				t.Fatalf("got %+v, %v", got, err)
			}
			for _, part := range []string{encoded[:20], encoded[20:40], "SECRET-KEY", "Pa55word"} {
				if strings.Contains(got.Created.Message, part) {
					t.Errorf("%q is told in %q", part, got.Created.Message)
				}
			}
		})
	}
}

// newCreator returns a Creator with lists of its own.
func newCreator(client *Client) *Creator { return NewCreator(client, NewLists(client)) }
