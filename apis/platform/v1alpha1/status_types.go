package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// ConditionAccepted says whether the platform team's rules allow the spec.
	ConditionAccepted = "Accepted"
	// ReasonClassNotFound is that of ConditionAccepted when the platform team's ClusterClass is not there.
	ReasonClassNotFound = "ClusterClassNotFound"
)

// AKSClusterStatus is what was found of the cluster. It is the same in every form of the kind.
type AKSClusterStatus struct {
	// version is the Kubernetes version that the control plane runs. Nodes follow it, see nodePools. Written by
	// function-capz.
	// Example: v1.33.6
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Version string `json:"version,omitempty"`

	// endpoint is the address of the API server. Written by function-capz.
	// Example: https://shop-1234.hcp.westeurope.azmk8s.io:443
	// +optional
	Endpoint string `json:"endpoint,omitempty"`

	// message says in a sentence what the cluster waits for or what is wrong, including Azure's own words. It is empty
	// while everything is as the spec says. Written by function-capz.
	// +optional
	Message string `json:"message,omitempty"`

	// nodes counts the nodes of all pools. Written by function-capz.
	// +optional
	Nodes *NodeCount `json:"nodes,omitempty"`

	// nodePools has the state of each pool. Written by function-capz.
	// +optional
	// +listType=map
	// +listMapKey=name
	NodePools []NodePoolStatus `json:"nodePools,omitempty"`

	// conditions: Accepted says whether the spec keeps the platform team's rules; ControlPlaneReady and NodesReady say what
	// is there; Synced and Ready are Crossplane's summary. Written by Crossplane and function-capz. The generated
	// definitions leave this field out, since Crossplane brings its schema.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// NodeCount counts nodes.
type NodeCount struct {
	// ready is the number of nodes that are ready to run pods.
	// Example: 3
	// +optional
	Ready int32 `json:"ready"`

	// desired is the wanted number of nodes.
	// Example: 4
	// +optional
	Desired int32 `json:"desired"`

	// summary is ready/desired, for `kubectl get`.
	// Example: 3/4
	// +optional
	Summary string `json:"summary,omitempty"`
}

// NodePoolStatus is what was found of a pool.
type NodePoolStatus struct {
	// name of the pool.
	// Example: work
	Name string `json:"name"`

	// version is the wanted Kubernetes version of the pool's nodes. During an upgrade it follows the control plane's.
	// Example: v1.33.6
	// +optional
	Version string `json:"version,omitempty"`

	// ready is the number of nodes that are ready to run pods.
	// Example: 3
	// +optional
	Ready int32 `json:"ready"`

	// desired is the wanted number of nodes.
	// Example: 4
	// +optional
	Desired int32 `json:"desired"`

	// message says what the pool waits for or what is wrong, including Azure's own words.
	// +optional
	Message string `json:"message,omitempty"`
}
