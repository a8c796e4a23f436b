package access

import (
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

const typeRoleAssignment = "Microsoft.Authorization/roleAssignments"

func roleAssignmentType() *arm.ResourceType {
	p := arm.Synchronous
	p.Update = arm.Answer{Status: 201}
	p.Remove = arm.Answer{Status: 200}
	return &arm.ResourceType{Name: typeRoleAssignment, Protocol: p, Validate: validateRoleAssignment, Apply: applyRoleAssignment, View: arm.ViewWithoutState}
}

// scopeOf is what a role assignment is about: all of its identifier before the last provider.
func scopeOf(id arm.ID) string {
	if i := strings.LastIndex(strings.ToLower(id.Path), "/providers/microsoft.authorization/"); i >= 0 {
		return id.Path[:i]
	}
	return id.Parent
}

func validateRoleAssignment(p *arm.Put) *arm.Error {
	principal := fields.Text(p.Requested, "properties", "principalId")
	if _, err := uuid.Parse(principal); err != nil {
		return arm.BadRequest("InvalidPrincipalId", "The Principal ID '%s' is not valid. Principal ID must be a GUID.", principal)
	}
	if _, err := uuid.Parse(p.ID.Name); err != nil {
		return arm.BadRequest("InvalidRoleAssignmentId", "The role assignment ID '%s' is not valid. The role assignment ID must be a GUID.", p.ID.Name)
	}
	role := roleName(fields.Text(p.Requested, "properties", "roleDefinitionId"))
	if p.Existing != nil {
		if !strings.EqualFold(fields.Text(p.Existing.Body, "properties", "principalId"), principal) || !strings.EqualFold(roleName(fields.Text(p.Existing.Body, "properties", "roleDefinitionId")), role) {
			return arm.BadRequest("RoleAssignmentUpdateNotPermitted", "Tenant ID, application ID, principal ID, and scope are not allowed to be updated.")
		}
		return nil
	}
	for _, other := range p.Service.Store.All() {
		if other.Type == typeRoleAssignment && strings.EqualFold(scopeOf(other.Identity()), scopeOf(p.ID)) && strings.EqualFold(fields.Text(other.Body, "properties", "principalId"), principal) &&
			strings.EqualFold(roleName(fields.Text(other.Body, "properties", "roleDefinitionId")), role) {
			return &arm.Error{Status: http.StatusConflict, Code: "RoleAssignmentExists", Message: "The role assignment already exists. The ID of the existing role assignment is " + strings.ReplaceAll(other.Name, "-", "") + "."}
		}
	}
	return nil
}

// roleName is the last segment of a role definition's identifier.
func roleName(definition string) string {
	return definition[strings.LastIndex(definition, "/")+1:]
}

func applyRoleAssignment(p *arm.Put) *arm.Error {
	now := p.Now.UTC().Format(time.RFC3339Nano)
	properties := fields.Child(p.Result, "properties")
	if p.Existing != nil {
		before := p.Existing.Properties()
		fields.Fill(properties, map[string]any{"createdOn": before["createdOn"]})
		if fields.Text(properties, "description") == fields.Text(before, "description") && fields.Text(properties, "condition") == fields.Text(before, "condition") { // Nothing else may change.
			fields.Fill(properties, map[string]any{"updatedOn": before["updatedOn"]})
		}
	}
	fields.Fill(properties, map[string]any{
		"principalType": "ServicePrincipal", "scope": scopeOf(p.ID), "condition": nil, "conditionVersion": nil, "createdOn": now, "updatedOn": now,
		"createdBy": nil, "updatedBy": "00000000-0000-0000-0000-000000000000", "delegatedManagedIdentityResourceId": nil, "description": nil,
	})
	return nil
}
