package compute

import (
	"fmt"

	machines "github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
)

// PoolResources returns the resources that an AzureMachinePool stands for, but for its role assignment: its scale set, as Resources does for an
// AzureMachine.
func PoolResources(xr *v1beta1.AzureMachinePool, facts v1alpha1.MachineFacts, cluster Cluster) []*plan.Resource {
	return []*plan.Resource{newScaleSet(xr, facts, cluster).composed()}
}

// PoolImage returns what the instances of a pool are made from, also where the spec names no image; nil where that is not known.
func PoolImage(xr *v1beta1.AzureMachinePool, facts v1alpha1.MachineFacts, cluster Cluster) *v1beta1.Image {
	p := newScaleSet(xr, facts, cluster)
	if p.spec.Image != nil {
		return p.spec.Image
	}
	image, problem := p.defaultImage()
	if problem != nil {
		return nil
	}
	return image
}

// A scaleSet is an AzureMachinePool with what is known of it and of its Cluster.
type scaleSet struct {
	machine

	xr *v1beta1.AzureMachinePool
}

func newScaleSet(xr *v1beta1.AzureMachinePool, facts v1alpha1.MachineFacts, cluster Cluster) *scaleSet {
	xr = xr.DeepCopy()
	defaulting.MachinePool(&xr.Spec)
	defaulting.DiskNumbers(xr.Spec.Template.DataDisks)
	like := azuremachine.OfPool(xr)
	p := &scaleSet{xr: xr, machine: machine{
		name: like.Name, xr: like, spec: like.Spec, facts: facts, cluster: cluster, azure: *cluster.Azure.Spec.DeepCopy(),
		pool: true, owner: "MachinePool", root: "spec.template",
	}}
	p.defaultSubnet()
	return p
}

// composed returns the scale set, complete but for its bootstrap data and, with Windows, its password: see virtualMachine.
func (p *scaleSet) composed() *plan.Resource {
	profile, problem := p.profile()
	identity, identityProblem := p.scaleSetIdentity()
	spec := machines.VirtualMachineScaleSet_Spec{
		AzureName:                p.name,
		Owner:                    p.group(),
		Location:                 typed.Text(p.xr.Spec.Location),
		AdditionalCapabilities:   p.capabilities(),
		Identity:                 identity,
		OrchestrationMode:        ptr.To(machines.OrchestrationMode(p.mode())),
		Plan:                     imagePlan(p.spec.Image),
		PlatformFaultDomainCount: size(p.xr.Spec.PlatformFaultDomainCount),
		SinglePlacementGroup:     ptr.To(false),
		Sku:                      &machines.Sku{Name: typed.Text(p.spec.VMSize), Tier: ptr.To("Standard"), Capacity: ptr.To(int(p.facts.Pool.Replicas))},
		Tags:                     p.tags(p.name, p.role()),
		VirtualMachineProfile:    profile,
		Zones:                    p.zones(),
	}
	if len(spec.Zones) > 1 { // With one there is nothing to balance.
		spec.ZoneBalance = p.xr.Spec.ZoneBalance
	}
	if p.flexible() {
		profile.NetworkProfile.NetworkApiVersion = ptr.To(machines.VirtualMachineScaleSetNetworkProfile_NetworkApiVersion_20201101)
		if spec.PlatformFaultDomainCount == nil {
			spec.PlatformFaultDomainCount = ptr.To(1)
		}
	} else {
		spec.Overprovision, spec.UpgradePolicy = ptr.To(false), &machines.UpgradePolicy{Mode: ptr.To(machines.UpgradePolicy_Mode_Manual)}
	}
	r := p.resource("spec.template", p.name, &machines.VirtualMachineScaleSet{Spec: spec},
		typed.FirstProblem(p.modeProblem(), p.locationProblem(), p.sizeProblem(), problem, identityProblem, p.subnetProblems()), p.awaitScaleSet())
	r.Lifecycle = aso.ProviderCreated
	return r
}

// mode returns how Azure keeps the instances.
func (p *scaleSet) mode() v1beta1.OrchestrationMode {
	if p.xr.Spec.OrchestrationMode == "" {
		return v1beta1.OrchestrationUniform
	}
	return p.xr.Spec.OrchestrationMode
}

func (p *scaleSet) flexible() bool { return p.mode() == v1beta1.OrchestrationFlexible }

// leastFlexible is the version of Kubernetes from which its cloud provider knows Flexible scale sets.
const leastFlexible = "1.26.0"

// modeProblem says that the version of Kubernetes is too old for scale sets in mode Flexible.
func (p *scaleSet) modeProblem() *composer.Blocked {
	version := p.facts.Machine.Version
	if !p.flexible() || !kubeversion.Valid(version) || kubeversion.Compare(version, leastFlexible) >= 0 {
		return nil
	}
	return composer.Blockedf(composer.ReasonIncompatibleValue, "spec.orchestrationMode is %s, which takes Kubernetes %s or later, but spec.version of MachinePool %s is %s",
		v1beta1.OrchestrationFlexible, leastFlexible, p.facts.Machine.Name, version)
}

