package v1beta1

// OSDisk is the disk of the operating system.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.managedDisk) && has(self.managedDisk.storageAccountType) ? self.managedDisk.storageAccountType : "") != 'UltraSSD_LRS'`,message="must not be UltraSSD_LRS: ultra disks are for data only",fieldPath=".managedDisk.storageAccountType"
// +kubebuilder:validation:XValidation:rule="!has(self.diffDiskSettings) || !has(self.managedDisk) || !has(self.managedDisk.diskEncryptionSet)",message="does not go with diffDiskSettings: a disk on the machine itself has no key of yours",fieldPath=".managedDisk.diskEncryptionSet"
// +kubebuilder:validation:XValidation:rule=`!has(self.managedDisk) || !has(self.managedDisk.securityProfile) || !has(self.managedDisk.securityProfile.diskEncryptionSet) || (has(self.managedDisk.securityProfile.securityEncryptionType) ? self.managedDisk.securityProfile.securityEncryptionType : "") == 'DiskWithVMGuestState'`,message="goes with securityEncryptionType DiskWithVMGuestState only",fieldPath=".managedDisk.securityProfile.diskEncryptionSet"
type OSDisk struct {
	// osType is the operating system: Linux or Windows.
	// Example: Linux
	// +optional
	// +kubebuilder:default=Linux
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self == 'Linux' || self == 'Windows'",message="must be Linux or Windows"
	OSType string `json:"osType"`

	// diskSizeGB is the size of the disk in GB, 1 to 2048. The default is that of the image.
	// Example: 128
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 2048",message="must be from 1 to 2048"
	DiskSizeGB *int32 `json:"diskSizeGB,omitempty"`

	// managedDisk says how Azure stores the disk.
	// Example: {storageAccountType: Premium_LRS}
	// +optional
	ManagedDisk *ManagedDiskParameters `json:"managedDisk,omitempty"`

	// diffDiskSettings make the disk ephemeral: it is local to the machine, faster, costs nothing, and is lost when the
	// machine is stopped.
	// Example: {option: Local}
	// +optional
	DiffDiskSettings *DiffDiskSettings `json:"diffDiskSettings,omitempty"`

	// cachingType is what the host caches. An ephemeral disk needs ReadOnly.
	// Example: ReadOnly
	// +optional
	// +kubebuilder:validation:Enum=None;ReadOnly;ReadWrite
	// +kubebuilder:default=None
	CachingType string `json:"cachingType,omitempty"`
}

// DataDisk is a further disk of a machine, empty at first.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.managedDisk) && has(self.managedDisk.storageAccountType) ? self.managedDisk.storageAccountType : "") != 'UltraSSD_LRS' || !has(self.cachingType) || self.cachingType == 'None'`,message="must be None with storageAccountType UltraSSD_LRS",messageExpression="'must be None with storageAccountType UltraSSD_LRS, but is ' + self.cachingType",fieldPath=".cachingType"
type DataDisk struct {
	// nameSuffix is the last part of the name of the disk in Azure, after the name of the machine and _. It is unique among
	// the disks of the machine.
	// Example: etcddisk
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule=`self != ""`,message="must not be empty"
	NameSuffix string `json:"nameSuffix"`

	// diskSizeGB is the size of the disk in GB, 4 to 32767.
	// Example: 256
	// +kubebuilder:validation:XValidation:rule="self >= 4 && self <= 32767",message="must be from 4 to 32767"
	DiskSizeGB int32 `json:"diskSizeGB"`

	// managedDisk says how Azure stores the disk.
	// Example: {storageAccountType: Premium_LRS}
	// +optional
	ManagedDisk *ManagedDiskParameters `json:"managedDisk,omitempty"`

	// lun is the number of the disk in the machine, 0 to 63, unique among the disks of the machine. The default is the
	// lowest free number.
	// Example: 0
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 63",message="must be from 0 to 63"
	Lun *int32 `json:"lun,omitempty"`

	// cachingType is what the host caches. The default is ReadWrite, and None for ultra disks, which allow no other
	// value.
	// Example: ReadWrite
	// +optional
	// +kubebuilder:validation:Enum=None;ReadOnly;ReadWrite
	CachingType string `json:"cachingType,omitempty"`
}

