package compute

import (
	machines "github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// security returns how the machine is protected, with what in the spec does not go together (Azure documentation, "Confidential VMs",
// "Trusted launch"; the rules are those of CAPZ).
func (m *machine) security() (*machines.SecurityProfile, *composer.Blocked) {
	s := m.spec.SecurityProfile
	if s == nil {
		if encrypted := m.diskEncryption(); encrypted != "" {
			return nil, invalid("%s is absent, but must have securityType %s, because %s is %s",
				m.path("securityProfile"), v1beta1.SecurityTypesConfidentialVM, m.path(diskEncryptionField), encrypted)
		}
		return nil, nil
	}
	if m.diskEncryption() != "" {
		return m.confidential(s)
	}
	profile := &machines.SecurityProfile{EncryptionAtHost: s.EncryptionAtHost}
	if s.UefiSettings == nil {
		return profile, nil
	}
	profile.UefiSettings = &machines.UefiSettings{}
	for _, setting := range []struct {
		name  string
		value *bool
		into  **bool
	}{
		{"secureBootEnabled", s.UefiSettings.SecureBootEnabled, &profile.UefiSettings.SecureBootEnabled},
		{"vTpmEnabled", s.UefiSettings.VTpmEnabled, &profile.UefiSettings.VTpmEnabled},
	} {
		if !ptr.Deref(setting.value, false) {
			continue
		}
		if s.SecurityType != v1beta1.SecurityTypesTrustedLaunch {
			return profile, invalid("%s is %q, but must be %s, because %s is true",
				m.path("securityProfile.securityType"), s.SecurityType, v1beta1.SecurityTypesTrustedLaunch, m.path("securityProfile.uefiSettings."+setting.name))
		}
		profile.SecurityType = ptr.To(machines.SecurityProfile_SecurityType_TrustedLaunch)
		*setting.into = ptr.To(true)
	}
	return profile, nil
}

// diskEncryptionField says how the disk with the operating system of a confidential machine is encrypted.
const diskEncryptionField = "osDisk.managedDisk.securityProfile.securityEncryptionType"

// diskEncryption returns how the disk with the operating system of a confidential machine is encrypted; empty for another machine.
func (m *machine) diskEncryption() v1beta1.SecurityEncryptionType {
	if disk := m.spec.OSDisk.ManagedDisk; disk != nil && disk.SecurityProfile != nil {
		return disk.SecurityProfile.SecurityEncryptionType
	}
	return ""
}

func (m *machine) confidential(s *v1beta1.SecurityProfile) (*machines.SecurityProfile, *composer.Blocked) {
	because := "because " + m.path(diskEncryptionField) + " is"
	encrypted := m.diskEncryption()
	whole := encrypted == v1beta1.SecurityEncryptionTypeDiskWithVMGuestState
	uefi := ptr.Deref(s.UefiSettings, v1beta1.UefiSettings{})
	switch {
	case whole && ptr.Deref(s.EncryptionAtHost, false):
		return nil, invalid("%s is true, but must be false or absent, %s %s", m.path("securityProfile.encryptionAtHost"), because, encrypted)
	case s.SecurityType != v1beta1.SecurityTypesConfidentialVM:
		return nil, invalid("%s is %q, but must be %s, %s set", m.path("securityProfile.securityType"), s.SecurityType, v1beta1.SecurityTypesConfidentialVM, because)
	case s.UefiSettings == nil, !ptr.Deref(uefi.VTpmEnabled, true):
		return nil, invalid("%s is not true, but must be, %s set", m.path("securityProfile.uefiSettings.vTpmEnabled"), because)
	case whole && !ptr.Deref(uefi.SecureBootEnabled, false):
		return nil, invalid("%s is not true, but must be, %s %s", m.path("securityProfile.uefiSettings.secureBootEnabled"), because, encrypted)
	}
	return &machines.SecurityProfile{
		EncryptionAtHost: s.EncryptionAtHost,
		SecurityType:     ptr.To(machines.SecurityProfile_SecurityType_ConfidentialVM),
		UefiSettings:     &machines.UefiSettings{SecureBootEnabled: uefi.SecureBootEnabled, VTpmEnabled: uefi.VTpmEnabled},
	}, nil
}
