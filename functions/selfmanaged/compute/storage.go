package compute

import (
	machines "github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
)

// storage returns the image and the disks of the machine. Azure deletes the disks with the machine, so that none is left behind.
func (m *machine) storage() (*machines.StorageProfile, *composer.Blocked) {
	image, imageProblem := m.image()
	osDisk, diskProblem := m.osDisk()
	profile := &machines.StorageProfile{ImageReference: image, OsDisk: osDisk}
	for _, d := range m.spec.DataDisks {
		profile.DataDisks = append(profile.DataDisks, m.dataDisk(d))
	}
	return profile, typed.FirstProblem(imageProblem, diskProblem)
}

func (m *machine) osDisk() (*machines.OSDisk, *composer.Blocked) {
	s := m.spec.OSDisk
	disk := &machines.OSDisk{
		Name:         ptr.To(azuremachine.OSDiskName(m.name)),
		OsType:       ptr.To(machines.OSDisk_OsType(s.OSType)),
		CreateOption: ptr.To(machines.CreateOption_FromImage),
		DeleteOption: ptr.To(machines.DeleteOption_Delete),
		DiskSizeGB:   size(s.DiskSizeGB),
		Caching:      caching(s.CachingType),
		ManagedDisk:  managedDisk(s.ManagedDisk),
	}
	var problem *composer.Blocked
	disk.DiffDiskSettings, problem = m.diffDisk()
	return disk, problem
}

// diffDisk has the disk with the operating system lie on the host.
func (m *machine) diffDisk() (*machines.DiffDiskSettings, *composer.Blocked) {
	asked := m.spec.OSDisk.DiffDiskSettings
	if asked == nil {
		return nil, nil
	}
	settings := &machines.DiffDiskSettings{Option: ptr.To(machines.DiffDiskOption(asked.Option))}
	switch placement := asked.Placement; {
	case placement == nil:
	case *placement == v1beta1.DiffDiskPlacementNvmeDisk:
		return settings, invalid("%s is %s, but must be %s, %s or absent, because Azure Service Operator has no field for it in version v1api20220301 of VirtualMachine",
			m.path("osDisk.diffDiskSettings.placement"), *placement, v1beta1.DiffDiskPlacementCacheDisk, v1beta1.DiffDiskPlacementResourceDisk)
	default:
		settings.Placement = ptr.To(machines.DiffDiskPlacement(*placement))
	}
	return settings, nil
}

func (m *machine) dataDisk(d v1beta1.DataDisk) machines.DataDisk {
	return machines.DataDisk{
		Name:         ptr.To(azuremachine.DataDiskName(m.name, d.NameSuffix)),
		CreateOption: ptr.To(machines.CreateOption_Empty),
		DeleteOption: ptr.To(machines.DeleteOption_Delete),
		DiskSizeGB:   size(&d.DiskSizeGB),
		Lun:          size(d.Lun),
		Caching:      caching(d.CachingType),
		ManagedDisk:  managedDisk(d.ManagedDisk),
	}
}

func managedDisk(of *v1beta1.ManagedDiskParameters) *machines.ManagedDiskParameters {
	if of == nil {
		return nil
	}
	disk := &machines.ManagedDiskParameters{DiskEncryptionSet: encryptionSet(of.DiskEncryptionSet)}
	if of.StorageAccountType != "" {
		disk.StorageAccountType = ptr.To(machines.StorageAccountType(of.StorageAccountType))
	}
	if of.SecurityProfile != nil {
		disk.SecurityProfile = &machines.VMDiskSecurityProfile{DiskEncryptionSet: encryptionSet(of.SecurityProfile.DiskEncryptionSet)}
		if encrypted := of.SecurityProfile.SecurityEncryptionType; encrypted != "" {
			disk.SecurityProfile.SecurityEncryptionType = ptr.To(machines.VMDiskSecurityProfile_SecurityEncryptionType(encrypted))
		}
	}
	return disk
}

func encryptionSet(of *v1beta1.DiskEncryptionSetParameters) *machines.SubResource {
	if of == nil {
		return nil
	}
	return part(of.ID)
}

func isUltra(d v1beta1.DataDisk) bool {
	return d.ManagedDisk != nil && d.ManagedDisk.StorageAccountType == defaulting.UltraSSD
}

func caching(of string) *machines.Caching {
	if of == "" {
		return nil
	}
	return ptr.To(machines.Caching(of))
}

// size returns a number as ASO has it.
func size(of *int32) *int {
	if of == nil {
		return nil
	}
	return ptr.To(int(*of))
}