// ManagedDiskParameters say how Azure stores a disk.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.storageAccountType) ? self.storageAccountType : "") in ['Premium_LRS', 'PremiumV2_LRS', 'Premium_ZRS', 'Standard_LRS', 'StandardSSD_LRS', 'StandardSSD_ZRS', 'UltraSSD_LRS']`,message="must be one of Premium_LRS, PremiumV2_LRS, Premium_ZRS, Standard_LRS, StandardSSD_LRS, StandardSSD_ZRS and UltraSSD_LRS",fieldPath=".storageAccountType"
type ManagedDiskParameters struct {
	// storageAccountType is the kind of storage. UltraSSD_LRS is for data disks only.
	// Example: Premium_LRS
	// +optional
	// +kubebuilder:validation:MaxLength=256
	StorageAccountType string `json:"storageAccountType,omitempty"`

	// diskEncryptionSet has your own key with which the disk is encrypted.
	// Example: {id: "/subscriptions/.../providers/Microsoft.Compute/diskEncryptionSets/mine"}
	// +optional
	DiskEncryptionSet *DiskEncryptionSetParameters `json:"diskEncryptionSet,omitempty"`

	// securityProfile says how the OS disk of a confidential machine is encrypted.
	// Example: {securityEncryptionType: VMGuestStateOnly}
	// +optional
	SecurityProfile *VMDiskSecurityProfile `json:"securityProfile,omitempty"`
}

// DiskEncryptionSetParameters name a disk encryption set.
type DiskEncryptionSetParameters struct {
	// id is its resource ID. It is in the subscription of the cluster.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/mine
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	ID string `json:"id,omitempty"`
}

// SecurityEncryptionType says what of a confidential machine is encrypted.
type SecurityEncryptionType string

// The values of SecurityEncryptionType.
const (
	// SecurityEncryptionTypeVMGuestStateOnly encrypts the state of the firmware.
	SecurityEncryptionTypeVMGuestStateOnly SecurityEncryptionType = "VMGuestStateOnly"
	// SecurityEncryptionTypeDiskWithVMGuestState encrypts the OS disk as well.
	SecurityEncryptionTypeDiskWithVMGuestState SecurityEncryptionType = "DiskWithVMGuestState"
)

// VMDiskSecurityProfile says how the OS disk of a confidential machine is encrypted.
type VMDiskSecurityProfile struct {
	// diskEncryptionSet has your own key for that, with securityEncryptionType DiskWithVMGuestState.
	// Example: {id: "/subscriptions/.../providers/Microsoft.Compute/diskEncryptionSets/mine"}
	// +optional
	DiskEncryptionSet *DiskEncryptionSetParameters `json:"diskEncryptionSet,omitempty"`

	// securityEncryptionType is VMGuestStateOnly to encrypt the state of the firmware, DiskWithVMGuestState to encrypt the
	// disk as well. Both need securityProfile of the machine with securityType ConfidentialVM and vTpmEnabled; the second needs
	// secureBootEnabled too, and no encryptionAtHost.
	// Example: VMGuestStateOnly
	// +optional
	// +kubebuilder:validation:Enum=VMGuestStateOnly;DiskWithVMGuestState
	SecurityEncryptionType SecurityEncryptionType `json:"securityEncryptionType,omitempty"`
}

// DiffDiskPlacement is where on the machine an ephemeral OS disk is.
type DiffDiskPlacement string

// The values of DiffDiskPlacement.
const (
	DiffDiskPlacementCacheDisk    DiffDiskPlacement = "CacheDisk"
	DiffDiskPlacementNvmeDisk     DiffDiskPlacement = "NvmeDisk"
	DiffDiskPlacementResourceDisk DiffDiskPlacement = "ResourceDisk"
)

// DiffDiskSettings put the OS disk on the machine itself.
type DiffDiskSettings struct {
	// option is Local.
	// Example: Local
	// +kubebuilder:validation:Enum=Local
	Option string `json:"option"`

	// placement is where on the machine the disk is. By default Azure uses the cache if it is big enough, else the temporary
	// disk.
	// Example: CacheDisk
	// +optional
	// +kubebuilder:validation:Enum=CacheDisk;NvmeDisk;ResourceDisk
	Placement *DiffDiskPlacement `json:"placement,omitempty"`
}
