package plan

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// An object in Kubernetes belongs to one composite, but several may use what is in Azure. The first has the object of the usual name.
// Each of the others has an object of its own, called otherwise, which means the same resource or, where just the names are alike,
// another one. So each finds out for itself whose the resource is, signs in with its own credential, and outlives the others.

// longestLabel is that of a label's value. ASO writes the names of owners into labels, cut where they are longer.
const longestLabel = 63

// OwnName returns the name that an object of the composite resource has where its usual name is another composite's. Usual names have
// no dot.
func OwnName(usual, composite string) string {
	name := usual + "." + composite
	if len(name) <= longestLabel {
		return name
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:10]
	return strings.Trim(usual[:min(len(usual), longestLabel-len(sum)-1)], "-.") + "." + sum
}

// KeepNames gives resources that this project builds the names of their own that their objects have already.
func KeepNames(in *composer.Request, resources []*Resource) {
	for _, r := range resources {
		if r.Err != nil || r.Declared || !r.renameable() || in.Observed[r.Name()] != nil {
			continue
		}
		own := r.Object.DeepCopy()
		own.SetName(OwnName(r.Object.GetName(), in.XR.GetName()))
		if in.Observed[NameOf(own)] != nil {
			r.rename(in, own.GetName(), resources)
		}
	}
}

// renameable reports whether the object may be called otherwise. Pools and provider-capz know a ManagedCluster by its name, and a pool
// is a composite of its own.
func (r *Resource) renameable() bool {
	return !r.Is(aso.ManagedCluster) && !r.Is(aso.ManagedClustersAgentPool)
}

// rename gives the object another name, which the references of the others follow. An owner stays what it is once ASO knows the address.
func (r *Resource) rename(in *composer.Request, name string, all []*Resource) {
	usual := r.Object.GetName()
	r.Object.SetName(name)
	for _, other := range all {
		if other == r || other.Err != nil {
			continue
		}
		observed := in.Observed[other.Name()]
		if observed != nil && observed.GetAnnotations()[aso.AnnotationResourceID] != "" && aso.SpecOwnerName.Value(observed) == usual {
			continue
		}
		aso.Retarget(other.Object, r.groupKind(), usual, name)
	}
}

// share decides what an object that belongs to another composite means for a resource that this project builds, and reports whether the
// resource has another name now.
func (r *Resource) share(in *composer.Request, theirs *unstructured.Unstructured, holder *metav1.OwnerReference, all []*Resource) bool {
	kind, name, own := r.Object.GetKind(), theirs.GetName(), OwnName(r.Object.GetName(), in.XR.GetName())
	if !r.renameable() || r.Reference.Name != "" || strings.Contains(r.Object.GetName(), ".") {
		r.Err = composer.Blockedf(composer.ReasonControlledByOther, "%s %s belongs to %s %s, and cannot belong to this object too; give one of them another name",
			kind, name, holder.Kind, holder.Name)
		return false
	}
	whose := findingOfHolder(theirs)
	switch r.sameInAzure(theirs, holder, all) {
	case findingAbsent:
		whose = findingExternal // Theirs is another resource.
	case findingOpen:
		whose = findingOpen
	}
	switch {
	case whose == findingExternal:
		r.rename(in, own, all)
		return true
	case whose == findingOwned && theirs.GetDeletionTimestamp() == nil:
		r.Err = composer.Blockedf(composer.ReasonControlledByOther,
			"%s: %s %s is made for %s %s and deleted with it, so it is not used here: name another one, or have it belong to none of them and stay, by kubectl annotate %s.%s %s %s=%s --overwrite",
			r.Source, kind, name, holder.Kind, holder.Name, strings.ToLower(kind), r.groupKind().Group, name, v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal)
	case whose == findingOwned:
		r.missing = true // Nothing is looked for in Azure meanwhile.
		r.await(fmt.Sprintf("%s %s is gone, which is deleted with %s %s", kind, name, holder.Kind, holder.Name))
	default:
		r.missing = true
		r.await(fmt.Sprintf("%s %s has found out whose %s %s is, which it names too", holder.Kind, holder.Name, kind, name))
	}
	return false
}

func (r *Resource) await(description string) {
	r.After = append(r.After, Precondition{OfObject: true, Description: description})
}

// findingOfHolder returns what an object says to other composites than its own of whose the resource is: external if that one only reads it.
func findingOfHolder(theirs *unstructured.Unstructured) finding {
	annotations := theirs.GetAnnotations()
	switch annotations[v1beta1.AnnotationOwnership] {
	case v1beta1.OwnershipOwned:
		return findingOwned
	case v1beta1.OwnershipExternal:
		return findingExternal
	case v1beta1.OwnershipUndecided:
		return findingOpen
	}
	if annotations[aso.AnnotationReconcilePolicy] == aso.PolicySkip && !aso.Held(theirs) && !aso.SkippedByProject(theirs) {
		return findingExternal
	}
	return findingOwned
}

