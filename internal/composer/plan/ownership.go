package plan

import (
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A rule is how it is found out whose a resource is: not at all where the user wrote its object, else by the kind. With the policy
// skip ASO changes nothing and reports what it finds. What was there before is external: used, never changed and never deleted.
// The answer is kept in an annotation of the object, so that nothing external becomes managed by itself.
type rule struct {
	kind aso.Kind
	// declared is true where nobody has to look: the user wrote the object, or has named another one that is awaited.
	declared bool
	// first is true where ASO looks at what the user wrote all the same, once, so that it is known that nothing has been sent before.
	first bool
}

// asks reports whether ASO looks what Azure has.
func (r rule) asks(s situation) bool {
	if r.declared {
		return false
	}
	recorded := s.observed != nil && s.observed.ownership != ""
	return !r.kind.New || recorded || s.parent == findingExternal
}

// undetermined reports whether it is not known yet whether ASO has to look.
func (r rule) undetermined(s situation) bool {
	return !r.declared && r.kind.New && s.parent == findingOpen
}

// inNewParent reports whether the resource lies in one that is made now, so that Azure cannot have it.
func (r rule) inNewParent(s situation) bool {
	return !r.declared && !r.kind.New && !s.userPolicy && s.parentNew
}

// looksFirst reports whether ASO has to read a resource of the user's before it may write it.
func (p *Plan) looksFirst(r *Resource, observed *unstructured.Unstructured) bool {
	if observed != nil {
		return r.Declared && observed.GetAnnotations()[v1beta1.AnnotationOwnership] == v1beta1.OwnershipUndecided
	}
	kind, known := aso.KindOf(r.groupKind())
	_, policy := r.Object.GetAnnotations()[aso.AnnotationReconcilePolicy]
	return p.LookFirst && r.Declared && r.Err == nil && known && !policy && r.Lifecycle == aso.Managed &&
		aso.SpecOwnerName.Value(r.Object) == "" && p.parentOf(r, kind) == nil
}

// findingByUser returns what the observed object of a resource of the user's shows.
func findingByUser(observed *unstructured.Unstructured) finding {
	if observed == nil {
		return findingOpen
	}
	state := aso.StateOf(observed)
	switch {
	case state.Ready:
		return findingOwned // As the user has ASO manage it.
	case state.Reason == aso.ReasonResourceNotFound:
		return findingAbsent
	}
	return findingOpen
}

// findingOf returns what the observed object of a resource shows. What is recorded on it is final; without a record, which somebody
// may have removed, Azure is asked again.
func (p *Plan) findingOf(r *Resource, kind aso.Kind, observed *unstructured.Unstructured) finding {
	if observed == nil {
		return findingOpen
	}
	switch observed.GetAnnotations()[v1beta1.AnnotationOwnership] {
	case v1beta1.OwnershipOwned:
		return findingOwned
	case v1beta1.OwnershipExternal:
		return findingExternal
	}
	state := aso.StateOf(observed)
	switch {
	case state.Reason == aso.ReasonResourceNotFound:
		return findingAbsent
	case !state.Ready:
		return findingOpen
	case kind.ParentInStatus != "" && !p.liesInParent(r, kind, observed):
		return findingExternal
	case kind.Ownership == aso.OfParent && !kind.New:
		return p.parentFinding(r, kind)
	case kind.Ownership == aso.ByTag && statusTags.Value(observed)[v1beta1.OwnedTag(p.Cluster)] == "owned":
		return findingOwned
	}
	return findingExternal
}

var statusTags = field.At[map[string]string]("status", "tags")

// liesInParent reports whether what was found in Azure lies in the parent that the object names.
func (p *Plan) liesInParent(r *Resource, kind aso.Kind, observed *unstructured.Unstructured) bool {
	return aso.SameID(p.parentID(r, kind), aso.ParseID(field.At[string]("status", kind.ParentInStatus).Value(observed)))
}

// parentID returns the ID of the parent as far as it is known.
func (p *Plan) parentID(r *Resource, kind aso.Kind) *arm.ResourceID {
	path := append(strings.Split(parentPath(kind), "."), "armId")
	if id := field.At[string](path...).Value(r.Object); id != "" {
		return aso.ParseID(id)
	}
	if parent := p.parentOf(r, kind); parent != nil {
		return aso.ParseID(p.standing(parent).GetAnnotations()[aso.AnnotationResourceID])
	}
	return nil
}

func parentPath(kind aso.Kind) string {
	if kind.Parent != "" {
		return kind.Parent
	}
	return aso.PathOwner
}

// parentOf returns the resource of the plan that another one lies in; nil when that is none of the plan's.
func (p *Plan) parentOf(r *Resource, kind aso.Kind) *Resource {
	for _, ref := range p.parentReferences(r, kind) {
		if parent := p.meant(r, ref); parent != nil {
			return parent
		}
	}
	return nil
}

// parentReferences returns the references to what a resource lies in, by name or by ID.
func (p *Plan) parentReferences(r *Resource, kind aso.Kind) []aso.Reference {
	path := parentPath(kind)
	return slices.DeleteFunc(p.resolver.Resolve(r.Object), func(ref aso.Reference) bool {
		return ref.Path != path && ref.Path != path+".armId"
	})
}

// parentFinding returns whose the resource is that another one lies in, as the plan or another composite of the Cluster says.
func (p *Plan) parentFinding(r *Resource, kind aso.Kind) finding {
	if parent := p.parentOf(r, kind); parent != nil {
		return asFinding(p.decisionOf(parent).ownership)
	}
	if r.ParentOwnership != "" {
		return asFinding(r.ParentOwnership)
	}
	for _, ref := range p.parentReferences(r, kind) {
		for _, peer := range p.Peers {
			if s, ok := peer.statusOf(ref); ok {
				return asFinding(s.ownership)
			}
		}
	}
	return findingOpen
}

// parentIsNew reports whether the owner of a resource is made now.
func (p *Plan) parentIsNew(r *Resource) bool {
	for _, ref := range aso.References(r.Object) {
		if ref.Path != aso.PathOwner {
			continue
		}
		if parent := p.meant(r, ref); parent != nil && parent.existing == nil {
			return p.decisionOf(parent).new
		}
	}
	return false
}

// findingWith returns whose a resource is that another one is only made with: not the Cluster's, either, if it is omitted itself.
func (p *Plan) findingWith(r *Resource) finding {
	d := p.decisionOf(r)
	if d.action == Omit {
		return findingExternal
	}
	return asFinding(d.ownership)
}

// asFinding returns what a resource that lies within one with the ownership inherits.
func asFinding(ownership string) finding {
	switch ownership {
	case v1beta1.OwnershipOwned:
		return findingOwned
	case v1beta1.OwnershipExternal, v1beta1.OwnershipUser:
		return findingExternal
	}
	return findingOpen
}
