package compute

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// Power states of a machine, as its instance view has them.
const (
	powerRunning     = "running"
	powerStopped     = "stopped"
	powerDeallocated = "deallocated"
)

// PrivateCustomData is the custom data until the machine has come up, privateCustomHash what is known of it for ever.
const (
	PrivateCustomData = "customData"
	privateCustomHash = "customDataHash"
	privatePower      = "powerState"
)

// secretsOfMachine are the fields of osProfile, and of the properties, that Azure never shows.
var secretsOfMachine = []string{"customData", "adminPassword"}

func (c *Provider) virtualMachineType() *arm.ResourceType {
	p := computeProtocol(10)
	p.Polls = map[arm.Change][]int{arm.Create: {35, 30}, arm.Remove: {30}}
	return &arm.ResourceType{
		Name: TypeVirtualMachine, Tracked: true, Protocol: p,
		Validate: c.validateVirtualMachine,
		Apply:    applyVirtualMachine,
		Stored:   storeMachine,
		Settle:   settleMachine,
		View:     viewMachine,
		Removed:  machineRemoved,
		Ready:    c.machineReady,
		Operates: map[string]func(*arm.Service, *arm.Resource, map[string]any) *arm.Error{"start": powerOn, "restart": powerOn, "poweroff": powerOff, "deallocate": deallocate, "redeploy": powerOn},
		Actions:  map[string]func(*arm.Service, *arm.Resource) (any, *arm.Error){"simulateeviction": simulateEviction},
		Deleting: leaveScaleSet,
		Expands:  map[string]func(*arm.Service, *arm.Resource) map[string]any{"instanceView": instanceView},
	}
}

func applyVirtualMachine(p *arm.Put) *arm.Error {
	keepOfMachine(p)
	properties := fields.Child(p.Result, "properties")
	fields.Fill(properties, map[string]any{"vmId": uuid.NewString(), fields.Created: p.Now.UTC().Format(time.RFC3339Nano)})
	applyMachineSecrets(p, properties)
	applyMachineDisks(p, fields.Child(properties, "storageProfile"))
	applyOSProfile(properties)
	for _, attached := range fields.Objects(properties, "networkProfile", "networkInterfaces") {
		delete(attached, "reference")
	}
	return applyMachineIdentity(p)
}

// kept returns what exists, without the tags and identity in whose place the request has others.
func kept(p *arm.Put) map[string]any {
	before := fields.Clone(p.Existing.Body)
	for _, name := range []string{"tags", "identity"} {
		if p.Requested[name] != nil {
			delete(before, name)
		}
	}
	return before
}

// keepOfMachine keeps what a PUT lacks: the cloud controller of Kubernetes attaches disks by a PUT of nothing but the location and the list of
// data disks (cloud-provider-azure, pkg/provider/azure_controller_standard.go). Lists and tags that are given take the place of what was.
func keepOfMachine(p *arm.Put) {
	if p.Existing == nil {
		return
	}
	before := kept(p)
	delete(fields.Child(fields.Child(before, "properties"), "storageProfile"), "imageReference")
	if image := fields.At(p.Existing.Body, "properties", "storageProfile", "imageReference"); image != nil {
		fields.Child(fields.Child(p.Result, "properties"), "storageProfile")["imageReference"] = image
	}
	fields.Fill(p.Result, before)
}

// applyMachineSecrets takes secrets out of what is stored to be shown. Custom data is kept aside until the machine has started.
func applyMachineSecrets(p *arm.Put, properties map[string]any) {
	profile, _ := properties["osProfile"].(map[string]any)
	if p.Resource.Private == nil {
		p.Resource.Private = map[string]any{}
	} else {
		p.Resource.Private = fields.Clone(p.Resource.Private)
	}
	if data := fields.Text(profile, "customData"); data != "" && p.Existing == nil {
		p.Resource.Private[PrivateCustomData] = data
		p.Resource.Private[privateCustomHash] = hashOf(data)
	}
	for _, name := range secretsOfMachine {
		delete(profile, name)
	}
	delete(properties, "userData")
	if p.Existing == nil {
		p.Resource.Private[privatePower] = powerRunning
	}
}

