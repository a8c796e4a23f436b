package composer

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// Instead is a user's wish that an ASO object of his own stands behind a composite resource.
type Instead struct {
	// Name of the object.
	Name string
	// Path is the field of the composite resource that names it.
	Path string
	// Forget is set when Path is there and names nothing: what was used before may be composed again.
	Forget bool
}

// FindUsed looks for each of the objects whether somebody else has applied one of that kind and name. Such an object is
// never composed, only read: see Inline.Used. It is ErrPending when objects have to be read first.
func FindUsed(in *Request, inlines []*Inline) error {
	pending := false
	for _, i := range inlines {
		err := findUsed(in, i)
		if err != nil && !errors.Is(err, ErrPending) {
			return err
		}
		pending = pending || err != nil
	}
	if pending {
		return ErrPending
	}
	return nil
}

func findUsed(in *Request, i *Inline) error {
	if i.Problem != nil {
		return nil
	}
	name := i.Object.GetName()
	if i.made(in) {
		if wanted := i.Instead.Name; wanted != "" && wanted != name {
			i.Problem = &Problem{ReasonIncompatibleValue, fmt.Sprintf("%s is %q, but must be absent or %q because %s %s has been made already",
				i.Instead.Path, wanted, name, i.Object.GetKind(), name)}
		}
		return nil
	}
	if i.Instead.Name != "" {
		name = i.Instead.Name
	}
	gvk := i.Object.GroupVersionKind()
	// To require a kind that is not served fails the whole pipeline.
	served, known, err := in.Served(gvk)
	if err != nil || known && !served {
		return err
	}
	found, err := in.Get("used/"+i.Name(), gvk, name)
	if err != nil {
		return err
	}
	i.use(in, found, name)
	return nil
}

// use takes up what was found under the name.
func (i *Inline) use(in *Request, found *unstructured.Unstructured, name string) {
	kind := i.Object.GetKind()
	if found == nil {
		switch {
		case i.Instead.Name != "":
			i.Needs = append(i.Needs, fmt.Sprintf("%s %s exists, which %s names", kind, name, i.Instead.Path))
			i.Probe = nil // Nothing is looked for in Azure in place of it.
		case !i.Instead.Forget && usedBefore(in, i.Object.GroupVersionKind().GroupKind(), name):
			i.ownership = v1beta1.OwnershipUser
			i.Problem = &Problem{ReasonGone, fmt.Sprintf("%s %s is gone; it was somebody else's and is not made here again: apply it again", kind, name)}
		}
		return
	}
	controller := metav1.GetControllerOf(found)
	switch {
	case controller != nil && controller.UID == in.XR.GetUID():
		// Composed, though Crossplane does not show it yet.
	case controller != nil && isComposite(controller):
		i.Problem = &Problem{ReasonControlledByOther, fmt.Sprintf("%s %s belongs to %s %s, and cannot belong to this object too; give one of them another name",
			kind, name, controller.Kind, controller.Name)}
	default:
		i.Used, i.ownership = found, v1beta1.OwnershipUser
	}
}

func isComposite(controller *metav1.OwnerReference) bool {
	gv, err := schema.ParseGroupVersion(controller.APIVersion)
	return err == nil && gv.Group == v1beta1.GroupVersion.Group
}

// usedBefore reports whether the composite resource has used a user's object of the kind and name.
func usedBefore(in *Request, kind schema.GroupKind, name string) bool {
	for _, item := range mapsIn(in.XR.Object, "status", "resources") {
		obj := statusObject(item, in.XR.GetNamespace())
		if item["ownership"] == v1beta1.OwnershipUser && obj.GetName() == name && obj.GroupVersionKind().GroupKind() == kind {
			return true
		}
	}
	return false
}

// made reports whether the object of the spec's own stands already, or is held there under the name that the user gives.
func (i *Inline) made(in *Request) bool {
	observed := in.Observed[i.Name()]
	another := i.Instead.Name != "" && i.Instead.Name != i.Object.GetName()
	return observed != nil && (!Held(observed) || !another)
}

// Live returns the ASO object that stands behind i: the one composed, or the user's own; nil if there is none yet, or only
// one that is held.
func (i *Inline) Live(in *Request) *unstructured.Unstructured {
	if i.Used != nil {
		return i.Used
	}
	return in.Made(i.Name())
}

// UsersOwn reports whether an object of the user's own stands behind i, or is to: one that is named, or one that is gone.
func (i *Inline) UsersOwn(in *Request) bool {
	return !i.made(in) && (i.Used != nil || i.Instead.Name != "" || i.ownership == v1beta1.OwnershipUser)
}

// usedState returns the state of a user's object.
func usedState(used *unstructured.Unstructured) AzureState {
	state := StateOf(used)
	if state.Ready {
		state.Message = "is not composed here: it was applied by somebody else, and is only read"
	}
	return state
}
