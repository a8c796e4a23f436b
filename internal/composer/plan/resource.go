// Package plan decides, resource by resource, what is composed of a composite resource now, and carries the decisions out. What
// exists leaves the composition only when the spec no longer has it.
package plan

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// A Resource is one Azure resource that a composite resource asks for: as an object of Azure Service Operator (ASO) in
// spec.resources, or by a field that stands for one.
type Resource struct {
	// Source is the field of the spec, for messages, such as spec.resources[0] or spec.virtualNetwork.
	Source string
	// Object is a copy that composers may change. Its group, version, kind and name are set unless Err is.
	Object *unstructured.Unstructured
	// Err says why the resource cannot be composed as it is; nil if it can.
	Err *composer.Blocked
	// Declared reports that the user wrote Object: whose the resource is in Azure is then theirs to say, with a reconcile policy.
	// Otherwise the rule of its kind in aso.Catalogue says how that is found out.
	Declared bool
	// Subscription is the one that the resource is in; empty while it is not known.
	Subscription string
	// ParentOwnership is whose the resource is that this one lies in, where another composite has that; empty while it is not known.
	ParentOwnership string
	// Lifecycle is who writes the resource in Azure.
	Lifecycle aso.Lifecycle
	// OnlyWith is another resource of the plan: where that is not the Cluster's, this one is neither made nor looked for; nil for none.
	OnlyWith *Resource
	// OnlyFound reports that the resource is not made in a parent which is not the Cluster's: there it has to be in Azure already.
	OnlyFound bool
	// After is what must be before the resource is first created, besides what Object refers to.
	After []Precondition
	// Outstanding says, in words, what of the spec is not in Object yet; empty if nothing.
	Outstanding string
	// Doubt is the answer of Azure's by which it may no longer have the resource, which was made; empty while there is no doubt. It is
	// asked again then, and the resource is made again when that confirms it. See aso.Lost.
	Doubt string
	// GoneWith names what the resource lies in, where another composite has that and Azure has it no more; empty if Azure has it.
	GoneWith string
	// Known is what is known of the resource from who created it in Azure, which is newer than what ASO says of its object; nil for
	// nothing. It counts where ASO only reads.
	Known *aso.State
	// Absent reports that provider-capz has looked in Azure, which does not have the resource.
	Absent bool
	// Reference is the user's reference to an object of their own that stands in for Object.
	Reference ExistingReference

	// existing is such an object, referred to or of the same name. It is only read, and Object is not composed.
	existing *unstructured.Unstructured
	// gone is true when such an object was there before, missing when the one that is named is not there.
	gone, missing bool
	// shared is the composite that composes existing; nil when that is a user's.
	shared *metav1.OwnerReference
}

// A Precondition is what must be before a resource is first created.
type Precondition struct {
	// Description says it in words, as in "waits until ...".
	Description string
	// OfObject reports that there is no object before either, as without it the object cannot be written rightly. Otherwise the
	// object may be held in Kubernetes meanwhile.
	OfObject bool
}

// An ExistingReference is a user's reference to an ASO object of their own that stands in for one that would be composed.
type ExistingReference struct {
	// Name of the object; empty for the name of the one that would be composed.
	Name string
	// Path is the field of the composite resource that names it.
	Path string
	// Cleared is set when Path is there and names nothing: what was used before may be composed again.
	Cleared bool
}

// checkKind returns what the catalogue lacks for a resource that the project itself composes.
func (r *Resource) checkKind() error {
	kind, known := aso.KindOf(r.groupKind())
	switch {
	case r.Declared:
		return nil
	case !known:
		return fmt.Errorf("%s: %s is not in the catalogue of Azure Service Operator's kinds, so nobody can tell whose its resources are", r.Source, r.groupKind())
	case r.Lifecycle != aso.Managed && r.Lifecycle != kind.Lifecycle:
		return fmt.Errorf("%s: the catalogue has no lifecycle %s for %s, so nobody would remove its resources from Azure", r.Source, r.Lifecycle, r.groupKind())
	}
	return nil
}

// Name returns the composition resource name: it stays the same as long as kind and name do, whatever the version.
func (r *Resource) Name() string { return NameOf(r.Object) }

// String returns the resource as a person would say it: kind and name of its object.
func (r *Resource) String() string { return r.Object.GetKind() + " " + r.Object.GetName() }

// NameOf returns the composition resource name of an object.
func NameOf(obj *unstructured.Unstructured) string {
	return obj.GroupVersionKind().GroupKind().String() + "/" + obj.GetName()
}

// Is reports whether the object is of the given kind, in any version.
func (r *Resource) Is(kind aso.Kind) bool { return r.groupKind() == kind.GroupKind() }

func (r *Resource) groupKind() schema.GroupKind { return r.Object.GroupVersionKind().GroupKind() }

// First returns the first of the resources that is of the given kind, nil if there is none.
func First(resources []*Resource, kind aso.Kind) *Resource {
	for _, r := range resources {
		if r.Is(kind) {
			return r
		}
	}
	return nil
}

// Annotate sets an annotation of the object.
func (r *Resource) Annotate(name, value string) { aso.Annotate(r.Object, name, value) }

// Existing returns the object of the user's own that stands in for the resource; nil when there is none. See Observe.
func (r *Resource) Existing() *unstructured.Unstructured { return r.existing }

// Created returns the composed object of the name; nil while it is held, too, when all of it may still change.
func Created(in *composer.Request, name string) *unstructured.Unstructured {
	if observed := in.Observed[name]; observed != nil && !aso.Held(observed) {
		return observed
	}
	return nil
}

// Live returns the ASO object that stands for the resource: the one composed, or the user's own; nil if there is none yet, or only
// one that is held.
func (r *Resource) Live(in *composer.Request) *unstructured.Unstructured {
	if r.existing != nil {
		return r.existing
	}
	return Created(in, r.Name())
}

// UsesExisting reports whether an object of the user's own stands in for the resource, or is to: one that is named, or one that is gone.
func (r *Resource) UsesExisting(in *composer.Request) bool {
	return !r.stands(in) && (r.existing != nil || r.Reference.Name != "" || r.gone)
}

// stands reports whether the composed object is there already, or is held there under the name that the user gives.
func (r *Resource) stands(in *composer.Request) bool {
	observed := in.Observed[r.Name()]
	another := r.Reference.Name != "" && r.Reference.Name != r.Object.GetName()
	return observed != nil && (!aso.Held(observed) || !another)
}