// locationProblem says that the scale set is to be where the network of the cluster is not.
func (p *scaleSet) locationProblem() *composer.Blocked {
	if p.azure.Location == "" || p.xr.Spec.Location == p.azure.Location {
		return nil
	}
	return invalid("spec.location is %q, but must be %q, that of AzureCluster %s, because a virtual machine is where its network is",
		p.xr.Spec.Location, p.azure.Location, p.cluster.Azure.Name)
}

// subnetProblems says that the subnet of a network interface is none of the cluster.
func (p *scaleSet) subnetProblems() *composer.Blocked {
	for n, s := range p.spec.NetworkInterfaces {
		if problem := p.subnetProblem(p.path(fmt.Sprintf("networkInterfaces[%d]", n)), s.SubnetName); problem != nil {
			return problem
		}
	}
	return nil
}

// awaitScaleSet returns what has to be before the scale set is created.
func (p *scaleSet) awaitScaleSet() []plan.Precondition {
	after := p.awaitVirtualMachine()
	for _, s := range p.spec.NetworkInterfaces {
		after = append(after, p.awaitSubnet(s.SubnetName)...)
	}
	for _, pool := range p.pools() {
		after = append(after, p.await(aso.LoadBalancer, pool.loadBalancer)...)
	}
	return after
}

// profile returns what each instance is.
func (p *scaleSet) profile() (*machines.VirtualMachineScaleSetVMProfile, *composer.Blocked) {
	image, imageProblem := p.image()
	disk, diskProblem := p.osDiskOfInstances()
	linux, windows, osProblem := p.operatingSystem()
	security, securityProblem := p.security()
	profile := &machines.VirtualMachineScaleSetVMProfile{
		DiagnosticsProfile: p.diagnostics(),
		NetworkProfile:     &machines.VirtualMachineScaleSetNetworkProfile{NetworkInterfaceConfigurations: p.networkConfigurations()},
		OsProfile: &machines.VirtualMachineScaleSetOSProfile{
			ComputerNamePrefix: ptr.To(p.name), AdminUsername: ptr.To(adminUser), LinuxConfiguration: linux, WindowsConfiguration: windows,
		},
		SecurityProfile: security,
		StorageProfile:  &machines.VirtualMachineScaleSetStorageProfile{ImageReference: image, OsDisk: disk, DataDisks: p.dataDisksOfInstances()},
	}
	profile.Priority, profile.EvictionPolicy, profile.BillingProfile = p.spot()
	if extensions := p.extensionsOfInstances(); len(extensions) > 0 {
		profile.ExtensionProfile = &machines.VirtualMachineScaleSetExtensionProfile{Extensions: extensions}
	}
	if minutes := p.xr.Spec.Template.TerminateNotificationTimeout; minutes != nil {
		profile.ScheduledEventsProfile = &machines.ScheduledEventsProfile{TerminateNotificationProfile: &machines.TerminateNotificationProfile{
			Enable: ptr.To(true), NotBeforeTimeout: ptr.To(fmt.Sprintf("PT%dM", *minutes)),
		}}
	}
	return profile, typed.FirstProblem(imageProblem, diskProblem, osProblem, securityProblem)
}

func (p *scaleSet) osDiskOfInstances() (*machines.VirtualMachineScaleSetOSDisk, *composer.Blocked) {
	s := p.spec.OSDisk
	local, problem := p.diffDisk()
	return &machines.VirtualMachineScaleSetOSDisk{
		OsType:           ptr.To(machines.VirtualMachineScaleSetOSDisk_OsType(s.OSType)),
		CreateOption:     ptr.To(machines.CreateOption_FromImage),
		DiskSizeGB:       size(s.DiskSizeGB),
		Caching:          caching(s.CachingType),
		DiffDiskSettings: local,
		ManagedDisk:      managedDiskOfInstances(s.ManagedDisk),
	}, problem
}

func (p *scaleSet) dataDisksOfInstances() []machines.VirtualMachineScaleSetDataDisk {
	var all []machines.VirtualMachineScaleSetDataDisk
	for _, d := range p.spec.DataDisks {
		all = append(all, machines.VirtualMachineScaleSetDataDisk{
			Name:         ptr.To(azuremachine.DataDiskName(p.name, d.NameSuffix)),
			CreateOption: ptr.To(machines.CreateOption_Empty),
			DiskSizeGB:   size(&d.DiskSizeGB),
			Lun:          size(d.Lun),
			Caching:      caching(d.CachingType),
			ManagedDisk:  managedDiskOfInstances(d.ManagedDisk),
		})
	}
	return all
}

func managedDiskOfInstances(of *v1beta1.ManagedDiskParameters) *machines.VirtualMachineScaleSetManagedDiskParameters {
	disk := managedDisk(of)
	if disk == nil {
		return nil
	}
	return &machines.VirtualMachineScaleSetManagedDiskParameters{
		DiskEncryptionSet: disk.DiskEncryptionSet, SecurityProfile: disk.SecurityProfile, StorageAccountType: disk.StorageAccountType,
	}
}

