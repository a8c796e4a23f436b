package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AzureManagedMachinePoolTemplateResourceSpec is the spec of the objects made from an AzureManagedMachinePoolTemplate.
type AzureManagedMachinePoolTemplateResourceSpec struct {
	AzureManagedMachinePoolClassSpec `json:",inline"`

	TemplateCompositeSpec `json:",inline"`
}

// AzureManagedMachinePoolTemplateResource is the object that an AzureManagedMachinePoolTemplate describes.
type AzureManagedMachinePoolTemplateResource struct {
	// metadata has the labels and annotations of the objects made from this template.
	// +optional
	ObjectMeta ObjectMeta `json:"metadata,omitzero"`

	// spec becomes the spec of the AzureManagedMachinePool made from this template, after the patches of the ClusterClass.
	// Users write it.
	Spec AzureManagedMachinePoolTemplateResourceSpec `json:"spec"`
}

// AzureManagedMachinePoolTemplateSpec is what an AzureManagedMachinePoolTemplate holds.
type AzureManagedMachinePoolTemplateSpec struct {
	// template is the AzureManagedMachinePool that a topology makes, as far as it is the same for every cluster. Users write
	// it.
	Template AzureManagedMachinePoolTemplateResource `json:"template"`

	CompositeSpec `json:",inline"`
}

// AzureManagedMachinePoolTemplate is the pattern from which a ClusterClass makes one AzureManagedMachinePool per
// node pool. A ClusterClass names it in spec.workers.machinePools[].infrastructure.templateRef. CAPZ has deprecated this kind in favour of
// AzureASOManagedMachinePoolTemplate; here both are supported.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azuremanagedmachinepooltemplates,scope=Namespaced,categories=cluster-api,shortName=ammpt
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:deprecatedversion:warning="CAPZ has deprecated AzureManagedMachinePoolTemplate; its successor is infrastructure.cluster.x-k8s.io/v1beta1 AzureASOManagedMachinePoolTemplate. crossplane-capz supports both"
// +kubebuilder:validation:XValidation:rule=`(has(self.spec.template.spec.name) && self.spec.template.spec.name != "") || self.metadata.name.matches('^[a-z][a-z0-9]*$') && size(self.metadata.name) <= (self.spec.template.spec.?osType.orValue('Linux') == 'Windows' ? 6 : 12)`,message="is needed unless metadata.name is lower-case letters and digits, a letter first, and has at most 12 characters, or 6 with osType Windows: AKS takes no other name",fieldPath=".spec.template.spec.name",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule=`((has(self.spec.template.spec.name) && self.spec.template.spec.name != "") ? self.spec.template.spec.name : self.metadata.name) == ((has(oldSelf.spec.template.spec.name) && oldSelf.spec.template.spec.name != "") ? oldSelf.spec.template.spec.name : oldSelf.metadata.name)`,message="cannot be changed: it is the name of the pool in Azure",fieldPath=".spec.template.spec.name",reason="FieldValueForbidden"
type AzureManagedMachinePoolTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds the template. Users write it.
	// +optional
	Spec AzureManagedMachinePoolTemplateSpec `json:"spec,omitzero"`

	// status has Crossplane's conditions only: a template composes nothing.
	// +optional
	Status CompositeStatus `json:"status,omitzero"`
}

// AzureManagedMachinePoolTemplateList is a list of AzureManagedMachinePoolTemplate objects.
//
// +kubebuilder:object:root=true
type AzureManagedMachinePoolTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureManagedMachinePoolTemplate `json:"items"`
}
