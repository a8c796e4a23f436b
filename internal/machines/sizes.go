package machines

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

// A sku is something that Azure sells, as far as it is read (Azure REST API, "Resource Skus - List", version 2021-07-01).
type sku struct {
	ResourceType string        `json:"resourceType"`
	Name         string        `json:"name"`
	Capabilities []capability  `json:"capabilities"`
	LocationInfo []skuLocation `json:"locationInfo"`
	Restrictions []restriction `json:"restrictions"`
}

type capability struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type skuLocation struct {
	Location    string   `json:"location"`
	Zones       []string `json:"zones"`
	ZoneDetails []struct {
		Name         []string     `json:"name"`
		Capabilities []capability `json:"capabilities"`
	} `json:"zoneDetails"`
}

type restriction struct {
	Type            string `json:"type"`
	ReasonCode      string `json:"reasonCode"`
	RestrictionInfo struct {
		Zones []string `json:"zones"`
	} `json:"restrictionInfo"`
}

// The types of what is sold that are read, and the SKU that says how many fault domains an availability set has.
const (
	virtualMachineSKU  = "virtualMachines"
	availabilitySetSKU = "availabilitySets"
	alignedSKU         = "Aligned"
)

// The names of capabilities.
const (
	capabilityVCPUs                 = "vCPUs"
	capabilityMemoryGiB             = "MemoryGB"
	capabilityUltraSSD              = "UltraSSDAvailable"
	capabilityAcceleratedNetworking = "AcceleratedNetworkingEnabled"
	capabilityEphemeralOSDisk       = "EphemeralOSDiskSupported"
	capabilityEncryptionAtHost      = "EncryptionAtHostSupported"
	capabilityConfidentialComputing = "ConfidentialComputingType"
	capabilityTrustedLaunchDisabled = "TrustedLaunchDisabled"
	capabilityArchitecture          = "CpuArchitectureType"
	capabilityFaultDomains          = "MaximumPlatformFaultDomainCount"
)

// Offers are what Azure offers a subscription in a location, distilled: the list has some thousand entries of some kilobytes.
type Offers struct {
	// Zones are those in which the subscription may have machines of some size, sorted.
	Zones []string

	// sizes are by their names in lower case.
	sizes        map[string]v1alpha1.FactsOfSize
	faultDomains int64
}

// Size returns what is offered of the size of the name. Azure does not tell small letters from large ones.
func (o *Offers) Size(name string) v1alpha1.FactsOfSize {
	size := o.sizes[strings.ToLower(name)]
	size.Name, size.Known, size.FaultDomains = name, true, o.faultDomains
	return size
}

// add adds a page of what is sold in a location.
func (o *Offers) add(location string, skus []sku) {
	if o.sizes == nil {
		o.sizes = map[string]v1alpha1.FactsOfSize{}
	}
	for _, s := range skus {
		switch {
		case strings.EqualFold(s.ResourceType, virtualMachineSKU):
			size, zones := s.size(location)
			o.sizes[strings.ToLower(s.Name)] = size
			o.Zones = append(o.Zones, zones...)
			slices.Sort(o.Zones)
			o.Zones = slices.Compact(o.Zones)
		case strings.EqualFold(s.ResourceType, availabilitySetSKU) && strings.EqualFold(s.Name, alignedSKU):
			o.faultDomains, _ = strconv.ParseInt(valueOf(s.Capabilities, capabilityFaultDomains), 10, 64)
		}
	}
}

// size returns what is offered of a size of virtual machines, and in which zones.
func (s sku) size(location string) (v1alpha1.FactsOfSize, []string) {
	size := v1alpha1.FactsOfSize{
		Offered:                   true,
		AcceleratedNetworking:     has(s.Capabilities, capabilityAcceleratedNetworking),
		EphemeralOSDisk:           has(s.Capabilities, capabilityEphemeralOSDisk),
		EncryptionAtHost:          has(s.Capabilities, capabilityEncryptionAtHost),
		TrustedLaunchDisabled:     has(s.Capabilities, capabilityTrustedLaunchDisabled),
		UltraSSD:                  has(s.Capabilities, capabilityUltraSSD),
		ConfidentialComputingType: valueOf(s.Capabilities, capabilityConfidentialComputing),
		Architecture:              valueOf(s.Capabilities, capabilityArchitecture),
	}
	size.VCPUs, _ = strconv.ParseInt(valueOf(s.Capabilities, capabilityVCPUs), 10, 64)
	size.MemoryGiB, _ = strconv.ParseFloat(valueOf(s.Capabilities, capabilityMemoryGiB), 64)
	zones, ultra := s.zones(location)
	for _, r := range s.Restrictions {
		if strings.EqualFold(r.Type, "Location") {
			size.Offered, size.Restriction = false, r.ReasonCode
			return size, nil
		}
		for _, zone := range r.RestrictionInfo.Zones {
			delete(zones, zone)
		}
	}
	size.Zones = slices.Sorted(maps.Keys(zones))
	for _, zone := range size.Zones {
		if ultra[zone] {
			size.UltraSSDZones = append(size.UltraSSDZones, zone)
		}
	}
	return size, size.Zones
}

// zones returns the zones of the location that have the size, and those that have ultra disks for it.
func (s sku) zones(location string) (zones, ultra map[string]bool) {
	zones, ultra = map[string]bool{}, map[string]bool{}
	for _, info := range s.LocationInfo {
		if !strings.EqualFold(info.Location, location) {
			continue
		}
		for _, zone := range info.Zones {
			zones[zone] = true
		}
		for _, detail := range info.ZoneDetails {
			for _, zone := range detail.Name {
				ultra[zone] = ultra[zone] || has(detail.Capabilities, capabilityUltraSSD)
			}
		}
		break
	}
	return zones, ultra
}

func valueOf(capabilities []capability, name string) string {
	i := slices.IndexFunc(capabilities, func(c capability) bool { return c.Name == name })
	if i < 0 {
		return ""
	}
	return capabilities[i].Value
}

func has(capabilities []capability, name string) bool {
	return strings.EqualFold(valueOf(capabilities, name), "True")
}
