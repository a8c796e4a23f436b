package arm

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Power states of a machine, as its instance view has them.
const (
	powerRunning     = "running"
	powerStopped     = "stopped"
	powerDeallocated = "deallocated"
)

// privateCustomData is the custom data until the machine has been started, privateCustomHash what is known of it for ever.
const (
	privateCustomData = "customData"
	privateCustomHash = "customDataHash"
	privatePower      = "powerState"
)

// secretsOfMachine are the fields of osProfile, and of the properties, that Azure never shows.
var secretsOfMachine = []string{"customData", "adminPassword"}

func virtualMachineType() *resourceType {
	p := computeProtocol(10)
	p.polls = map[change][]int{create: {35, 30}, remove: {30}}
	return &resourceType{
		name: TypeVirtualMachine, tracked: true, protocol: p,
		validate:  validateVirtualMachine,
		apply:     applyVirtualMachine,
		stored:    storeMachine,
		settle:    settleMachine,
		view:      viewMachine,
		removed:   machineRemoved,
		ready:     machineReady,
		operates:  map[string]func(*Service, *Resource){"start": powerOn, "restart": powerOn, "poweroff": powerOff, "deallocate": deallocate, "redeploy": powerOn},
		deletable: func(*Service, *Resource) *Error { return nil },
	}
}

func applyVirtualMachine(p *put) *Error {
	keepOfMachine(p)
	properties := child(p.result, "properties")
	fill(properties, map[string]any{"vmId": uuid.NewString(), fieldCreated: p.now.UTC().Format(time.RFC3339Nano)})
	applyMachineSecrets(p, properties)
	applyMachineDisks(p, child(properties, "storageProfile"))
	applyOSProfile(properties)
	for _, attached := range objects(properties, "networkProfile", "networkInterfaces") {
		delete(attached, "reference")
	}
	return applyMachineIdentity(p)
}

// keepOfMachine keeps what a PUT lacks: the cloud controller of Kubernetes attaches disks by a PUT of nothing but the location and the list of
// data disks (cloud-provider-azure, pkg/provider/azure_controller_standard.go). Lists and tags that are given take the place of what was.
func keepOfMachine(p *put) {
	if p.existing == nil {
		return
	}
	before := clone(p.existing.Body)
	for _, name := range []string{"tags", "identity"} {
		if p.requested[name] != nil {
			delete(before, name)
		}
	}
	delete(child(child(before, "properties"), "storageProfile"), "imageReference")
	if image := at(p.existing.Body, "properties", "storageProfile", "imageReference"); image != nil {
		child(child(p.result, "properties"), "storageProfile")["imageReference"] = image
	}
	fill(p.result, before)
}

// applyMachineSecrets takes secrets out of what is stored to be shown. Custom data is kept aside until the machine has started.
func applyMachineSecrets(p *put, properties map[string]any) {
	profile, _ := properties["osProfile"].(map[string]any)
	if p.resource.Private == nil {
		p.resource.Private = map[string]any{}
	} else {
		p.resource.Private = clone(p.resource.Private)
	}
	if data := text(profile, "customData"); data != "" && p.existing == nil {
		p.resource.Private[privateCustomData] = data
		p.resource.Private[privateCustomHash] = hashOf(data)
	}
	for _, name := range secretsOfMachine {
		delete(profile, name)
	}
	delete(properties, "userData")
	if p.existing == nil {
		p.resource.Private[privatePower] = powerRunning
	}
}

