package v1beta1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// AzureManagedMachinePoolClassSpec is the part of a node pool that several clusters may have in common.
//
// +kubebuilder:validation:XValidation:rule="self.mode != 'System' || self.?osType.orValue('Linux') == 'Linux'",message="must be Linux with mode System",messageExpression="self.osType + ' is not possible with mode System: what the cluster itself runs needs Linux'",fieldPath=".osType"
// +kubebuilder:validation:XValidation:rule="!has(self.nodePublicIPPrefixID) || self.?enableNodePublicIP.orValue(false)",message="must be true with nodePublicIPPrefixID: otherwise nodes have no public address",fieldPath=".enableNodePublicIP"
// +kubebuilder:validation:XValidation:rule="!self.?linuxOSConfig.?swapFileSizeMB.hasValue() || !self.?kubeletConfig.?failSwapOn.orValue(true)",message="needs kubeletConfig.failSwapOn false: otherwise the kubelet does not start on a node that swaps",fieldPath=".linuxOSConfig.swapFileSizeMB"
// +kubebuilder:validation:XValidation:rule="has(self.osType) == has(oldSelf.osType)",message="cannot be set or taken away later: it is decided when the pool is created, so make a new pool",fieldPath=".osType",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.osDiskSizeGB) == has(oldSelf.osDiskSizeGB)",message="cannot be set or taken away later: it is decided when the pool is created, so make a new pool",fieldPath=".osDiskSizeGB",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.maxPods) == has(oldSelf.maxPods)",message="cannot be set or taken away later: it is decided when the pool is created, so make a new pool",fieldPath=".maxPods",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.osDiskType) == has(oldSelf.osDiskType)",message="cannot be set or taken away later: it is decided when the pool is created, so make a new pool",fieldPath=".osDiskType",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.scaleSetPriority) == has(oldSelf.scaleSetPriority)",message="cannot be set or taken away later: it is decided when the pool is created, so make a new pool",fieldPath=".scaleSetPriority",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.enableUltraSSD) == has(oldSelf.enableUltraSSD)",message="cannot be set or taken away later: it is decided when the pool is created, so make a new pool",fieldPath=".enableUltraSSD",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.enableNodePublicIP) == has(oldSelf.enableNodePublicIP)",message="cannot be set or taken away later: it is decided when the pool is created, so make a new pool",fieldPath=".enableNodePublicIP",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.nodePublicIPPrefixID) == has(oldSelf.nodePublicIPPrefixID)",message="cannot be set or taken away later: it is decided when the pool is created, so make a new pool",fieldPath=".nodePublicIPPrefixID",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.kubeletDiskType) == has(oldSelf.kubeletDiskType)",message="cannot be set or taken away later: it is decided when the pool is created, so make a new pool",fieldPath=".kubeletDiskType",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.kubeletConfig) == has(oldSelf.kubeletConfig)",message="cannot be set or taken away later: it is decided when the pool is created, so make a new pool",fieldPath=".kubeletConfig",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.linuxOSConfig) == has(oldSelf.linuxOSConfig)",message="cannot be set or taken away later: it is decided when the pool is created, so make a new pool",fieldPath=".linuxOSConfig",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!(has(oldSelf.subnetName)) || (has(self.subnetName))",message="cannot be taken away again: it is decided when the pool is created, so make a new pool",fieldPath=".subnetName",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!(has(oldSelf.enableFIPS)) || (has(self.enableFIPS))",message="cannot be taken away again: it is decided when the pool is created, so make a new pool",fieldPath=".enableFIPS",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.availabilityZones) ? size(self.availabilityZones) : 0) == (has(oldSelf.availabilityZones) ? size(oldSelf.availabilityZones) : 0) && (!has(self.availabilityZones) || self.availabilityZones.all(z, z in oldSelf.availabilityZones)) && (!has(oldSelf.availabilityZones) || oldSelf.availabilityZones.all(z, z in self.availabilityZones))",message="cannot be changed: it is decided when the pool is created, so make a new pool",messageExpression="'cannot be changed from ' + (has(oldSelf.availabilityZones) ? oldSelf.availabilityZones.join(', ') : 'nothing') + ' to ' + (has(self.availabilityZones) ? self.availabilityZones.join(', ') : 'nothing') + ': it is decided when the pool is created, so make a new pool'",fieldPath=".availabilityZones",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(self.name) || size(self.name) <= (self.?osType.orValue('Linux') == 'Windows' ? 6 : 12)",message="must have at most 12 characters, and at most 6 with osType Windows, as AKS wants it",messageExpression="self.name + ' must have at most ' + (self.?osType.orValue('Linux') == 'Windows' ? '6 characters with osType Windows' : '12 characters with osType Linux') + ', as AKS wants it'",fieldPath=".name"
type AzureManagedMachinePoolClassSpec struct {
	// additionalTags are the tags of the agent pool in Azure. Users write them.
	// Example: {cost-centre: "4711"}
	// +optional
	AdditionalTags Tags `json:"additionalTags,omitempty"`

	// name of the agent pool in Azure: lower-case letters and digits, a letter first, up to 12, or up to 6 with osType
	// Windows. The default is the name of this object, which must then have that form. It cannot be changed. Users write it.
	// Example: pool0
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('^[a-z][a-z0-9]*$')`,message="must be lower-case letters and digits, a letter first, as AKS wants it"
	Name *string `json:"name,omitempty"`

	// mode System is for the pods of the cluster itself; every cluster needs at least one such pool. User is for all
	// others. Users write it.
	// Example: System
	// +kubebuilder:validation:Enum=System;User
	Mode string `json:"mode"`

	// sku is the size of the nodes' virtual machines, as `az vm list-sizes` names it. It cannot be changed. A template may leave it
	// to the patches of a ClusterClass; otherwise it is required. Users write it.
	// Example: Standard_D2s_v5
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the pool is created, so make a new pool'"
	SKU string `json:"sku,omitempty"`

	// osDiskSizeGB is the size of the nodes' system disks in GB. With 0, or left out, it depends on the size of the
	// machine. It cannot be changed. Users write it.
	// Example: 128
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool"
	OSDiskSizeGB *int `json:"osDiskSizeGB,omitempty"`

	// availabilityZones are the zones of the region over which the nodes are distributed. Their order does not matter. They
	// cannot be changed. Users write them.
	// Example: ["1", "2", "3"]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=64
	AvailabilityZones []string `json:"availabilityZones,omitempty"`

	// nodeLabels are labels of the nodes. Keys that start with kubernetes.azure.com are AKS's own. Users write them.
	// Example: {team: payments}
	// +optional
	// +kubebuilder:validation:MaxProperties=1000
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('kubernetes.azure.com'))",message="must have no key that starts with kubernetes.azure.com: AKS keeps those for itself"
	NodeLabels map[string]string `json:"nodeLabels,omitempty"`

	// taints keep pods off the nodes that do not tolerate them. Users write them.
	// Example: [{key: gpu, value: "true", effect: NoSchedule}]
	// +optional
	Taints Taints `json:"taints,omitempty"`

	// scaling lets the cluster autoscaler decide the number of nodes. The MachinePool's replicas then follow. Users write
	// it.
	// Example: {minSize: 2, maxSize: 10}
	// +optional
	Scaling *ManagedMachinePoolScaling `json:"scaling,omitempty"`

	// maxPods is how many pods a node may have, 10 to 250. Left out, AKS decides. It cannot be changed. Users write it.
	// Example: 110
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool"
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=250
	MaxPods *int `json:"maxPods,omitempty"`

	// osDiskType is Managed for a disk in Azure Storage, Ephemeral for a local disk of the machine. It cannot be changed.
	// Users write it.
	// Example: Ephemeral
	// +optional
	// +kubebuilder:validation:Enum=Ephemeral;Managed
	// +kubebuilder:default=Managed
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the pool is created, so make a new pool'"
	OsDiskType *string `json:"osDiskType,omitempty"`

	// enableUltraSSD true lets pods use ultra disks. It cannot be changed. Users write it.
	// Example: true
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool"
	EnableUltraSSD *bool `json:"enableUltraSSD,omitempty"`

	// osType is the operating system of the nodes. A System pool must have Linux. It cannot be changed. Users write it.
	// Example: Linux
	// +optional
	// +kubebuilder:validation:Enum=Linux;Windows
	// +kubebuilder:default=Linux
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the pool is created, so make a new pool'"
	OSType *string `json:"osType,omitempty"`

	// enableNodePublicIP true gives each node a public address. It cannot be changed. Users write it.
	// Example: true
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool"
	EnableNodePublicIP *bool `json:"enableNodePublicIP,omitempty"`

	// nodePublicIPPrefixID is the resource ID of the public IP prefix that provides these addresses. enableNodePublicIP must
	// be true. It cannot be changed. Users write it.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/ips/providers/Microsoft.Network/publicIPPrefixes/nodes
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the pool is created, so make a new pool'"
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('(?i)^/?subscriptions/[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}/resourcegroups/[^/]+/providers/microsoft[.]network/publicipprefixes/[^/]+$')",message="must be the resource ID of a public IP prefix, such as /subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.Network/publicIPPrefixes/NAME"
	NodePublicIPPrefixID *string `json:"nodePublicIPPrefixID,omitempty"`

	// scaleSetPriority Spot uses spare capacity at a lower price, which Azure may evict at any time. The default of AKS
	// is Regular. It cannot be changed. Users write it.
	// Example: Spot
	// +optional
	// +kubebuilder:validation:Enum=Regular;Spot
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the pool is created, so make a new pool'"
	ScaleSetPriority *string `json:"scaleSetPriority,omitempty"`

	// scaleDownMode says what happens to a machine that is no longer needed: Delete, or Deallocate, which keeps it
	// stopped. Users write it.
	// Example: Delete
	// +optional
	// +kubebuilder:validation:Enum=Deallocate;Delete
	// +kubebuilder:default=Delete
	ScaleDownMode *string `json:"scaleDownMode,omitempty"`

	// spotMaxPrice is the highest price per hour of a Spot machine, in US dollars; -1 means the price of a regular one.
	// Users write it.
	// Example: "0.05"
	// +optional
	SpotMaxPrice *resource.Quantity `json:"spotMaxPrice,omitempty"`

	// kubeletConfig has settings of the kubelet. None of it can be changed. Users write it.
	// Example: {cpuManagerPolicy: static}
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool"
	KubeletConfig *KubeletConfig `json:"kubeletConfig,omitempty"`

	// kubeletDiskType is where the kubelet stores its data: on the OS disk, or on the machine's Temporary disk. It cannot
	// be changed. Users write it.
	// Example: OS
	// +optional
	// +kubebuilder:validation:Enum=OS;Temporary
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the pool is created, so make a new pool'"
	KubeletDiskType *KubeletDiskType `json:"kubeletDiskType,omitempty"`

	// linuxOSConfig has settings of Linux. None of it can be changed. Users write it.
	// Example: {transparentHugePageEnabled: madvise, sysctls: {vmMaxMapCount: 262144}}
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool"
	LinuxOSConfig *LinuxOSConfig `json:"linuxOSConfig,omitempty"`

	// subnetName is the subnet of the control plane's virtual network that the nodes are in. The default is that of the
	// control plane. It cannot be changed once it is set. Users write it.
	// Example: nodes
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the pool is created, so make a new pool'"
	// +kubebuilder:validation:MaxLength=256
	SubnetName *string `json:"subnetName,omitempty"`

	// enableFIPS true makes the nodes use cryptography that conforms to FIPS 140. It cannot be changed once it is set.
	// Users write it.
	// Example: true
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the pool is created, so make a new pool"
	EnableFIPS *bool `json:"enableFIPS,omitempty"`

	// enableEncryptionAtHost true also encrypts the disks on the host. It cannot be changed once it is set. Users write
	// it.
	// Example: true
	// +optional
	EnableEncryptionAtHost *bool `json:"enableEncryptionAtHost,omitempty"`

	// asoManagedClustersAgentPoolPatches are JSON merge patches (RFC 7386), written as JSON or YAML text, that are applied in
	// this order to the ASO ManagedClustersAgentPool made from the other fields, and to the pool's entry in a new
	// ManagedCluster. They can set what has no field here, and nothing checks that the result works. A patch that fails is
	// named, by its index from 0, in the condition AgentPoolsReady. Users write them.
	// Example: ['{"spec": {"osSKU": "AzureLinux"}}']
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=65536
	ASOManagedClustersAgentPoolPatches []string `json:"asoManagedClustersAgentPoolPatches,omitempty"`
}

// ManagedMachinePoolScaling are the limits of the cluster autoscaler for a pool.
type ManagedMachinePoolScaling struct {
	// minSize is the least number of nodes.
	// Example: 2
	// +optional
	MinSize *int `json:"minSize,omitempty"`

	// maxSize is the greatest number of nodes.
	// Example: 10
	// +optional
	MaxSize *int `json:"maxSize,omitempty"`
}

// TaintEffect is what a taint does to pods that do not tolerate it.
type TaintEffect string

// Taint keeps pods off a node that do not tolerate it.
type Taint struct {
	// effect is NoSchedule for new pods, NoExecute for running ones too, or PreferNoSchedule for new pods if possible.
	// Example: NoSchedule
	// +kubebuilder:validation:Enum=NoSchedule;NoExecute;PreferNoSchedule
	Effect TaintEffect `json:"effect"`

	// key of the taint.
	// Example: gpu
	Key string `json:"key"`

	// value of the taint.
	// Example: "true"
	Value string `json:"value"`
}

// Taints are the taints of a node.
// +listType=atomic
// +kubebuilder:validation:MaxItems=100
type Taints []Taint
