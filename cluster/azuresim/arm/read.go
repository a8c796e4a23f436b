package arm

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// ViewWithoutState shows a resource that has no provisioningState.
func ViewWithoutState(_ *Service, r *Resource, _ string) map[string]any {
	body := fields.Clone(r.Body)
	delete(fields.Child(body, "properties"), "provisioningState")
	return body
}

// All returns every resource in the order of creation, in a slice that is not to be changed.
func (s *store) All() []*Resource {
	if s.inOrder == nil {
		s.inOrder = slices.SortedFunc(maps.Values(s.resources), func(a, b *Resource) int { return cmp.Compare(a.Sequence, b.Sequence) })
	}
	return s.inOrder
}

// Show is what a GET of the resource answers.
func (s *Service) Show(r *Resource, t *ResourceType, apiVersion string) map[string]any {
	if t.View == nil {
		return fields.Clone(r.Body)
	}
	return t.View(s, r, apiVersion)
}

// checkScope returns an error if the resource group or the parent of the resource does not exist.
func (s *Service) checkScope(id ID) *Error {
	if id.isResourceGroup() {
		return nil
	}
	if id.ResourceGroup != "" && s.Store.Get(id.GroupPath()) == nil {
		return resourceGroupNotFound(id.ResourceGroup)
	}
	return nil
}

// missingRoot returns the topmost resource above id that does not exist, if any.
func (s *Service) missingRoot(id ID) (ID, bool) {
	missing, found := ID{}, false
	for id.Nested() {
		parent, err := ParseID(id.Parent)
		if err != nil {
			break
		}
		if s.Store.Get(parent.Path) == nil {
			missing, found = parent, true
		}
		id = parent
	}
	return missing, found
}

func (s *Service) get(w http.ResponseWriter, r *http.Request, id ID, version string) *Error {
	t := s.Types.Lookup(id.Type)
	resource := s.Store.Get(id.Path)
	if resource == nil {
		for _, one := range s.unstored(id, t) {
			if strings.EqualFold(fields.Text(one, "id"), id.Path) {
				WriteJSON(w, http.StatusOK, one)
				return nil
			}
		}
		return s.notFoundFor(id, t, version)
	}
	if t.EtagHeader {
		if etag := fields.Text(resource.Body, "etag"); etag != "" {
			w.Header().Set("ETag", etag)
		}
	}
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	WriteJSON(w, http.StatusOK, s.expanded(r, resource, t, version))
	return nil
}

// expanded is what a request shows of a resource: what any shows, and what it asks for by $expand.
func (s *Service) expanded(r *http.Request, resource *Resource, t *ResourceType, version string) map[string]any {
	shown := s.Show(resource, t, version)
	for name, expand := range t.Expands {
		if strings.EqualFold(r.URL.Query().Get("$expand"), name) {
			fields.Child(shown, "properties")[name] = expand(s, resource)
		}
	}
	return shown
}

func (s *Service) notFoundFor(id ID, t *ResourceType, version string) *Error {
	if id.isResourceGroup() {
		return resourceGroupNotFound(id.Name)
	}
	if e := s.checkScope(id); e != nil {
		return e
	}
	if missing, ok := s.missingRoot(id); ok {
		return ResourceNotFound(missing)
	}
	if t.Missing != nil {
		return t.Missing(id, s, version)
	}
	return ResourceNotFound(id)
}

