// Package compute simulates the compute resource provider: machines, disks, scale sets, what is offered, and what a host runs.
package compute

import (
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// The types of the compute resource provider with behaviour of their own.
const (
	TypeVirtualMachine  = "Microsoft.Compute/virtualMachines"
	TypeVMExtension     = "Microsoft.Compute/virtualMachines/extensions"
	TypeDisk            = "Microsoft.Compute/disks"
	TypeAvailabilitySet = "Microsoft.Compute/availabilitySets"
)

// computeProtocol is what Microsoft.Compute answers; retry is the Retry-After of a creation and of a deletion.
func computeProtocol(retry int) arm.Protocol {
	return arm.Protocol{
		Create:     arm.Answer{Status: 201, AsyncOperation: true, RetryAfter: retry, State: arm.StateCreating},
		Update:     arm.Answer{Status: 200, AsyncOperation: true, State: arm.StateUpdating},
		Remove:     arm.Answer{Status: 202, AsyncOperation: true, Location: true, RetryAfter: retry, State: arm.StateDeleting, NoBody: true},
		Operations: arm.OperationsSegment,
	}
}

// diskProtocol is what the part of Microsoft.Compute that is about disks answers.
func diskProtocol(retry int) arm.Protocol {
	return arm.Protocol{
		Create:     arm.Answer{Status: 202, AsyncOperation: true, Location: true, RetryAfter: retry, State: arm.StateUpdating},
		Update:     arm.Answer{Status: 202, AsyncOperation: true, Location: true, RetryAfter: retry, State: arm.StateUpdating},
		Remove:     arm.Answer{Status: 202, AsyncOperation: true, Location: true, State: arm.StateDeleting, NoBody: true},
		Operations: "DiskOperations",
		PollOutput: true,
	}
}

// Types are the types of the provider. nodeResources returns the scale sets and their machines that Azure Kubernetes Service has made.
func (c *Provider) Types(nodeResources func(*arm.Service, arm.ID) []map[string]any) []*arm.ResourceType {
	images := &arm.ResourceType{Name: "Microsoft.Compute/images", Tracked: true, Protocol: computeProtocol(0), Apply: applyImage}
	return append(append(furtherComputeTypes(), c.scaleSetTypes(nodeResources)...), c.virtualMachineType(), c.vmExtensionType(), diskType(TypeDisk), diskType(typeSnapshot), availabilitySetType(), images)
}

// typeSnapshot is the type of a snapshot, which is much like a disk.
const typeSnapshot = "Microsoft.Compute/snapshots"

// computeError is an error that says which field it is about, as the compute provider's do.
func computeError(status int, code, target, message string) *arm.Error {
	return &arm.Error{Status: status, Code: code, Message: message, Target: target}
}

func applyImage(p *arm.Put) *arm.Error {
	storage := fields.Child(fields.Child(p.Result, "properties"), "storageProfile")
	fields.Fill(storage, map[string]any{"dataDisks": []any{}, "osDisk": map[string]any{"caching": "None", "storageAccountType": "Standard_LRS"}})
	fields.Fill(fields.Child(p.Result, "properties"), map[string]any{"hyperVGeneration": "V1"})
	for _, path := range arm.References(p.Requested["properties"]) {
		if p.Service.Store.Get(path) == nil {
			return computeError(404, "NotFound", path, "The entity was not found in this Azure location.")
		}
	}
	return nil
}

func availabilitySetType() *arm.ResourceType {
	return &arm.ResourceType{
		Name: TypeAvailabilitySet, Tracked: true,
		Protocol:  arm.Protocol{Create: arm.Answer{Status: 200}, Update: arm.Answer{Status: 200}, Remove: arm.Answer{Status: 200, NoBody: true}},
		Validate:  validateAvailabilitySet,
		Apply:     applyAvailabilitySet,
		View:      viewAvailabilitySet,
		ViewOfPut: arm.ViewWithoutState,
		Deletable: availabilitySetDeletable,
	}
}

// Names of fields of several kinds.
const (
	faultDomainCount = "platformFaultDomainCount"
	managedDisk      = "managedDisk"
)

func validateAvailabilitySet(p *arm.Put) *arm.Error {
	if p.Existing == nil {
		return nil
	}
	for _, name := range []string{faultDomainCount, "platformUpdateDomainCount"} {
		have, _ := fields.Number(p.Existing.Body, "properties", name)
		if wanted, given := fields.Number(p.Requested, "properties", name); given && wanted != have {
			return computeError(409, "PropertyChangeNotAllowed", name, "Changing property '"+name+"' is not allowed.")
		}
	}
	return nil
}

func applyAvailabilitySet(p *arm.Put) *arm.Error {
	if p.Existing != nil {
		fields.Fill(p.Result, map[string]any{"sku": fields.Clone(p.Existing.Body)["sku"], fields.Properties: fields.Clone(p.Existing.Properties())})
	}
	fields.Fill(p.Result, map[string]any{
		"sku":             map[string]any{"name": "Classic"},
		fields.Properties: map[string]any{"platformUpdateDomainCount": int64(5), faultDomainCount: int64(3)},
	})
	return nil
}

// machinesIn returns the virtual machines of an availability set.
func machinesIn(s *arm.Service, set *arm.Resource) []*arm.Resource {
	var found []*arm.Resource
	for _, r := range s.Store.All() {
		if r.Type == TypeVirtualMachine && strings.EqualFold(fields.Text(r.Body, "properties", "availabilitySet", "id"), set.ID) {
			found = append(found, r)
		}
	}
	return found
}

func viewAvailabilitySet(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := arm.ViewWithoutState(s, r, apiVersion)
	machines := []any{}
	for _, machine := range machinesIn(s, r) {
		machines = append(machines, map[string]any{"id": machine.ID})
	}
	fields.Child(body, "properties")["virtualMachines"] = machines
	return body
}

func availabilitySetDeletable(s *arm.Service, r *arm.Resource) *arm.Error {
	if len(machinesIn(s, r)) > 0 {
		return arm.Conflict("OperationNotAllowed", "Availability Set '%s' cannot be deleted. Before deleting an Availability Set please ensure that it does not contain any VM.", r.Name)
	}
	return nil
}

func (c *Provider) vmExtensionType() *arm.ResourceType {
	return &arm.ResourceType{
		Name: TypeVMExtension, Tracked: true, Protocol: computeProtocol(0),
		Validate: validateVMExtension,
		Apply:    applyVMExtension,
		Ready:    c.extensionReady,
		Missing: func(id arm.ID, _ *arm.Service, apiVersion string) *arm.Error {
			if apiVersion < "2021-03-01" {
				return arm.ResourceNotFound(id)
			}
			return computeError(404, "NotFound", "extensionName", "The entity was not found in this Azure location.")
		},
	}
}

func validateVMExtension(p *arm.Put) *arm.Error {
	machine := p.Service.Store.Get(p.ID.Parent)
	if value, given := fields.At(machine.Body, "properties", "osProfile", "allowExtensionOperations").(bool); given && !value {
		return arm.Conflict("OperationNotAllowed", "This operation cannot be performed when extension operations are disallowed. To allow, please ensure VM Agent is installed on the VM and the osProfile.allowExtensionOperations property is true.")
	}
	if fields.Text(machine.Private, "powerState") != powerRunning {
		return arm.Conflict("OperationNotAllowed", "Cannot modify extensions in the VM when the VM is not running.")
	}
	for _, name := range []string{"publisher", "type", "typeHandlerVersion"} {
		if p.Existing == nil && fields.Text(p.Requested, "properties", name) == "" {
			return computeError(400, "InvalidParameter", name, "Required parameter '"+name+"' is missing (null).")
		}
	}
	for _, other := range p.Service.Store.Children(p.ID.Parent, TypeVMExtension) {
		if other.Key() != p.ID.Key() && fields.Text(other.Body, "properties", "type") == fields.Text(p.Requested, "properties", "type") && fields.Text(other.Body, "properties", "publisher") == fields.Text(p.Requested, "properties", "publisher") {
			return arm.BadRequest("BadRequest", "Multiple VMExtensions per handler not supported for OS type '%s'. VMExtension '%s' with handler '%s.%s' already added or specified in input.",
				fields.Text(machine.Body, "properties", "storageProfile", "osDisk", "osType"), other.Name, fields.Text(other.Body, "properties", "publisher"), fields.Text(other.Body, "properties", "type"))
		}
	}
	return nil
}

// applyVMExtension drops the settings that nobody may read again.
func applyVMExtension(p *arm.Put) *arm.Error {
	properties := fields.Child(p.Result, "properties")
	if p.Existing != nil {
		fields.Fill(properties, fields.Clone(p.Existing.Properties()))
	}
	delete(properties, "protectedSettings")
	fields.Fill(properties, map[string]any{"autoUpgradeMinorVersion": false, "settings": map[string]any{}})
	return nil
}
