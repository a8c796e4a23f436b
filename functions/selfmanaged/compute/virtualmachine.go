package compute

import (
	"encoding/base64"
	"fmt"

	machines "github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// adminUser is the account that the SSH key is for.
const adminUser = "capi"

// virtualMachine returns the virtual machine, complete but for its bootstrap data and, with Windows, its password: provider-capz adds both
// when it creates the machine, so that they stand in no object.
func (m *machine) virtualMachine() *plan.Resource {
	storage, storageProblem := m.storage()
	os, osProblem := m.osProfile()
	identity, identityProblem := m.identity()
	security, securityProblem := m.security()
	spec := machines.VirtualMachine_Spec{
		AzureName:              m.name,
		Owner:                  m.group(),
		Location:               typed.Text(m.azure.Location),
		ExtendedLocation:       m.extendedLocation(),
		AdditionalCapabilities: m.capabilities(),
		DiagnosticsProfile:     m.diagnostics(),
		HardwareProfile:        &machines.HardwareProfile{VmSize: typed.Text(m.spec.VMSize)},
		Identity:               identity,
		NetworkProfile:         m.networkProfile(),
		OsProfile:              os,
		Plan:                   imagePlan(m.spec.Image),
		SecurityProfile:        security,
		StorageProfile:         storage,
		Tags:                   m.tags(m.name, m.role()),
	}
	m.setPlacement(&spec)
	spec.Priority, spec.EvictionPolicy, spec.BillingProfile = m.spot()
	switch m.facts.Created.State {
	case v1alpha1.Created, v1alpha1.CreationFailed, v1alpha1.Deleted:
		// A change of the spec has ASO look at the machine now, and not when the time of its last answer is over.
		spec.OperatorSpec = &machines.VirtualMachineOperatorSpec{}
	}
	r := m.resource("spec", m.name, &machines.VirtualMachine{Spec: spec},
		typed.FirstProblem(m.sizeProblem(), storageProblem, osProblem, identityProblem, securityProblem), m.awaitVirtualMachine())
	r.Lifecycle = aso.ProviderCreated
	return r
}

// awaitVirtualMachine returns what has to be before the virtual machine is created, beside what it refers to.
func (m *machine) awaitVirtualMachine() []plan.Precondition {
	var after []plan.Precondition
	if set := m.facts.Machine.AvailabilitySet; set != "" {
		after = append(after, m.await(aso.AvailabilitySet, set)...)
	}
	if !m.sizeKnown() {
		after = append(after, m.awaitSize())
	}
	if !m.facts.Machine.BootstrapReady {
		after = append(after, plan.Precondition{Description: fmt.Sprintf("%s %s has bootstrap data", m.owner, m.facts.Machine.Name)})
	}
	return after
}

// setPlacement says where in Azure the machine is.
func (m *machine) setPlacement(spec *machines.VirtualMachine_Spec) {
	if zone := m.zone(); zone != "" {
		spec.Zones = []string{zone}
	}
	if set := m.facts.Machine.AvailabilitySet; set != "" {
		spec.AvailabilitySet = part(m.id(computeProvider, "availabilitySets", set))
	}
	spec.VirtualMachineScaleSet = part(trimmed(ptr.Deref(m.spec.VirtualMachineScaleSetID, "")))
	if id := ptr.Deref(m.spec.CapacityReservationGroupID, ""); id != "" {
		spec.CapacityReservation = &machines.CapacityReservationProfile{CapacityReservationGroup: part(id)}
	}
}

// spot returns on which terms the machine runs on capacity that Azure may take back; nothing for a regular one.
func (m *machine) spot() (priority *machines.Priority, eviction *machines.EvictionPolicy, billing *machines.BillingProfile) {
	asked := m.spec.SpotVMOptions
	if asked == nil {
		return nil, nil, nil
	}
	if asked.EvictionPolicy != nil {
		eviction = ptr.To(machines.EvictionPolicy(*asked.EvictionPolicy))
	}
	if asked.MaxPrice != nil {
		billing = &machines.BillingProfile{MaxPrice: ptr.To(asked.MaxPrice.AsApproximateFloat64())}
	}
	return ptr.To(machines.Priority_Spot), eviction, billing
}

func (m *machine) networkProfile() *machines.NetworkProfile {
	profile := &machines.NetworkProfile{}
	for n := range m.spec.NetworkInterfaces {
		name := azuremachine.NetworkInterfaceName(m.name, n, len(m.spec.NetworkInterfaces))
		profile.NetworkInterfaces = append(profile.NetworkInterfaces, machines.NetworkInterfaceReference{
			Primary: ptr.To(n == 0), Reference: typed.ByID(m.id(networkProvider, "networkInterfaces", name)),
		})
	}
	return profile
}

// osProfile returns what the operating system is told. Customers log in by SSH key; cloudbase-init sets another password on Windows.
func (m *machine) osProfile() (*machines.OSProfile, *composer.Blocked) {
	profile := &machines.OSProfile{
		ComputerName: ptr.To(m.name), AdminUsername: ptr.To(adminUser),
		AllowExtensionOperations: ptr.To(!ptr.Deref(m.spec.DisableExtensionOperations, false)),
	}
	var problem *composer.Blocked
	profile.LinuxConfiguration, profile.WindowsConfiguration, problem = m.operatingSystem()
	return profile, problem
}

// operatingSystem returns what one of both systems is told.
func (m *machine) operatingSystem() (*machines.LinuxConfiguration, *machines.WindowsConfiguration, *composer.Blocked) {
	key, err := base64.StdEncoding.DecodeString(m.spec.SSHPublicKey)
	switch {
	case err != nil:
		return nil, nil, invalid("%s is %s, but must be a public key in base64: %v", m.path("sshPublicKey"), field.Show(field.Cut(m.spec.SSHPublicKey, mostShown)), err)
	case azuremachine.IsWindows(m.xr):
		return nil, &machines.WindowsConfiguration{EnableAutomaticUpdates: ptr.To(false)}, nil
	case len(key) == 0:
		return nil, nil, invalid("%s is empty, but must be set, because Azure makes no machine without a password or a key", m.path("sshPublicKey"))
	}
	return &machines.LinuxConfiguration{
		DisablePasswordAuthentication: ptr.To(true),
		Ssh: &machines.SshConfiguration{PublicKeys: []machines.SshPublicKeySpec{
			{Path: ptr.To("/home/" + adminUser + "/.ssh/authorized_keys"), KeyData: ptr.To(string(key))},
		}},
	}, nil, nil
}

// mostShown is so much of a text as a message has of it.
const mostShown = 120

// identity returns as whom the machine signs in to Azure.
func (m *machine) identity() (*machines.VirtualMachineIdentity, *composer.Blocked) {
	switch m.spec.Identity {
	case v1beta1.VMIdentitySystemAssigned:
		return &machines.VirtualMachineIdentity{Type: ptr.To(machines.VirtualMachineIdentity_Type_SystemAssigned)}, nil
	case v1beta1.VMIdentityUserAssigned:
		assigned, problem := m.identities()
		return &machines.VirtualMachineIdentity{Type: ptr.To(machines.VirtualMachineIdentity_Type_UserAssigned), UserAssignedIdentities: assigned}, problem
	}
	return nil, nil
}

// identities returns the identities that are there already.
func (m *machine) identities() ([]machines.UserAssignedIdentityDetails, *composer.Blocked) {
	var all []machines.UserAssignedIdentityDetails
	for n, assigned := range m.spec.UserAssignedIdentities {
		reference := typed.ByID(trimmed(assigned.ProviderID))
		if reference == nil || aso.ParseID(reference.ARMID) == nil {
			return nil, invalid("spec.userAssignedIdentities[%d].providerID is %q, but must be the ID of an identity in Azure", n, field.Cut(assigned.ProviderID, mostShown))
		}
		all = append(all, machines.UserAssignedIdentityDetails{Reference: *reference})
	}
	if len(all) == 0 {
		return nil, invalid("spec.userAssignedIdentities is empty, but must have at least one, because spec.identity is %s", m.spec.Identity)
	}
	return all, nil
}

// capabilities has the machine take ultra disks if it has one, unless the spec says whether it does.
func (m *machine) capabilities() *machines.AdditionalCapabilities {
	var capabilities *machines.AdditionalCapabilities
	for _, d := range m.spec.DataDisks {
		if isUltra(d) {
			capabilities = &machines.AdditionalCapabilities{UltraSSDEnabled: ptr.To(true)}
		}
	}
	if asked := m.spec.AdditionalCapabilities; asked != nil && asked.UltraSSDEnabled != nil {
		capabilities = &machines.AdditionalCapabilities{UltraSSDEnabled: asked.UltraSSDEnabled}
	}
	return capabilities
}

// diagnostics returns where Azure keeps what the machine writes to its console.
func (m *machine) diagnostics() *machines.DiagnosticsProfile {
	if m.spec.Diagnostics == nil || m.spec.Diagnostics.Boot == nil {
		return nil
	}
	boot := &machines.BootDiagnostics{Enabled: ptr.To(true)}
	switch asked := m.spec.Diagnostics.Boot; asked.StorageAccountType {
	case v1beta1.ManagedDiagnosticsStorage:
	case v1beta1.DisabledDiagnosticsStorage:
		boot.Enabled = ptr.To(false)
	case v1beta1.UserManagedDiagnosticsStorage:
		if asked.UserManaged == nil {
			return nil
		}
		boot.StorageUri = typed.Text(asked.UserManaged.StorageAccountURI)
	default:
		return nil
	}
	return &machines.DiagnosticsProfile{BootDiagnostics: boot}
}

func (m *machine) extendedLocation() *machines.ExtendedLocation {
	if m.azure.ExtendedLocation == nil {
		return nil
	}
	return &machines.ExtendedLocation{Name: ptr.To(m.azure.ExtendedLocation.Name), Type: ptr.To(machines.ExtendedLocationType(m.azure.ExtendedLocation.Type))}
}

// part refers to a resource by its ARM ID; nil if there is none.
func part(id string) *machines.SubResource {
	if id == "" {
		return nil
	}
	return &machines.SubResource{Reference: typed.ByID(id)}
}
