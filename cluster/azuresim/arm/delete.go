package arm

import (
	"net/http"
)

// delete answers a DELETE. An absent resource is 204, unless the resource group or a parent is absent: then 404.
func (s *Service) delete(w http.ResponseWriter, r *http.Request, id ID, version string) *Error {
	t := s.Types.Lookup(id.Type)
	resource := s.Store.Get(id.Path)
	if resource == nil {
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
	// A second DELETE joins the operation that is already under way.
	op := s.Operations.RunningOn(resource.ID, false)
	if op == nil || op.Change != Remove {
		state := a.State
		if state == "" {
			state = StateDeleting
		}
		if err := s.preempt(resource); err != nil {
			return err
		}
		if err := s.SetState(resource, state); err != nil {
			return err
		}
		var err error
		if op, err = s.begin(resource, Remove, version, failing(r.Context())); err != nil {
			return err
		}
	}
	s.setOperationHeaders(w.Header(), op, a)
	if a.NoBody {
		w.WriteHeader(a.Status)
		return nil
	}
	WriteJSON(w, a.Status, s.Show(resource, t, version))
	return nil
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
