package arm

import (
	"net/http"
	"strings"
)

// ActionOf is what a role has to allow for a request, see https://learn.microsoft.com/azure/role-based-access-control/resource-provider-operations.
func ActionOf(method, path string) string {
	kind := typeOf(path)
	switch method {
	case http.MethodPut, http.MethodPatch:
		return kind + "/write"
	case http.MethodDelete:
		return kind + "/delete"
	case http.MethodPost:
		return kind + "/action"
	}
	return kind + "/read"
}

// typeIdentity is the type of a managed identity that is a resource of its own.
const typeIdentity = "Microsoft.ManagedIdentity/userAssignedIdentities"

// LinkActionOf is what a role has to allow on a resource that another is to use.
func LinkActionOf(path string) string {
	kind := typeOf(path)
	switch {
	case strings.EqualFold(kind, typeIdentity):
		return kind + "/assign/action"
	case strings.HasPrefix(strings.ToLower(kind), "microsoft.network/"):
		return kind + "/join/action"
	}
	return kind + "/read"
}

// typeOf returns the type of what a path addresses; an action at its end counts as part of it.
func typeOf(path string) string {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	last := lastProvider(segments)
	if last < 0 {
		if len(segments) > 2 {
			return "Microsoft.Resources/subscriptions/resourceGroups"
		}
		return "Microsoft.Resources/subscriptions"
	}
	kind := segments[last]
	for i := last + 1; i < len(segments); i += 2 {
		kind += "/" + segments[i]
	}
	return kind
}
