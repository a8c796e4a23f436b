package compute

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// newPoolXR returns the AzureMachinePool blue-mp-0, with the spec, in YAML, over the least that one needs.
func newPoolXR(t testing.TB, specs ...string) *v1beta1.AzureMachinePool {
	t.Helper()
	xr := &v1beta1.AzureMachinePool{}
	xr.Name, xr.Namespace = "blue-mp-0", "team"
	for _, spec := range append([]string{"{location: westeurope, template: {vmSize: Standard_D2s_v3, osDisk: {osType: Linux, diskSizeGB: 30, managedDisk: {storageAccountType: Premium_LRS}}, sshPublicKey: " + sshKey + "}}"}, specs...) {
		must(t, yaml.UnmarshalStrict([]byte(spec), &xr.Spec))
	}
	return xr
}

// poolFacts are those of a pool of three all of whose needs are met.
func poolFacts() v1alpha1.MachineFacts {
	f := worker()
	f.Machine = v1alpha1.FactsOfMachine{Name: "blue-mp-0", Version: "v1.33.2", BootstrapReady: true}
	f.Pool = v1alpha1.FactsOfPool{Replicas: 3}
	return f
}

// TestPoolFlavors shows the scale sets of CAPZ's flavors.
func TestPoolFlavors(t *testing.T) {
	const dual = "{networkSpec: {vnet: {cidrBlocks: [10.0.0.0/8, 'fd00::/48']}, subnets: [{name: control-plane-subnet, role: control-plane, cidrBlocks: [10.0.0.0/16, 'fd00:0:0:1::/64']}, {name: node-subnet, role: node, cidrBlocks: [10.1.0.0/16, 'fd00:0:0:2::/64']}]}}"
	cases := map[string]struct {
		cluster, spec string
		change        func(*v1beta1.AzureMachinePool, *v1alpha1.MachineFacts)
	}{
		"pool": {},
		"pool-windows": {spec: "{template: {osDisk: {osType: Windows}}}", change: func(p *v1beta1.AzureMachinePool, _ *v1alpha1.MachineFacts) {
			p.Name, p.Annotations = "blue-mp-win", map[string]string{"runtime": "containerd", "windowsServerVersion": "windows-2019"}
		}},
		"pool-flexible": {spec: "{orchestrationMode: Flexible, identity: UserAssigned, userAssignedIdentities: [{providerID: 'azure:///subscriptions/sub/resourceGroups/ids/providers/Microsoft.ManagedIdentity/userAssignedIdentities/cp'}]}"},
		"pool-zones": {spec: "{zoneBalance: true, platformFaultDomainCount: 5}", change: func(_ *v1beta1.AzureMachinePool, f *v1alpha1.MachineFacts) {
			f.Pool.FailureDomains = []string{"1", "2", "3"}
		}},
		"pool-dual-stack": {cluster: dual},
		"pool-spot":       {spec: "{template: {spotVMOptions: {evictionPolicy: Deallocate, maxPrice: 0.05}}}"},
		"pool-everything": {spec: `{identity: SystemAssigned, additionalTags: {cost: pool}, zoneBalance: true, template: {terminateNotificationTimeout: 7, spotVMOptions: {evictionPolicy: Delete, maxPrice: 1000},
			networkInterfaces: [{subnetName: node-subnet, privateIPConfigs: 3, acceleratedNetworking: false}, {subnetName: control-plane-subnet}],
			dataDisks: [{diskSizeGB: 10, nameSuffix: a, managedDisk: {storageAccountType: UltraSSD_LRS}}, {diskSizeGB: 20, nameSuffix: b, lun: 0, cachingType: ReadOnly}],
			securityProfile: {encryptionAtHost: true}, diagnostics: {boot: {storageAccountType: Disabled}}, disableVMBootstrapExtension: false,
			vmExtensions: [{name: CustomScript, publisher: Microsoft.Azure.Extensions, version: '2.1', settings: {a: public}, protectedSettings: {commandToExecute: TOP-SECRET}}],
			image: {computeGallery: {gallery: flatcar4capi-742ef0cb, name: flatcar-stable-amd64-capi-v1.33.2, version: 3815.2.0, plan: {publisher: kinvolk, offer: flatcar-container-linux-corevm-amd64, sku: stable-gen2}}}}}`,
			change: func(_ *v1beta1.AzureMachinePool, f *v1alpha1.MachineFacts) { f.Pool.FailureDomains = []string{"2"} }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			xr, facts := newPoolXR(t, c.spec), poolFacts()
			if c.change != nil {
				c.change(xr, &facts)
			}
			checkFlavor(t, name, PoolResources(xr, facts, newCluster(t, c.cluster)))
		})
	}
}

