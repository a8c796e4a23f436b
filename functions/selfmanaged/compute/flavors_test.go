package compute

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
	"github.com/crossplane-capz/crossplane-capz/internal/test/golden"
)

var must = composertest.Must

const sshKey = "c3NoLXJzYSBBQUFBIHRlc3Q=" // ssh-rsa AAAA test

// newCluster returns the Cluster blue of CAPZ's default flavor, with the spec, in YAML, over it.
func newCluster(t testing.TB, specs ...string) Cluster {
	t.Helper()
	azure := &v1beta1.AzureCluster{}
	azure.Name, azure.Namespace = "blue", "team"
	for _, spec := range append([]string{`{location: westeurope, subscriptionID: sub, controlPlaneEnabled: true, additionalTags: {of: cluster, cost: cluster},
		networkSpec: {subnets: [{name: control-plane-subnet, role: control-plane}, {name: node-subnet, role: node}]}}`}, specs...) {
		must(t, yaml.UnmarshalStrict([]byte(spec), &azure.Spec))
	}
	defaulting.Cluster(azure.Name, &azure.Spec)
	return Cluster{Namespace: "team", Name: "blue", Azure: azure, Zones: []string{"1", "2", "3"}, ZonesKnown: true}
}

// newXR returns the AzureMachine blue-md-0-abcde, with the spec, in YAML, over the least that one needs.
func newXR(t testing.TB, specs ...string) *v1beta1.AzureMachine {
	t.Helper()
	xr := &v1beta1.AzureMachine{}
	xr.Name, xr.Namespace = "blue-md-0-abcde", "team"
	for _, spec := range append([]string{"{vmSize: Standard_D2s_v3, osDisk: {osType: Linux, diskSizeGB: 128}, sshPublicKey: " + sshKey + "}"}, specs...) {
		must(t, yaml.UnmarshalStrict([]byte(spec), &xr.Spec))
	}
	return xr
}

// worker returns the facts of a worker all of whose needs are met, and a size that can do everything.
func worker() v1alpha1.MachineFacts {
	return v1alpha1.MachineFacts{
		Machine: v1alpha1.FactsOfMachine{Name: "m", FailureDomain: "2", Version: "v1.33.2", BootstrapReady: true, Owner: v1alpha1.FactsOfOwner{Kind: v1alpha1.OwnerMachineDeployment, Name: "md-0"}},
		Size: v1alpha1.FactsOfSize{Name: "Standard_D2s_v3", Known: true, Offered: true, VCPUs: 2, MemoryGiB: 8, Zones: []string{"1", "2", "3"}, UltraSSDZones: []string{"2"},
			AcceleratedNetworking: true, EphemeralOSDisk: true, EncryptionAtHost: true, ConfidentialComputingType: "SNP", Architecture: "x64"},
	}
}

// controlPlane is worker for a machine of a control plane.
func controlPlane() v1alpha1.MachineFacts {
	f := worker()
	f.Machine.ControlPlane, f.SSHPort, f.Machine.Owner = true, 2201, v1alpha1.FactsOfOwner{Kind: v1alpha1.OwnerControlPlane, Name: "blue"}
	return f
}

// etcd is the data disk of control planes in CAPZ's flavors.
const etcd = "{dataDisks: [{diskSizeGB: 256, lun: 0, nameSuffix: etcddisk}], identity: UserAssigned, userAssignedIdentities: [{providerID: 'azure:///subscriptions/sub/resourceGroups/ids/providers/Microsoft.ManagedIdentity/userAssignedIdentities/cp'}]}"

