package compute

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// problemOf returns what is wrong with the virtual machine, as its reason and message.
func problemOf(t testing.TB, xr *v1beta1.AzureMachine, facts v1alpha1.MachineFacts, cluster Cluster) string {
	t.Helper()
	vm := plan.First(Resources(xr, facts, cluster, Live{}), aso.VirtualMachine)
	if vm.Err == nil {
		return ""
	}
	return vm.Err.Reason + ": " + vm.Err.Message
}

// TestSizes shows what a user reads whose machine has a size that cannot do what the spec asks for.
func TestSizes(t *testing.T) {
	const ultra = "{dataDisks: [{nameSuffix: a, diskSizeGB: 1, managedDisk: {storageAccountType: UltraSSD_LRS}}]}"
	const begin = "UnsupportedVMSize: spec.vmSize is Standard_D2s_v3, which in location westeurope "
	const end = "; choose another size, or take away what asks for it"
	cases := map[string]struct {
		spec   string
		change func(*v1alpha1.MachineFacts)
		want   string
	}{
		"all there": {"", nil, ""},
		"not offered": {"", func(f *v1alpha1.MachineFacts) { f.Size.Offered = false },
			"UnsupportedVMSize: spec.vmSize is Standard_D2s_v3, which Azure does not offer the subscription in location westeurope; choose another size or location"},
		"not offered, and why": {"", func(f *v1alpha1.MachineFacts) {
			f.Size.Offered, f.Size.Restriction = false, "NotAvailableForSubscription"
		},
			"UnsupportedVMSize: spec.vmSize is Standard_D2s_v3, which Azure does not offer the subscription in location westeurope (NotAvailableForSubscription); choose another size or location"},
		"not known":         {"", func(f *v1alpha1.MachineFacts) { f.Size = v1alpha1.FactsOfSize{Name: f.Size.Name} }, ""},
		"of another size":   {"", func(f *v1alpha1.MachineFacts) { f.Size.Name, f.Size.Offered = "Standard_D4s_v3", false }, ""},
		"created already":   {"", func(f *v1alpha1.MachineFacts) { f.Size.Offered, f.Created.State = false, v1alpha1.Created }, ""},
		"too small":         {"", func(f *v1alpha1.MachineFacts) { f.Size.VCPUs, f.Size.MemoryGiB = 1, 0.5 }, begin + "has 1 vCPUs, but a node needs 2, and has 0.5 GiB of memory, but a node needs 2" + end},
		"not in the zone":   {"", func(f *v1alpha1.MachineFacts) { f.Size.Zones = []string{"1", "3"} }, begin + "has no machines in availability zone 2, only in [1 3] (failure domain)" + end},
		"no ephemeral disk": {"{osDisk: {diffDiskSettings: {option: Local}}}", func(f *v1alpha1.MachineFacts) { f.Size.EphemeralOSDisk = false }, begin + "has no ephemeral OS disk (spec.osDisk.diffDiskSettings)" + end},
		"no ultra disks":    {ultra, func(f *v1alpha1.MachineFacts) { f.Size.UltraSSDZones = []string{"1"} }, begin + "has no ultra disks in availability zone 2 (spec.dataDisks[0].managedDisk.storageAccountType)" + end},
		"ultra disks, no zone": {ultra, func(f *v1alpha1.MachineFacts) { f.Machine.FailureDomain = "" },
			begin + "has no ultra disks outside of availability zones (spec.dataDisks[0].managedDisk.storageAccountType)" + end},
		"no encryption at host": {"{securityProfile: {encryptionAtHost: true}}", func(f *v1alpha1.MachineFacts) { f.Size.EncryptionAtHost = false },
			begin + "has no encryption at host (spec.securityProfile.encryptionAtHost)" + end},
		"no confidential computing": {"{osDisk: {managedDisk: {securityProfile: {securityEncryptionType: VMGuestStateOnly}}}, securityProfile: {securityType: ConfidentialVM, uefiSettings: {vTpmEnabled: true}}}",
			func(f *v1alpha1.MachineFacts) { f.Size.ConfidentialComputingType = "" }, begin + "has no confidential computing (spec.osDisk.managedDisk.securityProfile)" + end},
		"no trusted launch": {"{securityProfile: {securityType: TrustedLaunch, uefiSettings: {secureBootEnabled: true, vTpmEnabled: true}}}", func(f *v1alpha1.MachineFacts) { f.Size.TrustedLaunchDisabled = true },
			begin + "has no secure boot (spec.securityProfile.uefiSettings.secureBootEnabled), and has no vTPM (spec.securityProfile.uefiSettings.vTpmEnabled)" + end},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			facts := worker()
			if c.change != nil {
				c.change(&facts)
			}
			if diff := cmp.Diff(c.want, problemOf(t, newXR(t, c.spec), facts, newCluster(t))); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestMistakes shows what a user reads whose spec does not go together, or is none.
func TestMistakes(t *testing.T) {
	const guestState = "osDisk: {managedDisk: {securityProfile: {securityEncryptionType: DiskWithVMGuestState}}}"
	const because = "because spec.osDisk.managedDisk.securityProfile.securityEncryptionType is"
	cases := map[string]struct{ spec, want string }{
		"none":                            {"{}", ""},
		"an SSH key that is not base64":   {"{sshPublicKey: 'ssh-rsa x'}", `spec.sshPublicKey is "ssh-rsa x", but must be a public key in base64: illegal base64 data at input byte 3`},
		"no SSH key":                      {"{sshPublicKey: ''}", "spec.sshPublicKey is empty, but must be set, because Azure makes no machine without a password or a key"},
		"no user-assigned identity":       {"{identity: UserAssigned}", "spec.userAssignedIdentities is empty, but must have at least one, because spec.identity is UserAssigned"},
		"an identity that is none":        {"{identity: UserAssigned, userAssignedIdentities: [{providerID: x}]}", `spec.userAssignedIdentities[0].providerID is "x", but must be the ID of an identity in Azure`},
		"an image without source":         {"{image: {}}", "spec.image has no source, but must have one of id, marketplace, computeGallery and sharedGallery, or be absent for the usual image"},
		"a placement that ASO lacks":      {"{osDisk: {diffDiskSettings: {option: Local, placement: NvmeDisk}}}", "spec.osDisk.diffDiskSettings.placement is NvmeDisk, but must be CacheDisk, ResourceDisk or absent, because Azure Service Operator has no field for it in version v1api20220301 of VirtualMachine"},
		"secure boot alone":               {"{securityProfile: {uefiSettings: {secureBootEnabled: true}}}", `spec.securityProfile.securityType is "", but must be TrustedLaunch, because spec.securityProfile.uefiSettings.secureBootEnabled is true`},
		"vTPM of a confidential machine":  {"{securityProfile: {securityType: ConfidentialVM, uefiSettings: {vTpmEnabled: true}}}", `spec.securityProfile.securityType is "ConfidentialVM", but must be TrustedLaunch, because spec.securityProfile.uefiSettings.vTpmEnabled is true`},
		"confidential disk alone":         {"{" + guestState + "}", "spec.securityProfile is absent, but must have securityType ConfidentialVM, " + because + " DiskWithVMGuestState"},
		"confidential, encrypted at host": {"{" + guestState + ", securityProfile: {encryptionAtHost: true}}", "spec.securityProfile.encryptionAtHost is true, but must be false or absent, " + because + " DiskWithVMGuestState"},
		"confidential, of another type":   {"{" + guestState + ", securityProfile: {securityType: TrustedLaunch}}", `spec.securityProfile.securityType is "TrustedLaunch", but must be ConfidentialVM, ` + because + " set"},
		"confidential, without vTPM":      {"{" + guestState + ", securityProfile: {securityType: ConfidentialVM}}", "spec.securityProfile.uefiSettings.vTpmEnabled is not true, but must be, " + because + " set"},
		"confidential, no secure boot":    {"{" + guestState + ", securityProfile: {securityType: ConfidentialVM, uefiSettings: {vTpmEnabled: true}}}", "spec.securityProfile.uefiSettings.secureBootEnabled is not true, but must be, " + because + " DiskWithVMGuestState"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := strings.TrimPrefix(problemOf(t, newXR(t, c.spec), worker(), newCluster(t)), "InvalidResource: ")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestImages shows from what image a machine without one is made.
func TestImages(t *testing.T) {
	community := func(image, version string) string {
		return "/CommunityGalleries/ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019/Images/" + image + "/Versions/" + version
	}
	cases := map[string]struct {
		version     string
		windows     bool
		annotations map[string]string
		want, wrong string
	}{
		"Linux":                            {version: "v1.33.2", want: community("capi-ubun2-2404", "1.33.2")},
		"Linux, without a v":               {version: "1.33.2", want: community("capi-ubun2-2404", "1.33.2")},
		"Linux, before a release":          {version: "v1.34.0-rc.1", want: community("capi-ubun2-2404", "1.34.0-rc.1")},
		"Linux, without a patch":           {version: "v1.33", want: community("capi-ubun2-2404", "1.33.0")},
		"Linux, of the marketplace":        {version: "v1.28.5", want: "cncf-upstream capi ubuntu-2204-gen1 128.5.20240102"},
		"Linux, the last of it":            {version: "v1.30.3", want: "cncf-upstream capi ubuntu-2204-gen1 130.3.20240717"},
		"Linux, the first not in it":       {version: "v1.30.4", want: community("capi-ubun2-2404", "1.30.4")},
		"no version":                       {wrong: `spec.version of Machine m is "", but must be a version of Kubernetes, because spec.image is absent: the usual image is the one for the version`},
		"Windows":                          {version: "v1.33.2", windows: true, want: community("capi-win-2022-containerd", "1.33.2")},
		"Windows, of 2019":                 {version: "v1.33.2", windows: true, annotations: map[string]string{"windowsServerVersion": "windows-2019"}, want: community("capi-win-2019-containerd", "1.33.2")},
		"Windows, of the marketplace":      {version: "v1.29.1", windows: true, want: "cncf-upstream capi-windows windows-2019-containerd-gen1 129.1.20240201"},
		"Windows, of no year":              {version: "v1.33.2", windows: true, annotations: map[string]string{"windowsServerVersion": "2019"}, wrong: `annotation windowsServerVersion is "2019", but must be windows- and a year, such as windows-2022, or absent`},
		"Windows, with another runtime":    {version: "v1.33.2", windows: true, annotations: map[string]string{"runtime": "docker"}, wrong: `annotation runtime is "docker", but must be containerd or absent, because the usual image has no other`},
		"Linux, with annotations of those": {version: "v1.33.2", annotations: map[string]string{"runtime": "docker"}, want: community("capi-ubun2-2404", "1.33.2")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			xr, facts := newXR(t), worker()
			facts.Machine.Version, xr.Annotations = c.version, c.annotations
			if c.windows {
				xr.Spec.OSDisk.OSType = "Windows"
			}
			vm := plan.First(Resources(xr, facts, newCluster(t), Live{}), aso.VirtualMachine)
			if c.wrong != "" {
				if vm.Err == nil || vm.Err.Message != c.wrong {
					t.Errorf("want %s, got %v", c.wrong, vm.Err)
				}
				return
			}
			image := at(vm, "spec", "storageProfile", "imageReference")
			got, _ := image["communityGalleryImageId"].(string)
			if got == "" {
				got = strings.Join([]string{text(image["publisher"]), text(image["offer"]), text(image["sku"]), text(image["version"])}, " ")
			}
			if got != c.want {
				t.Errorf("want %s, got %s", c.want, got)
			}
		})
	}
}

func text(value any) string { s, _ := value.(string); return s }
