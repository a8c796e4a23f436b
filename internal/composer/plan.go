package composer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// A Plan decides, object by object, what is composed now.
type Plan struct {
	// Inlines are the objects of the spec, changed by the composer to what they must be.
	Inlines []*Inline
	// Peers are the other composites that hold objects which these may refer to.
	Peers []Peer
	// Cluster is the name of the Cluster, which labels every object.
	Cluster string
	// Paused is true while the Cluster or the composite is: what exists is frozen, and nothing is added.
	Paused bool
	// Keeps are kinds of which nothing that exists leaves while the composite does, whatever the spec asks for.
	Keeps []schema.GroupKind
	// Withhold says, in words, what everything waits for before it is in Kubernetes; empty if nothing.
	Withhold string
	// Awaits returns further references that an object waits for before it is first created.
	Awaits func(*Inline) []Reference
	// Known is true when all that the objects refer to has been waited for, also what neither they nor the peers define.
	Known bool
}

// A Peer is another composite of the same Cluster.
type Peer struct {
	// Kind and Name say which one is meant, also when it does not exist.
	Kind, Name string
	// XR is nil when it does not exist.
	XR *unstructured.Unstructured
}

// An Outcome is what has become of one object of the spec.
type Outcome struct {
	Object *unstructured.Unstructured
	State  AzureState
	// Problem is set when the state is due to a mistake in the spec.
	Problem bool
	// Ownership tells whose the resource is, where that is asked.
	Ownership string
}

// Outcomes is the result of a plan.
type Outcomes struct {
	// Composed are the desired objects.
	Composed map[string]Composed
	// Of has an outcome for each object of the spec, in order, then those that are being deleted.
	Of []Outcome
	// Withheld is true when an object of the spec is not composed, or not as the spec says.
	Withheld bool
	// Unwatched is true when something is awaited that Crossplane does not watch.
	Unwatched bool
}

// Ask asks for the schemas that a plan for the objects will need, and for what the spec no longer has, so that they come
// together with other things asked for: Crossplane asks a function no more than a handful of times.
func Ask(in *Request, inlines []*Inline) {
	inSpec := map[string]bool{}
	for _, i := range inlines {
		inSpec[i.Name()] = true
		if observed := in.Observed[i.Name()]; i.Problem == nil && (observed == nil || observed.GetAPIVersion() != i.Object.GetAPIVersion()) {
			_, _, _ = in.Served(i.Object.GroupVersionKind())
		}
	}
	for _, item := range mapsIn(in.XR.Object, "status", "resources") {
		obj := statusObject(item, in.XR.GetNamespace())
		if !inSpec[resourceName(obj)] && composable(obj) && item["ownership"] != v1beta1.OwnershipUser {
			_, _ = stillThere(in, obj)
		}
	}
}

