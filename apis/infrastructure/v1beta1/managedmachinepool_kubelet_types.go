package v1beta1

// CPUManagerPolicy is how the kubelet gives processors to containers.
type CPUManagerPolicy string

// The values of CPUManagerPolicy.
const (
	CPUManagerPolicyNone   CPUManagerPolicy = "none"
	CPUManagerPolicyStatic CPUManagerPolicy = "static"
)

// TopologyManagerPolicy is how the kubelet keeps what a pod uses close together.
type TopologyManagerPolicy string

// The values of TopologyManagerPolicy.
const (
	TopologyManagerPolicyNone           TopologyManagerPolicy = "none"
	TopologyManagerPolicyBestEffort     TopologyManagerPolicy = "best-effort"
	TopologyManagerPolicyRestricted     TopologyManagerPolicy = "restricted"
	TopologyManagerPolicySingleNumaNode TopologyManagerPolicy = "single-numa-node"
)

// KubeletDiskType is the disk that the kubelet keeps its data on.
type KubeletDiskType string

// The values of KubeletDiskType.
const (
	KubeletDiskTypeOS        KubeletDiskType = "OS"
	KubeletDiskTypeTemporary KubeletDiskType = "Temporary"
)

// KubeletConfig has settings of the kubelet. None of it can be changed.
//
// +kubebuilder:validation:XValidation:rule="!has(self.imageGcLowThreshold) || !has(self.imageGcHighThreshold) || self.imageGcLowThreshold <= self.imageGcHighThreshold",message="must not be above imageGcHighThreshold",fieldPath=".imageGcLowThreshold"
type KubeletConfig struct {
	// cpuManagerPolicy static gives exclusive processors to containers that request whole ones.
	// Example: static
	// +optional
	// +kubebuilder:validation:Enum=none;static
	CPUManagerPolicy *CPUManagerPolicy `json:"cpuManagerPolicy,omitempty"`

	// cpuCfsQuota false does not enforce the CPU limits of containers.
	// Example: true
	// +optional
	CPUCfsQuota *bool `json:"cpuCfsQuota,omitempty"`

	// cpuCfsQuotaPeriod is the time over which CPU limits are counted, in milliseconds.
	// Example: 100ms
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?ms$')",message="must be a number of milliseconds with the unit, such as 100ms"
	CPUCfsQuotaPeriod *string `json:"cpuCfsQuotaPeriod,omitempty"`

	// imageGcHighThreshold is the disk usage, in percent, from which images are always removed.
	// Example: 85
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	ImageGcHighThreshold *int `json:"imageGcHighThreshold,omitempty"`

	// imageGcLowThreshold is the disk usage, in percent, up to which no images are removed. It is at most
	// imageGcHighThreshold.
	// Example: 80
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	ImageGcLowThreshold *int `json:"imageGcLowThreshold,omitempty"`

	// topologyManagerPolicy is how strictly a pod's processors, memory and devices are kept on one NUMA node.
	// Example: best-effort
	// +optional
	// +kubebuilder:validation:Enum=none;best-effort;restricted;single-numa-node
	TopologyManagerPolicy *TopologyManagerPolicy `json:"topologyManagerPolicy,omitempty"`

	// allowedUnsafeSysctls are the unsafe sysctls that pods may set, of kernel.shm*, kernel.msg*, kernel.sem, fs.mqueue.* and
	// net.*; a * at the end matches any ending.
	// Example: ["kernel.msg*", "net.core.somaxconn"]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^(kernel[.]shm.+|kernel[.]msg.+|kernel[.]sem|fs[.]mqueue[.].+|net[.].+)$')",message="must be one of kernel.shm*, kernel.msg*, kernel.sem, fs.mqueue.* and net.*: AKS takes no other"
	AllowedUnsafeSysctls []string `json:"allowedUnsafeSysctls,omitempty"`

	// failSwapOn false lets the kubelet start on a machine that swaps.
	// Example: false
	// +optional
	FailSwapOn *bool `json:"failSwapOn,omitempty"`

	// containerLogMaxSizeMB is the size in MB at which a container's log continues in a new file.
	// Example: 50
	// +optional
	ContainerLogMaxSizeMB *int `json:"containerLogMaxSizeMB,omitempty"`

	// containerLogMaxFiles is how many files of a container's log are kept, 2 or more.
	// Example: 5
	// +optional
	// +kubebuilder:validation:Minimum=2
	ContainerLogMaxFiles *int `json:"containerLogMaxFiles,omitempty"`

	// podMaxPids is how many processes a pod may have; -1 means no limit.
	// Example: 4096
	// +optional
	// +kubebuilder:validation:Minimum=-1
	PodMaxPids *int `json:"podMaxPids,omitempty"`
}

// TransparentHugePageOption is when the kernel uses huge pages.
type TransparentHugePageOption string

// The values of TransparentHugePageOption.
const (
	TransparentHugePageOptionAlways       TransparentHugePageOption = "always"
	TransparentHugePageOptionMadvise      TransparentHugePageOption = "madvise"
	TransparentHugePageOptionNever        TransparentHugePageOption = "never"
	TransparentHugePageOptionDefer        TransparentHugePageOption = "defer"
	TransparentHugePageOptionDeferMadvise TransparentHugePageOption = "defer+madvise"
)

// LinuxOSConfig has settings of Linux on the nodes. None of it can be changed.
type LinuxOSConfig struct {
	// swapFileSizeMB is the size in MB of a swap file. It requires kubeletConfig.failSwapOn false.
	// Example: 1500
	// +optional
	// +kubebuilder:validation:Minimum=1
	SwapFileSizeMB *int `json:"swapFileSizeMB,omitempty"`

	// sysctls are kernel parameters.
	// Example: {vmMaxMapCount: 262144}
	// +optional
	Sysctls *SysctlConfig `json:"sysctls,omitempty"`

	// transparentHugePageDefrag is when the kernel moves memory to make room for huge pages.
	// Example: madvise
	// +optional
	// +kubebuilder:validation:Enum=always;defer;defer+madvise;madvise;never
	TransparentHugePageDefrag *TransparentHugePageOption `json:"transparentHugePageDefrag,omitempty"`

	// transparentHugePageEnabled is when the kernel uses huge pages.
	// Example: madvise
	// +optional
	// +kubebuilder:validation:Enum=always;madvise;never
	TransparentHugePageEnabled *TransparentHugePageOption `json:"transparentHugePageEnabled,omitempty"`
}
