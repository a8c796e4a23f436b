package arm

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

const typeScaleSetExtension = typeScaleSet + "/extensions"

// furtherComputeTypes are those of the compute provider of which the protocol and the defaults are known, and few rules.
func furtherComputeTypes() []*resourceType {
	sets := computeProtocol(10)
	sets.update.retryAfter = 10
	sets.polls = map[change][]int{create: {61, 30}, update: {37, 30}, remove: {10, 30}}
	extensions := computeProtocol(10)
	extensions.polls = map[change][]int{create: {37}, update: {37}, remove: {37}}
	disks := diskProtocol(0)
	plainDisks := diskProtocol(0)
	plainDisks.create.state, plainDisks.update.state = statusSucceeded, statusSucceeded
	return []*resourceType{
		{name: typeScaleSet, tracked: true, protocol: sets, apply: applyScaleSet, view: viewScaleSet},
		{name: typeScaleSetExtension, protocol: extensions, apply: applyVMExtension},
		{name: "Microsoft.Compute/diskEncryptionSets", tracked: true, protocol: disks, apply: applyDiskEncryptionSet, viewOfPut: viewAsAsked, settle: settleIdentity},
		{name: "Microsoft.Compute/diskAccesses", tracked: true, protocol: plainDisks, apply: applyTimeCreated, view: viewDiskAccess, viewOfPut: viewWithoutTimes},
		{name: "Microsoft.Compute/capacityReservationGroups", tracked: true, protocol: computeProtocol(0)},
		{name: "Microsoft.Compute/capacityReservationGroups/capacityReservations", tracked: true, protocol: computeProtocol(0), apply: applyCapacityReservation,
			settle: func(s *Service, r *Resource) error {
				fill(r.properties(), map[string]any{"provisioningTime": s.clock.Now().UTC().Format(time.RFC3339Nano)})
				return s.store.put(r)
			}},
	}
}

func applyTimeCreated(p *put) *Error {
	properties := child(p.result, "properties")
	if p.existing != nil {
		fill(properties, map[string]any{fieldCreated: p.existing.properties()["timeCreated"]})
	}
	fill(properties, map[string]any{fieldCreated: p.now.UTC().Format(time.RFC3339Nano)})
	return nil
}

// viewDiskAccess shows the connections of private endpoints.
func viewDiskAccess(s *Service, r *Resource, _ string) map[string]any {
	body := clone(r.Body)
	var connections []any
	for _, endpoint := range s.connectionsTo(r) {
		name := r.Name + "." + uuid.NewSHA1(uuid.NameSpaceURL, []byte(endpoint.key())).String()
		connections = append(connections, map[string]any{
			"name": name, "id": r.ID + "/privateEndpointConnections/" + name, "type": r.Type + "/PrivateEndpointConnections",
			fieldProperties: map[string]any{
				fieldState: statusSucceeded, "privateEndpoint": map[string]any{"id": endpoint.ID},
				"privateLinkServiceConnectionState": map[string]any{fieldStatus: "Approved", "description": "Auto-Approved", "actionsRequired": "None"},
			},
		})
	}
	if len(connections) > 0 {
		child(body, "properties")["privateEndpointConnections"] = connections
	}
	return body
}

// viewWithoutTimes is what a disk access shows while it is made.
func viewWithoutTimes(_ *Service, r *Resource, _ string) map[string]any {
	body := clone(r.Body)
	delete(child(body, "properties"), "timeCreated")
	delete(child(body, "properties"), "provisioningState")
	if len(child(body, "properties")) == 0 {
		delete(body, "properties")
	}
	return body
}

func applyDiskEncryptionSet(p *put) *Error {
	fill(child(p.result, "properties"), map[string]any{"encryptionType": "EncryptionAtRestWithCustomerKey"})
	if p.existing != nil {
		fill(p.result, map[string]any{"identity": clone(p.existing.Body)["identity"]})
	}
	return nil
}

// viewAsAsked is what the resource shows while it is made.
func viewAsAsked(_ *Service, r *Resource, _ string) map[string]any {
	body := clone(r.Body)
	delete(body, "id")
	delete(body, "type")
	return body
}

