package plan

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/refusal"
)

// Observations is what a plan is decided from beside the resources and what is composed of them already.
type Observations struct {
	// served are the kinds of resources that are new, or change their version; false for one that the API server lacks.
	served map[schema.GroupVersionKind]bool
	// refused is what the API server has refused of the resources. While it is doubtful whether it takes them, all are held against their
	// schemas.
	refused  refusal.Answers
	doubtful bool
	// leaving are the objects that the spec no longer has and that are not gone yet, in the order of the status.
	leaving []leaving
}

// leaving is an object that the spec no longer has.
type leaving struct {
	name string
	// object says in which version it was composed, live what there is of it.
	object, live *unstructured.Unstructured
}

// Observe reads all that a plan for the resources needs, at once: Crossplane asks a function no more than a handful of times. It
// finds the objects of the user's own that stand in for resources, see Resource.Existing. The error is ErrPending when something
// has to be read first.
func Observe(in *composer.Request, resources []*Resource) (*Observations, error) {
	o := &Observations{served: map[schema.GroupVersionKind]bool{}, refused: refusal.Of(in.XR)}
	o.doubtful = len(o.refused) > 0 || reportsInvalidField(in.XR)
	KeepNames(in, resources)
	var pending error
	for _, r := range resources {
		// What has another name then is not what the API server has refused.
		err := o.observeExisting(in, r, resources)
		err = errors.Join(err, o.observeKind(in, r))
		if err != nil && !errors.Is(err, composer.ErrPending) {
			return nil, err
		}
		pending = errors.Join(pending, err)
	}
	err := o.observeLeaving(in, resources)
	if err != nil && !errors.Is(err, composer.ErrPending) {
		return nil, err
	}
	return o, errors.Join(pending, err)
}

// observeKind finds out whether the kind of a resource is served that is to be applied for the first time, or in another version, and
// whether the API server takes the object.
func (o *Observations) observeKind(in *composer.Request, r *Resource) error {
	observed := in.Observed[r.Name()]
	if r.Err != nil || !o.doubtful && observed != nil && observed.GetAPIVersion() == r.Object.GetAPIVersion() {
		return nil //nolint:nilerr // It is the resource's.
	}
	gvk := r.Object.GroupVersionKind()
	served, known, err := in.Served(gvk)
	if err == nil && known && served && o.doubtful {
		_, _, err = in.Schema(gvk)
	}
	if err != nil {
		return err
	}
	if known {
		o.served[gvk] = served
	}
	answer, refused := o.refused[r.Name()]
	if told := invalidFields(r, in.SchemaRead(gvk), refused); told != "" {
		r.Err = composer.Blockedf(composer.ReasonInvalidField, "%s", told)
	} else if refused {
		r.Err = refusedBy(r, answer)
	}
	return nil
}

// lacks reports whether the API server certainly does not serve a kind.
func (o *Observations) lacks(gvk schema.GroupVersionKind) bool {
	served, known := o.served[gvk]
	return known && !served
}

// observeExisting looks whether somebody else has applied an object of the kind and name of one that is to be composed. A user's own
// is never composed where this project builds the object, only read; with what another composite has the name is shared, see share.
func (o *Observations) observeExisting(in *composer.Request, r *Resource, all []*Resource) error {
	if r.Err != nil || r.Declared && !o.mayBeShared(in, r) {
		return nil //nolint:nilerr // It is the resource's.
	}
	name, wanted := r.Object.GetName(), r.Reference.Name
	if r.stands(in) {
		if wanted != "" && wanted != name {
			r.Err = composer.Blockedf(composer.ReasonIncompatibleValue, "%s is %q, but must be absent or %q because %s %s has been made already",
				r.Reference.Path, wanted, name, r.Object.GetKind(), name)
		}
		return nil
	}
	if wanted != "" {
		name = wanted
	}
	gvk := r.Object.GroupVersionKind()
	// To require a kind that is not served fails the whole pipeline.
	served, known, err := in.Served(gvk)
	if err != nil || known && !served {
		return err
	}
	found, err := in.Get("used/"+r.Name(), gvk, name)
	if err != nil {
		return err
	}
	holder := compositeHolder(in, found)
	switch {
	case holder == nil && r.Declared: // What nobody else has is composed, whoever has applied it.
	case holder == nil:
		r.found(in, found, name)
	case r.Declared:
		r.shareDeclared(found, holder)
	default:
		if r.share(in, found, holder, all) {
			return o.observeExisting(in, r, all)
		}
	}
	return nil
}