// list answers the resources of one type below a resource, a resource group or a subscription.
func (s *Service) list(w http.ResponseWriter, r *http.Request, segments []string, version string) *Error {
	if r.Method != http.MethodGet {
		return &Error{Status: http.StatusMethodNotAllowed, Code: "HttpMethodNotSupported", Message: "The HTTP method " + r.Method + " is not supported for a collection."}
	}
	if s.showExpanded(w, segments) {
		return nil
	}
	// A collection's path with a name at its end is the path of a resource, which tells the type.
	id, err := ParseID("/" + strings.Join(segments, "/") + "/name")
	if err != nil {
		return BadRequest("InvalidResourceId", "%s", err)
	}
	if e := s.checkScope(id); e != nil {
		return e
	}
	t := s.Types.Lookup(id.Type)
	if unstored := s.unstored(id, t); unstored != nil {
		WriteJSON(w, http.StatusOK, map[string]any{"value": unstored})
		return nil
	}
	if missing, ok := s.missingRoot(id); ok {
		return ResourceNotFound(missing)
	}
	scope := "/subscriptions/" + id.Subscription
	if id.Parent != "" {
		scope = id.Parent
	}
	found := s.Store.Children(scope, id.Type)
	start, end := 0, len(found)
	if t.Page > 0 {
		start, _ = strconv.Atoi(r.URL.Query().Get("$skiptoken")) // none is 0
		start, end = min(max(start, 0), len(found)), min(max(start, 0)+t.Page, len(found))
	}
	value := []any{}
	for _, resource := range found[start:end] {
		value = append(value, s.expanded(r, resource, t, version))
	}
	body := map[string]any{"value": value}
	if end < len(found) {
		query := r.URL.Query()
		query.Set("$skiptoken", strconv.Itoa(end))
		body["nextLink"] = s.EndpointOf(id.Subscription) + r.URL.Path + "?" + query.Encode()
	}
	WriteJSON(w, http.StatusOK, body)
	return nil
}

// unstored is what there is in a resource's collection that is not stored.
func (s *Service) unstored(id ID, t *ResourceType) []map[string]any {
	if t.Unstored == nil {
		return nil
	}
	return t.Unstored(s, id)
}

// showExpanded answers a GET of a part of a resource that can be read by itself; it returns false for any other path.
func (s *Service) showExpanded(w http.ResponseWriter, segments []string) bool {
	r := s.Store.Get("/" + strings.Join(segments[:len(segments)-1], "/"))
	if r == nil {
		return false
	}
	for name, expand := range s.Types.Lookup(r.Type).Expands {
		if strings.EqualFold(segments[len(segments)-1], name) {
			WriteJSON(w, http.StatusOK, expand(s, r))
			return true
		}
	}
	return false
}

// action answers a POST below a resource.
func (s *Service) action(w http.ResponseWriter, r *http.Request, path, name string, raw []byte) *Error {
	id, err := ParseID("/" + path)
	if err != nil {
		return BadRequest("InvalidResourceId", "%s", err)
	}
	t := s.Types.Lookup(id.Type)
	resource := s.Store.Get(id.Path)
	if resource == nil {
		return s.notFoundFor(id, t, r.URL.Query().Get("api-version"))
	}
	if operate, ok := t.Operates[strings.ToLower(name)]; ok {
		body := map[string]any{}
		if len(raw) > 0 {
			if body, err = fields.Decode(raw); err != nil {
				return BadRequest("InvalidRequestContent", "The request content was invalid and could not be deserialized: '%v'.", err)
			}
		}
		return s.operate(w, r, resource, func(s *Service, r *Resource) *Error { return operate(s, r, body) })
	}
	act, ok := t.Actions[strings.ToLower(name)]
	if !ok {
		return NotFound("InvalidResourceType", "The resource type '%s' has no action '%s'.", id.Type, name)
	}
	body, e := act(s, resource)
	if e != nil {
		return e
	}
	if body == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	WriteJSON(w, http.StatusOK, body)
	return nil
}

// operate starts the operation of a POST.
func (s *Service) operate(w http.ResponseWriter, r *http.Request, resource *Resource, note func(*Service, *Resource) *Error) *Error {
	if s.Operations.RunningOn(resource.ID, false) != nil {
		return Conflict("Conflict", "The request failed due to conflict with a concurrent request. To resolve it, please refer to https://aka.ms/activitylog to get more details on the conflicting requests.")
	}
	if e := note(s, resource); e != nil {
		return e
	}
	if err := s.SetState(resource, StateUpdating); err != nil {
		return InternalError(err)
	}
	op, err := s.Begin(resource, Update, r.URL.Query().Get("api-version"), courseOf(r.Context()))
	if err != nil {
		return InternalError(err)
	}
	s.setOperationHeaders(w.Header(), op, Answer{AsyncOperation: true, Location: true})
	w.WriteHeader(http.StatusAccepted)
	return nil
}
