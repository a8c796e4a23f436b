package managed

import (
	"slices"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// aroundExisting returns what is composed around a ManagedCluster of the user's own. It has its resource group and network
// already, so none are made for it unless a private endpoint asks for them; what is attached to the cluster refers to it.
func aroundExisting(in *composer.Request, resources []*plan.Resource, managed *plan.Resource) []*plan.Resource {
	if !managed.UsesExisting(in) {
		return resources
	}
	if plan.First(resources, aso.PrivateEndpoint) == nil {
		resources = slices.DeleteFunc(slices.Clone(resources), func(r *plan.Resource) bool {
			surrounds := r.Is(aso.ResourceGroup) || r.Is(aso.VirtualNetwork) || r.Is(aso.VirtualNetworksSubnet)
			// What has been made before the user's ManagedCluster came stays.
			return surrounds && plan.Created(in, r.Name()) == nil && r.Existing() == nil
		})
	}
	if managed.Existing() == nil {
		return resources
	}
	for _, r := range resources {
		if r.Is(aso.Extension) || r.Is(aso.FleetsMember) {
			retarget(r.Object.Object["spec"], managed)
		}
	}
	return resources
}

// retarget has all references within value to the ManagedCluster that would be composed mean the user's.
func retarget(value any, managed *plan.Resource) {
	switch v := value.(type) {
	case map[string]any:
		text, _ := v["armId"].(string)
		id, existing := aso.ParseID(text), aso.StatusID.Value(managed.Existing())
		if existing != "" && id != nil && aso.NewResolver(managed.Object).IsAt(managed.Object, id) {
			v["armId"] = existing
		}
		if v["kind"] == aso.ManagedCluster.Name && v["name"] == managed.Object.GetName() {
			v["name"] = managed.Existing().GetName()
		}
		for _, inner := range v {
			retarget(inner, managed)
		}
	case []any:
		for _, inner := range v {
			retarget(inner, managed)
		}
	}
}
