package arm

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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

// longestGroupName is how many characters the name of a resource group has at most.
const longestGroupName = 90

// invalidGroupName refuses a name that Azure takes for no resource group (ARM documentation, "Naming rules and restrictions for Azure
// resources"). Letters and digits of any alphabet are allowed (MicrosoftDocs/feedback#1951).
func invalidGroupName(name string) *Error {
	refused := func(why string) *Error {
		return badRequest("InvalidResourceGroup", "The provided resource group name '%s' %s. For more details, visit https://aka.ms/ResourceGroupNamingRestrictions .", name, why)
	}
	invalid := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-.()_", r) {
			return -1
		}
		return r
	}, name)
	switch {
	case invalid != "":
		return refused(fmt.Sprintf("has these invalid characters: '%s'. The name can only be a letter, digit, '-', '.', '(', ')' or '_'", invalid))
	case strings.HasSuffix(name, "."):
		return refused("ends with a period, but must not")
	case utf8.RuneCountInString(name) > longestGroupName:
		return refused(fmt.Sprintf("has more than %d characters", longestGroupName))
	}
	return nil
}

func validateResourceGroup(p *put) *Error {
	if e := invalidGroupName(p.id.Name); e != nil {
		return e
	}
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
