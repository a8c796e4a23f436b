package compute

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/networking"
)

const typeScaleSetExtension = typeScaleSet + "/extensions"

// furtherComputeTypes are those of the compute provider of which the protocol and the defaults are known, and few rules.
func furtherComputeTypes(nodeResources func(*arm.Service, arm.ID) []map[string]any) []*arm.ResourceType {
	sets := computeProtocol(10)
	sets.Update.RetryAfter = 10
	sets.Polls = map[arm.Change][]int{arm.Create: {61, 30}, arm.Update: {37, 30}, arm.Remove: {10, 30}}
	extensions := computeProtocol(10)
	extensions.Polls = map[arm.Change][]int{arm.Create: {37}, arm.Update: {37}, arm.Remove: {37}}
	disks := diskProtocol(0)
	plainDisks := diskProtocol(0)
	plainDisks.Create.State, plainDisks.Update.State = arm.StatusSucceeded, arm.StatusSucceeded
	return []*arm.ResourceType{
		{Name: typeScaleSet, Tracked: true, Protocol: sets, Apply: applyScaleSet, View: viewScaleSet, Unstored: nodeResources},
		{Name: typeScaleSetInstance, Protocol: arm.GenericProtocol, Unstored: nodeResources},
		{Name: typeScaleSetExtension, Protocol: extensions, Apply: applyVMExtension},
		{Name: "Microsoft.Compute/diskEncryptionSets", Tracked: true, Protocol: disks, Apply: applyDiskEncryptionSet, ViewOfPut: viewAsAsked, Settle: settleIdentity},
		{Name: "Microsoft.Compute/diskAccesses", Tracked: true, Protocol: plainDisks, Apply: applyTimeCreated, View: viewDiskAccess, ViewOfPut: viewWithoutTimes},
		{Name: "Microsoft.Compute/capacityReservationGroups", Tracked: true, Protocol: computeProtocol(0)},
		{Name: "Microsoft.Compute/capacityReservationGroups/capacityReservations", Tracked: true, Protocol: computeProtocol(0), Apply: applyCapacityReservation,
			Settle: func(s *arm.Service, r *arm.Resource) error {
				fields.Fill(r.Properties(), map[string]any{"provisioningTime": s.Clock.Now().UTC().Format(time.RFC3339Nano)})
				return s.Store.Put(r)
			}},
	}
}

func applyTimeCreated(p *arm.Put) *arm.Error {
	properties := fields.Child(p.Result, "properties")
	if p.Existing != nil {
		fields.Fill(properties, map[string]any{fields.Created: p.Existing.Properties()["timeCreated"]})
	}
	fields.Fill(properties, map[string]any{fields.Created: p.Now.UTC().Format(time.RFC3339Nano)})
	return nil
}

// viewDiskAccess shows the connections of private endpoints.
func viewDiskAccess(s *arm.Service, r *arm.Resource, _ string) map[string]any {
	body := fields.Clone(r.Body)
	var connections []any
	for _, endpoint := range networking.ConnectionsTo(s, r) {
		name := r.Name + "." + uuid.NewSHA1(uuid.NameSpaceURL, []byte(endpoint.Key())).String()
		connections = append(connections, map[string]any{
			"name": name, "id": r.ID + "/privateEndpointConnections/" + name, "type": r.Type + "/PrivateEndpointConnections",
			fields.Properties: map[string]any{
				fields.State: arm.StatusSucceeded, "privateEndpoint": map[string]any{"id": endpoint.ID},
				"privateLinkServiceConnectionState": map[string]any{fields.Status: "Approved", "description": "Auto-Approved", "actionsRequired": "None"},
			},
		})
	}
	if len(connections) > 0 {
		fields.Child(body, "properties")["privateEndpointConnections"] = connections
	}
	return body
}

// viewWithoutTimes is what a disk access shows while it is made.
func viewWithoutTimes(_ *arm.Service, r *arm.Resource, _ string) map[string]any {
	body := fields.Clone(r.Body)
	delete(fields.Child(body, "properties"), "timeCreated")
	delete(fields.Child(body, "properties"), "provisioningState")
	if len(fields.Child(body, "properties")) == 0 {
		delete(body, "properties")
	}
	return body
}

func applyDiskEncryptionSet(p *arm.Put) *arm.Error {
	fields.Fill(fields.Child(p.Result, "properties"), map[string]any{"encryptionType": "EncryptionAtRestWithCustomerKey"})
	if p.Existing != nil {
		fields.Fill(p.Result, map[string]any{"identity": fields.Clone(p.Existing.Body)["identity"]})
	}
	return nil
}

// viewAsAsked is what the resource shows while it is made.
func viewAsAsked(_ *arm.Service, r *arm.Resource, _ string) map[string]any {
	body := fields.Clone(r.Body)
	delete(body, "id")
	delete(body, "type")
	return body
}

