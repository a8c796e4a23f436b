// Package arm simulates Azure Resource Manager: identifiers, the requests and operations of any resource, and resource groups. The resource
// providers behind it are packages of their own, which package catalogue brings together.
package arm

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/tenants"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/workload"
)

// Options configure a Service.
type Options struct {
	Journal *state.Journal
	Clock   clock.PassiveClock
	// Latency is how long a change of a resource of that type takes; kind is create, update or delete.
	Latency func(resourceType, kind string) time.Duration
	// Clusters runs the Kubernetes API servers of the AKS clusters.
	Clusters *workload.Servers
	// Tenants knows where the subscriptions belong.
	Tenants *tenants.Registry
	// MaxRetryAfter bounds the Retry-After of long-running operations in seconds; 0 answers what Azure answers.
	MaxRetryAfter int
	// Types are the resource types of which more is known than what holds for any.
	Types []*ResourceType
	// Lists are what can be read that is no resource, by provider and name in lower case, such as microsoft.compute/skus.
	Lists map[string]List
}

// Service answers ARM requests from its own store of resources.
type Service struct {
	Clock         clock.PassiveClock
	latency       func(resourceType, kind string) time.Duration
	Clusters      *workload.Servers
	Tenants       *tenants.Registry
	maxRetryAfter int
	Types         registry
	lists         map[string]List

	mu         sync.Mutex
	Store      *store
	Operations *operations
	providers  *providers
	healths    *healths
}

// List answers the list of something that is no resource, of a subscription or, if that is empty, of the tenant.
type List func(s *Service, w http.ResponseWriter, r *http.Request, subscription string) *Error

// NewService restores a Service from its journal.
func NewService(o Options) (*Service, error) {
	s := &Service{
		Clock:         o.Clock,
		latency:       o.Latency,
		Clusters:      o.Clusters,
		Tenants:       o.Tenants,
		maxRetryAfter: o.MaxRetryAfter,
		Types:         newRegistry(o.Types),
		lists:         o.Lists,
	}
	var err error
	if s.Store, err = loadStore(o.Journal); err != nil {
		return nil, err
	}
	if s.Operations, err = loadOperations(o.Journal); err != nil {
		return nil, err
	}
	if s.providers, err = loadProviders(o.Journal); err != nil {
		return nil, err
	}
	if s.healths, err = loadHealths(o.Journal); err != nil {
		return nil, err
	}
	return s, nil
}

// Lock keeps requests waiting until Unlock: who changes what is stored from beside them holds it.
func (s *Service) Lock() { s.mu.Lock() }

// Unlock lets requests go on.
func (s *Service) Unlock() { s.mu.Unlock() }

// TenantOf returns the tenant of a subscription.
func (s *Service) TenantOf(subscription string) string {
	return s.Tenants.Subscription(subscription).TenantID
}

// EndpointOf returns the URL of Azure Resource Manager in a subscription's cloud.
func (s *Service) EndpointOf(subscription string) string {
	return "https://" + s.Tenants.CloudOf(subscription).ARMHost
}

// A Course is how a long-running operation goes other than usual.
type Course struct {
	// Fail is what it ends with; it succeeds when nil.
	Fail *Error
	// Longer is how much longer it takes.
	Longer time.Duration
	// Lost has nobody find it who polls. What it is for is done.
	Lost bool
}

type courseKey struct{}

// WithCourse has the operation that the request starts go so.
func WithCourse(ctx context.Context, course Course) context.Context {
	return context.WithValue(ctx, courseKey{}, course)
}

// courseOf returns how the operation goes that a request starts.
func courseOf(ctx context.Context) Course {
	course, _ := ctx.Value(courseKey{}).(Course)
	return course
}

// ServeHTTP answers one ARM request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
	if err != nil {
		WriteError(w, BadRequest("InvalidRequestContent", "The request content could not be read: %s", err))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.advance(); err != nil {
		WriteError(w, InternalError(err))
		return
	}
	if e := s.route(w, r, body); e != nil {
		WriteError(w, e)
	}
}

