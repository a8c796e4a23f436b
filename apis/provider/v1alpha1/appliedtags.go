package v1alpha1

import (
	"encoding/json"
	"fmt"
)

// AnnotationAppliedTags is the annotation on an AzureMachine or AzureCluster that has its AppliedTags, as JSON.
const AnnotationAppliedTags = "infrastructure.cluster.x-k8s.io/applied-tags"

// AnnotationTagsAppliedByCAPZ is the annotation in which CAPZ notes the tags that it has given the virtual machine of an AzureMachine.
const AnnotationTagsAppliedByCAPZ = "sigs.k8s.io/cluster-api-provider-azure-last-applied-tags-vm"

// AppliedTags are the tags that provider-capz has last written in Azure to what Azure Service Operator may only read: to one resource, and
// to the others of the same object alike.
//
// +kubebuilder:object:generate=false
type AppliedTags struct {
	// Resource is kind and name of the object of the resource.
	Resource string `json:"resource"`
	// Tags are all that its spec has.
	Tags map[string]string `json:"tags"`
}

// Encode returns the value of AnnotationAppliedTags for the tags: the same text for the same tags.
func (t AppliedTags) Encode() (string, error) {
	content, err := json.Marshal(t)
	if err != nil {
		return "", fmt.Errorf("cannot write the tags of %s: %w", t.Resource, err)
	}
	return string(content), nil
}

// ReadAppliedTags returns the tags that the annotations of an object have; not known when there are none, or none that can be read.
func ReadAppliedTags(annotations map[string]string) (tags AppliedTags, known bool) {
	err := json.Unmarshal([]byte(annotations[AnnotationAppliedTags]), &tags)
	return tags, err == nil && tags.Resource != ""
}
