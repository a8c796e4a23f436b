package v1alpha1

// AKSClusterParameters is what an application team says about its cluster. It is the same in every form of the kind.
//
// No field has a default in the schema: a platform team's own defaults come first, and a field that it hides must be
// recognizable as left out.
type AKSClusterParameters struct {
	// location is the Azure region of the cluster. It cannot be changed later. Left out, the platform team's default is
	// used. If there is no default, the cluster waits and says so.
	// Example: westeurope
	// +optional
	// +kubebuilder:validation:Pattern=`^[a-z0-9]+$`
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",messageExpression="'must stay ' + oldSelf + ' because a cluster cannot move to another region; make a new one there'"
	// +kubebuilder:title="Azure region"
	Location string `json:"location,omitempty"`

	// version is the Kubernetes version of the cluster. An upgrade begins with the control plane, then one node pool follows the other. It can be raised up to
	// the next minor version after the running one, see status.version, and not be lowered below the running one. Left out, the platform team's default is used
	// at creation. If there is no default, the cluster waits and says so. `az aks get-versions --location westeurope` lists the versions.
	// Example: v1.33.6
	// +optional
	// +kubebuilder:validation:Pattern=`^v?1\.[0-9]{1,3}\.[0-9]{1,3}$`
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:title="Kubernetes version"
	Version string `json:"version,omitempty"`

	// nodePools are the machines of the cluster, in groups of the same kind. At least one pool has the mode system. Left out,
	// there is one pool named system. Neither applies if the platform team's clusters need no pool. Adding a pool creates it,
	// and removing it deletes its nodes.
	// Example: [{name: system, mode: system, count: 2}, {name: work, size: Standard_D4s_v5, min: 1, max: 10}]
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:title="Node pools"
	NodePools []NodePool `json:"nodePools,omitempty"`

	// network has the addresses, and says who can reach the API server. None of it can be changed later.
	// +optional
	// +kubebuilder:title="Network"
	Network *Network `json:"network,omitempty"`

	// identity is the identity that the cluster uses in Azure, for example to attach disks and load balancers. It cannot
	// be changed later. By default Azure creates an identity for this cluster alone.
	// +optional
	// +kubebuilder:title="Managed identity of the cluster"
	Identity *Identity `json:"identity,omitempty"`

	// maintenance is the time of the week at which AKS may replace node images. By default AKS chooses the time.
	// +optional
	// +kubebuilder:title="Maintenance window"
	Maintenance *Maintenance `json:"maintenance,omitempty"`
}

