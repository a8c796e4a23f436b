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

// LargestCustomData is how many bytes custom data may have before it is encoded (Azure documentation, "Custom data and cloud-init").
const LargestCustomData = 65535

// fixedOfMachine are the properties that were decided at creation.
var fixedOfMachine = []string{
	"osProfile.computerName", "osProfile.adminUsername", "osProfile.linuxConfiguration.disablePasswordAuthentication", "osProfile.linuxConfiguration.ssh",
	"storageProfile.imageReference", "storageProfile.osDisk.name", "storageProfile.osDisk.osType", "storageProfile.osDisk.createOption",
	"storageProfile.osDisk.diffDiskSettings", "availabilitySet", "virtualMachineScaleSet", "proximityPlacementGroup", "priority",
	"securityProfile.securityType", "networkProfile.networkApiVersion",
}

func (c *Provider) validateVirtualMachine(p *arm.Put) *arm.Error {
	if p.Service.Operations.RunningOn(p.ID.Path, false) != nil {
		return arm.Conflict("Conflict", "The request failed due to conflict with a concurrent request. To resolve it, please refer to https://aka.ms/activitylog to get more details on the conflicting requests.")
	}
	for _, check := range []func(*arm.Put) *arm.Error{checkFixedOfMachine, c.checkSize, c.checkImage, checkNetworkInterfaces, checkOSProfile, checkDisks, checkMachineReferences, c.checkQuota} {
		if e := check(p); e != nil {
			return e
		}
	}
	return nil
}

// propertyChange is the error for another value of what cannot be changed.
func propertyChange(name string) *arm.Error {
	return computeError(http.StatusConflict, "PropertyChangeNotAllowed", name, "Changing property '"+name+"' is not allowed.")
}

// checkFixed refuses another value of one of the properties of what exists, which it names without the prefixes. One that the request leaves out
// stays.
func checkFixed(p *arm.Put, properties []string, prefixes ...string) *arm.Error {
	for _, name := range properties {
		path := strings.Split(name, ".")
		have, want := fields.At(p.Existing.Properties(), path...), fields.At(p.Requested, append([]string{"properties"}, path...)...)
		if fields.IsZero(want) || fields.Same(have, want) {
			continue
		}
		for _, prefix := range prefixes {
			name = strings.TrimPrefix(name, prefix)
		}
		return propertyChange(name)
	}
	return nil
}

// checkFixedZones refuses other zones than what exists is in.
func checkFixedZones(p *arm.Put) *arm.Error {
	if p.Requested["zones"] != nil && !fields.SameSet(fields.Texts(p.Existing.Body, "zones"), fields.Texts(p.Requested, "zones")) {
		return propertyChange("zones")
	}
	return nil
}

// checkFixedOfMachine refuses another value of a property that was decided at creation. One that the request leaves out stays. Custom data counts
// as changed also when there was none (Azure/azure-sdk-for-java issue 1912).
func checkFixedOfMachine(p *arm.Put) *arm.Error {
	if p.Existing == nil {
		return nil
	}
	if err := checkFixed(p, fixedOfMachine, "osProfile.", "storageProfile."); err != nil {
		return err
	}
	if data := fields.Text(p.Requested, "properties", "osProfile", "customData"); data != "" && hashOf(data) != fields.Text(p.Existing.Private, privateCustomHash) {
		return propertyChange("customData")
	}
	if err := checkFixedZones(p); err != nil {
		return err
	}
	if plan := p.Requested["plan"]; plan != nil && !fields.Same(p.Existing.Body["plan"], plan) {
		return propertyChange("plan")
	}
	return nil
}

// checkSize refuses a size that there is not, or that is not to be had in the location or the zone.
func (c *Provider) checkSize(p *arm.Put) *arm.Error {
	name := fields.Text(p.Requested, "properties", "hardwareProfile", "vmSize")
	if name == "" && p.Existing != nil {
		return nil
	}
	size, ok := sizeNamed(name)
	if !ok {
		return computeError(http.StatusBadRequest, "InvalidParameter", "vmSize", fmt.Sprintf("The value %s provided for the VM size is not valid. The valid sizes in the current region are: %s.", name, strings.Join(sizeNames(), ",")))
	}
	zones := fields.Texts(p.Requested, "zones")
	if len(zones) > 1 {
		return computeError(http.StatusBadRequest, "InvalidParameter", "zones", "The number of zones specified for a virtual machine is more than one.")
	}
	if e := checkZones(p, zones); e != nil || p.Existing != nil {
		return e
	}
	return c.checkRestriction(p, size, zones)
}

