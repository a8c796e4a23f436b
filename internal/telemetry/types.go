package telemetry

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// TypeOperation stands for the operations of Azure that go on after a request has been answered, of whatever resource.
const TypeOperation = "operations"

// ResourceTypes returns the types in Azure Resource Manager that requests are told apart by.
func ResourceTypes() []string {
	all := []string{TypeOperation, "Microsoft.Resources/tags", "Microsoft.Compute/skus", "Microsoft.Compute/virtualMachineScaleSets/virtualMachines",
		"Microsoft.ResourceHealth/availabilityStatuses"}
	for _, k := range aso.Catalogue() {
		if arm := k.ARM(); arm != "" {
			all = append(all, arm)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ResourceType returns the type of what a path in Azure Resource Manager, or a whole URL, is about: a resource or a list of them.
func ResourceType(address string) string {
	path := address
	if u, err := url.Parse(address); err == nil {
		path = u.Path
	}
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	provider := -1
	for i, s := range segments {
		if strings.EqualFold(s, "providers") {
			provider = i
		}
	}
	if provider < 0 {
		if len(segments) > 2 && strings.EqualFold(segments[len(segments)-2], "resourceGroups") {
			return aso.ResourceGroup.ARM()
		}
		return Other
	}
	rest := segments[provider+1:]
	if len(rest) > 2 && strings.EqualFold(rest[1], "locations") {
		return TypeOperation // That of a location that is asked for is how far an operation is.
	}
	var parts []string
	for i, s := range rest {
		if i == 0 || i%2 == 1 {
			parts = append(parts, s)
		}
	}
	return spelled(strings.Join(parts, "/"))
}

// spellings are the types as ResourceTypes has them, by themselves in lower case.
var spellings = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, known := range ResourceTypes() {
		all[strings.ToLower(known)] = known
	}
	return all
})

// spelled returns a type as ResourceTypes has it: Azure answers with others.
func spelled(name string) string { return cmp.Or(spellings()[strings.ToLower(name)], Other) }
