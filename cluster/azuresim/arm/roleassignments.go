package arm

import (
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
)

const typeRoleAssignment = "Microsoft.Authorization/roleAssignments"

func roleAssignmentType() *resourceType {
	p := synchronous
	p.update = answer{status: 201}
	p.remove = answer{status: 200}
	return &resourceType{name: typeRoleAssignment, protocol: p, validate: validateRoleAssignment, apply: applyRoleAssignment, view: viewWithoutState}
}

// scopeOf is what a role assignment is about: all of its identifier before the last provider.
func scopeOf(id ID) string {
	if i := strings.LastIndex(strings.ToLower(id.Path), "/providers/microsoft.authorization/"); i >= 0 {
		return id.Path[:i]
	}
	return id.Parent
}

func validateRoleAssignment(p *put) *Error {
	principal := text(p.requested, "properties", "principalId")
	if _, err := uuid.Parse(principal); err != nil {
		return badRequest("InvalidPrincipalId", "The Principal ID '%s' is not valid. Principal ID must be a GUID.", principal)
	}
	if _, err := uuid.Parse(p.id.Name); err != nil {
		return badRequest("InvalidRoleAssignmentId", "The role assignment ID '%s' is not valid. The role assignment ID must be a GUID.", p.id.Name)
	}
	role := roleName(text(p.requested, "properties", "roleDefinitionId"))
	if p.existing != nil {
		if !strings.EqualFold(text(p.existing.Body, "properties", "principalId"), principal) || !strings.EqualFold(roleName(text(p.existing.Body, "properties", "roleDefinitionId")), role) {
			return badRequest("RoleAssignmentUpdateNotPermitted", "Tenant ID, application ID, principal ID, and scope are not allowed to be updated.")
		}
		return nil
	}
	for _, other := range p.service.store.all() {
		if other.Type == typeRoleAssignment && strings.EqualFold(scopeOf(other.id()), scopeOf(p.id)) && strings.EqualFold(text(other.Body, "properties", "principalId"), principal) &&
			strings.EqualFold(roleName(text(other.Body, "properties", "roleDefinitionId")), role) {
			return &Error{Status: http.StatusConflict, Code: "RoleAssignmentExists", Message: "The role assignment already exists. The ID of the existing role assignment is " + strings.ReplaceAll(other.Name, "-", "") + "."}
		}
	}
	return nil
}

// roleName is the last segment of a role definition's identifier.
func roleName(definition string) string {
	return definition[strings.LastIndex(definition, "/")+1:]
}

func applyRoleAssignment(p *put) *Error {
	now := p.now.UTC().Format(time.RFC3339Nano)
	properties := child(p.result, "properties")
	if p.existing != nil {
		before := p.existing.properties()
		fill(properties, map[string]any{"createdOn": before["createdOn"]})
		if text(properties, "description") == text(before, "description") && text(properties, "condition") == text(before, "condition") { // Nothing else may change.
			fill(properties, map[string]any{"updatedOn": before["updatedOn"]})
		}
	}
	fill(properties, map[string]any{
		"principalType": "ServicePrincipal", "scope": scopeOf(p.id), "condition": nil, "conditionVersion": nil, "createdOn": now, "updatedOn": now,
		"createdBy": nil, "updatedBy": "00000000-0000-0000-0000-000000000000", "delegatedManagedIdentityResourceId": nil, "description": nil,
	})
	return nil
}
