package compute

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/networking"
)

// Limits of scale sets (Azure documentation, "Virtual Machine Scale Sets FAQ" and "Naming rules and restrictions for Azure resources").
const (
	mostInstances      = 1000
	mostInOneGroup     = 100
	longestScaleSet    = 64
	longestLinuxPrefix = 58
	longestWindows     = 9
)

// scaleSetName is what a scale set may be called.
var scaleSetName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9_])?$`)

// noticeTime is a time between 5 and 15 minutes, as a scale set has it.
var noticeTime = regexp.MustCompile(`^PT([5-9]|1[0-5])M$`)

// fixedOfScaleSet are the properties that were decided at creation.
var fixedOfScaleSet = []string{
	"orchestrationMode", faultDomainCount, "proximityPlacementGroup", "virtualMachineProfile.osProfile.computerNamePrefix",
	"virtualMachineProfile.osProfile.adminUsername", "virtualMachineProfile.priority", "virtualMachineProfile.storageProfile.osDisk.osType",
	"virtualMachineProfile.storageProfile.osDisk.createOption", "virtualMachineProfile.securityProfile.securityType",
}

// validateScaleSet refuses what Azure does not make. What a request lacks counts as what the scale set has.
func (c *Provider) validateScaleSet(p *arm.Put) *arm.Error {
	if e := checkFixedOfScaleSet(p); e != nil {
		return e
	}
	wanted := fields.Clone(p.Requested)
	keepOfScaleSet(p, wanted)
	if e := checkScaleSet(p, wanted); e != nil {
		return e
	}
	model, given := fields.At(wanted, "properties", "virtualMachineProfile").(map[string]any)
	if !given {
		if isFlexible(wanted) {
			return nil // It groups machines that are made one by one.
		}
		return missing("virtualMachineProfile")
	}
	for _, check := range []func() *arm.Error{
		func() *arm.Error { return c.checkCapacity(p, wanted) },
		func() *arm.Error { return checkModelSystem(p, model) },
		func() *arm.Error { return c.checkModelImage(p, model) },
		func() *arm.Error { return checkModelDisks(wanted, model) },
		func() *arm.Error { return checkModelNetwork(p, wanted, model) },
		func() *arm.Error { return checkModelSpot(model) },
		func() *arm.Error { return checkModelReferences(p, model) },
	} {
		if e := check(); e != nil {
			return e
		}
	}
	return nil
}

// missing is the error for a field that a request has to have, invalid that for one with another value than it may have.
func missing(name string) *arm.Error {
	return computeError(http.StatusBadRequest, "InvalidParameter", name, "Required parameter '"+name+"' is missing (null).")
}

func invalid(name, format string, args ...any) *arm.Error {
	return computeError(http.StatusBadRequest, "InvalidParameter", name, fmt.Sprintf(format, args...))
}

// checkFixedOfScaleSet refuses another value of a property that was decided at creation.
func checkFixedOfScaleSet(p *arm.Put) *arm.Error {
	if p.Existing == nil {
		return nil
	}
	if err := checkFixed(p, fixedOfScaleSet, "virtualMachineProfile.", "osProfile."); err != nil {
		return err
	}
	if fields.Bool(p.Requested, "properties", "singlePlacementGroup") && !fields.Bool(p.Existing.Body, "properties", "singlePlacementGroup") {
		return propertyChange("singlePlacementGroup")
	}
	return checkFixedZones(p)
}

// checkScaleSet refuses names and settings of the scale set itself.
func checkScaleSet(p *arm.Put, wanted map[string]any) *arm.Error {
	name, zones := p.ID.Name, fields.Texts(wanted, "zones")
	if p.Existing == nil && (len(name) > longestScaleSet || !scaleSetName.MatchString(name)) {
		return invalid("vmScaleSetName", "The entity name '%s' is invalid according to its validation rule: at most %d letters, digits, '_', '-' and '.', of which the first is a letter or digit, and the last neither '-' nor '.'.", name, longestScaleSet)
	}
	if mode := fields.Text(wanted, "properties", "orchestrationMode"); mode != "" && !strings.EqualFold(mode, "Uniform") && !strings.EqualFold(mode, "Flexible") {
		return invalid("orchestrationMode", "The value '%s' provided for orchestrationMode is not valid: want Uniform or Flexible.", mode)
	}
	if isFlexible(wanted) && fields.Bool(wanted, "properties", "singlePlacementGroup") {
		return invalid("singlePlacementGroup", "The value 'True' of parameter 'singlePlacementGroup' is not allowed. Allowed values are: False.")
	}
	if fields.Bool(wanted, "properties", "zoneBalance") && len(zones) < 2 {
		return invalid("zoneBalance", "Parameter 'zoneBalance' may be true only for a virtual machine scale set in several availability zones.")
	}
	switch mode := fields.Text(wanted, "properties", "upgradePolicy", "mode"); {
	case mode == "" && !isFlexible(wanted) && p.Existing == nil && fields.At(wanted, "properties", "upgradePolicy") != nil:
		return missing("upgradePolicy.mode")
	case mode != "" && !strings.EqualFold(mode, "Manual") && !strings.EqualFold(mode, "Automatic") && !strings.EqualFold(mode, "Rolling"):
		return invalid("upgradePolicy.mode", "The value '%s' provided for upgradePolicy.mode is not valid: want Automatic, Manual or Rolling.", mode)
	}
	return checkZones(p, zones)
}

// checkCapacity refuses a size that is not to be had, too many instances, and fewer than are protected.
func (c *Provider) checkCapacity(p *arm.Put, wanted map[string]any) *arm.Error {
	name, zones := fields.Text(wanted, "sku", "name"), fields.Texts(wanted, "zones")
	capacity, _ := fields.Number(wanted, "sku", "capacity")
	size, ok := sizeNamed(name)
	switch {
	case name == "":
		return missing("sku.name")
	case !ok:
		return invalid("sku", "The value %s provided for the VM size is not valid. The valid sizes in the current region are: %s.", name, strings.Join(sizeNames(), ","))
	case capacity < 0 || capacity > mostInstances:
		return invalid("sku.capacity", "The value %d of parameter 'sku.capacity' is out of range. The value must be between 0 and %d.", capacity, mostInstances)
	case fields.Bool(wanted, "properties", "singlePlacementGroup") && capacity > mostInOneGroup:
		return invalid("sku.capacity", "A virtual machine scale set with a single placement group has at most %d instances, not %d.", mostInOneGroup, capacity)
	}
	present, protected := 0, 0
	if p.Existing != nil {
		for _, r := range staying(p.Service, p.Existing) {
			present++
			if isProtected(r) {
				protected++
			}
		}
	}
	if int(capacity) < protected {
		return arm.Conflict("OperationNotAllowed", "Operation 'Scale in' is not allowed on virtual machine scale set '%s' since %d of its instances are protected from it.", p.ID.Name, protected)
	}
	more := int(capacity) - present
	if more <= 0 {
		return nil
	}
	location := arm.NormalLocation(fields.Text(wanted, fields.Location))
	if with := c.zonesWith(size, location, zones); fields.Bool(wanted, "properties", "zoneBalance") && len(with) < len(zones) {
		zones = nil
		for _, zone := range fields.Texts(wanted, "zones") {
			if c.offers.restricted(size.name, location, zone) {
				zones = append(zones, zone)
			}
		}
	}
	if e := c.checkRestriction(p, size, zones); e != nil {
		return e
	}
	return c.checkQuotaFor(p, size, more)
}

// checkModelSystem refuses a model whose machines nobody could sign in to, whose names are too long, or whose custom data is none.
func checkModelSystem(p *arm.Put, model map[string]any) *arm.Error {
	system, given := model["osProfile"].(map[string]any)
	if !given {
		return missing("osProfile")
	}
	for _, name := range []string{"computerNamePrefix", "adminUsername"} {
		if fields.Text(system, name) == "" {
			return missing("osProfile." + name)
		}
	}
	_, windows := system["windowsConfiguration"].(map[string]any)
	prefix, longest := fields.Text(system, "computerNamePrefix"), longestLinuxPrefix
	if windows {
		longest = longestWindows
	}
	if len(prefix) > longest {
		return invalid("computerNamePrefix", "The computer name prefix '%s' is too long: it may have %d characters, as %d more follow it.", prefix, longest, instanceDigits)
	}
	if notice := fields.Text(model, "scheduledEventsProfile", "terminateNotificationProfile", "notBeforeTimeout"); notice != "" && !noticeTime.MatchString(notice) {
		return invalid("notBeforeTimeout", "The value '%s' of parameter 'notBeforeTimeout' is not valid: want a time in ISO 8601 format between 5 and 15 minutes, such as PT5M.", notice)
	}
	if p.Existing == nil {
		return checkSignIn(system, windows)
	}
	if data, err := base64.StdEncoding.DecodeString(fields.Text(system, "customData")); err != nil || len(data) > LargestCustomData {
		return invalid("customData", "Custom data in OSProfile must be in Base64 encoding and with a maximum length of 87380 characters.")
	}
	return nil
}

func (c *Provider) checkModelImage(p *arm.Put, model map[string]any) *arm.Error {
	return c.checkImageOf(p, fields.Child(fields.Clone(model), "storageProfile"))
}

// checkModelDisks refuses data disks that share a logical unit number, or of which there are too many.
func checkModelDisks(wanted, model map[string]any) *arm.Error {
	size, _ := sizeNamed(fields.Text(wanted, "sku", "name"))
	disks, taken := fields.Objects(model, "storageProfile", "dataDisks"), map[int64]bool{}
	if len(disks) > size.dataDisks {
		return computeError(http.StatusConflict, "OperationNotAllowed", "dataDisks", fmt.Sprintf("The maximum number of data disks allowed to be attached to a VM of this size is %d.", size.dataDisks))
	}
	for _, disk := range disks {
		lun, given := fields.Number(disk, "lun")
		if !given || taken[lun] {
			return invalid("dataDisk.lun", "The LUN %d of a data disk is missing or used more than once.", lun)
		}
		taken[lun] = true
	}
	return nil
}

// checkModelNetwork refuses network interfaces that are in no subnet, in several networks, or of which none or several are the primary one.
func checkModelNetwork(p *arm.Put, wanted, model map[string]any) *arm.Error {
	configurations := fields.Objects(model, "networkProfile", "networkInterfaceConfigurations")
	if len(configurations) == 0 {
		return missing("networkProfile")
	}
	if isFlexible(wanted) && fields.Text(model, "networkProfile", "networkApiVersion") == "" {
		return missing("networkProfile.networkApiVersion")
	}
	primaries, network := 0, ""
	for _, configuration := range configurations {
		if fields.Bool(configuration, "properties", "primary") {
			primaries++
		}
		addresses := fields.Objects(configuration, "properties", networking.ListConfigurations)
		if len(addresses) == 0 {
			return arm.Detailed(arm.BadRequest("NetworkInterfaceMustHaveAtLeastOneIpConfiguration", "Network interface %s must have at least one IP configuration.", fields.Text(configuration, "name")))
		}
		for _, address := range addresses {
			subnet := fields.Text(address, "properties", "subnet", "id")
			in, _, _ := arm.CutPart(subnet)
			if network != "" && !strings.EqualFold(network, in) {
				return invalid("networkProfile", "All network interfaces of a virtual machine have to be in the same virtual network.")
			}
			network = in
		}
		for _, path := range arm.References(configuration) {
			if _, found := p.Service.Find(path); !found {
				return networking.InvalidReference(path, p.ID)
			}
		}
	}
	if len(configurations) > 1 && primaries != 1 {
		return computeError(http.StatusBadRequest, "VirtualMachineMustHaveOneNetworkInterfaceAsPrimary", "networkProfile", fmt.Sprintf("Virtual machine scale set %s must have one network interface set as the primary.", p.ID.Name))
	}
	return checkRoom(p, wanted, configurations)
}

// checkRoom refuses more instances than the subnets have addresses for.
func checkRoom(p *arm.Put, wanted map[string]any, configurations []map[string]any) *arm.Error {
	capacity, _ := fields.Number(wanted, "sku", "capacity")
	if p.Existing != nil {
		capacity -= int64(len(staying(p.Service, p.Existing)))
	}
	free := newAddresses(p.Service)
	for range capacity {
		for _, configuration := range configurations {
			if _, e := addressConfigurations(p.ID.Path, configuration, free); e != nil {
				return e
			}
		}
	}
	return nil
}

// checkModelSpot refuses settings of spot machines for others.
func checkModelSpot(model map[string]any) *arm.Error {
	spot := strings.EqualFold(fields.Text(model, "priority"), "Spot") || strings.EqualFold(fields.Text(model, "priority"), "Low")
	policy := fields.Text(model, "evictionPolicy")
	switch {
	case policy != "" && !spot:
		return invalid("evictionPolicy", "Eviction policy can be set only on Azure Spot Virtual Machines.")
	case model["billingProfile"] != nil && !spot:
		return invalid("billingProfile", "Max price can be set only on Azure Spot Virtual Machines.")
	case policy != "" && !strings.EqualFold(policy, "Deallocate") && !strings.EqualFold(policy, "Delete"):
		return invalid("evictionPolicy", "The value '%s' provided for evictionPolicy is not valid: want Deallocate or Delete.", policy)
	}
	return nil
}

// checkModelReferences refuses encryption sets and capacity reservations that do not exist.
func checkModelReferences(p *arm.Put, model map[string]any) *arm.Error {
	for _, path := range [][]string{{"capacityReservation", "capacityReservationGroup"}, {"storageProfile", "osDisk", managedDisk, "diskEncryptionSet"}} {
		if id := fields.Text(model, append(path, "id")...); id != "" && p.Service.Store.Get(id) == nil {
			return computeError(http.StatusNotFound, "NotFound", path[len(path)-1], fmt.Sprintf("The entity %s was not found in this Azure location.", id))
		}
	}
	return nil
}