// checkZones refuses zones that the location does not have.
func checkZones(p *arm.Put, zones []string) *arm.Error {
	location := arm.NormalLocation(fields.Text(p.Requested, fields.Location))
	if offered := zonesOf(location); !fields.SameSet(zones, intersect(offered, zones)) {
		return arm.BadRequest("AvailabilityZoneNotSupported", "The zone(s) '%s' for resource '%s' is not supported. The supported zones for location '%s' are '%s'",
			strings.Join(zones, ","), p.ID.TypedName(), location, strings.Join(offered, ","))
	}
	return nil
}

// checkRestriction refuses a size that is to be had in none of the zones, or not in the location if there are none.
func (c *Provider) checkRestriction(p *arm.Put, size machineSize, zones []string) *arm.Error {
	location := arm.NormalLocation(fields.Text(p.Requested, fields.Location))
	if len(zones) == 0 && c.offers.restricted(size.name, location, "") || len(zones) > 0 && len(c.zonesWith(size, location, zones)) == 0 {
		return arm.Conflict("SkuNotAvailable", "The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: %s' is currently not available in location '%s'. Please try another size or deploy to a different location or different zone. See https://aka.ms/azureskunotavailable for details.", size.name, location)
	}
	return nil
}

// zonesWith are those of the zones in which a size is to be had.
func (c *Provider) zonesWith(size machineSize, location string, zones []string) []string {
	var found []string
	for _, zone := range zones {
		if !c.offers.restricted(size.name, location, zone) {
			found = append(found, zone)
		}
	}
	return found
}

func intersect(a, b []string) []string {
	var both []string
	for _, one := range a {
		for _, other := range b {
			if one == other {
				both = append(both, one)
			}
		}
	}
	return both
}

// checkImage refuses a machine without an image, or with one that does not exist. Images of the marketplace and of community galleries exist
// unless the administration API says otherwise.
func (c *Provider) checkImage(p *arm.Put) *arm.Error {
	if p.Existing != nil {
		return nil
	}
	return c.checkImageOf(p, fields.Child(fields.Child(fields.Clone(p.Requested), "properties"), "storageProfile"))
}

// checkImageOf does that for the disks of one machine, or of the model of many.
func (c *Provider) checkImageOf(p *arm.Put, storage map[string]any) *arm.Error {
	image, _ := storage["imageReference"].(map[string]any)
	if len(image) == 0 {
		if strings.EqualFold(fields.Text(storage, "osDisk", "createOption"), "Attach") {
			return nil
		}
		return computeError(http.StatusBadRequest, "InvalidParameter", "imageReference", "Required parameter 'imageReference' is missing (null).")
	}
	name := imageName(image)
	location := arm.NormalLocation(fields.Text(p.Requested, fields.Location))
	if c.offers.missingImage(name) {
		return missingImage(image, name, location)
	}
	if id := fields.Text(image, "id"); id != "" {
		if owner := galleryOf(id); p.Service.Store.Get(owner) == nil && strings.HasPrefix(strings.ToLower(owner), "/subscriptions/"+strings.ToLower(p.ID.Subscription)+"/") {
			return missingImage(image, name, location)
		}
	}
	return nil
}

// imageName is the identifier of an image, or its four names joined by colons.
func imageName(image map[string]any) string {
	for _, name := range []string{"id", "communityGalleryImageId", "sharedGalleryImageId"} {
		if id := fields.Text(image, name); id != "" {
			return id
		}
	}
	return strings.Join([]string{fields.Text(image, "publisher"), fields.Text(image, "offer"), fields.Text(image, "sku"), fields.Text(image, "version")}, ":")
}

