package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// everyKind has the API version and the least spec of every ASO kind that package/install/rbac.yaml gives rights to, but for
// the owner.
var everyKind = map[string]struct{ apiVersion, spec string }{
	"RoleAssignment":                       {"authorization.azure.com/v1api20220401", `principalId: 1b0dd0c2-1f37-4a5b-9a0b-3d3a4b1d2c55, roleDefinitionReference: {wellKnownName: Reader}`},
	"AvailabilitySet":                      {"compute.azure.com/v1api20241101", `location: westeurope`},
	"VirtualMachine":                       {"compute.azure.com/v1api20220301", `location: westeurope`},
	"VirtualMachineScaleSet":               {"compute.azure.com/v1api20220301", `location: westeurope`},
	"VirtualMachinesExtension":             {"compute.azure.com/v1api20220301", ``},
	"FleetsMember":                         {"containerservice.azure.com/v1api20250301", `clusterResourceReference: {armId: ` + someGroup + `/providers/Microsoft.ContainerService/managedClusters/other}`},
	"MaintenanceConfiguration":             {"containerservice.azure.com/v1api20250801", ``},
	"ManagedCluster":                       {"containerservice.azure.com/v1api20250801", `location: westeurope`},
	"ManagedClustersAgentPool":             {"containerservice.azure.com/v1api20250801", `azureName: other, count: 1`},
	"TrustedAccessRoleBinding":             {"containerservice.azure.com/v1api20250801", `azureName: other, roles: [Microsoft.MachineLearningServices/workspaces/mlworkload], sourceResourceReference: {armId: ` + someGroup + `/providers/Microsoft.MachineLearningServices/workspaces/other}`},
	"Vault":                                {"keyvault.azure.com/v1api20230701", `location: westeurope, properties: {tenantId: 1b0dd0c2-1f37-4a5b-9a0b-3d3a4b1d2c55, sku: {family: A, name: standard}}`},
	"Extension":                            {"kubernetesconfiguration.azure.com/v1api20241101", `extensionType: microsoft.flux`},
	"FluxConfiguration":                    {"kubernetesconfiguration.azure.com/v1api20241101", `namespace: flux`},
	"FederatedIdentityCredential":          {"managedidentity.azure.com/v1api20230131", `audiences: [api://AzureADTokenExchange], issuer: https://issuer.invalid, subject: nobody`},
	"UserAssignedIdentity":                 {"managedidentity.azure.com/v1api20230131", `location: westeurope`},
	"BastionHost":                          {"network.azure.com/v20250301", `location: westeurope`},
	"LoadBalancer":                         {"network.azure.com/v20250301", `location: westeurope`},
	"LoadBalancersInboundNatRule":          {"network.azure.com/v20250301", ``},
	"NatGateway":                           {"network.azure.com/v20250301", `location: westeurope`},
	"NetworkInterface":                     {"network.azure.com/v20250301", `location: westeurope`},
	"NetworkSecurityGroup":                 {"network.azure.com/v20250301", `location: westeurope`},
	"NetworkSecurityGroupsSecurityRule":    {"network.azure.com/v20250301", `access: Allow, direction: Inbound, priority: 100, protocol: Tcp`},
	"PrivateDnsZone":                       {"network.azure.com/v1api20240601", `azureName: every.invalid, location: global`},
	"PrivateDnsZonesAAAARecord":            {"network.azure.com/v1api20240601", `ttl: 300`},
	"PrivateDnsZonesARecord":               {"network.azure.com/v1api20240601", `ttl: 300`},
	"PrivateDnsZonesVirtualNetworkLink":    {"network.azure.com/v1api20240601", `location: global`},
	"PrivateEndpoint":                      {"network.azure.com/v20250301", `location: westeurope`},
	"PrivateLinkService":                   {"network.azure.com/v20250301", `location: westeurope`},
	"PublicIPAddress":                      {"network.azure.com/v20250301", `location: westeurope`},
	"PublicIPPrefix":                       {"network.azure.com/v20250301", `location: westeurope`},
	"RouteTable":                           {"network.azure.com/v20250301", `location: westeurope`},
	"RouteTablesRoute":                     {"network.azure.com/v20250301", `nextHopType: None`},
	"VirtualNetwork":                       {"network.azure.com/v20250301", `location: westeurope, addressSpace: {addressPrefixes: [10.98.0.0/16]}`},
	"VirtualNetworksSubnet":                {"network.azure.com/v20250301", `addressPrefix: 10.98.0.0/24`},
	"VirtualNetworksVirtualNetworkPeering": {"network.azure.com/v20250301", ``},
	"ResourceGroup":                        {"resources.azure.com/v1api20200601", `location: westeurope`},
}

// someGroup is a resource group that does not exist.
const someGroup = "/subscriptions/1b0dd0c2-1f37-4a5b-9a0b-3d3a4b1d2c55/resourceGroups/other"