// NodePool is a group of machines of the same kind.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.count) && (has(self.min) || has(self.max)))",messageExpression="'pool ' + self.name + ' has count and min or max, but must have only one of both because either you or AKS decides on the number of nodes'"
// +kubebuilder:validation:XValidation:rule="has(self.min) == has(self.max)",messageExpression="'pool ' + self.name + ' has ' + (has(self.min) ? 'min without max' : 'max without min') + ', but must have both or none because AKS scales between them'"
// +kubebuilder:validation:XValidation:rule="!has(self.min) || !has(self.max) || self.min <= self.max",messageExpression="'pool ' + self.name + ' has min above max, but it must be at most max because AKS scales between them'"
// +kubebuilder:validation:XValidation:rule="!(has(self.mode) && self.mode == 'system' && has(self.spot) && self.spot)",messageExpression="'pool ' + self.name + ' has spot true, but it must be false or left out because Azure takes spot machines away at any time and mode is system'"
// +kubebuilder:validation:XValidation:rule="!(has(self.mode) && self.mode == 'system' && ((has(self.count) && self.count < 1) || (has(self.min) && self.min < 1)))",messageExpression="'pool ' + self.name + ' has ' + (has(self.count) ? 'count' : 'min') + ' 0, but it must be at least 1 because mode is system'"
// +kubebuilder:validation:XValidation:rule="!has(self.size) || !has(oldSelf.size) || self.size == oldSelf.size",messageExpression="'pool ' + self.name + ' has size ' + self.size + ', but must stay ' + oldSelf.size + ' because Azure cannot change the machines of a pool; add a pool of the new size and remove this one'"
// +kubebuilder:validation:XValidation:rule="!has(self.zones) || !has(oldSelf.zones) || self.zones == oldSelf.zones",messageExpression="'pool ' + self.name + ' has other zones than before, but they must stay as they are because Azure cannot move the machines of a pool; add a pool in the new zones and remove this one'"
// +kubebuilder:validation:XValidation:rule="!has(self.spot) || !has(oldSelf.spot) || self.spot == oldSelf.spot",messageExpression="'pool ' + self.name + ' has spot ' + (self.spot ? 'true, but must stay false' : 'false, but must stay true') + ' because Azure cannot change the machines of a pool; add a pool and remove this one'"
type NodePool struct {
	// name of the pool, which is also part of its nodes' names: at most 12 lower case letters and digits.
	// Example: work
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9]{0,11}$`
	// +kubebuilder:validation:MaxLength=12
	// +kubebuilder:title="Name"
	Name string `json:"name"`

	// mode says what runs here: system for AKS's own pods and yours, user only for yours. The default is user.
	// +optional
	// +kubebuilder:validation:Enum=system;user
	// +kubebuilder:title="What runs here"
	Mode string `json:"mode,omitempty"`

	// size is the Azure size of the machines. It cannot be changed later. The default is the platform team's, or
	// Standard_D2s_v5, which has 2 cores and 8 GiB. `az vm list-sizes --location westeurope` lists the sizes.
	// Example: Standard_D4s_v5
	// +optional
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_]+$`
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:title="Machine size"
	Size string `json:"size,omitempty"`

	// count is the number of nodes if you set it yourself. Change it to scale. Without count, min and max it is 2. If you remove min
	// and max, the pool keeps its number of nodes.
	// Example: 3
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	// +kubebuilder:title="Number of nodes"
	Count *int32 `json:"count,omitempty"`

	// min is the smallest number of nodes that AKS may choose, depending on pods that cannot be scheduled. It requires
	// max.
	// Example: 1
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	// +kubebuilder:title="Smallest number of nodes"
	Min *int32 `json:"min,omitempty"`

	// max is the largest number of nodes that AKS may choose. It requires min.
	// Example: 10
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	// +kubebuilder:title="Largest number of nodes"
	Max *int32 `json:"max,omitempty"`

	// zones are the availability zones over which the nodes are distributed. They cannot be changed later. By default
	// Azure puts the nodes anywhere in the region.
	// Example: ["1", "2", "3"]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:items:Enum="1";"2";"3"
	// +kubebuilder:title="Availability zones"
	Zones []string `json:"zones,omitempty"`

	// spot says whether the machines use spare capacity, which is cheap and which Azure may evict at any time. Their nodes
	// have the taint kubernetes.azure.com/scalesetpriority=spot:NoSchedule, which your pods must tolerate. It cannot be
	// changed later. The default is false.
	// +optional
	// +kubebuilder:title="Spot machines"
	Spot *bool `json:"spot,omitempty"`

	// labels are put on every node of the pool, so that your pods can select it with nodeSelector.
	// Example: {workload: batch}
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:title="Node labels"
	Labels map[string]string `json:"labels,omitempty"`

	// taints are put on every node of the pool. Pods that do not tolerate them are not scheduled there.
	// Example: [{key: workload, value: batch, effect: NoSchedule}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:title="Node taints"
	Taints []Taint `json:"taints,omitempty"`
}

// Taint keeps pods away that do not tolerate it.
type Taint struct {
	// key of the taint.
	// Example: workload
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:title="Key"
	Key string `json:"key"`

	// value of the taint; may be left out.
	// Example: batch
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:title="Value"
	Value string `json:"value,omitempty"`

	// effect on pods that do not tolerate the taint: NoSchedule, PreferNoSchedule or NoExecute.
	// +required
	// +kubebuilder:validation:Enum=NoSchedule;PreferNoSchedule;NoExecute
	// +kubebuilder:title="Effect"
	Effect string `json:"effect"`
}