// settleIdentity gives a resource that asks for one its identity, when it has been made.
func settleIdentity(s *arm.Service, r *arm.Resource) error {
	identity, given := r.Body["identity"].(map[string]any)
	if given && strings.Contains(fields.Text(identity, "type"), "SystemAssigned") {
		fields.Fill(identity, map[string]any{fields.Principal: uuid.NewSHA1(uuid.NameSpaceURL, []byte(r.Key())).String(), "tenantId": s.TenantOf(r.Identity().Subscription)})
	}
	return s.Store.Put(r)
}

func applyCapacityReservation(p *arm.Put) *arm.Error {
	fields.Fill(fields.Child(p.Result, "properties"), map[string]any{"platformFaultDomainCount": int64(1), "reservationId": uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.ID.Key())).String()})
	return applyTimeCreated(p)
}

// applyScaleSet completes the model of a scale set. Its machines are not simulated.
func applyScaleSet(p *arm.Put) *arm.Error {
	properties := fields.Child(p.Result, "properties")
	if p.Existing != nil {
		before := fields.Clone(p.Existing.Body)
		if p.Requested["tags"] != nil {
			delete(before, "tags")
		}
		fields.Fill(p.Result, before)
	}
	fields.Fill(properties, map[string]any{
		"uniqueId": uuid.NewString(), fields.Created: p.Now.UTC().Format(time.RFC3339Nano), "orchestrationMode": "Uniform", "overprovision": true,
		"doNotRunExtensionsOnOverprovisionedVMs": false, "singlePlacementGroup": false, "platformFaultDomainCount": int64(2), "upgradePolicy": map[string]any{"mode": "Manual"},
	})
	fields.Fill(fields.Child(p.Result, "sku"), map[string]any{"tier": "Standard"})
	profile := fields.Child(properties, "virtualMachineProfile")
	delete(profile, "userData")
	fields.Fill(profile, map[string]any{fields.Created: properties["timeCreated"]})
	system := fields.Child(profile, "osProfile")
	for _, name := range secretsOfMachine {
		delete(system, name)
	}
	fields.Fill(system, map[string]any{"secrets": []any{}, "allowExtensionOperations": true, "requireGuestProvisionSignal": true})
	if given, ok := system["linuxConfiguration"].(map[string]any); ok {
		fields.Fill(given, map[string]any{"enableVMAgentPlatformUpdates": false})
	}
	if system["windowsConfiguration"] == nil {
		fields.Fill(system, map[string]any{"linuxConfiguration": map[string]any{"disablePasswordAuthentication": false, "provisionVMAgent": true}})
	}
	fields.Fill(fields.Child(profile, "storageProfile"), map[string]any{"osDisk": map[string]any{
		"osType": "Linux", "createOption": "FromImage", "caching": "None", "managedDisk": map[string]any{"storageAccountType": "Standard_LRS"}, "diskSizeGB": int64(30),
	}})
	for _, configuration := range fields.Objects(profile, "networkProfile", "networkInterfaceConfigurations") {
		fields.Fill(fields.Child(configuration, "properties"), map[string]any{
			"enableAcceleratedNetworking": false, "disableTcpStateTracking": false, "dnsSettings": map[string]any{"dnsServers": []any{}}, "enableIPForwarding": false,
		})
		for _, address := range fields.Objects(configuration, "properties", networking.ListConfigurations) {
			fields.Fill(fields.Child(address, "properties"), map[string]any{"privateIPAddressVersion": "IPv4"})
		}
	}
	for _, extension := range fields.Objects(profile, "extensionProfile", "extensions") {
		delete(fields.Child(extension, "properties"), "protectedSettings")
		fields.Fill(fields.Child(extension, "properties"), map[string]any{"autoUpgradeMinorVersion": false, "settings": map[string]any{}})
	}
	return nil
}

// viewScaleSet shows the extensions that are resources of their own in the model.
func viewScaleSet(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := fields.Clone(r.Body)
	profile := fields.Child(fields.Child(body, "properties"), "virtualMachineProfile")
	for _, extension := range s.Store.Children(r.ID, typeScaleSetExtension) {
		properties := fields.Clone(extension.Properties())
		delete(properties, "provisioningState")
		listed, _ := fields.Child(profile, "extensionProfile")["extensions"].([]any)
		fields.Child(profile, "extensionProfile")["extensions"] = append(listed, map[string]any{"name": extension.Name, fields.Properties: properties})
	}
	fields.Hide(body, []fields.Versioned{
		{Path: "properties.timeCreated", Since: "2021-11-01"},
		{Path: "properties.virtualMachineProfile.osProfile.linuxConfiguration.enableVMAgentPlatformUpdates", Since: "2021-11-01"},
		{Path: "properties.virtualMachineProfile.timeCreated", Since: "2023-09-01"},
	}, apiVersion)
	return body
}