// Make carries the plan out on what the request has observed.
func (p *Plan) Make(in *Request) (*Outcomes, error) {
	out := &Outcomes{Composed: map[string]Composed{}}
	pending := false
	for _, i := range p.Inlines {
		err := p.place(in, i, out)
		if errors.Is(err, ErrPending) {
			pending = true
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.keep(in, out); err != nil {
		return nil, err
	}
	gone, err := p.removed(in, out)
	if err != nil {
		return nil, err
	}
	if pending {
		return nil, ErrPending
	}
	out.Of = append(out.Of, gone...)
	return out, nil
}

// place decides about one object.
func (p *Plan) place(in *Request, i *Inline, out *Outcomes) error {
	observed := in.Observed[i.Name()]
	if i.Used != nil {
		out.Of = append(out.Of, Outcome{Object: i.Used, State: usedState(i.Used), Ownership: i.ownership})
		return nil
	}
	p.decide(in, i, observed)
	if i.Problem == nil {
		i.Problem = p.prepare(i, observed)
	}
	if i.Problem == nil && (observed == nil || observed.GetAPIVersion() != i.Object.GetAPIVersion()) {
		waiting, err := p.admit(in, i, out)
		if err != nil {
			return err
		}
		if waiting != nil {
			out.withhold(i, *waiting, false)
			return nil
		}
	}
	if i.Problem != nil {
		return p.refuse(i, observed, out)
	}
	state, settled := p.heldState(i, observed)
	switch {
	case settled:
	case observed == nil:
		state = creatingState()
	default:
		state = p.progress(in, i, observed, p.looksFor(in, i, observed))
	}
	if state.Ready && i.Later != "" {
		state = AzureState{Reason: ReasonWaitingForResource, Message: i.Later}
	}
	out.Composed[i.Name()] = Composed{Object: i.Object, Ready: state.Ready}
	out.Of = append(out.Of, Outcome{Object: i.Object, State: state, Ownership: i.ownership})
	return nil
}

// decide finds out whose the resource of an object is, and whether the object is held.
func (p *Plan) decide(in *Request, i *Inline, observed *unstructured.Unstructured) {
	_, i.usersPolicy = i.Object.GetAnnotations()[AnnotationReconcilePolicy]
	i.unsure = i.Probe != nil && i.Probe.Unless != nil && i.Probe.Unless.finding() == findingOpen
	if !i.Probe.needed(observed) {
		i.Probe = nil
	}
	switch {
	case i.Problem != nil:
		return
	case observed == nil && !p.Paused && p.inNew(i):
		i.bear()
	case i.Probe != nil:
		p.look(in, i, observed)
	}
	p.hold(in, i, observed)
}

// admit decides whether an object may go to the API server for the first time, or in another version.
func (p *Plan) admit(in *Request, i *Inline, out *Outcomes) (*AzureState, error) {
	if in.Observed[i.Name()] == nil {
		var state AzureState
		switch {
		case p.Paused:
			state = pausedState()
			return &state, nil
		case len(i.waitsFor) > 0 && !i.held:
			state = waitingState(i.waitsFor)
			return &state, nil
		}
	}
	served, known, err := in.Served(i.Object.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	if known && !served {
		out.Unwatched = true
		i.Problem = &Problem{ReasonKindNotInstalled, fmt.Sprintf(
			"%s is a %s of %s, which this cluster does not serve; install its CRD with Azure Service Operator's --crd-pattern, or correct apiVersion and kind",
			i.Path, i.Object.GetKind(), i.Object.GetAPIVersion())}
	}
	return nil, nil
}

// prepare sets what every composed object has, and refuses changes that ASO would refuse for the whole composite.
func (p *Plan) prepare(i *Inline, observed *unstructured.Unstructured) *Problem {
	if p.Paused && i.Object.GetAnnotations()[AnnotationReconcilePolicy] != ReconcilePolicySkip {
		if problem := i.SetField(ReconcilePolicySkip, "while the Cluster is paused", "metadata", "annotations", AnnotationReconcilePolicy); problem != nil {
			return problem
		}
		if problem := i.SetField("true", "while the Cluster is paused", "metadata", "annotations", AnnotationSkippedByPause); problem != nil {
			return problem
		}
	}
	if !p.Paused && observed != nil && SkippedByPause(observed) {
		i.Release(observed, "metadata", "annotations", AnnotationReconcilePolicy)
		i.Release(observed, "metadata", "annotations", AnnotationSkippedByPause)
	}
	labels := i.Object.GetLabels()
	if _, set := labels[LabelClusterName]; !set && p.Cluster != "" {
		if labels == nil {
			labels = map[string]string{}
		}
		labels[LabelClusterName] = p.Cluster
		i.Object.SetLabels(labels)
	}
	if observed != nil {
		return immutable(i, observed)
	}
	return nil
}

// refuse leaves an object with a problem as it is: absent if it does not exist, else as it was applied last.
func (p *Plan) refuse(i *Inline, observed *unstructured.Unstructured, out *Outcomes) error {
	i.forgetNew()
	if i.ownership == "" && observed != nil {
		i.ownership = observed.GetAnnotations()[v1beta1.AnnotationOwnership]
	}
	out.withhold(i, AzureState{Reason: i.Problem.Reason, Message: i.Problem.Message, Failed: true}, true)
	if observed == nil || i.Problem.Reason == ReasonDuplicateResource {
		return nil
	}
	kept, err := AsApplied(observed)
	if err != nil {
		return &StopError{Err: fmt.Errorf("%s; %w", i.Problem.Message, err),
			Conditions: []Condition{False(ConditionResourcesReady, i.Problem.Reason, i.Problem.Message)}}
	}
	p.freeze(kept, observed)
	out.Composed[i.Name()] = Composed{Object: kept}
	return nil
}

// freeze pauses and resumes an object that stays as it is otherwise: a mistake must not stand in the way of that.
func (p *Plan) freeze(kept, observed *unstructured.Unstructured) {
	annotations := kept.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	_, set := annotations[AnnotationReconcilePolicy]
	_, byPause := annotations[AnnotationSkippedByPause]
	switch {
	case p.Paused && !set:
		annotations[AnnotationReconcilePolicy], annotations[AnnotationSkippedByPause] = ReconcilePolicySkip, "true"
	case !p.Paused && byPause:
		delete(annotations, AnnotationReconcilePolicy)
		delete(annotations, AnnotationSkippedByPause)
	case !p.Paused && SkippedByPause(observed):
		// Nobody owns them any more, see Inline.Release.
		annotations[AnnotationReconcilePolicy], annotations[AnnotationSkippedByPause] = ReconcilePolicySkip, "true"
	default:
		return
	}
	kept.SetAnnotations(annotations)
}

// keep keeps what exists and is not in the spec while it may not be deleted.
func (p *Plan) keep(in *Request, out *Outcomes) error {
	for _, name := range slices.Sorted(maps.Keys(in.Observed)) {
		observed := in.Observed[name]
		state, kept := p.kept(observed)
		if _, composed := out.Composed[name]; composed || in.composedEarlier(name) || !kept {
			continue
		}
		object, err := AsApplied(observed)
		if err != nil {
			return &StopError{Err: err}
		}
		p.freeze(object, observed)
		out.Composed[name] = Composed{Object: object, Ready: state.Ready}
		out.Of = append(out.Of, Outcome{Object: observed, State: state, Ownership: observed.GetAnnotations()[v1beta1.AnnotationOwnership]})
	}
	return nil
}

// kept reports whether an object that the spec no longer has is kept for now, and how it is doing.
func (p *Plan) kept(observed *unstructured.Unstructured) (AzureState, bool) {
	if slices.Contains(p.Keeps, observed.GroupVersionKind().GroupKind()) && !Held(observed) {
		return StateOf(observed), true
	}
	for _, i := range p.Inlines {
		if i.Problem != nil && i.Problem.Reason == ReasonInvalidResource {
			// The entry that cannot be identified may have been it.
			return StateOf(observed), true
		}
	}
	switch {
	case p.Paused:
		return AzureState{Reason: ReasonPaused, Message: "is no longer in the spec and is deleted when the pause ends"}, true
	case SkippedByPause(observed):
		// Deleted now, ASO would leave it in Azure.
		return AzureState{Reason: ReasonDeleting, Message: "is no longer in the spec and is deleted as soon as it is resumed"}, true
	}
	return AzureState{}, false
}

// SkippedByPause reports whether it is a pause, and not a user, that keeps ASO from touching the object in Azure.
func SkippedByPause(obj metav1.Object) bool {
	_, skipped := obj.GetAnnotations()[AnnotationSkippedByPause]
	return skipped
}

func (o *Outcomes) withhold(i *Inline, state AzureState, problem bool) {
	o.Withheld = true
	i.forgetNew()
	o.Of = append(o.Of, Outcome{Object: i.Object, State: state, Problem: problem, Ownership: i.ownership})
}

// immutable refuses a change of owner or Azure name, which ASO's webhook would answer by failing the whole composite
// (ASO documentation: both are immutable once the resource has been created in Azure).
func immutable(i *Inline, observed *unstructured.Unstructured) *Problem {
	if observed.GetAnnotations()[annotationResourceID] == "" {
		return nil
	}
	for _, fields := range [][]string{{"spec", "azureName"}, {"spec", "owner", "name"}, {"spec", "owner", "armId"}} {
		now, _, _ := unstructured.NestedString(observed.Object, fields...)
		wanted, _, _ := unstructured.NestedString(i.Object.Object, fields...)
		if fields[1] == "azureName" && wanted == "" {
			wanted = defaultAzureName(i, observed, now)
		}
		if now != wanted {
			return takenUp(i, observed, strings.Join(fields, "."), now, wanted)
		}
	}
	return nil
}

// defaultAzureName returns the Azure name that an object without one would have: ASO's webhook takes metadata.name,
// unless somebody else than Crossplane has set it.
func defaultAzureName(i *Inline, observed *unstructured.Unstructured, now string) string {
	applied, err := AsApplied(observed)
	if err != nil {
		return now
	}
	if set, _, _ := unstructured.NestedString(applied.Object, "spec", "azureName"); set == "" {
		return now
	}
	return i.Object.GetName()
}