func hashOf(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// applyMachineDisks completes the disks of a machine.
func applyMachineDisks(p *arm.Put, storage map[string]any) {
	image := fields.Child(storage, "imageReference")
	if len(image) == 0 {
		delete(storage, "imageReference")
	} else if fields.Text(image, "publisher") != "" {
		fields.Fill(image, map[string]any{"exactVersion": exactVersion(fields.Text(image, "sku"), fields.Text(image, "version"))})
	}
	disk := fields.Child(storage, "osDisk")
	system := "Linux"
	if fields.At(p.Requested, "properties", "osProfile", "windowsConfiguration") != nil || strings.HasPrefix(fields.Text(image, "publisher"), "MicrosoftWindows") {
		system = "Windows"
	}
	fields.Fill(disk, map[string]any{"osType": system, "createOption": "FromImage", "caching": "ReadWrite", "deleteOption": "Detach"})
	size := int64(30)
	if disk["osType"] == "Windows" {
		size = 127
	}
	fields.Fill(disk, map[string]any{"diskSizeGB": size, managedDisk: map[string]any{"storageAccountType": defaultStorage(fields.Text(p.Result, "properties", "hardwareProfile", "vmSize"))}})
	fields.Fill(storage, map[string]any{"dataDisks": []any{}})
	for _, data := range fields.Objects(storage, "dataDisks") {
		fields.Fill(data, map[string]any{
			"caching": "None", "toBeDetached": false, "deleteOption": "Detach", managedDisk: map[string]any{"storageAccountType": defaultStorage(fields.Text(p.Result, "properties", "hardwareProfile", "vmSize"))},
		})
		if existing := p.Service.Store.Get(fields.Text(data, managedDisk, "id")); existing != nil {
			size, _ := fields.Number(existing.Body, "properties", "diskSizeGB")
			data["diskSizeGB"] = size
			fields.Fill(data, map[string]any{"name": existing.Name})
			fields.Child(data, managedDisk)["storageAccountType"] = fields.Text(existing.Body, "sku", "name")
		}
	}
}

// exactVersion is the version that an image of the marketplace resolves to.
func exactVersion(sku, version string) string {
	if !strings.EqualFold(version, "latest") {
		return version
	}
	digits, _, _ := strings.Cut(strings.ReplaceAll(sku, "_", "."), "-")
	return digits + ".202601010"
}

// applyOSProfile adds what a request may leave out of the settings of the operating system.
func applyOSProfile(properties map[string]any) {
	profile, given := properties["osProfile"].(map[string]any)
	if !given {
		return
	}
	fields.Fill(profile, map[string]any{"secrets": []any{}, "allowExtensionOperations": true, "requireGuestProvisionSignal": true})
	if fields.Text(properties, "storageProfile", "osDisk", "osType") == "Windows" {
		fields.Fill(profile, map[string]any{"windowsConfiguration": map[string]any{
			"provisionVMAgent": true, "enableAutomaticUpdates": true, "patchSettings": map[string]any{"patchMode": "AutomaticByOS", "assessmentMode": "ImageDefault"},
		}})
		return
	}
	fields.Fill(profile, map[string]any{"linuxConfiguration": map[string]any{
		"disablePasswordAuthentication": false, "provisionVMAgent": true, "patchSettings": map[string]any{"patchMode": "ImageDefault", "assessmentMode": "ImageDefault"},
	}})
}

// applyMachineIdentity gives the resource the identities that it asks for.
func applyMachineIdentity(p *arm.Put) *arm.Error {
	identity, given := p.Result["identity"].(map[string]any)
	if !given {
		return nil
	}
	if strings.Contains(fields.Text(identity, "type"), "SystemAssigned") {
		principal := uuid.NewString()
		if p.Existing != nil && fields.Text(p.Existing.Body, "identity", "principalId") != "" {
			principal = fields.Text(p.Existing.Body, "identity", "principalId")
		}
		identity["principalId"], identity["tenantId"] = principal, p.Service.TenantOf(p.ID.Subscription)
	}
	assigned, _ := identity["userAssignedIdentities"].(map[string]any)
	for path := range assigned {
		r := p.Service.Store.Get(path)
		if r == nil {
			return arm.BadRequest("FailedIdentityOperation", "Identity operation for resource '%s' failed with error 'Failed to perform resource identity operation. Status: 'BadRequest'. Response: '{\"error\":{\"code\":\"BadRequest\",\"message\":\"Resource '%s' was not found.\"}}'.'.", p.ID.Path, path)
		}
		assigned[path] = map[string]any{fields.Principal: fields.Text(r.Body, "properties", "principalId"), "clientId": fields.Text(r.Body, "properties", "clientId")}
	}
	return nil
}

// storeMachine attaches and detaches disks. Those of a new machine come when it has been made.
func storeMachine(p *arm.Put) *arm.Error {
	if p.Existing == nil {
		return wrap(joinScaleSet(p.Service, p.Resource))
	}
	if err := attachAll(p.Service, p.Resource); err != nil {
		return arm.InternalError(err)
	}
	wanted := map[string]bool{}
	for _, disk := range fields.Objects(p.Resource.Body, "properties", "storageProfile", "dataDisks") {
		wanted[strings.ToLower(fields.Text(disk, managedDisk, "id"))] = true
	}
	for _, disk := range fields.Objects(p.Existing.Body, "properties", "storageProfile", "dataDisks") {
		if path := fields.Text(disk, managedDisk, "id"); !wanted[strings.ToLower(path)] {
			if err := detach(p.Service, path, false); err != nil {
				return arm.InternalError(err)
			}
		}
	}
	return nil
}

// attachAll has a machine's disks be in the store as its own, and forgets those that are to be detached.
func attachAll(s *arm.Service, machine *arm.Resource) error {
	storage := fields.Child(machine.Properties(), "storageProfile")
	disk := fields.Child(storage, "osDisk")
	if fields.Text(disk, "name") == "" {
		disk["name"] = machine.Name + "_OsDisk_1_" + strings.ReplaceAll(uuid.NewSHA1(uuid.NameSpaceURL, []byte(fields.Text(machine.Body, "properties", "vmId"))).String(), "-", "")
	}
	if err := attach(s, machine, disk, fields.Text(disk, "name")); err != nil {
		return err
	}
	kept := []any{}
	for _, data := range fields.Objects(storage, "dataDisks") {
		if fields.Bool(data, "toBeDetached") {
			continue
		}
		if fields.Text(data, "name") == "" {
			data["name"] = machine.Name + "_disk" + "_" + uuid.NewString()[:8]
		}
		if err := attach(s, machine, data, fields.Text(data, "name")); err != nil {
			return err
		}
		kept = append(kept, data)
	}
	storage["dataDisks"] = kept
	return s.Store.Put(machine)
}

func settleMachine(s *arm.Service, r *arm.Resource) error {
	return attachAll(s, r)
}

// fieldsOfMachine are what not every api-version shows.
var fieldsOfMachine = []fields.Versioned{
	{Path: "properties.timeCreated", Since: "2021-11-01"},
	{Path: "properties.storageProfile.osDisk.deleteOption", Since: "2021-03-01"},
	{Path: "properties.storageProfile.dataDisks.deleteOption", Since: "2021-03-01"},
	{Path: "properties.osProfile.linuxConfiguration.patchSettings.assessmentMode", Since: "2021-03-01"},
	{Path: "properties.osProfile.windowsConfiguration.patchSettings.assessmentMode", Since: "2021-03-01"},
}

func viewMachine(_ *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := fields.Clone(r.Body)
	fields.Hide(body, fieldsOfMachine, apiVersion)
	return body
}

// machineRemoved frees or removes what the machine had, as the delete options of its disks and network interfaces say.
func machineRemoved(s *arm.Service, r *arm.Resource) error {
	storage := fields.Child(fields.Clone(r.Properties()), "storageProfile")
	for _, disk := range append(fields.Objects(storage, "dataDisks"), fields.Child(storage, "osDisk")) {
		if err := detach(s, fields.Text(disk, managedDisk, "id"), fields.Text(disk, "deleteOption") == "Delete"); err != nil {
			return err
		}
	}
	for _, attached := range fields.Objects(r.Body, "properties", "networkProfile", "networkInterfaces") {
		if nic := s.Store.Get(fields.Text(attached, "id")); nic != nil && fields.Text(attached, "properties", "deleteOption") == "Delete" {
			if err := s.Remove(nic); err != nil {
				return err
			}
		}
	}
	return nil
}

// instanceView is how a machine is doing.
func instanceView(s *arm.Service, r *arm.Resource) map[string]any {
	now := s.Clock.Now().UTC().Format(time.RFC3339Nano)
	state := strings.ToLower(r.ProvisioningState())
	provisioning := map[string]any{"code": "ProvisioningState/" + state, "level": "Info", "displayStatus": "Provisioning " + state, "time": now}
	if fail := s.Operations.LastFailure(r.ID); fail != nil && r.ProvisioningState() == arm.StatusFailed {
		provisioning["code"], provisioning["level"], provisioning["message"] = "ProvisioningState/failed/"+fail.Code, "Error", fail.Message
	}
	statuses := []any{provisioning}
	if power := fields.Text(r.Private, privatePower); power != "" && state != "creating" {
		statuses = append(statuses, map[string]any{"code": "PowerState/" + power, "level": "Info", "displayStatus": "VM " + power})
	}
	return map[string]any{
		"computerName": fields.Text(r.Body, "properties", "osProfile", "computerName"), "hyperVGeneration": "V2", "statuses": statuses,
		"disks": []any{map[string]any{"name": fields.Text(r.Body, "properties", "storageProfile", "osDisk", "name")}},
	}
}

// customDataOf is what a machine's custom data is before it is encoded.
func customDataOf(r *arm.Resource) []byte {
	data, err := base64.StdEncoding.DecodeString(fields.Text(r.Private, PrivateCustomData))
	if err != nil {
		return nil // It was checked when the machine was made.
	}
	return data
}

func powerOn(_ *arm.Service, r *arm.Resource, _ map[string]any) *arm.Error {
	return switchTo(r, powerRunning)
}
func powerOff(_ *arm.Service, r *arm.Resource, _ map[string]any) *arm.Error {
	return switchTo(r, powerStopped)
}
func deallocate(_ *arm.Service, r *arm.Resource, _ map[string]any) *arm.Error {
	return switchTo(r, powerDeallocated)
}

// switchTo notes the power state that a machine is to have.
func switchTo(r *arm.Resource, state string) *arm.Error {
	r.Private[privatePower] = state
	return nil
}
