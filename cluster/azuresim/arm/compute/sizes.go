package compute

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// machineSize is a size of virtual machines.
type machineSize struct {
	name, family string
	cpus         int
	memoryGiB    float64
	dataDisks    int
	gpus         int
	series       *sizeSeries
}

// sizeSeries is what the sizes of a series have in common (Azure documentation, "Sizes for virtual machines in Azure").
type sizeSeries struct {
	// pattern is the name of a size with %d for its number, which is that of its CPUs.
	pattern, family string
	numbers         []int
	// memory is in GiB per CPU.
	memory float64
	// premium storage, accelerated networking (from two CPUs on), an ephemeral OS disk, encryption at host, ultra disks.
	premium, accelerated, ephemeral, encryption, ultra bool
	// confidential is SNP or TDX; plain sizes have neither it nor trusted launch.
	confidential string
	plain        bool
	arm64        bool
	// single are sizes of one GPU each per so many CPUs; 0 has no GPU.
	cpusPerGPU int
}

var allSeries = []sizeSeries{
	{pattern: "Standard_A%d_v2", family: "standardAv2Family", numbers: []int{1, 2, 4, 8}, memory: 2, plain: true},
	{pattern: "Standard_B%ds", family: "standardBSFamily", numbers: []int{2}, memory: 2, premium: true},
	{pattern: "Standard_B%dms", family: "standardBSFamily", numbers: []int{1, 2, 4, 8, 16}, memory: 4, premium: true, encryption: true},
	{pattern: "Standard_B%ds_v2", family: "standardBsv2Family", numbers: []int{2, 4, 8, 16}, memory: 4, premium: true, accelerated: true, encryption: true},
	{pattern: "Standard_D%ds_v3", family: "standardDSv3Family", numbers: []int{2, 4, 8, 16, 32, 48, 64}, memory: 4, premium: true, accelerated: true, ephemeral: true, encryption: true, ultra: true},
	{pattern: "Standard_D%d_v3", family: "standardDv3Family", numbers: []int{2, 4, 8, 16, 32, 48, 64}, memory: 4, accelerated: true},
	{pattern: "Standard_D%ds_v4", family: "standardDSv4Family", numbers: []int{2, 4, 8, 16, 32, 48, 64}, memory: 4, premium: true, accelerated: true, encryption: true, ultra: true},
	{pattern: "Standard_D%dds_v4", family: "standardDDSv4Family", numbers: []int{2, 4, 8, 16, 32, 48, 64}, memory: 4, premium: true, accelerated: true, ephemeral: true, encryption: true, ultra: true},
	{pattern: "Standard_D%ds_v5", family: "standardDSv5Family", numbers: []int{2, 4, 8, 16, 32, 48, 64, 96}, memory: 4, premium: true, accelerated: true, encryption: true, ultra: true},
	{pattern: "Standard_D%dds_v5", family: "standardDDSv5Family", numbers: []int{2, 4, 8, 16, 32, 48, 64, 96}, memory: 4, premium: true, accelerated: true, ephemeral: true, encryption: true, ultra: true},
	{pattern: "Standard_D%das_v5", family: "standardDASv5Family", numbers: []int{2, 4, 8, 16, 32, 48, 64, 96}, memory: 4, premium: true, accelerated: true, encryption: true, ultra: true},
	{pattern: "Standard_D%dps_v5", family: "standardDPSv5Family", numbers: []int{2, 4, 8, 16, 32, 48, 64}, memory: 4, premium: true, accelerated: true, encryption: true, ultra: true, arm64: true, plain: true},
	{pattern: "Standard_E%ds_v3", family: "standardESv3Family", numbers: []int{2, 4, 8, 16, 32, 64}, memory: 8, premium: true, accelerated: true, ephemeral: true, encryption: true, ultra: true},
	{pattern: "Standard_E%ds_v5", family: "standardESv5Family", numbers: []int{2, 4, 8, 16, 32, 64}, memory: 8, premium: true, accelerated: true, encryption: true, ultra: true},
	{pattern: "Standard_F%ds_v2", family: "standardFSv2Family", numbers: []int{2, 4, 8, 16, 32}, memory: 2, premium: true, accelerated: true, ephemeral: true, encryption: true, ultra: true},
	{pattern: "Standard_DC%das_v5", family: "standardDCASv5Family", numbers: []int{2, 4, 8, 16}, memory: 4, premium: true, encryption: true, confidential: "SNP"},
	{pattern: "Standard_DC%dads_v5", family: "standardDCADSv5Family", numbers: []int{2, 4, 8, 16}, memory: 4, premium: true, ephemeral: true, encryption: true, confidential: "SNP"},
	{pattern: "Standard_NC%das_T4_v3", family: "standardNCASv3_T4Family", numbers: []int{4, 8, 16, 64}, memory: 7, premium: true, accelerated: true, ephemeral: true, encryption: true, cpusPerGPU: 16},
	{pattern: "Standard_NC%ds_v3", family: "standardNCSv3Family", numbers: []int{6, 12, 24}, memory: 18.67, premium: true, ephemeral: true, cpusPerGPU: 6},
	{pattern: "Standard_NV%ds_v3", family: "standardNVSv3Family", numbers: []int{12, 24, 48}, memory: 9.33, premium: true, ephemeral: true, cpusPerGPU: 12},
}

