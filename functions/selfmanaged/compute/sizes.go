package compute

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// What a node of Kubernetes needs (Kubernetes documentation, "Installing kubeadm").
const (
	leastCPUs      = 2
	leastMemoryGiB = 2
)

// sizeProblem says what the size of the machine lacks that the spec asks for, in the location of the cluster. Azure would say so only in the
// course of the creation, and not of everything.
func (m *machine) sizeProblem() *composer.Blocked {
	size := m.facts.Size
	if !m.sizeKnown() || !m.pool && m.facts.Created.State != v1alpha1.NotCreated {
		return nil // Not known yet, or what Azure offers now matters no more.
	}
	location := m.azure.Location
	if !size.Offered {
		because := ""
		if size.Restriction != "" {
			because = fmt.Sprintf(" (%s)", size.Restriction)
		}
		return composer.Blockedf(composer.ReasonUnsupportedSize, "%s is %s, which Azure does not offer the subscription in location %s%s; choose another size or location",
			m.path("vmSize"), m.spec.VMSize, location, because)
	}
	lacking := slices.Concat(m.tooSmall(), m.lacking())
	if len(lacking) == 0 {
		return nil
	}
	return composer.Blockedf(composer.ReasonUnsupportedSize, "%s is %s, which in location %s %s; choose another size, or take away what asks for it",
		m.path("vmSize"), m.spec.VMSize, location, strings.Join(lacking, ", and "))
}

// sizeKnown reports whether it is known what Azure offers of the size.
func (m *machine) sizeKnown() bool { return m.facts.Size.Known && m.facts.Size.Name == m.spec.VMSize }

// awaitSize is what waits for that.
func (m *machine) awaitSize() plan.Precondition {
	return plan.Precondition{OfObject: true, Description: fmt.Sprintf("provider-capz knows what Azure offers of size %s in location %s", m.spec.VMSize, m.azure.Location)}
}

// tooSmall says what the size has too little of.
func (m *machine) tooSmall() []string {
	var lacking []string
	if cpus := m.facts.Size.VCPUs; cpus < leastCPUs {
		lacking = append(lacking, fmt.Sprintf("has %d vCPUs, but a node needs %d", cpus, leastCPUs))
	}
	if memory := m.facts.Size.MemoryGiB; memory < leastMemoryGiB {
		lacking = append(lacking, fmt.Sprintf("has %g GiB of memory, but a node needs %d", memory, leastMemoryGiB))
	}
	return lacking
}

// lacking says what of the spec the size cannot do.
func (m *machine) lacking() []string {
	size, disk, security := m.facts.Size, m.spec.OSDisk, m.spec.SecurityProfile
	zones := m.zones()
	if len(zones) == 0 {
		zones = []string{""}
	}
	var lacking []string
	add := func(lacks bool, what, path string) {
		if lacks {
			lacking = append(lacking, fmt.Sprintf("has no %s (%s)", what, path))
		}
	}
	for _, zone := range m.zones() {
		add(!slices.Contains(size.Zones, zone), fmt.Sprintf("machines in availability zone %s, only in %v", zone, size.Zones), "failure domain")
	}
	add(disk.DiffDiskSettings != nil && !size.EphemeralOSDisk, "ephemeral OS disk", m.path("osDisk.diffDiskSettings"))
	add(disk.ManagedDisk != nil && disk.ManagedDisk.SecurityProfile != nil && size.ConfidentialComputingType == "",
		"confidential computing", m.path("osDisk.managedDisk.securityProfile"))
	for n, d := range m.spec.DataDisks {
		for _, zone := range zones {
			add(isUltra(d) && !m.hasUltraDisks(zone), "ultra disks"+inZone(zone), m.path(fmt.Sprintf("dataDisks[%d].managedDisk.storageAccountType", n)))
		}
	}
	if security == nil {
		return lacking
	}
	add(ptr.Deref(security.EncryptionAtHost, false) && !size.EncryptionAtHost, "encryption at host", m.path("securityProfile.encryptionAtHost"))
	if uefi := security.UefiSettings; uefi != nil && m.diskEncryption() == "" && size.TrustedLaunchDisabled {
		add(ptr.Deref(uefi.SecureBootEnabled, false), "secure boot", m.path("securityProfile.uefiSettings.secureBootEnabled"))
		add(ptr.Deref(uefi.VTpmEnabled, false), "vTPM", m.path("securityProfile.uefiSettings.vTpmEnabled"))
	}
	return lacking
}

func (m *machine) hasUltraDisks(zone string) bool {
	if zone == "" {
		return m.facts.Size.UltraSSD
	}
	return slices.Contains(m.facts.Size.UltraSSDZones, zone)
}

func inZone(zone string) string {
	if zone == "" {
		return " outside of availability zones"
	}
	return " in availability zone " + zone
}
