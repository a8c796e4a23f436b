package arm

import (
	"net/http"
	"reflect"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/google/uuid"
)

func (s *Service) put(w http.ResponseWriter, r *http.Request, id ID, version string, raw []byte) *Error {
	t := s.types.lookup(id.Type)
	p, e := s.preparePut(r, id, t, version, raw)
	if e != nil {
		return e
	}
	if t.validate != nil {
		if e := t.validate(p); e != nil {
			return e
		}
	}
	if e := s.applyPut(p, t); e != nil {
		return e
	}
	a := p.answer(t)
	if t.answers != nil {
		a = t.answers(p)
	}
	return s.commit(w, r, p, t, a)
}

// preparePut checks what holds for every type and returns the change to make.
func (s *Service) preparePut(r *http.Request, id ID, t *resourceType, version string, raw []byte) (*put, *Error) {
	existing := s.store.get(id.Path)
	if e := s.checkPutScope(id, existing); e != nil {
		return nil, e
	}
	if e := checkConditions(r, existing); e != nil {
		return nil, e
	}
	if r.Method == http.MethodPatch {
		if existing == nil {
			return nil, s.notFoundFor(id, t, version)
		}
		merged, err := mergeInto(s.show(existing, t, version), raw)
		if err != nil {
			return nil, badRequest("InvalidRequestContent", "The request content was invalid and could not be deserialized: '%s'.", err)
		}
		raw = merged
	}
	given, err := decode(raw)
	if err != nil || given == nil {
		return nil, badRequest("InvalidRequestContent", "The request content was invalid and could not be deserialized: '%v'.", err)
	}
	requested := withoutNulls(given)
	if t.tracked && text(requested, "location") == "" {
		return nil, badRequest("LocationRequired", "The location property is required for this definition.")
	}
	if existing != nil && t.tracked && !strings.EqualFold(normalLocation(text(requested, "location")), normalLocation(existing.location())) {
		return nil, conflict("InvalidResourceLocation",
			"The resource '%s' already exists in location '%s' in resource group '%s'. A resource with the same name cannot be created in location '%s'. Please select a new resource name.",
			id.Name, existing.location(), id.ResourceGroup, text(requested, "location"))
	}
	return &put{service: s, id: id, apiVersion: version, now: s.clock.Now(), existing: existing, requested: requested, given: given}, nil
}

func normalLocation(location string) string {
	return strings.ToLower(strings.ReplaceAll(location, " ", ""))
}

func mergeInto(present map[string]any, patch []byte) ([]byte, error) {
	document, err := encode(present)
	if err != nil {
		return nil, err
	}
	return jsonpatch.MergePatch(document, patch)
}

func (s *Service) checkPutScope(id ID, existing *Resource) *Error {
	if e := s.providers.check(id); e != nil {
		return e
	}
	if e := s.checkScope(id); e != nil {
		return e
	}
	if group := s.store.get(id.groupPath()); !id.isResourceGroup() && group != nil && group.provisioningState() == stateDeleting {
		return conflict("ResourceGroupBeingDeleted", "The resource group '%s' is in deprovisioning state and cannot perform this operation.", id.ResourceGroup)
	}
	if missing, ok := s.missingRoot(id); ok {
		return notFound("ParentResourceNotFound", "Can not perform requested operation on nested resource. Parent resource '%s' not found.", missing.Name)
	}
	if existing != nil && existing.provisioningState() == stateDeleting && !id.isResourceGroup() {
		return conflict("AnotherOperationInProgress", "Another operation on this or dependent resource is in progress: '%s' is being deleted.", id.Name)
	}
	return nil
}

// checkConditions honours If-Match and If-None-Match, RFC 9110 section 13.1.
func checkConditions(r *http.Request, existing *Resource) *Error {
	etag := ""
	if existing != nil {
		etag = text(existing.Body, "etag") + text(existing.Body, "eTag") + text(existing.Body, "properties", "eTag")
	}
	failed := &Error{Status: http.StatusPreconditionFailed, Code: "PreconditionFailed", Message: "The condition in the request's header is not met by the resource's etag."}
	if match := r.Header.Get("If-Match"); match != "" && (existing == nil || match != "*" && match != etag) {
		return failed
	}
	if none := r.Header.Get("If-None-Match"); none != "" && existing != nil && (none == "*" || none == etag) {
		return failed
	}
	return nil
}

