package arm

import (
	"net/http"
	"sort"
	"strings"
)

// all returns every resource in the order of creation.
func (s *store) all() []*Resource {
	found := make([]*Resource, 0, len(s.resources))
	for _, r := range s.resources {
		found = append(found, r)
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Sequence < found[j].Sequence })
	return found
}

// show is what a GET of the resource answers.
func (s *Service) show(r *Resource, t *resourceType, apiVersion string) map[string]any {
	if t.view == nil {
		return clone(r.Body)
	}
	return t.view(s, r, apiVersion)
}

// checkScope returns an error if the resource group or the parent of the resource does not exist.
func (s *Service) checkScope(id ID) *Error {
	if id.isResourceGroup() {
		return nil
	}
	if id.ResourceGroup != "" && s.store.get(id.groupPath()) == nil {
		return resourceGroupNotFound(id.ResourceGroup)
	}
	return nil
}

// missingRoot returns the topmost resource above id that does not exist, if any.
func (s *Service) missingRoot(id ID) (ID, bool) {
	missing, found := ID{}, false
	for id.nested() {
		parent, err := ParseID(id.Parent)
		if err != nil {
			break
		}
		if s.store.get(parent.Path) == nil {
			missing, found = parent, true
		}
		id = parent
	}
	return missing, found
}

func (s *Service) get(w http.ResponseWriter, r *http.Request, id ID, version string) *Error {
	t := s.types.lookup(id.Type)
	resource := s.store.get(id.Path)
	if resource == nil {
		if s.showNodes(w, id, false) {
			return nil
		}
		return s.notFoundFor(id, t, version)
	}
	if t.etagHeader {
		if etag := text(resource.Body, "etag"); etag != "" {
			w.Header().Set("ETag", etag)
		}
	}
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	shown := s.show(resource, t, version)
	if resource.Type == TypeVirtualMachine && strings.EqualFold(r.URL.Query().Get("$expand"), "instanceView") {
		child(shown, "properties")["instanceView"] = s.instanceView(resource)
	}
	writeJSON(w, http.StatusOK, shown)
	return nil
}

func (s *Service) notFoundFor(id ID, t *resourceType, version string) *Error {
	if id.isResourceGroup() {
		return resourceGroupNotFound(id.Name)
	}
	if e := s.checkScope(id); e != nil {
		return e
	}
	if missing, ok := s.missingRoot(id); ok {
		return resourceNotFound(missing)
	}
	if t.missing != nil {
		return t.missing(id, s, version)
	}
	return resourceNotFound(id)
}

// list answers the resources of one type below a resource, a resource group or a subscription.
func (s *Service) list(w http.ResponseWriter, r *http.Request, segments []string, version string) *Error {
	if r.Method != http.MethodGet {
		return &Error{Status: http.StatusMethodNotAllowed, Code: "HttpMethodNotSupported", Message: "The HTTP method " + r.Method + " is not supported for a collection."}
	}
	if s.showInstanceView(w, segments) {
		return nil
	}
	// A collection's path with a name at its end is the path of a resource, which tells the type.
	id, err := ParseID("/" + strings.Join(segments, "/") + "/name")
	if err != nil {
		return badRequest("InvalidResourceId", "%s", err)
	}
	if e := s.checkScope(id); e != nil {
		return e
	}
	if s.showNodes(w, id, true) {
		return nil
	}
	if missing, ok := s.missingRoot(id); ok {
		return resourceNotFound(missing)
	}
	scope := "/subscriptions/" + id.Subscription
	if id.Parent != "" {
		scope = id.Parent
	}
	t := s.types.lookup(id.Type)
	value := []any{}
	for _, resource := range s.store.children(scope, id.Type) {
		value = append(value, s.show(resource, t, version))
	}
	writeJSON(w, http.StatusOK, map[string]any{"value": value})
	return nil
}

// action answers a POST below a resource.
func (s *Service) action(w http.ResponseWriter, r *http.Request, path, name string) *Error {
	id, err := ParseID("/" + path)
	if err != nil {
		return badRequest("InvalidResourceId", "%s", err)
	}
	t := s.types.lookup(id.Type)
	resource := s.store.get(id.Path)
	if resource == nil {
		return s.notFoundFor(id, t, r.URL.Query().Get("api-version"))
	}
	if operate, ok := t.operates[strings.ToLower(name)]; ok {
		return s.operate(w, r, resource, operate)
	}
	act, ok := t.actions[strings.ToLower(name)]
	if !ok {
		return notFound("InvalidResourceType", "The resource type '%s' has no action '%s'.", id.Type, name)
	}
	body, e := act(s, resource)
	if e != nil {
		return e
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// operate starts the operation of a POST.
func (s *Service) operate(w http.ResponseWriter, r *http.Request, resource *Resource, note func(*Service, *Resource)) *Error {
	if s.operations.runningOn(resource.ID, false) != nil {
		return conflict("Conflict", "The request failed due to conflict with a concurrent request. To resolve it, please refer to https://aka.ms/activitylog to get more details on the conflicting requests.")
	}
	note(s, resource)
	if err := s.setState(resource, stateUpdating); err != nil {
		return internalError(err)
	}
	op, err := s.begin(resource, update, r.URL.Query().Get("api-version"), failing(r.Context()))
	if err != nil {
		return internalError(err)
	}
	s.setOperationHeaders(w.Header(), op, answer{asyncOperation: true, location: true})
	w.WriteHeader(http.StatusAccepted)
	return nil
}
