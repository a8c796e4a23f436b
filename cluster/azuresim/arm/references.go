package arm

import (
	"net/http"
	"slices"
	"strings"
)

// references returns the identifiers of resources that a value names in fields id, sorted and each once.
func references(value any) []string {
	var found []string
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			if id, ok := field.(string); ok && name == "id" && strings.HasPrefix(strings.ToLower(id), "/subscriptions/") {
				found = append(found, id)
				continue
			}
			found = append(found, references(field)...)
		}
	case []any:
		for _, item := range v {
			found = append(found, references(item)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// find returns the resource that a path is of or that it names a part of, and whether there is that part. The resource is nil if there is none.
func (s *Service) find(path string) (*Resource, bool) {
	if r := s.store.get(path); r != nil {
		return r, true
	}
	owner, list, name := cutPart(path)
	r := s.store.get(owner)
	return r, r != nil && hasPart(r.Body, list, name)
}

// cutPart cuts the last two segments off a path: a list and the name of something in it.
func cutPart(path string) (owner, list, name string) {
	end := strings.LastIndex(path, "/")
	if end < 0 {
		return "", "", ""
	}
	start := strings.LastIndex(path[:end], "/")
	if start < 0 {
		return "", "", ""
	}
	return path[:start], path[start+1 : end], path[end+1:]
}

// hasPart tells whether the list of that name in a body's properties has something of that name.
func hasPart(body map[string]any, list, name string) bool {
	properties, _ := body["properties"].(map[string]any)
	for field := range properties {
		if !strings.EqualFold(field, list) {
			continue
		}
		for _, part := range objects(body, "properties", field) {
			if strings.EqualFold(text(part, "name"), name) {
				return true
			}
		}
	}
	return false
}

// checkReferences refuses a request that names what does not exist or is being changed. The errors are those of the network provider.
func checkReferences(p *put) *Error {
	for _, path := range references(p.requested["properties"]) {
		if e := checkReference(p, path); e != nil {
			return e
		}
	}
	return nil
}

func checkReference(p *put, path string) *Error {
	if strings.HasPrefix(strings.ToLower(path), p.id.Key()+"/") {
		_, list, name := cutPart(path)
		if hasPart(p.requested, list, name) || p.service.store.get(path) != nil {
			return nil
		}
		return invalidReference(path, p.id)
	}
	r, ok := p.service.find(path)
	switch {
	case !ok:
		return invalidReference(path, p.id)
	case r.provisioningState() != "" && r.provisioningState() != statusSucceeded && !strings.EqualFold(r.ID, p.id.Parent):
		return notProvisioned(r, p.id)
	}
	return nil
}

// invalidReference is the error for a resource that does not exist.
func invalidReference(path string, by ID) *Error {
	e := badRequest("InvalidResourceReference",
		"Resource %s referenced by resource %s was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.", path, by.Path)
	e.Details = []Detail{}
	if id, err := ParseID(path); err == nil && !id.nested() {
		e.Details = []Detail{{Code: "NotFound", Message: "Resource " + path + " not found."}}
	}
	return e
}

// notProvisioned is the error for a resource that is being changed.
func notProvisioned(r *Resource, by ID) *Error {
	last := r.Type[strings.LastIndex(r.Type, "/")+1:]
	operation := "Put" + strings.ToUpper(last[:1]) + strings.TrimSuffix(strings.TrimSuffix(last[1:], "s"), "e") + "Operation"
	return &Error{
		Status: http.StatusTooManyRequests, Code: "RetryableError", Message: "A retryable error occurred.",
		Details: []Detail{{Code: "ReferencedResourceNotProvisioned", Message: "Cannot proceed with operation because resource " + r.ID +
			" used by resource " + by.Path + " is not in Succeeded state. Resource is in " + r.provisioningState() +
			" state and the last operation that updated/is updating the resource is " + operation + "."}},
	}
}

// networkUsersOf returns the network resources, other than the owner itself and what is below it, that refer to a path.
func (s *Service) networkUsersOf(path, owner string) []*Resource {
	var users []*Resource
	for _, r := range s.store.all() {
		switch {
		case !strings.HasPrefix(strings.ToLower(r.Type), "microsoft.network/"):
		case r.key() == strings.ToLower(owner), strings.HasPrefix(r.key(), strings.ToLower(owner)+"/"), r.key() == strings.ToLower(path):
		case refersTo(r.Body, path):
			users = append(users, r)
		}
	}
	return users
}
