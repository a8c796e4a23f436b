package arm

import (
	"strings"
	"time"
)

// operationsSegment is the usual last but one path segment of an Azure-AsyncOperation URL.
const operationsSegment = "operations"

// answer is what a resource provider answers to a change.
type answer struct {
	status int
	// asyncOperation and location tell which of the headers Azure-AsyncOperation and Location the answer has.
	asyncOperation, location bool
	// retryAfter is the header of that name in seconds; 0 sends none.
	retryAfter int
	// state is the provisioningState while the change is under way; empty means that the change is done at once.
	state string
	// noBody answers without a body, emptyBody with an empty object.
	noBody, emptyBody bool
}

func (a answer) longRunning() bool {
	return a.asyncOperation || a.location
}

// pollStyle is the form in which an operation's status is answered.
type pollStyle int

const (
	// pollDetailed has name, status, startTime and, at the end, endTime.
	pollDetailed pollStyle = iota
	// pollStatusOnly has only status.
	pollStatusOnly
	// pollIdentified has id, name and status.
	pollIdentified
	// pollComplete has all of pollDetailed and id.
	pollComplete
)

// protocol is how a resource type answers changes and polls; each value was read from recorded traffic.
type protocol struct {
	create, update, remove answer
	// unchanged answers a PUT that changes nothing; the zero value means update.
	unchanged answer
	poll      pollStyle
	// pollRetryAfter is the Retry-After of a poll that finds the operation running; 0 sends none.
	pollRetryAfter int
	// polls are other ones by the kind of the change: of the first poll, the second and so on, the last for all that follow.
	polls map[change][]int
	// statuses are the strings between the start and the end of an operation by its kind, spread over its duration.
	statuses map[change][]string
	// operations and results are the last but one path segments of the two headers' URLs.
	operations, results string
	// operationsVersion is the api-version of those URLs; empty means that of the request.
	operationsVersion string
	// below puts those URLs below the resource, inGroup below the provider in the resource group, and not below the provider's location.
	below, inGroup bool
	// pollAccepted answers 202 and the headers of the change to a poll that finds the operation running.
	pollAccepted bool
	// pollOutput has what a poll answers at the end tell the resource.
	pollOutput bool
}

// change is the kind of a change to a resource.
type change string

const (
	create change = "create"
	update change = "update"
	remove change = "delete"
)

// put is one PUT or PATCH on its way through a resource type.
type put struct {
	service    *Service
	id         ID
	apiVersion string
	now        time.Time
	// existing is the resource before, or nil.
	existing *Resource
	// requested is the body of the request without its nulls; given is the body as it was sent.
	requested, given map[string]any
	// result is the body to store.
	result map[string]any
	// resource is what will be stored; its body is result.
	resource *Resource
	// state overrides the provisioningState that the protocol shows while the change runs.
	state string
	// changed tells whether anything differs from the existing resource.
	changed bool
}

// resourceType is what the simulator knows of one type; the zero values of its functions do nothing.
type resourceType struct {
	name     string
	protocol protocol
	// tracked types need a location.
	tracked bool
	// etagHeader answers a GET with the header ETag, etagOfPut a PUT too.
	etagHeader, etagOfPut bool
	// validate refuses a change before anything is stored.
	validate func(*put) *Error
	// apply makes result from requested and existing.
	apply func(*put) *Error
	// stored runs after the resource was stored, to write its children.
	stored func(*put) *Error
	// settle runs when a create or an update has succeeded.
	settle func(*Service, *Resource) error
	// view turns the stored body into what a GET with that api-version answers.
	view func(s *Service, r *Resource, apiVersion string) map[string]any
	// viewOfPut is the same for the answer to a PUT; nil means that it is view.
	viewOfPut func(s *Service, r *Resource, apiVersion string) map[string]any
	// deletable refuses a DELETE.
	deletable func(*Service, *Resource) *Error
	// removed runs when the resource and its children are gone.
	removed func(*Service, *Resource) error
	// answers picks another answer to a PUT than the protocol would.
	answers func(*put) answer
	// ready tells whether a create, update or delete whose time has come can end, and with which error; nil means that it can.
	ready func(*Service, *Operation, *Resource) (bool, *Error)
	// missing is the error of a GET for a resource whose parent exists.
	missing func(id ID, s *Service, apiVersion string) *Error
	// actions are the POST requests by the last path segment in lower case.
	actions map[string]func(*Service, *Resource) (any, *Error)
	// operates are those that start an operation: each notes on the resource what is to be.
	operates map[string]func(*Service, *Resource)
}

// registry finds resource types by name without regard to case.
type registry map[string]*resourceType

func newRegistry(types ...[]*resourceType) registry {
	r := registry{}
	for _, group := range types {
		for _, t := range group {
			r[strings.ToLower(t.name)] = t
		}
	}
	return r
}

// lookup returns what is known of a type, or the rules that any type follows.
func (r registry) lookup(name string) *resourceType {
	if t, ok := r[strings.ToLower(name)]; ok {
		return t
	}
	return &resourceType{name: name, protocol: genericProtocol}
}

// genericProtocol is what most resource providers do.
var genericProtocol = protocol{
	create:     answer{status: 201, asyncOperation: true, state: stateCreating},
	update:     answer{status: 200, asyncOperation: true, state: stateUpdating},
	remove:     answer{status: 202, asyncOperation: true, location: true, state: stateDeleting, noBody: true},
	operations: operationsSegment,
	results:    "operationResults",
}

// synchronous is the protocol of small resources that are changed at once.
var synchronous = protocol{
	create: answer{status: 201},
	update: answer{status: 200},
	remove: answer{status: 200, noBody: true},
}