// settleIdentity gives a resource that asks for one its identity, when it has been made.
func settleIdentity(s *Service, r *Resource) error {
	identity, given := r.Body["identity"].(map[string]any)
	if given && strings.Contains(text(identity, "type"), "SystemAssigned") {
		fill(identity, map[string]any{fieldPrincipal: uuid.NewSHA1(uuid.NameSpaceURL, []byte(r.key())).String(), "tenantId": s.tenantOf(r.id().Subscription)})
	}
	return s.store.put(r)
}

func applyCapacityReservation(p *put) *Error {
	fill(child(p.result, "properties"), map[string]any{"platformFaultDomainCount": int64(1), "reservationId": uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.id.Key())).String()})
	return applyTimeCreated(p)
}

// applyScaleSet completes the model of a scale set. Its machines are not simulated.
func applyScaleSet(p *put) *Error {
	properties := child(p.result, "properties")
	if p.existing != nil {
		before := clone(p.existing.Body)
		if p.requested["tags"] != nil {
			delete(before, "tags")
		}
		fill(p.result, before)
	}
	fill(properties, map[string]any{
		"uniqueId": uuid.NewString(), fieldCreated: p.now.UTC().Format(time.RFC3339Nano), "orchestrationMode": "Uniform", "overprovision": true,
		"doNotRunExtensionsOnOverprovisionedVMs": false, "singlePlacementGroup": false, "platformFaultDomainCount": int64(2), "upgradePolicy": map[string]any{"mode": "Manual"},
	})
	fill(child(p.result, "sku"), map[string]any{"tier": "Standard"})
	profile := child(properties, "virtualMachineProfile")
	delete(profile, "userData")
	fill(profile, map[string]any{fieldCreated: properties["timeCreated"]})
	system := child(profile, "osProfile")
	for _, name := range secretsOfMachine {
		delete(system, name)
	}
	fill(system, map[string]any{"secrets": []any{}, "allowExtensionOperations": true, "requireGuestProvisionSignal": true})
	if given, ok := system["linuxConfiguration"].(map[string]any); ok {
		fill(given, map[string]any{"enableVMAgentPlatformUpdates": false})
	}
	if system["windowsConfiguration"] == nil {
		fill(system, map[string]any{"linuxConfiguration": map[string]any{"disablePasswordAuthentication": false, "provisionVMAgent": true}})
	}
	fill(child(profile, "storageProfile"), map[string]any{"osDisk": map[string]any{
		"osType": "Linux", "createOption": "FromImage", "caching": "None", "managedDisk": map[string]any{"storageAccountType": "Standard_LRS"}, "diskSizeGB": int64(30),
	}})
	for _, configuration := range objects(profile, "networkProfile", "networkInterfaceConfigurations") {
		fill(child(configuration, "properties"), map[string]any{
			"enableAcceleratedNetworking": false, "disableTcpStateTracking": false, "dnsSettings": map[string]any{"dnsServers": []any{}}, "enableIPForwarding": false,
		})
		for _, address := range objects(configuration, "properties", listConfigurations) {
			fill(child(address, "properties"), map[string]any{"privateIPAddressVersion": "IPv4"})
		}
	}
	for _, extension := range objects(profile, "extensionProfile", "extensions") {
		delete(child(extension, "properties"), "protectedSettings")
		fill(child(extension, "properties"), map[string]any{"autoUpgradeMinorVersion": false, "settings": map[string]any{}})
	}
	return nil
}

// viewScaleSet shows the extensions that are resources of their own in the model.
func viewScaleSet(s *Service, r *Resource, apiVersion string) map[string]any {
	body := clone(r.Body)
	profile := child(child(body, "properties"), "virtualMachineProfile")
	for _, extension := range s.store.children(r.ID, typeScaleSetExtension) {
		properties := clone(extension.properties())
		delete(properties, "provisioningState")
		listed, _ := child(profile, "extensionProfile")["extensions"].([]any)
		child(profile, "extensionProfile")["extensions"] = append(listed, map[string]any{"name": extension.Name, fieldProperties: properties})
	}
	hideFields(body, []field{
		{path: "properties.timeCreated", since: "2021-11-01"},
		{path: "properties.virtualMachineProfile.osProfile.linuxConfiguration.enableVMAgentPlatformUpdates", since: "2021-11-01"},
		{path: "properties.virtualMachineProfile.timeCreated", since: "2023-09-01"},
	}, apiVersion)
	return body
}