// TestFlavors shows all objects of machines of CAPZ's flavors.
func TestFlavors(t *testing.T) {
	const dual = "{networkSpec: {vnet: {cidrBlocks: [10.0.0.0/8, 'fd00::/48']}, subnets: [{name: control-plane-subnet, role: control-plane, cidrBlocks: [10.0.0.0/16, 'fd00:0:0:1::/64']}, {name: node-subnet, role: node, cidrBlocks: [10.1.0.0/16, 'fd00:0:0:2::/64']}]}}"
	cases := map[string]struct {
		cluster, spec string
		facts         v1alpha1.MachineFacts
		change        func(*v1beta1.AzureMachine, *v1alpha1.MachineFacts)
	}{
		"control-plane": {spec: etcd, facts: controlPlane()},
		"worker":        {facts: worker()},
		"windows": {spec: "{osDisk: {osType: Windows, managedDisk: {storageAccountType: Premium_LRS}}}", facts: worker(), change: func(m *v1beta1.AzureMachine, _ *v1alpha1.MachineFacts) {
			m.Name = "blue-md-win-abcde-xyz12"
			m.Annotations = map[string]string{"runtime": "containerd", "windowsServerVersion": "windows-2019"}
		}},
		"spot":      {spec: "{spotVMOptions: {evictionPolicy: Delete, maxPrice: 1000}}", facts: worker()},
		"ephemeral": {spec: "{osDisk: {diffDiskSettings: {option: Local, placement: ResourceDisk}, cachingType: ReadOnly, diskSizeGB: 50}}", facts: worker()},
		"nvidia-gpu": {spec: "{vmSize: Standard_NC6s_v3, osDisk: {managedDisk: {storageAccountType: Premium_LRS}}}", facts: worker(), change: func(_ *v1beta1.AzureMachine, f *v1alpha1.MachineFacts) {
			f.Size.Name, f.Size.AcceleratedNetworking = "Standard_NC6s_v3", false
		}},
		"dual-stack":   {cluster: dual, spec: "{enableIPForwarding: true}", facts: worker()},
		"azure-cni-v1": {spec: "{networkInterfaces: [{subnetName: node-subnet, privateIPConfigs: 4}]}", facts: worker()},
		"flatcar": {spec: `{image: {computeGallery: {gallery: flatcar4capi-742ef0cb, name: flatcar-stable-amd64-capi-v1.33.2, version: 3815.2.0,
			plan: {publisher: kinvolk, offer: flatcar-container-linux-corevm-amd64, sku: stable-gen2}}}}`, facts: worker()},
		"confidential": {spec: "{osDisk: {managedDisk: {storageAccountType: Premium_LRS, securityProfile: {securityEncryptionType: DiskWithVMGuestState, diskEncryptionSet: {id: /some/set}}}}, " +
			"securityProfile: {securityType: ConfidentialVM, uefiSettings: {secureBootEnabled: true, vTpmEnabled: true}}}", facts: worker()},
		"trusted-launch": {spec: "{securityProfile: {encryptionAtHost: true, securityType: TrustedLaunch, uefiSettings: {secureBootEnabled: true, vTpmEnabled: true}}}", facts: worker()},
		"availability-set": {facts: worker(), change: func(_ *v1beta1.AzureMachine, f *v1alpha1.MachineFacts) {
			f.Machine.FailureDomain, f.Machine.AvailabilitySet = "", "blue_md-0-as"
		}},
		"private": {cluster: "{networkSpec: {apiServerLB: {type: Internal}, controlPlaneOutboundLB: {frontendIPsCount: 1}, nodeOutboundLB: {frontendIPsCount: 1}}}", spec: etcd, facts: controlPlane()},
		"extensions": {spec: "{allocatePublicIP: true, dnsServers: [10.0.0.10], disableVMBootstrapExtension: false, vmExtensions: [{name: CustomScript, publisher: Microsoft.Azure.Extensions, version: '2.1', " +
			"settings: {a: public}, protectedSettings: {commandToExecute: TOP-SECRET}}]}", facts: worker()},
		"everything-else": {cluster: "{extendedLocation: {name: edge, type: EdgeZone}}", spec: `{networkInterfaces: [{subnetName: node-subnet, acceleratedNetworking: false}, {subnetName: control-plane-subnet}],
			dataDisks: [{diskSizeGB: 10, nameSuffix: a, managedDisk: {storageAccountType: UltraSSD_LRS, diskEncryptionSet: {id: /some/set}}}, {diskSizeGB: 20, nameSuffix: b, lun: 0}],
			capacityReservationGroupID: /subscriptions/sub/resourceGroups/rg/providers/Microsoft.Compute/capacityReservationGroups/g,
			virtualMachineScaleSetID: 'azure:///subscriptions/sub/resourceGroups/rg/providers/Microsoft.Compute/virtualMachineScaleSets/s',
			additionalTags: {cost: machine}, identity: SystemAssigned, disableExtensionOperations: true,
			diagnostics: {boot: {storageAccountType: UserManaged, userManaged: {storageAccountURI: 'https://x.blob.core.windows.net/'}}},
			image: {sharedGallery: {subscriptionID: s, resourceGroup: g, gallery: ga, name: image, version: 1.2.3, publisher: p, offer: o, sku: k}}}`, facts: worker()},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			xr, facts := newXR(t, c.spec), c.facts
			if c.change != nil {
				c.change(xr, &facts)
			}
			checkFlavor(t, name, Resources(xr, facts, newCluster(t, c.cluster), Live{}))
		})
	}
}

// checkFlavor holds resources against the golden file of a name. No secret may be in them.
func checkFlavor(t *testing.T, name string, resources []*plan.Resource) {
	t.Helper()
	got := documents(t, resources)
	for _, secret := range []string{"TOP-SECRET", "customData", "adminPassword", "commandToExecute"} {
		if strings.Contains(got, secret) {
			t.Errorf("an object has %s", secret)
		}
	}
	golden.Check(t, filepath.Join("testdata", name+".golden.yaml"), got)
}

// documents writes resources as YAML, each with what it waits for.
func documents(t *testing.T, resources []*plan.Resource) string {
	t.Helper()
	var out bytes.Buffer
	for _, r := range resources {
		if r.Err != nil {
			t.Errorf("%s: %v", r.Source, r.Err)
		}
		content, err := yaml.Marshal(r.Object.Object)
		must(t, err)
		out.WriteString("---\n# " + r.Source + ", " + string(r.Lifecycle) + "\n")
		for _, after := range r.After {
			out.WriteString("# waits until " + after.Description + "\n")
		}
		out.Write(content)
	}
	return out.String()
}
