package v1beta1

// AutoScalerProfile tunes the cluster autoscaler. All values are text, as AKS wants them: numbers in quotes, times with a unit.
type AutoScalerProfile struct {
	// balanceSimilarNodeGroups "true" keeps pools with similar nodes at the same size.
	// Example: "true"
	// +optional
	// +kubebuilder:validation:Enum="true";"false"
	// +kubebuilder:default="false"
	BalanceSimilarNodeGroups *BalanceSimilarNodeGroups `json:"balanceSimilarNodeGroups,omitempty"`

	// expander is how the pool to grow is chosen if there are several candidates.
	// Example: least-waste
	// +optional
	// +kubebuilder:validation:Enum=least-waste;most-pods;priority;random
	// +kubebuilder:default=random
	Expander *Expander `json:"expander,omitempty"`

	// maxEmptyBulkDelete is how many empty nodes may be removed at once.
	// Example: "10"
	// +optional
	// +kubebuilder:default="10"
	// +kubebuilder:validation:Pattern=`^(\d+)$`
	MaxEmptyBulkDelete *string `json:"maxEmptyBulkDelete,omitempty"`

	// maxGracefulTerminationSec is how long pods have to end before their node is removed, in seconds without a unit.
	// Example: "600"
	// +optional
	// +kubebuilder:validation:Pattern=`^(\d+)$`
	// +kubebuilder:default="600"
	MaxGracefulTerminationSec *string `json:"maxGracefulTerminationSec,omitempty"`

	// maxNodeProvisionTime is how long a new node may take, in minutes.
	// Example: 15m
	// +optional
	// +kubebuilder:validation:Pattern=`^(\d+)m$`
	// +kubebuilder:default="15m"
	MaxNodeProvisionTime *string `json:"maxNodeProvisionTime,omitempty"`

	// maxTotalUnreadyPercentage is the percentage of nodes that may be unready before the autoscaler stops, 0 to 100.
	// Example: "45"
	// +optional
	// +kubebuilder:validation:Pattern=`^(\d+)$`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=3
	// +kubebuilder:default="45"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^[0-9]{1,3}$') || int(self) <= 100",message="must be a number from 0 to 100: it is a percentage"
	MaxTotalUnreadyPercentage *string `json:"maxTotalUnreadyPercentage,omitempty"`

	// newPodScaleUpDelay is how long a new pod may wait before a node is added for it.
	// Example: 30s
	// +optional
	// +kubebuilder:default="0s"
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-+]?(0|(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+)?$')",message="must be a number with a unit, such as 30s or 1m30s"
	NewPodScaleUpDelay *string `json:"newPodScaleUpDelay,omitempty"`

	// okTotalUnreadyCount is how many nodes may be unready, regardless of maxTotalUnreadyPercentage.
	// Example: "3"
	// +optional
	// +kubebuilder:validation:Pattern=`^(\d+)$`
	// +kubebuilder:default="3"
	OkTotalUnreadyCount *string `json:"okTotalUnreadyCount,omitempty"`

	// scanInterval is the time between two looks at the cluster, in seconds.
	// Example: 10s
	// +optional
	// +kubebuilder:validation:Pattern=`^(\d+)s$`
	// +kubebuilder:default="10s"
	ScanInterval *string `json:"scanInterval,omitempty"`

	// scaleDownDelayAfterAdd is how long no node is removed after a node was added, in minutes.
	// Example: 10m
	// +optional
	// +kubebuilder:validation:Pattern=`^(\d+)m$`
	// +kubebuilder:default="10m"
	ScaleDownDelayAfterAdd *string `json:"scaleDownDelayAfterAdd,omitempty"`

	// scaleDownDelayAfterDelete is how long no node is removed after a node was removed, in seconds.
	// Example: 10s
	// +optional
	// +kubebuilder:validation:Pattern=`^(\d+)s$`
	// +kubebuilder:default="10s"
	ScaleDownDelayAfterDelete *string `json:"scaleDownDelayAfterDelete,omitempty"`

	// scaleDownDelayAfterFailure is how long no node is removed after the removal of a node failed, in minutes.
	// Example: 3m
	// +optional
	// +kubebuilder:validation:Pattern=`^(\d+)m$`
	// +kubebuilder:default="3m"
	ScaleDownDelayAfterFailure *string `json:"scaleDownDelayAfterFailure,omitempty"`

	// scaleDownUnneededTime is how long a node must be unneeded before it is removed, in minutes.
	// Example: 10m
	// +optional
	// +kubebuilder:validation:Pattern=`^(\d+)m$`
	// +kubebuilder:default="10m"
	ScaleDownUnneededTime *string `json:"scaleDownUnneededTime,omitempty"`

	// scaleDownUnreadyTime is the same for a node that is unready.
	// Example: 20m
	// +optional
	// +kubebuilder:validation:Pattern=`^(\d+)m$`
	// +kubebuilder:default="20m"
	ScaleDownUnreadyTime *string `json:"scaleDownUnreadyTime,omitempty"`

	// scaleDownUtilizationThreshold is the utilization of a node, 0 to 1, below which it may be removed.
	// Example: "0.5"
	// +optional
	// +kubebuilder:default="0.5"
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$') && double(self) <= 1.0",message="must be a number from 0 to 1: it is the used part of a node"
	ScaleDownUtilizationThreshold *string `json:"scaleDownUtilizationThreshold,omitempty"`

	// skipNodesWithLocalStorage "true" prevents the removal of nodes with pods that store data on them.
	// Example: "false"
	// +optional
	// +kubebuilder:validation:Enum="true";"false"
	// +kubebuilder:default="false"
	SkipNodesWithLocalStorage *SkipNodesWithLocalStorage `json:"skipNodesWithLocalStorage,omitempty"`

	// skipNodesWithSystemPods "true" prevents the removal of nodes with pods of kube-system, except pods of DaemonSets
	// and mirror pods.
	// Example: "true"
	// +optional
	// +kubebuilder:validation:Enum="true";"false"
	// +kubebuilder:default="true"
	SkipNodesWithSystemPods *SkipNodesWithSystemPods `json:"skipNodesWithSystemPods,omitempty"`
}

// BalanceSimilarNodeGroups is "true" or "false".
type BalanceSimilarNodeGroups string

// The values of BalanceSimilarNodeGroups.
const (
	BalanceSimilarNodeGroupsTrue  BalanceSimilarNodeGroups = "true"
	BalanceSimilarNodeGroupsFalse BalanceSimilarNodeGroups = "false"
)

// SkipNodesWithLocalStorage is "true" or "false".
type SkipNodesWithLocalStorage string

// The values of SkipNodesWithLocalStorage.
const (
	SkipNodesWithLocalStorageTrue  SkipNodesWithLocalStorage = "true"
	SkipNodesWithLocalStorageFalse SkipNodesWithLocalStorage = "false"
)

// SkipNodesWithSystemPods is "true" or "false".
type SkipNodesWithSystemPods string

// The values of SkipNodesWithSystemPods.
const (
	SkipNodesWithSystemPodsTrue  SkipNodesWithSystemPods = "true"
	SkipNodesWithSystemPodsFalse SkipNodesWithSystemPods = "false"
)

// Expander is how the pool to grow is chosen.
type Expander string

// The values of Expander.
const (
	ExpanderLeastWaste Expander = "least-waste"
	ExpanderMostPods   Expander = "most-pods"
	ExpanderPriority   Expander = "priority"
	ExpanderRandom     Expander = "random"
)