// galleryPath matches the identifier of a gallery at the start of that of something in it.
var galleryPath = regexp.MustCompile(`(?i)^.*/providers/microsoft\.compute/galleries/[^/]+`)

// galleryOf is the resource that has to exist for an image: the gallery, or the image itself where it is in none.
func galleryOf(id string) string {
	if gallery := galleryPath.FindString(id); gallery != "" {
		return gallery
	}
	return id
}

func missingImage(image map[string]any, name, location string) *arm.Error {
	if fields.Text(image, "publisher") != "" {
		return computeError(http.StatusNotFound, "PlatformImageNotFound", "imageReference", fmt.Sprintf("The platform image '%s' is not available. Verify that all fields in the storage profile are correct. For more details about storage profile information, please refer to https://aka.ms/storageprofile", name))
	}
	if strings.Contains(strings.ToLower(name), "galleries/") {
		return computeError(http.StatusNotFound, "GalleryImageNotFound", "imageReference", fmt.Sprintf("The gallery image %s is not available in %s region. Please contact image owner to replicate to this region, or change your requested region.", name, location))
	}
	return computeError(http.StatusNotFound, "ImageNotFound", "imageReference", fmt.Sprintf("The Image '%s' cannot be found in '%s' region.", name, location))
}

// checkNetworkInterfaces refuses network interfaces that do not exist, that another machine has or that are of several networks.
func checkNetworkInterfaces(p *arm.Put) *arm.Error {
	attached := fields.Objects(p.Requested, "properties", "networkProfile", "networkInterfaces")
	if len(attached) == 0 {
		if p.Existing != nil || len(fields.Objects(p.Requested, "properties", "networkProfile", "networkInterfaceConfigurations")) > 0 {
			return nil
		}
		return computeError(http.StatusBadRequest, "InvalidParameter", "networkProfile", "Virtual Machine '"+p.ID.Name+"' must have at least one network interface.")
	}
	primaries, network := 0, ""
	for _, one := range attached {
		path := fields.Text(one, "id")
		nic := p.Service.Store.Get(path)
		if nic == nil || nic.ProvisioningState() == arm.StateDeleting {
			return arm.Detailed(arm.NotFound("NotFound", "Resource %s not found.", path))
		}
		if machine := networking.MachineWith(p.Service, path); machine != nil && machine.Key() != p.ID.Key() {
			return arm.Detailed(arm.BadRequest("NicInUse", "Network Interface %s is used by existing VM %s.", path, machine.ID))
		}
		if fields.Bool(one, "properties", "primary") {
			primaries++
		}
		if in := networking.NetworkOf(nic); network != "" && !strings.EqualFold(in, network) {
			return computeError(http.StatusBadRequest, "InvalidParameter", "networkProfile", "All network interfaces of a virtual machine have to be in the same virtual network.")
		} else if network == "" {
			network = in
		}
	}
	if len(attached) > 1 && primaries != 1 {
		return computeError(http.StatusBadRequest, "VirtualMachineMustHaveOneNetworkInterfaceAsPrimary", "networkProfile", fmt.Sprintf("Virtual machine %s must have one network interface set as the primary.", p.ID.Name))
	}
	return nil
}

// checkOSProfile refuses a machine that nobody could sign in to, or whose custom data is none.
func checkOSProfile(p *arm.Put) *arm.Error {
	profile, given := fields.At(p.Requested, "properties", "osProfile").(map[string]any)
	if p.Existing != nil || !given {
		if p.Existing == nil && !strings.EqualFold(fields.Text(p.Requested, "properties", "storageProfile", "osDisk", "createOption"), "Attach") {
			return computeError(http.StatusBadRequest, "InvalidParameter", "osProfile", "Required parameter 'osProfile' is missing (null).")
		}
		return nil
	}
	for _, name := range []string{"computerName", "adminUsername"} {
		if fields.Text(profile, name) == "" {
			return computeError(http.StatusBadRequest, "InvalidParameter", "osProfile."+name, "Required parameter 'osProfile."+name+"' is missing (null).")
		}
	}
	_, windows := profile["windowsConfiguration"].(map[string]any)
	name := fields.Text(profile, "computerName")
	if windows && len(name) > 15 || len(name) > 64 {
		return computeError(http.StatusBadRequest, "InvalidParameter", "computerName", "The computer name '"+name+"' is too long: Windows takes 15 characters, Linux 64.")
	}
	return checkSignIn(profile, windows)
}

