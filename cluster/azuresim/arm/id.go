package arm

import (
	"fmt"
	"strings"

	azurearm "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
)

// TypeResourceGroup is the type of a resource group.
const TypeResourceGroup = "Microsoft.Resources/resourceGroups"

// ID is a parsed resource identifier.
type ID struct {
	// Path is the identifier as the client spelled it.
	Path          string
	Subscription  string
	ResourceGroup string
	// Namespace and Types are the resource provider and the type below it, Type is both.
	Namespace, Type string
	Name            string
	// Parent is the identifier of the resource above: a resource, a resource group or, at the top, empty.
	Parent string
	// ParentType is the type of that resource.
	ParentType string
}

// ParseID parses the path of a resource or of a resource group.
func ParseID(path string) (ID, error) {
	parsed, err := azurearm.ParseResourceID(path)
	if err != nil {
		return ID{}, fmt.Errorf("resource id %q: %w", path, err)
	}
	id := ID{
		Path:          path,
		Subscription:  parsed.SubscriptionID,
		ResourceGroup: parsed.ResourceGroupName,
		Namespace:     parsed.ResourceType.Namespace,
		Type:          parsed.ResourceType.String(),
		Name:          parsed.Name,
	}
	if parent := parsed.Parent; parent != nil && parent.SubscriptionID != "" && parent.ResourceType.String() != "Microsoft.Resources/subscriptions" {
		id.Parent = parent.String()
		id.ParentType = parent.ResourceType.String()
	}
	return id, nil
}

// Key is the identifier in the form that identifiers are compared in.
func (id ID) Key() string {
	return strings.ToLower(id.Path)
}

func (id ID) isResourceGroup() bool {
	return strings.EqualFold(id.Type, TypeResourceGroup)
}

// Nested tells whether the resource lies below another one, and not directly in a resource group or subscription.
func (id ID) Nested() bool {
	return id.Parent != "" && !strings.EqualFold(id.ParentType, TypeResourceGroup)
}

// GroupPath is the identifier of the resource group, or of the subscription for a resource without one.
func (id ID) GroupPath() string {
	if id.ResourceGroup == "" {
		return "/subscriptions/" + id.Subscription
	}
	return "/subscriptions/" + id.Subscription + "/resourceGroups/" + id.ResourceGroup
}

// TypedName is the type with the names in it, as ARM's messages have it: Microsoft.Network/virtualNetworks/vnet.
func (id ID) TypedName() string {
	i := strings.LastIndex(strings.ToLower(id.Path), "/providers/")
	if i < 0 {
		return id.Path
	}
	return id.Path[i+len("/providers/"):]
}

// LowerResourceGroups spells that segment as AKS does.
func LowerResourceGroups(id string) string {
	return strings.Replace(id, "/resourceGroups/", "/resourcegroups/", 1)
}

// NormalLocation returns the name of a location as Azure compares it: "West Europe" is westeurope.
func NormalLocation(location string) string {
	return strings.ToLower(strings.ReplaceAll(location, " ", ""))
}
