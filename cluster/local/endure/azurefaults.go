package endure

import (
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// Hosts of the simulated Azure, as regular expressions.
const (
	entraHosts    = `^login\.`
	everyHost     = `^(login|management)\.`
	workloadHosts = `\.azmk8s\.io$`
)

// outageLasts is how long an outage lasts, in the simulator's time.
const outageLasts = 30 * time.Minute

// An AzureFault is a way in which Azure or Entra answers other than it should.
type AzureFault struct {
	Name string
	// ofAll says that the fault hits every life: the requests do not say for which they are.
	ofAll bool
	make  func(choice *rand.Rand) admin.Fault
}

// Outage is the name of the fault after which Azure's clock has gone on by outageLasts.
const Outage = "outage"

// terminal are the paths of operations that may end as Failed: an operation on a virtual machine may not, as Cluster API's contract has no
// way back for a machine that has failed.
const terminal = `/providers/Microsoft\.(ContainerService|Network|ManagedIdentity)/`

// AzureFaults are all kinds of faults.
var AzureFaults = []AzureFault{
	{Name: "conflict", make: func(choice *rand.Rand) admin.Fault {
		return admin.Fault{
			Method: oneOf(choice, http.MethodPut, http.MethodDelete), Status: http.StatusConflict,
			Code: oneOf(choice, "AnotherOperationInProgress", "Conflict"), Message: "Another operation on this or a dependent resource is in progress.",
		}
	}},
	{Name: "throttled", make: func(choice *rand.Rand) admin.Fault {
		return admin.Fault{Status: http.StatusTooManyRequests, Code: "TooManyRequests", Message: "The request is being throttled.", RetryAfter: 1 + choice.IntN(5)}
	}},
	{Name: "internal error", make: func(*rand.Rand) admin.Fault {
		return admin.Fault{Status: http.StatusInternalServerError, Code: "InternalServerError", Message: "An internal server error occurred."}
	}},
	{Name: "unavailable", make: func(choice *rand.Rand) admin.Fault {
		return admin.Fault{
			Status: http.StatusServiceUnavailable, Code: oneOf(choice, "ServiceUnavailable", "ServerTimeout"), Message: "The service is unavailable.",
			RetryAfter: choice.IntN(4),
		}
	}},
	{Name: "malformed", make: func(choice *rand.Rand) admin.Fault {
		// To a DELETE, which is not carried out, 200 would be a lie and no malformed answer.
		if choice.IntN(2) == 0 {
			return admin.Fault{Malformed: true, Method: oneOf(choice, http.MethodGet, http.MethodPut)}
		}
		return admin.Fault{Malformed: true, Status: []int{http.StatusBadGateway, http.StatusGatewayTimeout}[choice.IntN(2)]}
	}},
	{Name: "truncated", make: func(*rand.Rand) admin.Fault { return admin.Fault{Truncate: true} }},
	{Name: "dropped", make: func(*rand.Rand) admin.Fault { return admin.Fault{Drop: true} }},
	{Name: "answer lost", make: func(choice *rand.Rand) admin.Fault {
		return admin.Fault{LoseAnswer: true, Method: oneOf(choice, http.MethodPut, http.MethodDelete, http.MethodPost, "")}
	}},
	{Name: "slow", make: func(choice *rand.Rand) admin.Fault {
		return admin.Fault{Delay: time.Duration(1+choice.IntN(10)) * time.Second}
	}},
	{Name: "operation hangs", make: func(choice *rand.Rand) admin.Fault {
		return admin.Fault{ProlongOperation: time.Duration(10+choice.IntN(30)) * time.Second, Method: oneOf(choice, http.MethodPut, http.MethodDelete)}
	}},
	{Name: "operation fails late", make: func(choice *rand.Rand) admin.Fault {
		return admin.Fault{
			FailOperation: true, Path: terminal, Method: oneOf(choice, http.MethodPut, http.MethodDelete), Status: http.StatusInternalServerError,
			Code: "InternalServerError", Message: "The operation has failed.",
		}
	}},
	{Name: "operation vanishes", make: func(choice *rand.Rand) admin.Fault {
		return admin.Fault{LoseOperation: true, Method: oneOf(choice, http.MethodPut, http.MethodDelete)}
	}},
	{Name: "no token", ofAll: true, make: func(choice *rand.Rand) admin.Fault {
		return admin.Fault{
			Host: entraHosts, Path: "/token$", Status: []int{http.StatusServiceUnavailable, http.StatusInternalServerError, http.StatusTooManyRequests}[choice.IntN(3)],
			Code: "temporarily_unavailable", Message: "The server is temporarily too busy to handle the request.", RetryAfter: choice.IntN(3),
		}
	}},
	{Name: "token refused", ofAll: true, make: func(*rand.Rand) admin.Fault {
		return admin.Fault{
			Host: entraHosts, Path: "/token$", Status: http.StatusUnauthorized, Code: "invalid_client", Message: "Invalid client secret provided.",
		}
	}},
	{Name: "no answer of Entra", ofAll: true, make: func(choice *rand.Rand) admin.Fault {
		return admin.Fault{Host: entraHosts, Drop: choice.IntN(2) == 0, Malformed: true}
	}},
	{Name: "API of a cluster unreachable", ofAll: true, make: func(choice *rand.Rand) admin.Fault {
		return admin.Fault{Host: workloadHosts, Drop: choice.IntN(2) == 0, Malformed: true, Status: http.StatusBadGateway}
	}},
	{Name: Outage, ofAll: true, make: func(*rand.Rand) admin.Fault {
		return admin.Fault{
			Host: everyHost, Status: http.StatusServiceUnavailable, Code: "ServiceUnavailable", Message: "Azure is down.", Lasts: outageLasts,
		}
	}},
}

// oneOf chooses one of texts.
func oneOf(choice *rand.Rand, of ...string) string { return of[choice.IntN(len(of))] }

// azureFault returns the kind of a name; nil when there is none.
func azureFault(name string) *AzureFault {
	for i := range AzureFaults {
		if AzureFaults[i].Name == name {
			return &AzureFaults[i]
		}
	}
	return nil
}

// Fault returns what the simulator is told for an injection in a subscription. An outage is not counted by requests: it lasts.
func (i Injection) Fault(subscription string) admin.Fault {
	kind := azureFault(i.Kind)
	f := kind.make(rand.New(rand.NewPCG(i.Choice, i.Choice))) //nolint:gosec // A choice that is to be repeated.
	if kind.Name != Outage {
		f.Times, f.Every = i.Times, i.Every
	}
	if !kind.ofAll {
		f.Path = "^/subscriptions/" + subscription + "(/.*)?" + f.Path
	}
	return f
}
