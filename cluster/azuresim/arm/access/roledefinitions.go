package access

import (
	"maps"
	"net/http"
	"slices"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// builtInRoles are some of Azure's built-in roles: their names are the same GUIDs in every tenant
// (Azure documentation, "Azure built-in roles").
var builtInRoles = map[string]string{ //nolint:gosec // names and public GUIDs
	"Owner":                        "8e3af657-a8ff-443c-a75c-2fe8c4bcb635",
	"Contributor":                  "b24988ac-6180-42a0-ab88-20f7382dd24c",
	"Reader":                       "acdd72a7-3385-48ef-bd42-f606fba81ae7",
	"Network Contributor":          "4d97b98b-1d4f-4787-a291-c67834d212e7",
	"Managed Identity Operator":    "f1a07417-d97a-45cb-824c-7a7467783830",
	"Private DNS Zone Contributor": "b12aa53e-6015-4669-85d0-8515ebb3ae7f",
	"AcrPull":                      "7f951dda-4ed3-4680-a7ca-43fe172d538d",
	"Key Vault Secrets User":       "4633458b-17de-408a-b874-0445c86b69e6",
	"Azure Kubernetes Service RBAC Cluster Admin": "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b",
}

// ListRoles answers the list of built-in roles, which belong to no subscription.
func ListRoles(_ *arm.Service, w http.ResponseWriter, _ *http.Request, _ string) *arm.Error {
	value := []any{}
	for _, name := range slices.Sorted(maps.Keys(builtInRoles)) {
		value = append(value, map[string]any{
			"id":   "/providers/Microsoft.Authorization/roleDefinitions/" + builtInRoles[name],
			"type": "Microsoft.Authorization/roleDefinitions",
			"name": builtInRoles[name],
			fields.Properties: map[string]any{
				"roleName": name, "type": "BuiltInRole", "assignableScopes": []any{"/"}, "permissions": []any{},
			},
		})
	}
	arm.WriteJSON(w, http.StatusOK, map[string]any{"value": value})
	return nil
}