func checkSignIn(profile map[string]any, windows bool) *arm.Error {
	password := fields.Text(profile, "adminPassword") != ""
	keys := len(fields.Objects(profile, "linuxConfiguration", "ssh", "publicKeys")) > 0
	if windows && !password {
		return computeError(http.StatusBadRequest, "InvalidParameter", "adminPassword", "Required parameter 'adminPassword' is missing (null).")
	}
	if !windows && !password && !keys {
		return computeError(http.StatusBadRequest, "InvalidParameter", "linuxConfiguration", "Authentication using either SSH or by user name and password must be enabled in Linux profile.")
	}
	data, err := base64.StdEncoding.DecodeString(fields.Text(profile, "customData"))
	if err != nil {
		return computeError(http.StatusBadRequest, "InvalidParameter", "customData", "Custom data in OSProfile must be in Base64 encoding and with a maximum length of 87380 characters.")
	}
	if len(data) > LargestCustomData {
		return computeError(http.StatusBadRequest, "InvalidParameter", "customData", "Custom data in OSProfile must be in Base64 encoding and with a maximum length of 87380 characters.")
	}
	return nil
}

// checkDisks refuses data disks that share a logical unit number or that another machine has.
func checkDisks(p *arm.Put) *arm.Error {
	taken := map[int64]bool{}
	size, _ := sizeNamed(fields.Text(p.Requested, "properties", "hardwareProfile", "vmSize"))
	disks := fields.Objects(p.Requested, "properties", "storageProfile", "dataDisks")
	if size.name != "" && len(disks) > size.dataDisks {
		return computeError(http.StatusConflict, "OperationNotAllowed", "dataDisks", fmt.Sprintf("The maximum number of data disks allowed to be attached to a VM of this size is %d.", size.dataDisks))
	}
	for _, disk := range disks {
		lun, given := fields.Number(disk, "lun")
		if !given || taken[lun] {
			return computeError(http.StatusBadRequest, "InvalidParameter", "dataDisk.lun", fmt.Sprintf("Cannot attach data disk '%s' to VM '%s' because the LUN %d is missing or already in use.", fields.Text(disk, "name"), p.ID.Name, lun))
		}
		taken[lun] = true
		path := fields.Text(disk, managedDisk, "id")
		if path == "" {
			continue
		}
		r := p.Service.Store.Get(path)
		if r == nil {
			return arm.Detailed(arm.NotFound("NotFound", "Resource %s not found.", path))
		}
		if owner := fields.Text(r.Body, "managedBy"); owner != "" && !strings.EqualFold(owner, p.ID.Path) {
			return arm.Conflict("AttachDiskWhileBeingDetached", "Cannot attach data disk '%s' to VM '%s' because the disk is attached to VM '%s'.", r.Name, p.ID.Name, owner)
		}
	}
	return nil
}

// checkMachineReferences refuses an availability set and the like that do not exist.
func checkMachineReferences(p *arm.Put) *arm.Error {
	properties := fields.Child(fields.Clone(p.Requested), "properties")
	for _, path := range [][]string{{"availabilitySet"}, {"virtualMachineScaleSet"}, {"proximityPlacementGroup"}, {"capacityReservation", "capacityReservationGroup"},
		{"storageProfile", "osDisk", managedDisk, "diskEncryptionSet"}} {
		id := fields.Text(properties, append(path, "id")...)
		if id != "" && p.Service.Store.Get(id) == nil {
			return computeError(http.StatusNotFound, "NotFound", path[len(path)-1], fmt.Sprintf("The entity %s was not found in this Azure location.", id))
		}
	}
	if fields.At(properties, "availabilitySet", "id") != nil && len(fields.Texts(p.Requested, "zones")) > 0 {
		return computeError(http.StatusBadRequest, "InvalidParameter", "availabilitySet", "Virtual Machine with a zone constraint cannot be in an availability set.")
	}
	return nil
}