func hashOf(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// applyMachineDisks completes the disks of a machine.
func applyMachineDisks(p *put, storage map[string]any) {
	image := child(storage, "imageReference")
	if len(image) == 0 {
		delete(storage, "imageReference")
	} else if text(image, "publisher") != "" {
		fill(image, map[string]any{"exactVersion": exactVersion(text(image, "sku"), text(image, "version"))})
	}
	disk := child(storage, "osDisk")
	system := "Linux"
	if at(p.requested, "properties", "osProfile", "windowsConfiguration") != nil || strings.HasPrefix(text(image, "publisher"), "MicrosoftWindows") {
		system = "Windows"
	}
	fill(disk, map[string]any{"osType": system, "createOption": "FromImage", "caching": "ReadWrite", "deleteOption": "Detach"})
	size := int64(30)
	if disk["osType"] == "Windows" {
		size = 127
	}
	fill(disk, map[string]any{"diskSizeGB": size, "managedDisk": map[string]any{"storageAccountType": defaultStorage(text(p.result, "properties", "hardwareProfile", "vmSize"))}})
	fill(storage, map[string]any{"dataDisks": []any{}})
	for _, data := range objects(storage, "dataDisks") {
		fill(data, map[string]any{
			"caching": "None", "toBeDetached": false, "deleteOption": "Detach", "managedDisk": map[string]any{"storageAccountType": defaultStorage(text(p.result, "properties", "hardwareProfile", "vmSize"))},
		})
		if existing := p.service.store.get(text(data, "managedDisk", "id")); existing != nil {
			size, _ := number(existing.Body, "properties", "diskSizeGB")
			data["diskSizeGB"] = size
			fill(data, map[string]any{"name": existing.Name})
			child(data, "managedDisk")["storageAccountType"] = text(existing.Body, "sku", "name")
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
	fill(profile, map[string]any{"secrets": []any{}, "allowExtensionOperations": true, "requireGuestProvisionSignal": true})
	if text(properties, "storageProfile", "osDisk", "osType") == "Windows" {
		fill(profile, map[string]any{"windowsConfiguration": map[string]any{
			"provisionVMAgent": true, "enableAutomaticUpdates": true, "patchSettings": map[string]any{"patchMode": "AutomaticByOS", "assessmentMode": "ImageDefault"},
		}})
		return
	}
	fill(profile, map[string]any{"linuxConfiguration": map[string]any{
		"disablePasswordAuthentication": false, "provisionVMAgent": true, "patchSettings": map[string]any{"patchMode": "ImageDefault", "assessmentMode": "ImageDefault"},
	}})
}

// applyMachineIdentity gives the resource the identities that it asks for.
func applyMachineIdentity(p *put) *Error {
	identity, given := p.result["identity"].(map[string]any)
	if !given {
		return nil
	}
	if strings.Contains(text(identity, "type"), "SystemAssigned") {
		principal := uuid.NewString()
		if p.existing != nil && text(p.existing.Body, "identity", "principalId") != "" {
			principal = text(p.existing.Body, "identity", "principalId")
		}
		identity["principalId"], identity["tenantId"] = principal, p.service.tenantOf(p.id.Subscription)
	}
	assigned, _ := identity["userAssignedIdentities"].(map[string]any)
	for path := range assigned {
		r := p.service.store.get(path)
		if r == nil {
			return badRequest("FailedIdentityOperation", "Identity operation for resource '%s' failed with error 'Failed to perform resource identity operation. Status: 'BadRequest'. Response: '{\"error\":{\"code\":\"BadRequest\",\"message\":\"Resource '%s' was not found.\"}}'.'.", p.id.Path, path)
		}
		assigned[path] = map[string]any{fieldPrincipal: text(r.Body, "properties", "principalId"), "clientId": text(r.Body, "properties", "clientId")}
	}
	return nil
}

// storeMachine attaches and detaches disks. Those of a new machine come when it has been made.
func storeMachine(p *put) *Error {
	if p.existing == nil {
		return nil
	}
	if err := p.service.attachAll(p.resource); err != nil {
		return internalError(err)
	}
	wanted := map[string]bool{}
	for _, disk := range objects(p.resource.Body, "properties", "storageProfile", "dataDisks") {
		wanted[strings.ToLower(text(disk, "managedDisk", "id"))] = true
	}
	for _, disk := range objects(p.existing.Body, "properties", "storageProfile", "dataDisks") {
		if path := text(disk, "managedDisk", "id"); !wanted[strings.ToLower(path)] {
			if err := p.service.detach(path, false); err != nil {
				return internalError(err)
			}
		}
	}
	return nil
}

// attachAll has a machine's disks be in the store as its own, and forgets those that are to be detached.
func (s *Service) attachAll(machine *Resource) error {
	storage := child(machine.properties(), "storageProfile")
	disk := child(storage, "osDisk")
	if text(disk, "name") == "" {
		disk["name"] = machine.Name + "_OsDisk_1_" + strings.ReplaceAll(uuid.NewSHA1(uuid.NameSpaceURL, []byte(text(machine.Body, "properties", "vmId"))).String(), "-", "")
	}
	if err := s.attach(machine, disk, text(disk, "name")); err != nil {
		return err
	}
	kept := []any{}
	for _, data := range objects(storage, "dataDisks") {
		if boolean(data, "toBeDetached") {
			continue
		}
		if text(data, "name") == "" {
			data["name"] = machine.Name + "_disk" + "_" + uuid.NewString()[:8]
		}
		if err := s.attach(machine, data, text(data, "name")); err != nil {
			return err
		}
		kept = append(kept, data)
	}
	storage["dataDisks"] = kept
	return s.store.put(machine)
}

func settleMachine(s *Service, r *Resource) error {
	return s.attachAll(r)
}

// fieldsOfMachine are what not every api-version shows.
var fieldsOfMachine = []field{
	{path: "properties.timeCreated", since: "2021-11-01"},
	{path: "properties.storageProfile.osDisk.deleteOption", since: "2021-03-01"},
	{path: "properties.storageProfile.dataDisks.deleteOption", since: "2021-03-01"},
	{path: "properties.osProfile.linuxConfiguration.patchSettings.assessmentMode", since: "2021-03-01"},
	{path: "properties.osProfile.windowsConfiguration.patchSettings.assessmentMode", since: "2021-03-01"},
}

func viewMachine(_ *Service, r *Resource, apiVersion string) map[string]any {
	body := clone(r.Body)
	hideFields(body, fieldsOfMachine, apiVersion)
	return body
}

// machineRemoved frees or removes what the machine had, as the delete options of its disks and network interfaces say.
func machineRemoved(s *Service, r *Resource) error {
	storage := child(clone(r.properties()), "storageProfile")
	for _, disk := range append(objects(storage, "dataDisks"), child(storage, "osDisk")) {
		if err := s.detach(text(disk, "managedDisk", "id"), text(disk, "deleteOption") == "Delete"); err != nil {
			return err
		}
	}
	for _, attached := range objects(r.Body, "properties", "networkProfile", "networkInterfaces") {
		if nic := s.store.get(text(attached, "id")); nic != nil && text(attached, "properties", "deleteOption") == "Delete" {
			if err := s.erase(nic); err != nil {
				return err
			}
		}
	}
	return nil
}

// instanceView is how a machine is doing.
func (s *Service) instanceView(r *Resource) map[string]any {
	now := s.clock.Now().UTC().Format(time.RFC3339Nano)
	state := strings.ToLower(r.provisioningState())
	provisioning := map[string]any{"code": "ProvisioningState/" + state, "level": "Info", "displayStatus": "Provisioning " + state, "time": now}
	if fail := s.operations.lastFailure(r.ID); fail != nil && r.provisioningState() == statusFailed {
		provisioning["code"], provisioning["level"], provisioning["message"] = "ProvisioningState/failed/"+fail.Code, "Error", fail.Message
	}
	statuses := []any{provisioning}
	if power := text(r.Private, privatePower); power != "" && state != "creating" {
		statuses = append(statuses, map[string]any{"code": "PowerState/" + power, "level": "Info", "displayStatus": "VM " + power})
	}
	return map[string]any{
		"computerName": text(r.Body, "properties", "osProfile", "computerName"), "hyperVGeneration": "V2", "statuses": statuses,
		"disks": []any{map[string]any{"name": text(r.Body, "properties", "storageProfile", "osDisk", "name")}},
	}
}

// showInstanceView answers a GET of a machine's instance view; it returns false for any other path.
func (s *Service) showInstanceView(w http.ResponseWriter, segments []string) bool {
	if !strings.EqualFold(segments[len(segments)-1], "instanceView") {
		return false
	}
	r := s.store.get("/" + strings.Join(segments[:len(segments)-1], "/"))
	if r == nil || r.Type != TypeVirtualMachine {
		return false
	}
	writeJSON(w, http.StatusOK, s.instanceView(r))
	return true
}

// customDataOf is what a machine's custom data is before it is encoded.
func customDataOf(r *Resource) []byte {
	data, err := base64.StdEncoding.DecodeString(text(r.Private, privateCustomData))
	if err != nil {
		return nil // It was checked when the machine was made.
	}
	return data
}

func powerOn(_ *Service, r *Resource)    { r.Private[privatePower] = powerRunning }
func powerOff(_ *Service, r *Resource)   { r.Private[privatePower] = powerStopped }
func deallocate(_ *Service, r *Resource) { r.Private[privatePower] = powerDeallocated }
