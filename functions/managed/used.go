package managed

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// standBehind returns what is composed around a ManagedCluster of the user's own. It has its resource group and network
// already, so none are made for it unless a private endpoint asks for them; what is attached to the cluster refers to it.
func standBehind(in *composer.Request, inlines []*composer.Inline, managed *composer.Inline) []*composer.Inline {
	if !managed.UsersOwn(in) {
		return inlines
	}
	if composer.First(inlines, privateEndpointKind) == nil {
		inlines = slices.DeleteFunc(slices.Clone(inlines), func(i *composer.Inline) bool {
			// What has been made before the user's ManagedCluster came stays.
			return surrounding(i) && in.Made(i.Name()) == nil && i.Used == nil
		})
	}
	if managed.Used == nil {
		return inlines
	}
	for _, i := range inlines {
		if i.Is(extensionKind) || i.Is(fleetsMemberKind) {
			retarget(i.Object.Object["spec"], managed)
		}
	}
	return inlines
}

func surrounding(i *composer.Inline) bool {
	return i.Is(composer.ResourceGroup) || i.Is(networkKind) || i.Is(subnetKind)
}

// retarget has all references within value to the ManagedCluster that would be composed mean the user's.
func retarget(value any, managed *composer.Inline) {
	switch v := value.(type) {
	case map[string]any:
		id, _ := v["armId"].(string)
		used, _, _ := unstructured.NestedString(managed.Used.Object, "status", "id")
		if used != "" && strings.HasSuffix(strings.ToLower(id), strings.ToLower("/managedClusters/"+member.AzureName(managed.Object))) {
			v["armId"] = used
		}
		if v["kind"] == member.ManagedClusterKind.Kind && v["name"] == managed.Object.GetName() {
			v["name"] = managed.Used.GetName()
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
