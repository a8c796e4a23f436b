package arm

import (
	"net/http"
	"strings"

	"github.com/google/uuid"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

func (s *Service) put(w http.ResponseWriter, r *http.Request, id ID, version string, raw []byte) *Error {
	t := s.Types.Lookup(id.Type)
	p, e := s.preparePut(r, id, t, version, raw)
	if e != nil {
		return e
	}
	if t.Validate != nil {
		if e := t.Validate(p); e != nil {
			return e
		}
	}
	if e := s.applyPut(p, t); e != nil {
		return e
	}
	a := p.Answer(t)
	if t.Answers != nil {
		a = t.Answers(p)
	}
	return s.commit(w, p, t, a)
}

// preparePut checks what holds for every type and returns the change to make.
func (s *Service) preparePut(r *http.Request, id ID, t *ResourceType, version string, raw []byte) (*Put, *Error) {
	existing := s.Store.Get(id.Path)
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
		merged, err := mergeInto(s.Show(existing, t, version), raw)
		if err != nil {
			return nil, BadRequest("InvalidRequestContent", "The request content was invalid and could not be deserialized: '%s'.", err)
		}
		raw = merged
	}
	given, err := fields.Decode(raw)
	if err != nil || given == nil {
		return nil, BadRequest("InvalidRequestContent", "The request content was invalid and could not be deserialized: '%v'.", err)
	}
	requested := fields.WithoutNulls(given)
	if t.Tracked && fields.Text(requested, fields.Location) == "" {
		return nil, BadRequest("LocationRequired", "The location property is required for this definition.")
	}
	if existing != nil && t.Tracked && !strings.EqualFold(NormalLocation(fields.Text(requested, fields.Location)), NormalLocation(existing.Location())) {
		return nil, Conflict("InvalidResourceLocation",
			"The resource '%s' already exists in location '%s' in resource group '%s'. A resource with the same name cannot be created in location '%s'. Please select a new resource name.",
			id.Name, existing.Location(), id.ResourceGroup, fields.Text(requested, fields.Location))
	}
	return &Put{Service: s, ID: id, APIVersion: version, Now: s.Clock.Now(), Existing: existing, Requested: requested, given: given, course: courseOf(r.Context())}, nil
}

func mergeInto(present map[string]any, patch []byte) ([]byte, error) {
	document, err := fields.Encode(present)
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
	if group := s.Store.Get(id.GroupPath()); !id.isResourceGroup() && group != nil && group.ProvisioningState() == StateDeleting {
		return Conflict("ResourceGroupBeingDeleted", "The resource group '%s' is in deprovisioning state and cannot perform this operation.", id.ResourceGroup)
	}
	if missing, ok := s.missingRoot(id); ok {
		return NotFound("ParentResourceNotFound", "Can not perform requested operation on nested resource. Parent resource '%s' not found.", missing.Name)
	}
	if existing != nil && existing.ProvisioningState() == StateDeleting && !id.isResourceGroup() {
		return Conflict("AnotherOperationInProgress", "Another operation on this or dependent resource is in progress: '%s' is being deleted.", id.Name)
	}
	return nil
}

// checkConditions honours If-Match and If-None-Match, RFC 9110 section 13.1.
func checkConditions(r *http.Request, existing *Resource) *Error {
	etag := ""
	if existing != nil {
		etag = fields.Text(existing.Body, "etag") + fields.Text(existing.Body, "eTag") + fields.Text(existing.Body, "properties", "eTag")
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

func (s *Service) applyPut(p *Put, t *ResourceType) *Error {
	p.Result = fields.Clone(p.Requested)
	if p.Existing != nil {
		updated := *p.Existing
		p.Resource = &updated
	} else {
		p.Resource = &Resource{ID: p.ID.Path, Type: t.Name, Name: p.ID.Name, Created: p.Now, Private: map[string]any{}}
	}
	p.Resource.APIVersion = p.APIVersion
	p.Result["id"] = p.Resource.ID
	p.Result["name"] = p.Resource.Name
	p.Result["type"] = t.Name
	if p.Existing != nil {
		p.Changed = fields.Differs(p.Existing.Body, p.Requested)
	}
	if t.Apply != nil {
		if e := t.Apply(p); e != nil {
			return e
		}
	} else {
		ApplyGeneric(p)
	}
	p.Resource.Body = p.Result
	return nil
}

// ApplyGeneric keeps what the provider had added to the resource before.
func ApplyGeneric(p *Put) {
	fields.Child(p.Result, "properties")
	if p.Existing != nil {
		fields.Fill(p.Result, map[string]any{"systemData": p.Existing.Body["systemData"]})
		if p.Result["systemData"] == nil {
			delete(p.Result, "systemData")
		}
	}
}

// Answer picks the protocol's answer to this change.
func (p *Put) Answer(t *ResourceType) Answer {
	switch {
	case p.Existing == nil:
		return t.Protocol.Create
	case !p.Changed && t.Protocol.Unchanged.Status != 0 && !p.works():
		return t.Protocol.Unchanged
	}
	return t.Protocol.Update
}

// works reports whether Azure has something to do though nothing changes: to make good what has failed before, or to fail itself.
func (p *Put) works() bool {
	return p.Existing.ProvisioningState() == StatusFailed || p.course.Fail != nil || p.course.Lost
}

// commit stores the resource, starts its operation and answers.
func (s *Service) commit(w http.ResponseWriter, p *Put, t *ResourceType, a Answer) *Error {
	state := a.State
	if p.State != "" && a.longRunning() {
		state = p.State
	}
	if state == "" {
		state = StatusSucceeded
	}
	p.Resource.Properties()["provisioningState"] = state
	RefreshETag(p.Resource)
	if err := s.Store.Put(p.Resource); err != nil {
		return InternalError(err)
	}
	if t.Stored != nil {
		if e := t.Stored(p); e != nil {
			return e
		}
	}
	if err := s.start(w, p, t, a); err != nil {
		return InternalError(err)
	}
	if a.NoBody {
		w.WriteHeader(a.Status)
		return nil
	}
	if t.EtagOfPut {
		w.Header().Set("ETag", fields.Text(p.Resource.Body, "etag"))
	}
	if a.EmptyBody {
		WriteJSON(w, a.Status, struct{}{})
		return nil
	}
	show := t.View
	if t.ViewOfPut != nil {
		show = t.ViewOfPut
	}
	shown := fields.Clone(p.Resource.Body)
	if show != nil {
		shown = show(s, p.Resource, p.APIVersion)
	}
	WriteJSON(w, a.Status, shown)
	return nil
}

func (s *Service) start(w http.ResponseWriter, p *Put, t *ResourceType, a Answer) error {
	kind := Update
	if p.Existing == nil {
		kind = Create
	}
	if !a.longRunning() {
		if p.course.Fail != nil {
			return s.SetState(p.Resource, StatusFailed)
		}
		if t.Settle != nil {
			return t.Settle(s, p.Resource)
		}
		return nil
	}
	op, err := s.Begin(p.Resource, kind, p.APIVersion, p.course)
	if err != nil {
		return err
	}
	s.setOperationHeaders(w.Header(), op, a)
	return nil
}

// RefreshETag gives the resource a new etag if its provider has them.
func RefreshETag(r *Resource) {
	if _, ok := r.Body["etag"]; ok {
		r.Body["etag"] = `W/"` + uuid.NewString() + `"`
	}
}
