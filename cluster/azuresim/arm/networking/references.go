package networking

import (
	"net/http"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
)

// checkReferences refuses a request that names what does not exist or is being changed. The errors are those of the network provider.
func checkReferences(p *arm.Put) *arm.Error {
	for _, path := range arm.References(p.Requested["properties"]) {
		if e := checkReference(p, path); e != nil {
			return e
		}
	}
	return nil
}

func checkReference(p *arm.Put, path string) *arm.Error {
	if strings.HasPrefix(strings.ToLower(path), p.ID.Key()+"/") {
		_, list, name := arm.CutPart(path)
		if arm.HasPart(p.Requested, list, name) || p.Service.Store.Get(path) != nil {
			return nil
		}
		return InvalidReference(path, p.ID)
	}
	r, ok := p.Service.Find(path)
	switch {
	case !ok:
		return InvalidReference(path, p.ID)
	case r.ProvisioningState() != "" && r.ProvisioningState() != arm.StatusSucceeded && !strings.EqualFold(r.ID, p.ID.Parent):
		return notProvisioned(r, p.ID)
	}
	return nil
}

// InvalidReference is the error for a resource that does not exist.
func InvalidReference(path string, by arm.ID) *arm.Error {
	e := arm.BadRequest("InvalidResourceReference",
		"Resource %s referenced by resource %s was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.", path, by.Path)
	e.Details = []arm.Detail{}
	if id, err := arm.ParseID(path); err == nil && !id.Nested() {
		e.Details = []arm.Detail{{Code: "NotFound", Message: "Resource " + path + " not found."}}
	}
	return e
}

// notProvisioned is the error for a resource that is being changed.
func notProvisioned(r *arm.Resource, by arm.ID) *arm.Error {
	last := r.Type[strings.LastIndex(r.Type, "/")+1:]
	operation := "Put" + strings.ToUpper(last[:1]) + strings.TrimSuffix(strings.TrimSuffix(last[1:], "s"), "e") + "Operation"
	return &arm.Error{
		Status: http.StatusTooManyRequests, Code: "RetryableError", Message: "A retryable error occurred.",
		Details: []arm.Detail{{Code: "ReferencedResourceNotProvisioned", Message: "Cannot proceed with operation because resource " + r.ID +
			" used by resource " + by.Path + " is not in Succeeded state. Resource is in " + r.ProvisioningState() +
			" state and the last operation that updated/is updating the resource is " + operation + "."}},
	}
}

// networkUsersOf returns the network resources, other than the owner itself and what is below it, that refer to a path.
func networkUsersOf(s *arm.Service, path, owner string) []*arm.Resource {
	var users []*arm.Resource
	for _, r := range s.Store.All() {
		switch {
		case !strings.HasPrefix(strings.ToLower(r.Type), "microsoft.network/") && !isNetworkInterface(r):
		case r.Key() == strings.ToLower(owner), strings.HasPrefix(r.Key(), strings.ToLower(owner)+"/"), r.Key() == strings.ToLower(path):
		case arm.RefersTo(r.Body, path):
			users = append(users, r)
		}
	}
	return users
}
