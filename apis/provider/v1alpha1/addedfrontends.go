package v1alpha1

import (
	"encoding/json"
	"fmt"
)

// AnnotationAddedFrontends is the annotation on an AzureCluster that has its AddedFrontends, as JSON.
const AnnotationAddedFrontends = "infrastructure.cluster.x-k8s.io/added-frontends"

// AddedFrontends are the names of the addresses that load balancers have in Azure to which provider-capz has added some, by the names of
// their objects.
//
// +kubebuilder:object:generate=false
type AddedFrontends map[string][]string

// Encode returns the value of AnnotationAddedFrontends: the same text for the same names.
func (f AddedFrontends) Encode() (string, error) {
	content, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("cannot write the addresses of load balancers: %w", err)
	}
	return string(content), nil
}

// ReadAddedFrontends returns what the annotations of an object have; empty where that is nothing, or nothing that can be read.
func ReadAddedFrontends(annotations map[string]string) AddedFrontends {
	added := AddedFrontends{}
	if json.Unmarshal([]byte(annotations[AnnotationAddedFrontends]), &added) != nil {
		return AddedFrontends{}
	}
	return added
}
