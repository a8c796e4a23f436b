package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// AKSClusterPolicy is what a platform team decides about the clusters of a Composition. It is the input of function-capz in
// the Composition's step, not a kind that the API server serves.
type AKSClusterPolicy struct {
	metav1.TypeMeta `json:",inline"`

	// clusterClass is what the clusters are made of.
	// +required
	ClusterClass ClusterClassReference `json:"clusterClass"`

	// hostedSystemPool is true where AKS runs its own pods on nodes of its own for the clusters of the class, which then need no
	// pool of mode system: AKS Automatic. Left out, a cluster without one is refused.
	// +optional
	HostedSystemPool bool `json:"hostedSystemPool,omitempty"`

	// defaults are taken where an application team has left a field out. What cannot be changed on a running cluster, and
	// its version, stays as it was when the cluster or pool was made.
	// +optional
	Defaults PolicyValues `json:"defaults,omitzero"`

	// fixed are values that an application team can leave out, or give just so.
	// +optional
	Fixed PolicyValues `json:"fixed,omitzero"`

	// hidden are the fields that an application team must leave out, as paths below spec; those of a pool begin with
	// nodePools. A field that has others below it takes those with it.
	// Example: [identity, network.plugin, nodePools.spot]
	// +optional
	Hidden []string `json:"hidden,omitempty"`
}

// ClusterClassReference names a ClusterClass.
type ClusterClassReference struct {
	// name of the ClusterClass.
	// +required
	Name string `json:"name"`

	// namespace of the ClusterClass. Left out, it is the namespace of each cluster.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// nodePools is the name of the machine pool class that node pools are made of. Left out, it is nodepool.
	// +optional
	NodePools string `json:"nodePools,omitempty"`
}

// PolicyValues are values of spec that a platform team gives. Any field may be left out.
type PolicyValues struct {
	AKSClusterParameters `json:",inline"`

	// nodePool has values for each node pool. It cannot have a name.
	// +optional
	NodePool *NodePoolValues `json:"nodePool,omitempty"`
}

// NodePoolValues are values of a pool that a platform team gives. Any field may be left out; the fields are those of
// NodePool.
type NodePoolValues struct {
	// mode, see NodePool.
	// +optional
	Mode string `json:"mode,omitempty"`
	// size, see NodePool.
	// +optional
	Size string `json:"size,omitempty"`
	// count, see NodePool.
	// +optional
	Count *int32 `json:"count,omitempty"`
	// min, see NodePool.
	// +optional
	Min *int32 `json:"min,omitempty"`
	// max, see NodePool.
	// +optional
	Max *int32 `json:"max,omitempty"`
	// zones, see NodePool.
	// +optional
	Zones []string `json:"zones,omitempty"`
	// spot, see NodePool.
	// +optional
	Spot *bool `json:"spot,omitempty"`
	// labels, see NodePool. They are added to those of the pool.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// taints, see NodePool.
	// +optional
	Taints []Taint `json:"taints,omitempty"`
}
