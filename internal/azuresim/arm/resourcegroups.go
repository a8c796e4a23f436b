package arm

import "strings"

// regions are the locations that a resource group can be in.
var regions = strings.Fields(`centralus eastasia southeastasia eastus eastus2 westus westus2 westus3 northcentralus southcentralus
	westcentralus northeurope westeurope japaneast japanwest brazilsouth australiasoutheast australiaeast westindia southindia
	centralindia canadacentral canadaeast uksouth ukwest koreacentral koreasouth francecentral southafricanorth uaenorth
	australiacentral australiacentral2 switzerlandnorth germanywestcentral norwayeast swedencentral polandcentral italynorth
	israelcentral spaincentral mexicocentral newzealandnorth qatarcentral jioindiawest jioindiacentral brazilsoutheast
	francesouth germanynorth norwaywest southafricawest switzerlandwest uaecentral centraluseuap eastus2euap`)

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
	for _, region := range regions {
		if region == location {
			return nil
		}
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