func (s *Service) applyPut(p *put, t *resourceType) *Error {
	p.result = clone(p.requested)
	if p.existing != nil {
		updated := *p.existing
		p.resource = &updated
	} else {
		p.resource = &Resource{ID: p.id.Path, Type: t.name, Name: p.id.Name, Created: p.now, Private: map[string]any{}}
	}
	p.resource.APIVersion = p.apiVersion
	p.result["id"] = p.resource.ID
	p.result["name"] = p.resource.Name
	p.result["type"] = t.name
	if p.existing != nil {
		p.changed = differs(p.existing.Body, p.requested)
	}
	if t.apply != nil {
		if e := t.apply(p); e != nil {
			return e
		}
	} else {
		applyGeneric(p)
	}
	p.resource.Body = p.result
	return nil
}

// applyGeneric keeps what the provider had added to the resource before.
func applyGeneric(p *put) {
	child(p.result, "properties")
	if p.existing != nil {
		fill(p.result, map[string]any{"systemData": p.existing.Body["systemData"]})
		if p.result["systemData"] == nil {
			delete(p.result, "systemData")
		}
	}
}

// differs tells whether requested asks for anything that present does not have.
func differs(present, requested map[string]any) bool {
	for name, want := range requested {
		have, ok := present[name]
		if !ok && isEmpty(want) {
			continue
		}
		wantMap, isMap := want.(map[string]any)
		haveMap, hasMap := have.(map[string]any)
		if isMap && hasMap && name != "tags" {
			if differs(haveMap, wantMap) {
				return true
			}
			continue
		}
		if !reflect.DeepEqual(have, want) {
			return true
		}
	}
	return false
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case string:
		return v == ""
	case bool:
		return !v
	}
	return false
}

// answer picks the protocol's answer to this change.
func (p *put) answer(t *resourceType) answer {
	switch {
	case p.existing == nil:
		return t.protocol.create
	case !p.changed && t.protocol.unchanged.status != 0:
		return t.protocol.unchanged
	}
	return t.protocol.update
}

// commit stores the resource, starts its operation and answers.
func (s *Service) commit(w http.ResponseWriter, r *http.Request, p *put, t *resourceType, a answer) *Error {
	state := a.state
	if p.state != "" && a.longRunning() {
		state = p.state
	}
	if state == "" {
		state = statusSucceeded
	}
	p.resource.properties()["provisioningState"] = state
	refreshETag(p.resource)
	if err := s.store.put(p.resource); err != nil {
		return internalError(err)
	}
	if t.stored != nil {
		if e := t.stored(p); e != nil {
			return e
		}
	}
	if err := s.start(w, r, p, t, a); err != nil {
		return internalError(err)
	}
	if a.noBody {
		w.WriteHeader(a.status)
		return nil
	}
	if t.etagOfPut {
		w.Header().Set("ETag", text(p.resource.Body, "etag"))
	}
	if a.emptyBody {
		writeJSON(w, a.status, struct{}{})
		return nil
	}
	show := t.view
	if t.viewOfPut != nil {
		show = t.viewOfPut
	}
	shown := clone(p.resource.Body)
	if show != nil {
		shown = show(s, p.resource, p.apiVersion)
	}
	writeJSON(w, a.status, shown)
	return nil
}

func (s *Service) start(w http.ResponseWriter, r *http.Request, p *put, t *resourceType, a answer) error {
	kind := update
	if p.existing == nil {
		kind = create
	}
	if !a.longRunning() {
		if fail := failing(r.Context()); fail != nil {
			return s.setState(p.resource, statusFailed)
		}
		if t.settle != nil {
			return t.settle(s, p.resource)
		}
		return nil
	}
	op, err := s.begin(p.resource, kind, p.apiVersion, failing(r.Context()))
	if err != nil {
		return err
	}
	s.setOperationHeaders(w.Header(), op, a)
	return nil
}

// refreshETag gives the resource a new etag if its provider has them.
func refreshETag(r *Resource) {
	if _, ok := r.Body["etag"]; ok {
		r.Body["etag"] = `W/"` + uuid.NewString() + `"`
	}
}
