package compute

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/networking"
)

// The types of scale sets.
const (
	typeScaleSet          = "Microsoft.Compute/virtualMachineScaleSets"
	typeScaleSetInstance  = typeScaleSet + "/virtualMachines"
	typeScaleSetExtension = typeScaleSet + "/extensions"
	// typeScaleSetInterface lists the network interfaces of all instances, typeInstanceInterface are those of one.
	typeScaleSetInterface = typeScaleSet + "/networkInterfaces"
	typeInstanceInterface = typeScaleSetInstance + "/networkInterfaces"
)

// instancePage is how many instances one page of their list has.
const instancePage = 120

// privateModel tells the model of a scale set from those before it, or which of them an instance has; privateNext is the number of the next
// instance.
const (
	privateModel = "model"
	privateNext  = "nextInstance"
)

// scaleSetTypes are scale sets and what is in them. nodeResources returns those that Azure Kubernetes Service has made.
func (c *Provider) scaleSetTypes(nodeResources func(*arm.Service, arm.ID) []map[string]any) []*arm.ResourceType {
	sets, instances, extensions := computeProtocol(10), computeProtocol(10), computeProtocol(10)
	sets.Update.RetryAfter, instances.Update.RetryAfter = 10, 10
	sets.Polls = map[arm.Change][]int{arm.Create: {61, 30}, arm.Update: {37, 30}, arm.Remove: {10, 30}}
	extensions.Polls = map[arm.Change][]int{arm.Create: {37}, arm.Update: {37}, arm.Remove: {37}}
	return []*arm.ResourceType{
		{
			Name: typeScaleSet, Tracked: true, Protocol: sets, Validate: c.validateScaleSet, Apply: applyScaleSet, Stored: c.storeScaleSet, View: viewScaleSet,
			Ready: c.scaleSetReady, Deleting: emptyScaleSet, Unstored: nodeResources, Operates: c.scaleSetOperations(),
			Expands: map[string]func(*arm.Service, *arm.Resource) map[string]any{"instanceView": scaleSetView},
		},
		{
			Name: typeScaleSetInstance, Protocol: instances, Validate: validateInstance, Apply: applyInstance, Stored: storeInstance, Settle: settleMachine,
			View: c.viewInstance, Ready: c.instanceReady, Deleting: leaveScaleSet, Removed: machineRemoved, Page: instancePage,
			Operates: c.instanceOperations(), Actions: map[string]func(*arm.Service, *arm.Resource) (any, *arm.Error){"simulateeviction": simulateEviction},
			Expands: map[string]func(*arm.Service, *arm.Resource) map[string]any{"instanceView": instanceView},
			Unstored: func(s *arm.Service, id arm.ID) []map[string]any {
				if found := nodeResources(s, id); found != nil {
					return found
				}
				return flexibleInstances(s, id.Parent)
			},
		},
		{Name: typeScaleSetExtension, Protocol: extensions, Apply: applyVMExtension},
		{Name: typeScaleSetInterface, Protocol: arm.GenericProtocol, Unstored: interfacesOf},
		{Name: typeInstanceInterface, Protocol: arm.GenericProtocol, Occupies: func(_ *arm.Service, r *arm.Resource, subnet string) []string {
			return networking.IPConfigurationsIn(r, subnet)
		}},
	}
}

// isFlexible tells whether the instances of a scale set are virtual machines of their own.
func isFlexible(set map[string]any) bool {
	return strings.EqualFold(fields.Text(set, "properties", "orchestrationMode"), "Flexible")
}

// modelOf is what the instances of a scale set are made from; nil for one that only groups machines.
func modelOf(set *arm.Resource) map[string]any {
	model, _ := set.Properties()["virtualMachineProfile"].(map[string]any)
	return model
}

// isMachine tells whether a resource is something that a host runs.
func isMachine(r *arm.Resource) bool {
	return r.Type == TypeVirtualMachine || r.Type == typeScaleSetInstance
}

// keepOfScaleSet adds to what a request asks for what the scale set has and the request lacks. An image is taken as it is given.
func keepOfScaleSet(p *arm.Put, body map[string]any) {
	if p.Existing == nil {
		return
	}
	before := kept(p)
	if fields.At(p.Requested, "properties", "virtualMachineProfile", "storageProfile", "imageReference") != nil {
		storage := fields.Child(fields.Child(fields.Child(before, "properties"), "virtualMachineProfile"), "storageProfile")
		delete(storage, "imageReference")
	}
	fields.Child(body, "properties")
	fields.Fill(body, before)
}

