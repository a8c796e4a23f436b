package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ProviderConfigName is the name of the only ProviderConfig that is read.
const ProviderConfigName = "default"

// ProviderConfigSpec is how provider-capz shall work. What is left out is as its command line says, which in the package
// means as the defaults below. A change takes effect within seconds and interrupts nothing in Azure.
type ProviderConfigSpec struct {
	// namespace is the only namespace in which provider-capz acts. By default it acts in all namespaces.
	// Example: clusters
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Namespace string `json:"namespace,omitempty"`

	// watchFilter is the value of label cluster.x-k8s.io/watch-filter of the composite resources and Clusters on which
	// provider-capz acts. By default it acts on all.
	// Example: blue
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
	WatchFilter string `json:"watchFilter,omitempty"`

	// concurrency is how many composite resources of each kind are reconciled at the same time. Default: 10.
	// Example: 50
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=500
	Concurrency *int32 `json:"concurrency,omitempty"`

	// syncPeriod is how often everything is reconciled without a change, in hours, minutes and seconds. Default: 1h.
	// Example: 1h30m
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?$`
	// +kubebuilder:validation:XValidation:rule="self != '' && duration(self) >= duration('1m')",message="must be at least 1m because each time everything is looked at again"
	SyncPeriod *metav1.Duration `json:"syncPeriod,omitempty"`

	// azureServiceOperatorNamespaces are the namespaces in which Azure Service Operator (ASO) may run. provider-capz reads ASO's
	// own settings there, Secret aso-controller-settings, and nowhere else, also if an annotation on an object names another
	// namespace. The first namespace that has the Secret decides in which Azure clouds ASO works. Default:
	// azureserviceoperator-system and capz-system.
	// Example: [azureserviceoperator-system]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	AzureServiceOperatorNamespaces []string `json:"azureServiceOperatorNamespaces,omitempty"`

	// resourceHealth makes provider-capz ask Azure Resource Health about each AKS cluster, with the credential of the cluster, which needs the
	// right Microsoft.ResourceHealth/availabilityStatuses/read. Condition AzureResourceAvailable of the control plane then says what Azure
	// answers. Left out, Azure is not asked.
	// Example: {interval: 10m}
	// +optional
	ResourceHealth *ResourceHealthSettings `json:"resourceHealth,omitempty"`

	// logLevel is Info, or Debug for more detail. Default: Info.
	// Example: Debug
	// +optional
	// +kubebuilder:validation:Enum=Info;Debug
	LogLevel LogLevel `json:"logLevel,omitempty"`
}

// ResourceHealthSettings is how Azure Resource Health is asked.
type ResourceHealthSettings struct {
	// interval is how often Azure is asked about each AKS cluster, in hours, minutes and seconds. Default: 5m.
	// Example: 10m
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?$`
	// +kubebuilder:validation:XValidation:rule="self != '' && duration(self) >= duration('1m')",message="must be at least 1m because Azure limits requests"
	Interval *metav1.Duration `json:"interval,omitempty"`
}

// LogLevel is how much is logged.
type LogLevel string

// The levels.
const (
	LogLevelInfo  LogLevel = "Info"
	LogLevelDebug LogLevel = "Debug"
)

// ProviderConfigStatus is what became of the settings.
type ProviderConfigStatus struct {
	// conditions has Applied: whether provider-capz uses the settings of the generation in observedGeneration. While it is
	// False, the previous settings apply, and the message names the wrong field.
	// Example: {type: Applied, status: "True", reason: InForce, observedGeneration: 2}
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ConditionApplied says whether provider-capz works by the settings.
const ConditionApplied = "Applied"

// Reasons of condition Applied.
const (
	ReasonInForce = "InForce"
	ReasonInvalid = "Invalid"
)

// ProviderConfig has the settings of provider-capz. There is one at most, of name default; without one provider-capz works
// by its command line.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=providerconfigs,scope=Cluster,categories={crossplane,provider,capz}
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:validation:XValidation:rule="self.metadata.name == 'default'",message="metadata.name must be default because provider-capz reads no other ProviderConfig"
// +kubebuilder:printcolumn:name="Applied",type="string",JSONPath=".status.conditions[?(@.type=='Applied')].status",description="Whether provider-capz works by these settings"
// +kubebuilder:printcolumn:name="Message",type="string",priority=1,JSONPath=".status.conditions[?(@.type=='Applied')].message",description="What is wrong with them"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp",description="Time since creation"
type ProviderConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is how provider-capz shall work.
	// +optional
	Spec ProviderConfigSpec `json:"spec,omitzero"`

	// status is what became of it. Only provider-capz writes it.
	// +optional
	Status ProviderConfigStatus `json:"status,omitzero"`
}

// ProviderConfigList is a list of ProviderConfigs.
//
// +kubebuilder:object:root=true
type ProviderConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ProviderConfig `json:"items"`
}