// TestPoolNetworkInterfaces shows through which load balancer instances reach the internet, and which of their network interfaces have accelerated
// networking where the size has it.
func TestPoolNetworkInterfaces(t *testing.T) {
	const (
		nodeLB     = "{networkSpec: {nodeOutboundLB: {}, subnets: [{name: control-plane-subnet, role: control-plane}, {name: node-subnet, role: node, cidrBlocks: ['fd00::/64', 10.1.0.0/16]}]}}"
		natGateway = "{networkSpec: {nodeOutboundLB: {}, subnets: [{name: control-plane-subnet, role: control-plane}, {name: node-subnet, role: node, natGateway: {name: gateway}}]}}"
		poolOfLB   = "blue/backendAddressPools/blue-outboundBackendPool"
	)
	cases := map[string]struct {
		cluster, spec string
		slow          bool
		pools         []string
		accelerated   []any
	}{
		"a NAT gateway":                   {accelerated: []any{true}},
		"a load balancer":                 {cluster: nodeLB, pools: []string{poolOfLB}, accelerated: []any{true}},
		"both":                            {cluster: natGateway, pools: []string{poolOfLB}, accelerated: []any{true}},
		"two interfaces":                  {spec: "{template: {networkInterfaces: [{subnetName: node-subnet}, {subnetName: node-subnet}]}}", accelerated: []any{true, true}},
		"two of a size without":           {spec: "{template: {networkInterfaces: [{subnetName: node-subnet}, {subnetName: node-subnet}]}}", slow: true, accelerated: []any{false, false}},
		"the second like the first":       {spec: "{template: {networkInterfaces: [{subnetName: node-subnet, acceleratedNetworking: false}, {subnetName: node-subnet}]}}", accelerated: []any{false, false}},
		"the second otherwise":            {spec: "{template: {networkInterfaces: [{subnetName: node-subnet, acceleratedNetworking: false}, {subnetName: node-subnet, acceleratedNetworking: true}]}}", accelerated: []any{false, true}},
		"the first with, the size not":    {spec: "{template: {networkInterfaces: [{subnetName: node-subnet, acceleratedNetworking: true}, {subnetName: node-subnet}]}}", slow: true, accelerated: []any{true, true}},
		"the second with, the first open": {spec: "{template: {networkInterfaces: [{subnetName: node-subnet}, {subnetName: node-subnet, acceleratedNetworking: true}]}}", slow: true, accelerated: []any{false, true}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			facts := poolFacts()
			facts.Size.AcceleratedNetworking = !c.slow
			set := plan.First(PoolResources(newPoolXR(t, c.spec), facts, newCluster(t, c.cluster)), aso.VirtualMachineScaleSet)
			interfaces, _, _ := unstructured.NestedSlice(set.Object.Object, "spec", "virtualMachineProfile", "networkProfile", "networkInterfaceConfigurations")
			var pools []string
			var accelerated []any
			for _, i := range interfaces {
				nic := i.(map[string]any)
				accelerated = append(accelerated, nic["enableAcceleratedNetworking"])
				pools = append(pools, attached(&plan.Resource{Object: &unstructured.Unstructured{Object: map[string]any{"spec": nic}}})...)
			}
			if diff := cmp.Diff(c.pools, pools) + cmp.Diff(c.accelerated, accelerated); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestPoolMistakes shows what a user reads whose pool cannot be made. The fields are named where they are in the pool.
func TestPoolMistakes(t *testing.T) {
	cases := map[string]struct {
		spec   string
		change func(*v1alpha1.MachineFacts)
		want   string
	}{
		"none": {},
		"another location": {spec: "{location: northeurope}",
			want: `spec.location is "northeurope", but must be "westeurope", that of AzureCluster blue, because a virtual machine is where its network is`},
		"too old for Flexible": {spec: "{orchestrationMode: Flexible}", change: func(f *v1alpha1.MachineFacts) { f.Machine.Version = "v1.25.9" },
			want: "spec.orchestrationMode is Flexible, which takes Kubernetes 1.26.0 or later, but spec.version of MachinePool blue-mp-0 is v1.25.9"},
		"a size that is not offered": {change: func(f *v1alpha1.MachineFacts) { f.Size.Offered = false },
			want: "spec.template.vmSize is Standard_D2s_v3, which Azure does not offer the subscription in location westeurope; choose another size or location"},
		"not offered any more, when it is there": {change: func(f *v1alpha1.MachineFacts) { f.Size.Offered, f.Created.State = false, v1alpha1.Created },
			want: "spec.template.vmSize is Standard_D2s_v3, which Azure does not offer the subscription in location westeurope; choose another size or location"},
		"not in all zones": {change: func(f *v1alpha1.MachineFacts) {
			f.Size.Zones, f.Pool.FailureDomains = []string{"1"}, []string{"1", "2"}
		},
			want: "spec.template.vmSize is Standard_D2s_v3, which in location westeurope has no machines in availability zone 2, only in [1] (failure domain); choose another size, or take away what asks for it"},
		"a subnet of another network": {spec: "{template: {networkInterfaces: [{subnetName: node-subnet}, {subnetName: x}]}}",
			want: `spec.template.networkInterfaces[1].subnetName is "x", but must be one of the subnets of AzureCluster blue, [control-plane-subnet (control-plane) node-subnet (node)], because a machine is in a subnet of its cluster`},
		"no key": {spec: "{template: {sshPublicKey: ''}}",
			want: "spec.template.sshPublicKey is empty, but must be set, because Azure makes no machine without a password or a key"},
		"no version to find an image by": {change: func(f *v1alpha1.MachineFacts) { f.Machine.Version = "latest" },
			want: `spec.version of MachinePool blue-mp-0 is "latest", but must be a version of Kubernetes, because spec.template.image is absent: the usual image is the one for the version`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			facts := poolFacts()
			if c.change != nil {
				c.change(&facts)
			}
			set, got := plan.First(PoolResources(newPoolXR(t, c.spec), facts, newCluster(t)), aso.VirtualMachineScaleSet), ""
			if set.Err != nil {
				got = set.Err.Message
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestPoolImage shows what instances are made from where the spec names nothing, and where it does.
func TestPoolImage(t *testing.T) {
	usual := PoolImage(newPoolXR(t), poolFacts(), newCluster(t))
	if usual == nil || usual.ComputeGallery == nil || usual.ComputeGallery.Name != "capi-ubun2-2404" || usual.ComputeGallery.Version != "1.33.2" {
		t.Errorf("the usual image is %+v", usual)
	}
	own := PoolImage(newPoolXR(t, "{template: {image: {id: /some/image}}}"), poolFacts(), newCluster(t))
	if own == nil || own.ID == nil || *own.ID != "/some/image" {
		t.Errorf("the user's image is %+v", own)
	}
	unknown := poolFacts()
	unknown.Machine.Version = ""
	if image := PoolImage(newPoolXR(t), unknown, newCluster(t)); image != nil {
		t.Errorf("without a version the image is %+v", image)
	}
}