// applyScaleSet completes a scale set and its model.
func applyScaleSet(p *arm.Put) *arm.Error {
	keepOfScaleSet(p, p.Result)
	properties := fields.Child(p.Result, "properties")
	fields.Fill(properties, map[string]any{
		"uniqueId": uuid.NewString(), fields.Created: p.Now.UTC().Format(time.RFC3339Nano), "orchestrationMode": "Uniform", "singlePlacementGroup": false,
	})
	if isFlexible(p.Result) {
		fields.Fill(properties, map[string]any{faultDomainCount: int64(1)})
	} else {
		fields.Fill(properties, map[string]any{
			"overprovision": true, "doNotRunExtensionsOnOverprovisionedVMs": false, faultDomainCount: int64(2), "upgradePolicy": map[string]any{"mode": "Manual"},
		})
		fields.Child(properties, "virtualMachineProfile")
	}
	p.Resource.Private = fields.Clone(p.Resource.Private)
	if model, given := properties["virtualMachineProfile"].(map[string]any); given {
		fields.Fill(fields.Child(p.Result, "sku"), map[string]any{"tier": "Standard"})
		applyModel(p, model, properties["timeCreated"])
		wanted, err := digest([]any{model, fields.Text(p.Result, "sku", "name"), p.Resource.Private[privateCustomHash]})
		if err != nil {
			return arm.InternalError(err)
		}
		p.Resource.Private[privateModel] = wanted
	}
	return applyMachineIdentity(p)
}

// applyModel adds what a request may leave out of the model, and keeps what nobody may read again aside.
func applyModel(p *arm.Put, profile map[string]any, created any) {
	delete(profile, "userData")
	fields.Fill(profile, map[string]any{fields.Created: created})
	system := fields.Child(profile, "osProfile")
	if data := fields.Text(system, "customData"); data != "" {
		p.Resource.Private[PrivateCustomData], p.Resource.Private[privateCustomHash] = data, hashOf(data)
	}
	for _, name := range secretsOfMachine {
		delete(system, name)
	}
	fields.Fill(system, map[string]any{"secrets": []any{}, "allowExtensionOperations": true, "requireGuestProvisionSignal": true})
	if given, ok := system["linuxConfiguration"].(map[string]any); ok {
		fields.Fill(given, map[string]any{"enableVMAgentPlatformUpdates": false})
	}
	kind, size := "Windows", int64(127)
	if system["windowsConfiguration"] == nil {
		kind, size = "Linux", 30
		fields.Fill(system, map[string]any{"linuxConfiguration": map[string]any{"disablePasswordAuthentication": false, "provisionVMAgent": true}})
	}
	fields.Fill(fields.Child(profile, "storageProfile"), map[string]any{"osDisk": map[string]any{
		"osType": kind, "createOption": "FromImage", "caching": "None", managedDisk: map[string]any{"storageAccountType": "Standard_LRS"}, "diskSizeGB": size,
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
}

// viewScaleSet shows the extensions that are resources of their own in the model.
func viewScaleSet(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := fields.Clone(r.Body)
	for _, extension := range s.Store.Children(r.ID, typeScaleSetExtension) {
		properties := fields.Clone(extension.Properties())
		delete(properties, "provisioningState")
		profile := fields.Child(fields.Child(fields.Child(body, "properties"), "virtualMachineProfile"), "extensionProfile")
		listed, _ := profile["extensions"].([]any)
		profile["extensions"] = append(listed, map[string]any{"name": extension.Name, fields.Properties: properties})
	}
	fields.Hide(body, []fields.Versioned{
		{Path: "properties.timeCreated", Since: "2021-11-01"},
		{Path: "properties.virtualMachineProfile.osProfile.linuxConfiguration.enableVMAgentPlatformUpdates", Since: "2021-11-01"},
		{Path: "properties.virtualMachineProfile.timeCreated", Since: "2023-09-01"},
	}, apiVersion)
	return body
}

// scaleSetView is how the instances of a scale set are doing, counted by state.
func scaleSetView(s *arm.Service, r *arm.Resource) map[string]any {
	summary := map[string]int64{}
	for _, one := range instancesOf(s, r) {
		summary["ProvisioningState/"+strings.ToLower(one.ProvisioningState())]++
	}
	counts := []any{}
	for _, code := range sortedKeys(summary) {
		counts = append(counts, map[string]any{"code": code, "count": summary[code]})
	}
	state := strings.ToLower(r.ProvisioningState())
	return map[string]any{
		"virtualMachine": map[string]any{"statusesSummary": counts},
		"statuses":       []any{map[string]any{"code": "ProvisioningState/" + state, "level": "Info", "displayStatus": "Provisioning " + state, "time": s.Clock.Now().UTC().Format(time.RFC3339Nano)}},
	}
}