// found decides what an object of the user's own under the name, or its absence, means for a resource.
func (r *Resource) found(in *composer.Request, object *unstructured.Unstructured, name string) {
	kind := r.Object.GetKind()
	if object == nil {
		switch {
		case r.Reference.Name != "":
			r.missing = true // Nothing is looked for in Azure in place of it.
			r.After = append(r.After, Precondition{OfObject: true, Description: kind + " " + name + " exists, which " + r.Reference.Path + " names"})
		case !r.Reference.Cleared && usedBefore(in, r.groupKind(), name):
			r.gone = true
			r.Err = composer.Blockedf(composer.ReasonGone, "%s %s is gone; it was somebody else's and is not made here again: apply it again", kind, name)
		}
		return
	}
	if controller := metav1.GetControllerOf(object); controller == nil || controller.UID != in.XR.GetUID() {
		r.existing = object
	} // Else it is composed, though Crossplane does not show it yet.
}

// compositeHolder returns the other composite that an object belongs to; nil if there is none.
func compositeHolder(in *composer.Request, object *unstructured.Unstructured) *metav1.OwnerReference {
	if object == nil {
		return nil
	}
	controller := metav1.GetControllerOf(object)
	if controller == nil || controller.UID == in.XR.GetUID() || !isComposite(controller) {
		return nil
	}
	return controller
}

func isComposite(controller *metav1.OwnerReference) bool {
	gv, err := schema.ParseGroupVersion(controller.APIVersion)
	return err == nil && gv.Group == v1beta1.GroupVersion.Group
}

// usedBefore reports whether the composite resource has used a user's object of the kind and name.
func usedBefore(in *composer.Request, kind schema.GroupKind, name string) bool {
	for _, s := range statusesOf(in.XR) {
		if s.ownership == v1beta1.OwnershipUser && s.object.GetName() == name && s.object.GroupVersionKind().GroupKind() == kind {
			return true
		}
	}
	return false
}

// observeLeaving looks for the objects that the spec no longer has. Crossplane forgets them at once; they are found by the status
// that was written while they were there.
func (o *Observations) observeLeaving(in *composer.Request, resources []*Resource) error {
	inSpec := map[string]bool{}
	for _, r := range resources {
		inSpec[r.Name()] = true
	}
	var pending error
	for _, s := range statusesOf(in.XR) {
		name := NameOf(s.object)
		if inSpec[name] || !composable(s.object) || s.ownership == v1beta1.OwnershipUser {
			continue
		}
		live, err := stillThere(in, s.object)
		switch {
		case errors.Is(err, composer.ErrPending):
			pending = err
		case err != nil:
			return err
		case live != nil:
			o.leaving = append(o.leaving, leaving{name, s.object, live})
		}
	}
	return pending
}

// composable reports whether an object of the status is one that can have been composed. Users may write the status, too; what is
// read on its word are Azure Service Operator's objects only, and never a Secret.
func composable(obj *unstructured.Unstructured) bool {
	return aso.IsASO(obj.GroupVersionKind().Group) && obj.GetKind() != "" && obj.GetName() != ""
}

// stillThere returns the live object if it is this composite's, nil if it is gone or somebody else's.
func stillThere(in *composer.Request, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	name := NameOf(obj)
	if observed := in.Observed[name]; observed != nil {
		return observed, nil
	}
	gvk := obj.GroupVersionKind()
	// To require a kind that is not served fails the whole pipeline.
	served, known, err := in.Served(gvk)
	if err != nil || known && !served {
		return nil, err
	}
	found, err := in.Get("removed/"+name, gvk, obj.GetName())
	if err != nil || found == nil {
		return nil, err
	}
	for _, o := range found.GetOwnerReferences() {
		if o.UID == in.XR.GetUID() {
			return found, nil
		}
	}
	return nil, nil
}
