package arm

import "github.com/google/uuid"

// TypeUserAssignedIdentity is the type of a managed identity that is a resource of its own.
const TypeUserAssignedIdentity = "Microsoft.ManagedIdentity/userAssignedIdentities"

func identityTypes() []*resourceType {
	return []*resourceType{
		{
			name:     TypeUserAssignedIdentity,
			tracked:  true,
			protocol: synchronous,
			apply:    applyUserAssignedIdentity,
			view:     viewWithoutState,
		},
		{
			name:     TypeUserAssignedIdentity + "/federatedIdentityCredentials",
			protocol: synchronous,
			view:     viewWithoutState,
		},
	}
}

func applyUserAssignedIdentity(p *put) *Error {
	properties := map[string]any{"clientId": uuid.NewString(), fieldPrincipal: uuid.NewString(), "tenantId": p.service.tenantOf(p.id.Subscription)}
	if p.existing != nil {
		properties = clone(p.existing.properties())
	}
	fill(child(p.result, "properties"), properties)
	p.result["id"] = lowerResourceGroups(p.resource.ID)
	return nil
}