// networkConfigurations returns the network interfaces of each instance; the first is the primary one, by which it reaches the internet.
func (p *scaleSet) networkConfigurations() []machines.VirtualMachineScaleSetNetworkConfiguration {
	var all []machines.VirtualMachineScaleSetNetworkConfiguration
	for n, s := range p.spec.NetworkInterfaces {
		all = append(all, machines.VirtualMachineScaleSetNetworkConfiguration{
			Name:                        ptr.To(fmt.Sprintf("%s-nic-%d", p.name, n)),
			Primary:                     onlyTrue(n == 0),
			EnableAcceleratedNetworking: p.acceleratedInstance(s),
			EnableIPForwarding:          ptr.To(true),
			IpConfigurations:            p.ipConfigurationsOf(n, s),
		})
	}
	return all
}

// onlyTrue returns nothing for what is not so, which Azure takes to be false.
func onlyTrue(is bool) *bool {
	if !is {
		return nil
	}
	return ptr.To(true)
}

// acceleratedInstance returns whether a network interface has accelerated networking: as the spec says, else as the first one has it. That is
// CAPZ's rule; the interfaces of a virtual machine that stands by itself each go by its size.
func (p *scaleSet) acceleratedInstance(s v1beta1.NetworkInterface) *bool {
	if s.AcceleratedNetworking != nil {
		return s.AcceleratedNetworking
	}
	return p.accelerated(p.spec.NetworkInterfaces[0])
}

// pools returns the backend pool by which instances reach the internet. They are in it also where their subnet has a NAT gateway, which Azure
// then prefers, as they are with CAPZ: a scale set whose instances leave the pool would have to be written with its network, which others write.
func (p *scaleSet) pools() []pool { return poolsOf(p.azure.NetworkSpec.NodeOutboundLB) }

// ipConfigurationsOf returns the addresses of a network interface: as many as the spec asks for, and one of IPv6.
func (p *scaleSet) ipConfigurationsOf(n int, s v1beta1.NetworkInterface) []machines.VirtualMachineScaleSetIPConfiguration {
	subnet := &machines.ApiEntityReference{Reference: typed.ByID(p.subnetID(s.SubnetName))}
	var all []machines.VirtualMachineScaleSetIPConfiguration
	for i := range max(1, s.PrivateIPConfigs) {
		all = append(all, machines.VirtualMachineScaleSetIPConfiguration{
			Name: ptr.To(fmt.Sprintf("ipConfig%d", i)), Primary: onlyTrue(i == 0), Subnet: subnet,
			PrivateIPAddressVersion: ptr.To(machines.VirtualMachineScaleSetIPConfigurationProperties_PrivateIPAddressVersion_IPv4),
		})
	}
	if n == 0 {
		for _, pool := range p.pools() {
			all[0].LoadBalancerBackendAddressPools = append(all[0].LoadBalancerBackendAddressPools, machines.SubResource{
				Reference: typed.ByID(p.id(networkProvider, "loadBalancers", pool.loadBalancer, "backendAddressPools", pool.name))})
		}
	}
	if p.ipv6() {
		all = append(all, machines.VirtualMachineScaleSetIPConfiguration{
			Name: ptr.To("ipConfigv6"), Primary: ptr.To(false), Subnet: subnet,
			PrivateIPAddressVersion: ptr.To(machines.VirtualMachineScaleSetIPConfigurationProperties_PrivateIPAddressVersion_IPv6),
		})
	}
	return all
}

// extensionsOfInstances returns the extensions of each instance. Their protected settings are in Secrets that provider-capz writes.
func (p *scaleSet) extensionsOfInstances() []machines.VirtualMachineScaleSetExtension {
	var all []machines.VirtualMachineScaleSetExtension
	for _, e := range azuremachine.Extensions(p.machine.xr, p.azure.AzureEnvironment, p.facts.Size.Architecture) {
		extension := machines.VirtualMachineScaleSetExtension{
			Name: typed.Text(e.Name), Publisher: typed.Text(e.Publisher), Type: typed.Text(e.Name), TypeHandlerVersion: typed.Text(e.Version),
			Settings: settings(e.Settings),
		}
		if len(e.ProtectedSettings) > 0 {
			extension.ProtectedSettings = &genruntime.SecretMapReference{Name: azuremachine.ProtectedSettingsSecret(p.name, e.Name)}
		}
		all = append(all, extension)
	}
	return all
}

// scaleSetIdentity returns as whom the instances sign in to Azure.
func (p *scaleSet) scaleSetIdentity() (*machines.VirtualMachineScaleSetIdentity, *composer.Blocked) {
	switch p.spec.Identity {
	case v1beta1.VMIdentitySystemAssigned:
		return &machines.VirtualMachineScaleSetIdentity{Type: ptr.To(machines.VirtualMachineScaleSetIdentity_Type_SystemAssigned)}, nil
	case v1beta1.VMIdentityUserAssigned:
		assigned, problem := p.identities()
		return &machines.VirtualMachineScaleSetIdentity{Type: ptr.To(machines.VirtualMachineScaleSetIdentity_Type_UserAssigned), UserAssignedIdentities: assigned}, problem
	}
	return nil, nil
}