// Network is about addresses and who can reach the API server.
//
// +kubebuilder:validation:XValidation:rule="!has(self.podCIDR) || !has(oldSelf.podCIDR) || self.podCIDR == oldSelf.podCIDR",messageExpression="'podCIDR is ' + self.podCIDR + ', but must stay ' + oldSelf.podCIDR + ' because AKS cannot change the addresses of a running cluster'"
// +kubebuilder:validation:XValidation:rule="!has(self.serviceCIDR) || !has(oldSelf.serviceCIDR) || self.serviceCIDR == oldSelf.serviceCIDR",messageExpression="'serviceCIDR is ' + self.serviceCIDR + ', but must stay ' + oldSelf.serviceCIDR + ' because AKS cannot change the addresses of a running cluster'"
// +kubebuilder:validation:XValidation:rule="!has(self.private) || !has(oldSelf.private) || self.private == oldSelf.private",messageExpression="'private is ' + (self.private ? 'true, but must stay false' : 'false, but must stay true') + ' because AKS cannot change it on a running cluster'"
// +kubebuilder:validation:XValidation:rule="!has(self.plugin) || !has(oldSelf.plugin) || self.plugin == oldSelf.plugin",messageExpression="'plugin is ' + self.plugin + ', but must stay ' + oldSelf.plugin + ' because AKS cannot change it on a running cluster'"
// +kubebuilder:validation:XValidation:rule="!has(self.policy) || !has(oldSelf.policy) || self.policy == oldSelf.policy",messageExpression="'policy is ' + self.policy + ', but must stay ' + oldSelf.policy + ' because AKS cannot change it on a running cluster'"
// +kubebuilder:validation:XValidation:rule="!has(self.podCIDR) || !has(self.plugin) || self.plugin == 'overlay'",messageExpression="'podCIDR is ' + self.podCIDR + ', but must be left out because plugin is ' + self.plugin + ', with which pods have addresses of the nodes\\' subnet'"
type Network struct {
	// podCIDR is the range of the pods' addresses. The default of Azure is 10.244.0.0/16.
	// Example: 10.244.0.0/16
	// +optional
	// +kubebuilder:validation:MaxLength=18
	// +kubebuilder:validation:XValidation:rule="isCIDR(self) && cidr(self).ip().family() == 4",message="must be an IPv4 range such as 10.244.0.0/16"
	// +kubebuilder:title="Pod address range"
	PodCIDR string `json:"podCIDR,omitempty"`

	// serviceCIDR is the range of the Services' addresses. The default of Azure is 10.0.0.0/16.
	// Example: 10.0.0.0/16
	// +optional
	// +kubebuilder:validation:MaxLength=18
	// +kubebuilder:validation:XValidation:rule="isCIDR(self) && cidr(self).ip().family() == 4 && cidr(self).prefixLength() <= 27",message="must be an IPv4 range of 32 addresses or more, such as 10.0.0.0/16"
	// +kubebuilder:title="Service address range"
	ServiceCIDR string `json:"serviceCIDR,omitempty"`

	// private says whether the API server can only be reached from the cluster's own network. The default is false.
	// +optional
	// +kubebuilder:title="Private API server"
	Private *bool `json:"private,omitempty"`

	// plugin says where the pods' addresses come from: with overlay from podCIDR, with subnet from the subnet of the nodes.
	// The default is overlay.
	// +optional
	// +kubebuilder:validation:Enum=overlay;subnet
	// +kubebuilder:title="Where pods get addresses"
	Plugin string `json:"plugin,omitempty"`

	// policy says who enforces NetworkPolicies: azure, calico or cilium, or nobody with none. The default is none.
	// +optional
	// +kubebuilder:validation:Enum=azure;calico;cilium;none
	// +kubebuilder:title="Network policy engine"
	Policy string `json:"policy,omitempty"`
}

// Identity is who the cluster is in Azure.
//
// +kubebuilder:validation:XValidation:rule="self.resourceID == oldSelf.resourceID",messageExpression="'resourceID is ' + self.resourceID + ', but must stay ' + oldSelf.resourceID"
type Identity struct {
	// resourceID is the Azure resource ID of an existing user-assigned managed identity.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/identities/providers/Microsoft.ManagedIdentity/userAssignedIdentities/shop
	// +required
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.ManagedIdentity/userAssignedIdentities/[^/]+$`
	// +kubebuilder:title="Azure resource ID"
	ResourceID string `json:"resourceID"`
}

// Maintenance is a time of the week.
type Maintenance struct {
	// day of the week on which the window begins.
	// Example: Saturday
	// +required
	// +kubebuilder:validation:Enum=Monday;Tuesday;Wednesday;Thursday;Friday;Saturday;Sunday
	// +kubebuilder:title="Day of the week"
	Day string `json:"day"`

	// startTime is when the window begins, as HH:MM by utcOffset.
	// Example: "22:00"
	// +required
	// +kubebuilder:validation:Pattern=`^([01][0-9]|2[0-3]):[0-5][0-9]$`
	// +kubebuilder:title="Start"
	StartTime string `json:"startTime"`

	// durationHours is the length of the window. The default is 4.
	// Example: 4
	// +optional
	// +kubebuilder:validation:Minimum=4
	// +kubebuilder:validation:Maximum=24
	// +kubebuilder:title="Duration in hours"
	DurationHours *int32 `json:"durationHours,omitempty"`

	// utcOffset is how far the local time is ahead of UTC. The default is +00:00.
	// Example: "+01:00"
	// +optional
	// +kubebuilder:validation:Pattern=`^[+-](0[0-9]|1[0-4]):[0-5][0-9]$`
	// +kubebuilder:title="Offset from UTC"
	UTCOffset string `json:"utcOffset,omitempty"`
}
