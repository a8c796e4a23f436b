package arm

import (
	"net/http"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// delete answers a DELETE. An absent resource is 204, unless the resource group or a parent is absent: then 404.
func (s *Service) delete(w http.ResponseWriter, r *http.Request, id ID, version string) *Error {
	t := s.Types.Lookup(id.Type)
	resource := s.Store.Get(id.Path)
	if resource == nil {
		for _, one := range s.unstored(id, t) {
			if strings.EqualFold(fields.Text(one, "id"), id.Path) {
				return Conflict("OperationNotAllowed", "The resource '%s' cannot be deleted by this path.", id.Path)
			}
		}
		return s.deleteAbsent(w, id)
	}
	if e := checkConditions(r, resource); e != nil {
		return e
	}
	if t.Deletable != nil {
		if e := t.Deletable(s, resource); e != nil {
			return e
		}
	}
	if err := s.startDelete(w, r, resource, t, version); err != nil {
		return InternalError(err)
	}
	return nil
}

func (s *Service) deleteAbsent(w http.ResponseWriter, id ID) *Error {
	if id.isResourceGroup() {
		return resourceGroupNotFound(id.Name)
	}
	if e := s.checkScope(id); e != nil {
		return e
	}
	if missing, ok := s.missingRoot(id); ok {
		return ResourceNotFound(missing)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Service) startDelete(w http.ResponseWriter, r *http.Request, resource *Resource, t *ResourceType, version string) error {
	a := t.Protocol.Remove
	if !a.longRunning() {
		if err := s.Remove(resource); err != nil {
			return err
		}
		w.WriteHeader(a.Status)
		return nil
	}
	op, err := s.beginRemoval(resource, version, courseOf(r.Context()))
	if err != nil {
		return err
	}
	s.setOperationHeaders(w.Header(), op, a)
	if a.NoBody {
		w.WriteHeader(a.Status)
		return nil
	}
	WriteJSON(w, a.Status, s.Show(resource, t, version))
	return nil
}

// BeginRemoval starts the deletion of a resource, as a DELETE does.
func (s *Service) BeginRemoval(resource *Resource, version string) error {
	_, err := s.beginRemoval(resource, version, Course{})
	return err
}

// beginRemoval returns the operation that deletes a resource; a second deletion joins the one that is under way.
func (s *Service) beginRemoval(resource *Resource, version string, course Course) (*Operation, error) {
	if op := s.Operations.RunningOn(resource.ID, false); op != nil && op.Change == Remove {
		return op, nil
	}
	t := s.Types.Lookup(resource.Type)
	state := t.Protocol.Remove.State
	if state == "" {
		state = StateDeleting
	}
	if err := s.preempt(resource); err != nil {
		return nil, err
	}
	if err := s.SetState(resource, state); err != nil {
		return nil, err
	}
	if t.Deleting != nil {
		if err := t.Deleting(s, resource); err != nil {
			return nil, err
		}
	}
	return s.Begin(resource, Remove, version, course)
}

// preempt ends what else runs on a resource that is deleted: it must not tell any more that the resource is as it should be.
func (s *Service) preempt(resource *Resource) error {
	for {
		op := s.Operations.RunningOn(resource.ID, false)
		if op == nil {
			return nil
		}
		op.Status, op.Due = StatusFailed, s.Clock.Now()
		op.Fail = Conflict("OperationPreempted", "Operation execution has been preempted by a more recent operation.")
		if err := s.Operations.put(op); err != nil {
			return err
		}
	}
}
