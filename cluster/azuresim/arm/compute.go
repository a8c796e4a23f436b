package arm

// The types of the compute resource provider with behaviour of their own.
const (
	TypeVirtualMachine  = "Microsoft.Compute/virtualMachines"
	TypeVMExtension     = "Microsoft.Compute/virtualMachines/extensions"
	TypeDisk            = "Microsoft.Compute/disks"
	TypeAvailabilitySet = "Microsoft.Compute/availabilitySets"
)

// computeProtocol is what Microsoft.Compute answers; retry is the Retry-After of a creation and of a deletion.
func computeProtocol(retry int) protocol {
	return protocol{
		create:     answer{status: 201, asyncOperation: true, retryAfter: retry, state: stateCreating},
		update:     answer{status: 200, asyncOperation: true, state: stateUpdating},
		remove:     answer{status: 202, asyncOperation: true, location: true, retryAfter: retry, state: stateDeleting, noBody: true},
		operations: operationsSegment,
	}
}

// diskProtocol is what the part of Microsoft.Compute that is about disks answers.
func diskProtocol(retry int) protocol {
	return protocol{
		create:     answer{status: 202, asyncOperation: true, location: true, retryAfter: retry, state: stateUpdating},
		update:     answer{status: 202, asyncOperation: true, location: true, retryAfter: retry, state: stateUpdating},
		remove:     answer{status: 202, asyncOperation: true, location: true, state: stateDeleting, noBody: true},
		operations: "DiskOperations",
		pollOutput: true,
	}
}

func computeTypes() []*resourceType {
	images := &resourceType{name: "Microsoft.Compute/images", tracked: true, protocol: computeProtocol(0), apply: applyImage}
	return append(furtherComputeTypes(), virtualMachineType(), vmExtensionType(), diskType(TypeDisk), diskType(typeSnapshot), availabilitySetType(), images)
}

// typeSnapshot is the type of a snapshot, which is much like a disk.
const typeSnapshot = "Microsoft.Compute/snapshots"

// computeError is an error that says which field it is about, as the compute provider's do.
func computeError(status int, code, target, message string) *Error {
	return &Error{Status: status, Code: code, Message: message, Target: target}
}

func applyImage(p *put) *Error {
	storage := child(child(p.result, "properties"), "storageProfile")
	fill(storage, map[string]any{"dataDisks": []any{}, "osDisk": map[string]any{"caching": "None", "storageAccountType": "Standard_LRS"}})
	fill(child(p.result, "properties"), map[string]any{"hyperVGeneration": "V1"})
	for _, path := range references(p.requested["properties"]) {
		if p.service.store.get(path) == nil {
			return computeError(404, "NotFound", path, "The entity was not found in this Azure location.")
		}
	}
	return nil
}

func availabilitySetType() *resourceType {
	return &resourceType{
		name: TypeAvailabilitySet, tracked: true,
		protocol:  protocol{create: answer{status: 200}, update: answer{status: 200}, remove: answer{status: 200, noBody: true}},
		validate:  validateAvailabilitySet,
		apply:     applyAvailabilitySet,
		view:      viewAvailabilitySet,
		viewOfPut: viewWithoutState,
		deletable: availabilitySetDeletable,
	}
}

func validateAvailabilitySet(p *put) *Error {
	if p.existing == nil {
		return nil
	}
	for _, name := range []string{"platformFaultDomainCount", "platformUpdateDomainCount"} {
		have, _ := number(p.existing.Body, "properties", name)
		if wanted, given := number(p.requested, "properties", name); given && wanted != have {
			return computeError(409, "PropertyChangeNotAllowed", name, "Changing property '"+name+"' is not allowed.")
		}
	}
	return nil
}

func applyAvailabilitySet(p *put) *Error {
	if p.existing != nil {
		fill(p.result, map[string]any{"sku": clone(p.existing.Body)["sku"], fieldProperties: clone(p.existing.properties())})
	}
	fill(p.result, map[string]any{
		"sku":           map[string]any{"name": "Classic"},
		fieldProperties: map[string]any{"platformUpdateDomainCount": int64(5), "platformFaultDomainCount": int64(3)},
	})
	return nil
}

// machinesIn returns the virtual machines of an availability set.
func (s *Service) machinesIn(set *Resource) []*Resource {
	var found []*Resource
	for _, r := range s.store.all() {
		if r.Type == TypeVirtualMachine && equalIDs(text(r.Body, "properties", "availabilitySet", "id"), set.ID) {
			found = append(found, r)
		}
	}
	return found
}

func viewAvailabilitySet(s *Service, r *Resource, apiVersion string) map[string]any {
	body := viewWithoutState(s, r, apiVersion)
	machines := []any{}
	for _, machine := range s.machinesIn(r) {
		machines = append(machines, map[string]any{"id": machine.ID})
	}
	child(body, "properties")["virtualMachines"] = machines
	return body
}

func availabilitySetDeletable(s *Service, r *Resource) *Error {
	if len(s.machinesIn(r)) > 0 {
		return conflict("OperationNotAllowed", "Availability Set '%s' cannot be deleted. Before deleting an Availability Set please ensure that it does not contain any VM.", r.Name)
	}
	return nil
}

func vmExtensionType() *resourceType {
	return &resourceType{
		name: TypeVMExtension, tracked: true, protocol: computeProtocol(0),
		validate: validateVMExtension,
		apply:    applyVMExtension,
		ready:    extensionReady,
		missing: func(id ID, _ *Service, apiVersion string) *Error {
			if apiVersion < "2021-03-01" {
				return resourceNotFound(id)
			}
			return computeError(404, "NotFound", "extensionName", "The entity was not found in this Azure location.")
		},
	}
}

func validateVMExtension(p *put) *Error {
	machine := p.service.store.get(p.id.Parent)
	if value, given := at(machine.Body, "properties", "osProfile", "allowExtensionOperations").(bool); given && !value {
		return conflict("OperationNotAllowed", "This operation cannot be performed when extension operations are disallowed. To allow, please ensure VM Agent is installed on the VM and the osProfile.allowExtensionOperations property is true.")
	}
	if text(machine.Private, "powerState") != powerRunning {
		return conflict("OperationNotAllowed", "Cannot modify extensions in the VM when the VM is not running.")
	}
	for _, name := range []string{"publisher", "type", "typeHandlerVersion"} {
		if p.existing == nil && text(p.requested, "properties", name) == "" {
			return computeError(400, "InvalidParameter", name, "Required parameter '"+name+"' is missing (null).")
		}
	}
	for _, other := range p.service.store.children(p.id.Parent, TypeVMExtension) {
		if other.key() != p.id.Key() && text(other.Body, "properties", "type") == text(p.requested, "properties", "type") && text(other.Body, "properties", "publisher") == text(p.requested, "properties", "publisher") {
			return badRequest("BadRequest", "Multiple VMExtensions per handler not supported for OS type '%s'. VMExtension '%s' with handler '%s.%s' already added or specified in input.",
				text(machine.Body, "properties", "storageProfile", "osDisk", "osType"), other.Name, text(other.Body, "properties", "publisher"), text(other.Body, "properties", "type"))
		}
	}
	return nil
}

// applyVMExtension drops the settings that nobody may read again.
func applyVMExtension(p *put) *Error {
	properties := child(p.result, "properties")
	if p.existing != nil {
		fill(properties, clone(p.existing.properties()))
	}
	delete(properties, "protectedSettings")
	fill(properties, map[string]any{"autoUpgradeMinorVersion": false, "settings": map[string]any{}})
	return nil
}
