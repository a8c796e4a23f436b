// Package access simulates managed identities, and roles and who has them.
package access

import (
	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// TypeUserAssignedIdentity is the type of a managed identity that is a resource of its own.
const TypeUserAssignedIdentity = "Microsoft.ManagedIdentity/userAssignedIdentities"

// Types are the types of identities, and of what they are allowed.
func Types() []*arm.ResourceType {
	return []*arm.ResourceType{
		roleAssignmentType(),
		{
			Name:     TypeUserAssignedIdentity,
			Tracked:  true,
			Protocol: arm.Synchronous,
			Apply:    applyUserAssignedIdentity,
			View:     arm.ViewWithoutState,
		},
		{
			Name:     TypeUserAssignedIdentity + "/federatedIdentityCredentials",
			Protocol: arm.Synchronous,
			View:     arm.ViewWithoutState,
		},
	}
}

func applyUserAssignedIdentity(p *arm.Put) *arm.Error {
	properties := map[string]any{"clientId": uuid.NewString(), fields.Principal: uuid.NewString(), "tenantId": p.Service.TenantOf(p.ID.Subscription)}
	if p.Existing != nil {
		properties = fields.Clone(p.Existing.Properties())
	}
	fields.Fill(fields.Child(p.Result, "properties"), properties)
	p.Result["id"] = arm.LowerResourceGroups(p.Resource.ID)
	return nil
}
