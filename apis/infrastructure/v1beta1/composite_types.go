package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// CompositeSpec holds the field of spec that Crossplane adds to every composite resource. The generated definitions leave
// it out, since Crossplane brings its schema; the Go type has it so that a typed read and write loses nothing.
type CompositeSpec struct {
	// crossplane says which Composition expands this object and lists what was composed. A platform team may set
	// crossplane.compositionRef.name to a Composition of its own; everything else is written by Crossplane.
	// +optional
	Crossplane *runtime.RawExtension `json:"crossplane,omitempty"`
}

// CompositionChoice is what of spec.crossplane a template may hold: which Composition expands the objects made from it.
type CompositionChoice struct {
	// compositionRef names the Composition. Users write it.
	// Example: {name: company-azureasomanagedcontrolplanes}
	// +optional
	CompositionRef *CompositionReference `json:"compositionRef,omitempty"`

	// compositionSelector selects the Composition by its labels instead. Users write it.
	// Example: {matchLabels: {example.org/composition: company}}
	// +optional
	CompositionSelector *CompositionSelector `json:"compositionSelector,omitempty"`

	// compositionUpdatePolicy says whether a changed Composition takes effect automatically. Users write it.
	// Example: Automatic
	// +optional
	// +kubebuilder:validation:Enum=Automatic;Manual
	CompositionUpdatePolicy string `json:"compositionUpdatePolicy,omitempty"`
}

// CompositionReference names a Composition.
type CompositionReference struct {
	// name of the Composition.
	// Example: company-azureasomanagedcontrolplanes
	Name string `json:"name"`
}

// CompositionSelector selects a Composition.
type CompositionSelector struct {
	// matchLabels are labels that the Composition must have.
	// Example: {example.org/composition: company}
	MatchLabels map[string]string `json:"matchLabels"`
}

// TemplateCompositeSpec holds the field of spec.template.spec that is for Crossplane.
type TemplateCompositeSpec struct {
	// crossplane chooses the Composition that expands the objects made from this template, as spec.crossplane of such an
	// object does. The default is the project's own. Users write it.
	// +optional
	Crossplane *CompositionChoice `json:"crossplane,omitempty"`
}

// CompositeStatus holds the fields of status that Crossplane writes on every composite resource.
type CompositeStatus struct {
	// conditions are written by Crossplane: Synced (could the Composition be applied?), Ready (is everything composed
	// ready?) and those that function-capz adds. Cluster API's conditions are in status.v1beta2.conditions. The generated
	// definitions leave this field out, since Crossplane brings its schema.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// lastHandledReconcileAt is the value of the annotation crossplane.io/reconcile-requested-at that Crossplane has
	// handled. Crossplane 2.4 removes the value again once composing succeeds, so the Event ReconcileRequestHandled is
	// more reliable. Written by Crossplane.
	// Example: 2026-11-20T20:15:00Z
	// +optional
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`
}
