// Package changes says what applying manifests would change in Azure, before anything is applied.
package changes

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// APIVersion and Kind say which form a Plan has for machines. Fields may be added in it.
const (
	APIVersion = "cli.capz.crossplane.io/v1alpha1"
	Kind       = "Plan"
)

// An Action is what happens to one resource in Azure.
type Action string

// The actions.
const (
	// Create makes a resource that Azure does not have.
	Create Action = "create"
	// Change writes a resource that Azure has.
	Change Action = "change"
	// Replace deletes a resource and makes another in its place.
	Replace Action = "replace"
	// Delete removes a resource from Azure.
	Delete Action = "delete"
	// Leave is what happens to a resource that is used or forgotten, and neither changed nor deleted.
	Leave Action = "leave"
	// Hold is for a resource that is not made or changed before something else is there that the manifests do not bring.
	Hold Action = "hold"
)

// A Plan is what would be done in Azure, in that order.
type Plan struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Against is what the manifests are compared with: a cluster, or nothing.
	Against Against `json:"against"`
	Changes []Item  `json:"changes"`
	Summary Summary `json:"summary"`
	// Mistakes are for what the user has to correct something. What they concern is not among the changes.
	Mistakes []Mistake `json:"mistakes,omitempty"`
	// Incomplete is true when more may change than the plan has: a note says what it does not know.
	Incomplete bool `json:"incomplete,omitempty"`
	// Notes say what the plan does not tell, or takes for granted.
	Notes []string `json:"notes,omitempty"`
}

// Against is what manifests are compared with.
type Against string

// What there is to compare with.
const (
	Nothing     Against = "nothing"
	LiveCluster Against = "cluster"
)

// An Item is what happens to one resource, or to several alike.
type Item struct {
	Action   Action   `json:"action"`
	Resource Resource `json:"resource"`
	// Count is how many resources like it there are; absent for one.
	Count int64 `json:"count,omitempty"`
	// Of is the object that the resource is composed of.
	Of Reference `json:"of"`
	// Replaces is the resource that is deleted in its favour, where that has another name.
	Replaces *Resource `json:"replaces,omitempty"`
	// Source is the field of that object that asks for the resource.
	Source string `json:"source,omitempty"`
	// Because are the fields of the manifests without whose change this would not happen.
	Because []FieldChange `json:"because,omitempty"`
	// Fields are the changes of the resource itself, by the fields of its ASO object.
	Fields []FieldChange `json:"fields,omitempty"`
	// Reason says why it is replaced, left alone or held.
	Reason string `json:"reason,omitempty"`
	// Spec is what is created, as the spec of its ASO object.
	Spec map[string]any `json:"spec,omitempty"`
}

// A Resource is one in Azure, by the ASO object that stands for it.
type Resource struct {
	// Type is the one in Azure Resource Manager; empty for a kind that Azure Service Operator does not have.
	Type string `json:"type,omitempty"`
	// AzureName is the name in Azure.
	AzureName string `json:"azureName,omitempty"`
	Reference `json:",inline"`
}

// A Reference names an object.
type Reference struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

func (r Reference) String() string { return r.Kind + " " + r.Name }

// A FieldChange is another value of a field. Old is absent where there was none, New where there is none any more.
type FieldChange struct {
	// Object has the field; absent where that is clear.
	Object *Reference `json:"object,omitempty"`
	Path   string     `json:"path"`
	Old    any        `json:"old,omitempty"`
	New    any        `json:"new,omitempty"`
}

// A Mistake is what a user has to correct.
type Mistake struct {
	Of Reference `json:"of"`
	// Message names field, value, and what is required and why.
	Message string `json:"message"`
}

// MistakeOf returns a mistake in a manifest.
func MistakeOf(o *unstructured.Unstructured, message string) Mistake {
	return Mistake{Of: referenceTo(o), Message: message}
}

// Refused returns the plan for manifests that would not be taken.
func Refused(mistakes []Mistake) *Plan {
	return &Plan{APIVersion: APIVersion, Kind: Kind, Against: Nothing, Changes: []Item{}, Mistakes: mistakes}
}

// A Summary counts the resources.
type Summary struct {
	Create    int64 `json:"create"`
	Change    int64 `json:"change"`
	Replace   int64 `json:"replace"`
	Delete    int64 `json:"delete"`
	Leave     int64 `json:"leave"`
	Hold      int64 `json:"hold"`
	Unchanged int64 `json:"unchanged"`
}

// Changes reports whether anything would be sent to Azure, now or when what is held goes on.
func (s Summary) Changes() bool { return s.Create+s.Change+s.Replace+s.Delete > 0 }

func (s *Summary) count(item Item) {
	n := item.Count
	switch item.Action {
	case Create:
		s.Create += n
	case Change:
		s.Change += n
	case Replace:
		s.Replace += n
	case Delete:
		s.Delete += n
	case Leave:
		s.Leave += n
	case Hold:
		s.Hold += n
	}
}

func referenceTo(o *unstructured.Unstructured) Reference {
	return Reference{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName()}
}

func resourceOf(o *unstructured.Unstructured) Resource {
	return Resource{Type: aso.TypeOf(o.GroupVersionKind().GroupKind()), AzureName: aso.AzureName(o), Reference: referenceTo(o)}
}
