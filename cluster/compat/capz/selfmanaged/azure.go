package selfmanaged

import (
	"strconv"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v5"

	"sigs.k8s.io/cluster-api-provider-azure/azure/services/resourceskus"
)

// Azure is what Azure has and offers before anything is made.
type Azure struct {
	// Zones are those of the location, as far as a size has them.
	Zones []string
	// Sizes are those of virtual machines.
	Sizes []Size
	// FaultDomains is how many an availability set may have.
	FaultDomains int
	// OwnNetwork says that the virtual network, what is in it and its resource group are the user's, and there before.
	OwnNetwork bool
}

// A Size is what Azure says of a size of virtual machines.
type Size struct {
	Name                                                     string
	VCPUs                                                    int
	MemoryGiB                                                float64
	AcceleratedNetworking, EphemeralOSDisk, EncryptionAtHost bool
	TrustedLaunchDisabled                                    bool
	ConfidentialComputingType, Architecture                  string
	// UltraSSDZones are those that have ultra disks for it.
	UltraSSDZones []string
}

// skus returns what Azure's list of sizes has for the location.
func (a Azure) skus(location string) []armcompute.ResourceSKU {
	all := []armcompute.ResourceSKU{{
		Name: to.Ptr(string(armcompute.AvailabilitySetSKUTypesAligned)), ResourceType: to.Ptr(string(resourceskus.AvailabilitySets)),
		Capabilities: []*armcompute.ResourceSKUCapabilities{capability(resourceskus.MaximumPlatformFaultDomainCount, strconv.Itoa(a.FaultDomains))},
	}}
	for _, size := range a.Sizes {
		all = append(all, size.sku(location, a.Zones))
	}
	return all
}

func (s Size) sku(location string, zones []string) armcompute.ResourceSKU {
	info := &armcompute.ResourceSKULocationInfo{Location: &location, Zones: to.SliceOfPtrs(zones...)}
	if len(zones) > 0 && len(s.UltraSSDZones) > 0 {
		info.ZoneDetails = []*armcompute.ResourceSKUZoneDetails{{
			Name: to.SliceOfPtrs(s.UltraSSDZones...), Capabilities: []*armcompute.ResourceSKUCapabilities{supported(resourceskus.UltraSSDAvailable, true)}}}
	}
	capabilities := []*armcompute.ResourceSKUCapabilities{
		capability(resourceskus.VCPUs, strconv.Itoa(s.VCPUs)),
		capability(resourceskus.MemoryGB, strconv.FormatFloat(s.MemoryGiB, 'f', -1, 64)),
		capability(resourceskus.CPUArchitectureType, s.Architecture),
		supported(resourceskus.AcceleratedNetworking, s.AcceleratedNetworking),
		supported(resourceskus.EphemeralOSDisk, s.EphemeralOSDisk),
		supported(resourceskus.EncryptionAtHost, s.EncryptionAtHost),
		supported(resourceskus.TrustedLaunchDisabled, s.TrustedLaunchDisabled),
	}
	if s.ConfidentialComputingType != "" {
		capabilities = append(capabilities, capability(resourceskus.ConfidentialComputingType, s.ConfidentialComputingType))
	}
	return armcompute.ResourceSKU{Name: to.Ptr(s.Name), ResourceType: to.Ptr(string(resourceskus.VirtualMachines)),
		LocationInfo: []*armcompute.ResourceSKULocationInfo{info}, Capabilities: capabilities}
}

func capability(name, value string) *armcompute.ResourceSKUCapabilities {
	return &armcompute.ResourceSKUCapabilities{Name: &name, Value: &value}
}

func supported(name string, is bool) *armcompute.ResourceSKUCapabilities {
	value := resourceskus.CapabilityUnsupported
	if is {
		value = resourceskus.CapabilitySupported
	}
	return capability(name, string(value))
}
