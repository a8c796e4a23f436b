package arm

import (
	"net/http"
	"regexp"
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

// ActionsOf is all that a role has to allow for a request: ActionOf it, and what it does with the resources that its body refers to.
func ActionsOf(method, path string, body []byte) []string {
	actions := []string{ActionOf(method, path)}
	for _, l := range LinksOf(method, path, body) {
		actions = append(actions, l.Action)
	}
	return actions
}

// Types of which something else has to be allowed than of others for a resource to refer to them, or for them to refer to a resource.
const (
	typeIdentity        = "microsoft.managedidentity/userassignedidentities"
	typeSecurityGroup   = "microsoft.network/applicationsecuritygroups"
	typeRulesOfGroup    = "microsoft.network/networksecuritygroups"
	typeVirtualNetwork  = "microsoft.network/virtualnetworks"
	typePeering         = "microsoft.network/virtualnetworks/virtualnetworkpeerings"
	typePrivateEndpoint = "microsoft.network/privateendpoints"
	typesOfNetworks     = "microsoft.network/"
)

const typeSubscription = "Microsoft.Resources/subscriptions"

// LinkActionOf is what a role has to allow on the resource of a path for that of another path, which is being written, to use it.
func LinkActionOf(writing, linked string) string {
	kind := typeOf(linked)
	switch from, to := strings.ToLower(typeOf(writing)), strings.ToLower(kind); {
	case to == typeIdentity:
		return kind + "/assign/action"
	case to == typeSecurityGroup && strings.HasPrefix(from, typeRulesOfGroup):
		return kind + "/joinNetworkSecurityRule/action"
	case to == typeSecurityGroup:
		return kind + "/joinIpConfiguration/action"
	case to == typeVirtualNetwork && (from == typePeering || from == typeVirtualNetwork):
		return kind + "/peer/action"
	case from == typePrivateEndpoint && !strings.HasPrefix(to, typeVirtualNetwork) && to != typeSecurityGroup:
		return kind + "/PrivateEndpointConnectionsApproval/action"
	case strings.HasPrefix(to, typesOfNetworks):
		return kind + "/join/action"
	}
	return kind + "/read"
}

// A Link is a resource that a request's body refers to, and what has to be allowed on it.
type Link struct {
	Path, Action string
}

// link is a resource identifier in a request's body.
var link = regexp.MustCompile(`(?i)"(/subscriptions/[^/"]+/resourceGroups/[^/"]+/providers/[^"]+)"`)

// LinksOf returns the resources that a change refers to, beside the one that is changed, what that is part of, and its parts.
func LinksOf(method, path string, body []byte) []Link {
	if method != http.MethodPut && method != http.MethodPatch {
		return nil
	}
	var links []Link
	for _, match := range link.FindAllSubmatch(body, -1) {
		if linked := string(match[1]); !within(linked, path) && !within(path, linked) {
			links = append(links, Link{Path: linked, Action: LinkActionOf(path, linked)})
		}
	}
	return links
}

// within reports whether a path is of a resource or of a part of it.
func within(path, resource string) bool {
	return strings.HasPrefix(strings.ToLower(path)+"/", strings.ToLower(resource)+"/")
}

// typeOf returns the type of what a path addresses; an action at its end counts as part of it.
func typeOf(path string) string {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	last := lastProvider(segments)
	if last < 0 {
		return typeInSubscription(segments)
	}
	if last == len(segments)-1 { // whether a provider is registered
		return typeSubscription + "/providers"
	}
	kind := segments[last]
	for i := last + 1; i < len(segments); i += 2 {
		kind += "/" + segments[i]
	}
	return kind
}

// typeInSubscription is the type of a subscription, of a resource group, or of what either has beside resources.
func typeInSubscription(segments []string) string {
	kind := typeSubscription
	for i := 2; i < len(segments); i += 2 {
		name := segments[i]
		if strings.EqualFold(name, "resourceGroups") {
			name = "resourceGroups"
		}
		kind += "/" + name
	}
	return kind
}