// sameInAzure reports whether another composite's object of the same name means the same resource: findingOwned if it does,
// findingAbsent if it does not, findingOpen while that cannot be told.
func (r *Resource) sameInAzure(theirs *unstructured.Unstructured, holder *metav1.OwnerReference, all []*Resource) finding {
	id := aso.ParseID(theirs.GetAnnotations()[aso.AnnotationResourceID])
	if id == nil {
		return r.sameByName(theirs, holder)
	}
	if r.Subscription != "" && !strings.EqualFold(r.Subscription, id.SubscriptionID) {
		return findingAbsent
	}
	for _, name := range r.azureNames(all, len(all)) {
		if id == nil || !strings.EqualFold(name, id.Name) {
			return findingAbsent
		}
		id = id.Parent
	}
	return findingOwned
}

// azureNames returns the names in Azure of a resource and, one after another, of what it lies in, as far as they are known.
func (r *Resource) azureNames(all []*Resource, depth int) []string {
	names := []string{aso.AzureName(r.Object)}
	if id := aso.ParseID(aso.SpecOwnerARMID.Value(r.Object)); id != nil {
		for ; id != nil && id.ResourceType.Type != subscriptions; id = id.Parent {
			names = append(names, id.Name)
		}
		return names
	}
	for _, ref := range aso.References(r.Object) {
		at := slices.IndexFunc(all, func(other *Resource) bool { return ref.Path == aso.PathOwner && ref.Matches(other.Object) })
		if at >= 0 && depth > 0 {
			return append(names, all[at].azureNames(all, depth-1)...)
		}
	}
	return names
}

// subscriptions is the last part of the type of a subscription in Azure Resource Manager.
const subscriptions = "subscriptions"

// sameByName is sameInAzure where ASO has not noted the address of the other object, as on one that is held: the names of objects that this
// project builds follow from those in Azure.
func (r *Resource) sameByName(theirs *unstructured.Unstructured, holder *metav1.OwnerReference) finding {
	if kind, ok := composite.Lookup(schema.FromAPIVersionAndKind(holder.APIVersion, holder.Kind).GroupKind()); !ok || kind.Inline {
		return findingOpen
	}
	mine, other := usualName(aso.SpecOwnerName.Value(r.Object)), usualName(aso.SpecOwnerName.Value(theirs))
	switch {
	case !strings.EqualFold(aso.AzureName(theirs), aso.AzureName(r.Object)), !strings.EqualFold(aso.SpecOwnerARMID.Value(theirs), aso.SpecOwnerARMID.Value(r.Object)):
		return findingAbsent
	case mine == other:
		return findingOwned
	case strings.HasPrefix(mine, other), strings.HasPrefix(other, mine):
		return findingOpen // One may be the other, cut.
	}
	return findingAbsent
}

func usualName(name string) string {
	usual, _, _ := strings.Cut(name, ".")
	return usual
}

// mayBeShared reports whether another composite may have the object of an entry that a user wrote: one that ASO only reads, or one that the
// API server has refused, as an object has one controller. To look for each would cost every new composite a call more.
func (o *Observations) mayBeShared(in *composer.Request, r *Resource) bool {
	_, refused := o.refused[r.Name()]
	return refused || r.onlyRead() || slices.ContainsFunc(statusesOf(in.XR), func(s resourceStatus) bool {
		return s.reason == composer.ReasonControlledByOther && NameOf(s.object) == r.Name()
	})
}

// onlyRead reports whether the user has ASO only read the resource of an entry.
func (r *Resource) onlyRead() bool {
	return r.Object.GetAnnotations()[aso.AnnotationReconcilePolicy] == aso.PolicySkip
}

// shareDeclared decides what an object that belongs to another composite means for an entry that a user wrote: one that ASO only reads
// stands in for another such.
func (r *Resource) shareDeclared(theirs *unstructured.Unstructured, holder *metav1.OwnerReference) {
	if r.renameable() && r.onlyRead() {
		r.existing, r.shared = theirs, holder
		return
	}
	r.Err = composer.Blockedf(composer.ReasonControlledByOther,
		"%s: %s %s belongs to %s %s. To use it as it is, annotate this entry with %s=%s; to have another one here, give it another metadata.name (and spec.azureName, where the name in Azure is to be the same)",
		r.Source, r.Object.GetKind(), theirs.GetName(), holder.Kind, holder.Name, aso.AnnotationReconcilePolicy, aso.PolicySkip)
}