// everyOwner is what the kinds belong to that belong to no resource group.
var everyOwner = map[string]string{
	"RoleAssignment":                       "Microsoft.ContainerService/managedClusters/other",
	"FleetsMember":                         "Microsoft.ContainerService/fleets/other",
	"MaintenanceConfiguration":             "Microsoft.ContainerService/managedClusters/other",
	"ManagedClustersAgentPool":             "Microsoft.ContainerService/managedClusters/other",
	"TrustedAccessRoleBinding":             "Microsoft.ContainerService/managedClusters/other",
	"Extension":                            "Microsoft.ContainerService/managedClusters/other",
	"FluxConfiguration":                    "Microsoft.ContainerService/managedClusters/other",
	"FederatedIdentityCredential":          "Microsoft.ManagedIdentity/userAssignedIdentities/other",
	"VirtualMachinesExtension":             "Microsoft.Compute/virtualMachines/other",
	"LoadBalancersInboundNatRule":          "Microsoft.Network/loadBalancers/other",
	"NetworkSecurityGroupsSecurityRule":    "Microsoft.Network/networkSecurityGroups/other",
	"PrivateDnsZonesAAAARecord":            "Microsoft.Network/privateDnsZones/other.invalid",
	"PrivateDnsZonesARecord":               "Microsoft.Network/privateDnsZones/other.invalid",
	"PrivateDnsZonesVirtualNetworkLink":    "Microsoft.Network/privateDnsZones/other.invalid",
	"RouteTablesRoute":                     "Microsoft.Network/routeTables/other",
	"VirtualNetworksSubnet":                "Microsoft.Network/virtualNetworks/other",
	"VirtualNetworksVirtualNetworkPeering": "Microsoft.Network/virtualNetworks/other",
}

// everyEntry is an entry of spec.resources of a kind. ASO does not touch Azure for it.
func everyEntry(kind string) string {
	owner := "owner: {armId: " + someGroup + "}"
	if of, other := everyOwner[kind]; other {
		owner = "owner: {armId: " + someGroup + "/providers/" + of + "}"
	}
	if kind == "ResourceGroup" {
		owner = ""
	}
	spec := strings.Join(slices.DeleteFunc([]string{owner, everyKind[kind].spec}, func(s string) bool { return s == "" }), ", ")
	return fmt.Sprintf(`
apiVersion: %s
kind: %s
metadata:
  name: %s
  annotations: {serviceoperator.azure.com/reconcile-policy: skip}
spec: {%s}
`, everyKind[kind].apiVersion, kind, everyName(kind), spec)
}

func everyName(kind string) string { return "every-" + strings.ToLower(kind) }

// everyNames are the kinds in order.
func everyNames() []string { return slices.Sorted(maps.Keys(everyKind)) }

func everyGVK(kind string) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(everyKind[kind].apiVersion, kind)
}

// eachKind makes an expectation for each kind.
func eachKind(expect func(schema.GroupVersionKind, string) expectation) []expectation {
	var out []expectation
	for _, kind := range everyNames() {
		out = append(out, expect(everyGVK(kind), everyName(kind)))
	}
	return out
}

// changeEvery changes the entries of all kinds in the pool's spec.resources.
func changeEvery(alter func(u *unstructured.Unstructured, kind string) error) func(*world) error {
	return func(w *world) error {
		return w.edit(asoPoolKind, userPool, func(u *unstructured.Unstructured) error {
			for _, kind := range everyNames() {
				if err := alter(u, kind); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// deleteEvery deletes the objects of all kinds behind Crossplane's back.
func deleteEvery(w *world) error {
	for _, kind := range everyNames() {
		if err := w.remove(everyGVK(kind), everyName(kind)); err != nil {
			return err
		}
	}
	return nil
}

// pausePool keeps Crossplane from the pool, or lets it go on.
func pausePool(value any) func(*world) error {
	return func(w *world) error {
		return w.edit(asoPoolKind, userPool, func(u *unstructured.Unstructured) error {
			if value == nil {
				unstructured.RemoveNestedField(u.Object, "metadata", "annotations", "crossplane.io/paused")
				return nil
			}
			return unstructured.SetNestedField(u.Object, value, "metadata", "annotations", "crossplane.io/paused")
		})
	}
}

// pausedByCrossplane expects that Crossplane has noticed the pause, and so does nothing any more.
func pausedByCrossplane(u *unstructured.Unstructured) []string {
	for _, c := range mapsAt(u, "status", "conditions") {
		if c["type"] == "Synced" && c["reason"] == "ReconcilePaused" {
			return nil
		}
	}
	return []string{"Crossplane is not yet paused on " + u.GetName()}
}

// everyKinds makes Crossplane and provider-capz do with each kind whatever they do with any: compose, change, take away and
// make again, hand over from a pool to the AzureASOManagedCluster, and delete in order.
func everyKinds() *scenario {
	add := changeEvery(func(u *unstructured.Unstructured, kind string) error { return addEntry(u, everyEntry(kind)) })
	var goes []removal
	for _, kind := range everyNames() {
		goes = append(goes, removal{kind + "/" + everyName(kind), "/never-in-azure"})
	}
	return &scenario{name: "every-kind", calmOnly: true, steps: []step{
		up("aks-aso"),
		{name: "add an object of every kind to a pool", act: add, expect: eachKind(exists)},
		{
			name: "change each",
			act: changeEvery(func(u *unstructured.Unstructured, kind string) error {
				return editEntry(u, kind+"/"+everyName(kind), func(entry map[string]any) error {
					return unstructured.SetNestedField(entry, "yes", "metadata", "labels", "changed")
				})
			}),
			expect: eachKind(func(gvk schema.GroupVersionKind, name string) expectation {
				return field(gvk, name, "metadata.labels.changed", "yes")
			}),
		},
		{
			name: "take them away", goes: goes,
			act:    changeEvery(func(u *unstructured.Unstructured, kind string) error { return dropEntry(u, kind+"/"+everyName(kind)) }),
			expect: eachKind(gone),
		},
		{name: "add them again", act: add, expect: eachKind(exists)},
		{name: "pause Crossplane on the pool", act: pausePool("true"), expect: []expectation{
			on(asoPoolKind, userPool, pausedByCrossplane),
		}},
		// Crossplane looks for them at the API server itself when it finds them gone from its cache.
		{name: "delete them by hand", act: deleteEvery, expect: eachKind(gone)},
		{name: "let Crossplane go on", act: pausePool(nil), expect: eachKind(exists)},
		down,
	}}
}
