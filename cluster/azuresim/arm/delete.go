package arm

import (
	"net/http"
)

// delete answers a DELETE. An absent resource is 204, unless the resource group or a parent is absent: then 404.
func (s *Service) delete(w http.ResponseWriter, r *http.Request, id ID, version string) *Error {
	t := s.types.lookup(id.Type)
	resource := s.store.get(id.Path)
	if resource == nil {
		return s.deleteAbsent(w, id)
	}
	if e := checkConditions(r, resource); e != nil {
		return e
	}
	if t.deletable != nil {
		if e := t.deletable(s, resource); e != nil {
			return e
		}
	}
	if err := s.startDelete(w, r, resource, t, version); err != nil {
		return internalError(err)
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
		return resourceNotFound(missing)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Service) startDelete(w http.ResponseWriter, r *http.Request, resource *Resource, t *resourceType, version string) error {
	a := t.protocol.remove
	if !a.longRunning() {
		if err := s.erase(resource); err != nil {
			return err
		}
		w.WriteHeader(a.status)
		return nil
	}
	// A second DELETE joins the operation that is already under way.
	op := s.operations.runningOn(resource.ID, false)
	if op == nil || op.Change != remove {
		state := a.state
		if state == "" {
			state = stateDeleting
		}
		if err := s.preempt(resource); err != nil {
			return err
		}
		if err := s.setState(resource, state); err != nil {
			return err
		}
		var err error
		if op, err = s.begin(resource, remove, version, failing(r.Context())); err != nil {
			return err
		}
	}
	s.setOperationHeaders(w.Header(), op, a)
	if a.noBody {
		w.WriteHeader(a.status)
		return nil
	}
	writeJSON(w, a.status, s.show(resource, t, version))
	return nil
}

// preempt ends what else runs on a resource that is deleted: it must not tell any more that the resource is as it should be.
func (s *Service) preempt(resource *Resource) error {
	for {
		op := s.operations.runningOn(resource.ID, false)
		if op == nil {
			return nil
		}
		op.Status, op.Due = statusFailed, s.clock.Now()
		op.Fail = conflict("OperationPreempted", "Operation execution has been preempted by a more recent operation.")
		if err := s.operations.put(op); err != nil {
			return err
		}
	}
}