// oldSizes are those whose number is not that of their CPUs.
var oldSizes = []machineSize{
	{name: "Standard_B1s", family: "standardBSFamily", cpus: 1, memoryGiB: 1},
	{name: "Standard_D1_v2", family: "standardDv2Family", cpus: 1, memoryGiB: 3.5},
	{name: "Standard_D2_v2", family: "standardDv2Family", cpus: 2, memoryGiB: 7},
	{name: "Standard_D3_v2", family: "standardDv2Family", cpus: 4, memoryGiB: 14},
	{name: "Standard_D4_v2", family: "standardDv2Family", cpus: 8, memoryGiB: 28},
	{name: "Standard_DS1_v2", family: "standardDSv2Family", cpus: 1, memoryGiB: 3.5},
	{name: "Standard_DS2_v2", family: "standardDSv2Family", cpus: 2, memoryGiB: 7},
	{name: "Standard_DS3_v2", family: "standardDSv2Family", cpus: 4, memoryGiB: 14},
	{name: "Standard_DS4_v2", family: "standardDSv2Family", cpus: 8, memoryGiB: 28},
}

// Sizes returns all sizes by their name in lower case.
var Sizes = sync.OnceValue(func() map[string]machineSize {
	found := map[string]machineSize{}
	for i := range allSeries {
		series := &allSeries[i]
		for _, n := range series.numbers {
			size := machineSize{name: fmt.Sprintf(series.pattern, n), family: series.family, cpus: n, memoryGiB: float64(n) * series.memory, series: series}
			if series.cpusPerGPU > 0 {
				size.gpus = max(1, n/series.cpusPerGPU)
			}
			found[strings.ToLower(size.name)] = size
		}
	}
	for _, size := range oldSizes {
		premium := !strings.HasPrefix(size.name, "Standard_D") || strings.HasPrefix(size.name, "Standard_DS")
		size.series = &sizeSeries{premium: premium, accelerated: strings.HasPrefix(size.name, "Standard_D"), ephemeral: strings.HasPrefix(size.name, "Standard_DS")}
		found[strings.ToLower(size.name)] = size
	}
	for name, size := range found {
		size.dataDisks = min(max(2*size.cpus, 2), 64)
		found[name] = size
	}
	return found
})

// sizeNamed returns the size of that name.
func sizeNamed(name string) (machineSize, bool) {
	size, ok := Sizes()[strings.ToLower(name)]
	return size, ok
}

// sizeOf returns the size of a virtual machine, or of an instance of a scale set; nothing else has one.
func sizeOf(r *arm.Resource) (machineSize, bool) {
	switch r.Type {
	case TypeVirtualMachine:
		return sizeNamed(fields.Text(r.Body, "properties", "hardwareProfile", "vmSize"))
	case typeScaleSetInstance:
		return sizeNamed(fields.Text(r.Body, "sku", "name"))
	}
	return machineSize{}, false
}

// sizeNames returns the names of all sizes, sorted.
func sizeNames() []string {
	var names []string
	for _, size := range Sizes() {
		names = append(names, size.name)
	}
	slices.Sort(names)
	return names
}

// defaultStorage is the kind of disk that a machine of that size gets if the request names none.
func defaultStorage(size string) string {
	if s, ok := sizeNamed(size); ok && s.series.premium {
		return "Premium_LRS"
	}
	return "Standard_LRS"
}

// zoned are the regions with availability zones (Azure documentation, "Azure regions with availability zones").
var zoned = strings.Fields(`eastus eastus2 westus2 westus3 centralus southcentralus canadacentral brazilsouth mexicocentral northeurope westeurope uksouth
	francecentral germanywestcentral norwayeast swedencentral switzerlandnorth polandcentral italynorth spaincentral southafricanorth uaenorth
	qatarcentral israelcentral australiaeast southeastasia eastasia japaneast koreacentral centralindia newzealandnorth usgovvirginia chinanorth3`)

// zonesOf returns the availability zones of a region.
func zonesOf(location string) []string {
	if slices.Contains(zoned, location) {
		return []string{"1", "2", "3"}
	}
	return nil
}

// capabilities are what the list of SKUs tells of a size.
func (m machineSize) capabilities() []any {
	yes := func(value bool) string { return map[bool]string{true: "True", false: "False"}[value] }
	architecture := map[bool]string{true: "Arm64", false: "x64"}[m.series.arm64]
	values := map[string]string{
		"vCPUs": fmt.Sprint(m.cpus), "vCPUsAvailable": fmt.Sprint(m.cpus), "MemoryGB": trimmed(m.memoryGiB), "MaxDataDiskCount": fmt.Sprint(m.dataDisks),
		"CpuArchitectureType": architecture, "PremiumIO": yes(m.series.premium), "AcceleratedNetworkingEnabled": yes(m.series.accelerated && m.cpus > 1),
		"EphemeralOSDiskSupported": yes(m.series.ephemeral), "EncryptionAtHostSupported": yes(m.series.encryption), "LowPriorityCapable": yes(!strings.HasPrefix(m.name, "Standard_B")),
		"HyperVGenerations": "V1,V2", "VMDeploymentTypes": "IaaS", "OSVhdSizeMB": "1047552", "MaxNetworkInterfaces": fmt.Sprint(min(max(m.cpus, 2), 8)),
		"CapacityReservationSupported": yes(m.cpus > 1), "RdmaEnabled": "False",
	}
	if m.series.plain || m.series.confidential != "" {
		values["TrustedLaunchDisabled"] = "True"
	}
	if m.series.confidential != "" {
		values["ConfidentialComputingType"] = m.series.confidential
	}
	if m.gpus > 0 {
		values["GPUs"] = fmt.Sprint(m.gpus)
	}
	var list []any
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, map[string]any{"name": name, "value": values[name]})
	}
	return list
}

func trimmed(number float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", number), "0"), ".")
}
