package arm

import (
	"strings"
	"time"
)

// OperationsSegment is the usual last but one path segment of an Azure-AsyncOperation URL.
const OperationsSegment = "operations"

// Answer is what a resource provider answers to a change.
type Answer struct {
	Status int
	// AsyncOperation and Location tell which of the headers Azure-AsyncOperation and Location the answer has.
	AsyncOperation, Location bool
	// RetryAfter is the header of that name in seconds; 0 sends none.
	RetryAfter int
	// State is the provisioningState while the change is under way; empty means that the change is done at once.
	State string
	// NoBody answers without a body, emptyBody with an empty object.
	NoBody, EmptyBody bool
}

func (a Answer) longRunning() bool {
	return a.AsyncOperation || a.Location
}

// pollStyle is the form in which an operation's status is answered.
type pollStyle int

const (
	// pollDetailed has name, status, startTime and, at the end, endTime.
	pollDetailed pollStyle = iota
	// PollStatusOnly has only status.
	PollStatusOnly
	// PollIdentified has id, name and status.
	PollIdentified
	// PollComplete has all of pollDetailed and id.
	PollComplete
)

// Protocol is how a resource type answers changes and polls; each value was read from recorded traffic.
type Protocol struct {
	Create, Update, Remove Answer
	// Unchanged answers a PUT that changes nothing; the zero value means update.
	Unchanged Answer
	Poll      pollStyle
	// PollRetryAfter is the Retry-After of a poll that finds the operation running; 0 sends none.
	PollRetryAfter int
	// Polls are other ones by the kind of the change: of the first poll, the second and so on, the last for all that follow.
	Polls map[Change][]int
	// Statuses are the strings between the start and the end of an operation by its kind, spread over its duration.
	Statuses map[Change][]string
	// Operations and Results are the last but one path segments of the two headers' URLs.
	Operations, Results string
	// OperationsVersion is the api-version of those URLs; empty means that of the request.
	OperationsVersion string
	// Below puts those URLs below the resource, inGroup below the provider in the resource group, and not below the provider's location.
	Below, InGroup bool
	// PollAccepted answers 202 and the headers of the change to a poll that finds the operation running.
	PollAccepted bool
	// PollOutput has what a poll answers at the end tell the resource.
	PollOutput bool
}

// Change is the kind of a change to a resource.
type Change string

// The kinds of changes.
const (
	Create Change = "create"
	Update Change = "update"
	Remove Change = "delete"
)

// Put is one PUT or PATCH on its way through a resource type.
type Put struct {
	Service    *Service
	ID         ID
	APIVersion string
	Now        time.Time
	// Existing is the resource before, or nil.
	Existing *Resource
	// Requested is the body of the request without its nulls; given is the body as it was sent.
	Requested, given map[string]any
	// course is how the operation goes that it starts.
	course Course
	// Result is the body to store.
	Result map[string]any
	// Resource is what will be stored; its body is Result.
	Resource *Resource
	// State overrides the provisioningState that the protocol shows while the change runs.
	State string
	// Changed tells whether anything differs from the existing resource.
	Changed bool
}

// ResourceType is what the simulator knows of one type; the zero values of its functions do nothing.
type ResourceType struct {
	Name     string
	Protocol Protocol
	// Tracked types need a location.
	Tracked bool
	// EtagHeader answers a GET with the header ETag, EtagOfPut a PUT too.
	EtagHeader, EtagOfPut bool
	// Validate refuses a change before anything is stored.
	Validate func(*Put) *Error
	// Apply makes Result from Requested and Existing.
	Apply func(*Put) *Error
	// Stored runs after the resource was stored, to write its children.
	Stored func(*Put) *Error
	// Settle runs when a create or an update has succeeded.
	Settle func(*Service, *Resource) error
	// View turns the stored body into what a GET with that api-version answers.
	View func(s *Service, r *Resource, apiVersion string) map[string]any
	// ViewOfPut is the same for the answer to a PUT; nil means that it is View.
	ViewOfPut func(s *Service, r *Resource, apiVersion string) map[string]any
	// Deletable refuses a DELETE.
	Deletable func(*Service, *Resource) *Error
	// Removed runs when the resource and its children are gone.
	Removed func(*Service, *Resource) error
	// Answers picks another answer to a PUT than the protocol would.
	Answers func(*Put) Answer
	// Ready tells whether a create, update or delete whose time has come can end, and with which error; nil means that it can.
	Ready func(*Service, *Operation, *Resource) (bool, *Error)
	// Missing is the error of a GET for a resource whose parent exists.
	Missing func(id ID, s *Service, apiVersion string) *Error
	// Actions are the POST requests by the last path segment in lower case; one that answers nil answers nothing.
	Actions map[string]func(*Service, *Resource) (any, *Error)
	// Expands are the fields that a GET shows if its $expand asks for them, and that can be read by themselves below the resource.
	Expands map[string]func(*Service, *Resource) map[string]any
	// Unstored returns what there is of the type beside what is stored, in the same collection; nil is nothing.
	Unstored func(*Service, ID) []map[string]any
	// Occupies returns the identifiers of what in the resource has addresses of a subnet, for types of other providers than the network's.
	Occupies func(s *Service, r *Resource, subnet string) []string
	// Operates are those that start an operation: each notes on the resource what is to be, or refuses.
	Operates map[string]func(s *Service, r *Resource, body map[string]any) *Error
	// Deleting runs when a DELETE of the resource has been accepted.
	Deleting func(*Service, *Resource) error
	// Page is how many resources one page of a list has; 0 means that there are no pages.
	Page int
}

// registry finds resource types by name without regard to case.
type registry map[string]*ResourceType

func newRegistry(types []*ResourceType) registry {
	r := registry{}
	for _, t := range types {
		r[strings.ToLower(t.Name)] = t
	}
	return r
}

// Lookup returns what is known of a type, or the rules that any type follows.
func (r registry) Lookup(name string) *ResourceType {
	if t, ok := r[strings.ToLower(name)]; ok {
		return t
	}
	return &ResourceType{Name: name, Protocol: GenericProtocol}
}

// GenericProtocol is what most resource providers do.
var GenericProtocol = Protocol{
	Create:     Answer{Status: 201, AsyncOperation: true, State: StateCreating},
	Update:     Answer{Status: 200, AsyncOperation: true, State: StateUpdating},
	Remove:     Answer{Status: 202, AsyncOperation: true, Location: true, State: StateDeleting, NoBody: true},
	Operations: OperationsSegment,
	Results:    "operationResults",
}

// Synchronous is the protocol of small resources that are changed at once.
var Synchronous = Protocol{
	Create: Answer{Status: 201},
	Update: Answer{Status: 200},
	Remove: Answer{Status: 200, NoBody: true},
}
