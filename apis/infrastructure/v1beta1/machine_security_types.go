package v1beta1

// SecurityTypes is the sort of protection of a virtual machine.
type SecurityTypes string

// The values of SecurityTypes.
const (
	// SecurityTypesConfidentialVM keeps the memory from the host.
	SecurityTypesConfidentialVM SecurityTypes = "ConfidentialVM"
	// SecurityTypesTrustedLaunch protects the start of the machine.
	SecurityTypesTrustedLaunch SecurityTypes = "TrustedLaunch"
)

// SecurityProfile has the security features of a virtual machine.
type SecurityProfile struct {
	// encryptionAtHost true also encrypts caches and temporary disks on the host. It cannot be combined with
	// securityEncryptionType DiskWithVMGuestState. The default is false.
	// Example: true
	// +optional
	EncryptionAtHost *bool `json:"encryptionAtHost,omitempty"`

	// securityType is ConfidentialVM, which keeps the memory from the host, or TrustedLaunch, which protects the start of the
	// machine. uefiSettings have no effect without it.
	// Example: TrustedLaunch
	// +optional
	// +kubebuilder:validation:Enum=ConfidentialVM;TrustedLaunch
	SecurityType SecurityTypes `json:"securityType,omitempty"`

	// uefiSettings are the settings of the firmware.
	// Example: {secureBootEnabled: true, vTpmEnabled: true}
	// +optional
	UefiSettings *UefiSettings `json:"uefiSettings,omitempty"`
}

// UefiSettings are those of the firmware of a virtual machine. What is left out, Azure decides.
type UefiSettings struct {
	// secureBootEnabled true starts only signed software.
	// Example: true
	// +optional
	SecureBootEnabled *bool `json:"secureBootEnabled,omitempty"`

	// vTpmEnabled true gives the machine a virtual TPM, which records what was started. Confidential machines need it.
	// Example: true
	// +optional
	VTpmEnabled *bool `json:"vTpmEnabled,omitempty"`
}

// Diagnostics say what Azure keeps of a machine.
type Diagnostics struct {
	// boot configures the console output and a screenshot. By default Azure stores them.
	// Example: {storageAccountType: Managed}
	// +optional
	Boot *BootDiagnostics `json:"boot,omitempty"`
}

// BootDiagnosticsStorageAccountType says where Azure keeps the console output.
// +kubebuilder:validation:Enum=Managed;UserManaged;Disabled
type BootDiagnosticsStorageAccountType string

// The values of BootDiagnosticsStorageAccountType.
const (
	DisabledDiagnosticsStorage    BootDiagnosticsStorageAccountType = "Disabled"
	ManagedDiagnosticsStorage     BootDiagnosticsStorageAccountType = "Managed"
	UserManagedDiagnosticsStorage BootDiagnosticsStorageAccountType = "UserManaged"
)

// BootDiagnostics say where Azure keeps the console output of a machine.
//
// +kubebuilder:validation:XValidation:rule="self.storageAccountType != 'UserManaged' || has(self.userManaged)",message="is needed with storageAccountType UserManaged: it says which account",fieldPath=".userManaged",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule="self.storageAccountType == 'UserManaged' || !has(self.userManaged)",message="goes with storageAccountType UserManaged only",messageExpression="'goes with storageAccountType UserManaged only, but that is ' + self.storageAccountType",fieldPath=".userManaged"
type BootDiagnostics struct {
	// storageAccountType is Managed for Azure's own storage, UserManaged for your own account, or Disabled.
	// Example: Managed
	StorageAccountType BootDiagnosticsStorageAccountType `json:"storageAccountType"`

	// userManaged is your own account, only with storageAccountType UserManaged.
	// Example: {storageAccountURI: "https://mine.blob.core.windows.net/"}
	// +optional
	UserManaged *UserManagedBootDiagnostics `json:"userManaged,omitempty"`
}

// UserManagedBootDiagnostics is a storage account of yours.
type UserManagedBootDiagnostics struct {
	// storageAccountURI is the address of its blobs, as `az storage account show` has it in primaryEndpoints.blob.
	// Example: https://mine.blob.core.windows.net/
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^https://`
	StorageAccountURI string `json:"storageAccountURI"`
}