// route finds what the path addresses: an operation, a provider, a resource, a collection or an action.
func (s *Service) route(w http.ResponseWriter, r *http.Request, body []byte) *Error {
	version := r.URL.Query().Get("api-version")
	if version == "" {
		return BadRequest("MissingApiVersionParameter", "The api-version query parameter (?api-version=) is required for all requests.")
	}
	path := strings.TrimSuffix(r.URL.Path, "/")
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if strings.EqualFold(segments[0], "providers") {
		return s.tenantList(w, r, segments)
	}
	if len(segments) < 2 || !strings.EqualFold(segments[0], "subscriptions") {
		return NotFound("NotFound", "No resource has the path '%s'.", path)
	}
	if len(segments) >= 3 {
		if op := s.Operations.byID[segments[len(segments)-1]]; op != nil && r.Method == http.MethodGet {
			if op.Lost {
				return NotFound("NotFound", "The entity was not found.")
			}
			if err := s.poll(w, op, segments[len(segments)-2]); err != nil {
				return InternalError(err)
			}
			return nil
		}
	}
	if len(segments) == 2 {
		return s.subscription(w, r, segments[1])
	}
	if strings.EqualFold(segments[2], "providers") && len(segments) <= 5 {
		return s.provider(w, r, segments[1], segments[3:])
	}
	return s.routeResource(w, r, path, segments, version, body)
}

// tenantList answers a list that belongs to no subscription.
func (s *Service) tenantList(w http.ResponseWriter, r *http.Request, segments []string) *Error {
	list := s.lists[strings.ToLower(strings.Join(segments[1:], "/"))]
	if list == nil || r.Method != http.MethodGet {
		return NotFound("NotFound", "No resource has the path '%s'.", r.URL.Path)
	}
	return list(s, w, r, "")
}

func (s *Service) routeResource(w http.ResponseWriter, r *http.Request, path string, segments []string, version string, body []byte) *Error {
	last := lastProvider(segments)
	tail := len(segments) - last // the provider's namespace, then type and name in turn
	if last < 0 {
		tail = len(segments) - 1 // subscriptions/S, resourceGroups and a name
	}
	if tail%2 == 0 {
		if r.Method == http.MethodPost {
			return s.action(w, r, strings.Join(segments[:len(segments)-1], "/"), segments[len(segments)-1], body)
		}
		return s.list(w, r, segments, version)
	}
	id, err := ParseID(path)
	if err != nil {
		return BadRequest("InvalidResourceId", "%s", err)
	}
	if strings.EqualFold(id.Type, typeTags) {
		return s.tags(w, r, id, body)
	}
	if strings.EqualFold(id.Type, typeHealth) {
		return s.health(w, r, id)
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return s.get(w, r, id, version)
	case http.MethodPut, http.MethodPatch:
		return s.noteChange(r.Context(), id, func() *Error { return s.put(w, r, id, version, body) })
	case http.MethodDelete:
		return s.delete(w, r, id, version)
	}
	return &Error{Status: http.StatusMethodNotAllowed, Code: "HttpMethodNotSupported", Message: "The HTTP method " + r.Method + " is not supported at scope '" + path + "'."}
}

// lastProvider is the index of the namespace after the last "providers" segment, or -1.
func lastProvider(segments []string) int {
	for i := len(segments) - 2; i >= 0; i-- {
		if strings.EqualFold(segments[i], "providers") {
			return i + 1
		}
	}
	return -1
}

// Resources returns the stored resources whose identifier begins with prefix, without regard to case.
func (s *Service) Resources(prefix string) ([]*Resource, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.advance(); err != nil {
		return nil, err
	}
	found := []*Resource{}
	for _, r := range s.Store.All() {
		if strings.HasPrefix(r.Key(), strings.ToLower(prefix)) {
			shown := *r
			shown.Body = s.Show(r, s.Types.Lookup(r.Type), r.APIVersion)
			found = append(found, &shown)
		}
	}
	return found, nil
}

// Erase removes a resource and all below it at once, as if somebody had deleted it behind the client's back.
// It tells whether the resource was there.
func (s *Service) Erase(path string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.Store.Get(path)
	if r == nil {
		return false, nil
	}
	return true, s.Remove(r)
}
