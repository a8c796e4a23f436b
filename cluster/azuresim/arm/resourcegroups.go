package arm

import (
	"slices"
	"strings"
)

func resourceGroupTypes() []*resourceType {
	return []*resourceType{{
		name:    TypeResourceGroup,
		tracked: true,
		protocol: protocol{
			create:         answer{status: 201},
			update:         answer{status: 200},
			remove:         answer{status: 202, location: true, retryAfter: 15, state: stateDeleting, noBody: true},
			pollRetryAfter: 15,
			operations:     operationsSegment,
			results:        "operationresults",
		},
		validate: validateResourceGroup,
		apply:    applyResourceGroup,
	}}
}

func validateResourceGroup(p *put) *Error {
	location := normalLocation(text(p.requested, "location"))
	regions := p.service.tenants.CloudOf(p.id.Subscription).Regions
	if slices.Contains(regions, location) {
		return nil
	}
	return badRequest("LocationNotAvailableForResourceGroup",
		"The provided location '%s' is not available for resource group. List of available regions is '%s'.",
		text(p.requested, "location"), strings.Join(regions, ","))
}

func applyResourceGroup(p *put) *Error {
	p.result["properties"] = map[string]any{}
	if p.existing != nil && p.existing.Body["managedBy"] != nil {
		p.result["managedBy"] = p.existing.Body["managedBy"]
	}
	return nil
}
