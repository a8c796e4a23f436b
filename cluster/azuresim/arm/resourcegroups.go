package arm

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// ResourceGroupTypes are resource groups.
func ResourceGroupTypes() []*ResourceType {
	return []*ResourceType{{
		Name:    TypeResourceGroup,
		Tracked: true,
		Protocol: Protocol{
			Create:         Answer{Status: 201},
			Update:         Answer{Status: 200},
			Remove:         Answer{Status: 202, Location: true, RetryAfter: 15, State: StateDeleting, NoBody: true},
			PollRetryAfter: 15,
			Operations:     OperationsSegment,
			Results:        "operationresults",
		},
		Validate: validateResourceGroup,
		Apply:    applyResourceGroup,
	}}
}

// longestGroupName is how many characters the name of a resource group has at most.
const longestGroupName = 90

// invalidGroupName refuses a name that Azure takes for no resource group (ARM documentation, "Naming rules and restrictions for Azure
// resources"). Letters and digits of any alphabet are allowed (MicrosoftDocs/feedback#1951).
func invalidGroupName(name string) *Error {
	refused := func(why string) *Error {
		return BadRequest("InvalidResourceGroup", "The provided resource group name '%s' %s. For more details, visit https://aka.ms/ResourceGroupNamingRestrictions .", name, why)
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

func validateResourceGroup(p *Put) *Error {
	if e := invalidGroupName(p.ID.Name); e != nil {
		return e
	}
	location := NormalLocation(fields.Text(p.Requested, fields.Location))
	regions := p.Service.Tenants.CloudOf(p.ID.Subscription).Regions
	if slices.Contains(regions, location) {
		return nil
	}
	return BadRequest("LocationNotAvailableForResourceGroup",
		"The provided location '%s' is not available for resource group. List of available regions is '%s'.",
		fields.Text(p.Requested, fields.Location), strings.Join(regions, ","))
}

func applyResourceGroup(p *Put) *Error {
	p.Result["properties"] = map[string]any{}
	if p.Existing != nil && p.Existing.Body["managedBy"] != nil {
		p.Result["managedBy"] = p.Existing.Body["managedBy"]
	}
	return nil
}
