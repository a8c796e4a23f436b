package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// A Plan decides, resource by resource, what is composed now.
type Plan struct {
	// Resources are those of the spec, their objects changed by the composer to what they must be.
	Resources []*Resource
	// Peers are the other composites with resources which these may refer to.
	Peers []Peer
	// Cluster is the name of the Cluster, which labels every object.
	Cluster string
	// Paused is true while the Cluster or the composite is: what exists is frozen, and nothing is added.
	Paused bool
	// Retain reports whether an object that exists stays for as long as the composite does, whatever the spec asks for; nil for none.
	Retain func(observed *unstructured.Unstructured) bool
	// Gate says, in words, what everything waits for before it is in Kubernetes; empty if nothing.
	Gate string
	// LookFirst has ASO read a resource that the user has written, and that lies in nothing of the user's, before it may write it. What Azure
	// cannot have, as it refuses the credential or the name, has then never been sent, and its deletion need not wait for Azure.
	LookFirst bool
	// Order returns further references that a resource waits for before it is first created.
	Order func(*Resource) []aso.Reference
	// ReferencesReady is true when all that the resources refer to has been waited for, also what neither they nor the peers define.
	ReferencesReady bool

	in        *composer.Request
	observed  *Observations
	resolver  *aso.Resolver
	decisions map[*Resource]decision
	doubted   map[*Resource]string
}

// Make decides about the resources by what is observed, and returns what is composed and what has become of each.
func (p *Plan) Make(in *composer.Request, observed *Observations) (*Outcomes, error) {
	p.in, p.observed, p.decisions = in, observed, map[*Resource]decision{}
	p.resolver = aso.NewResolver(p.known()...)
	p.doubted = p.doubts()
	out := &Outcomes{Composed: map[string]composer.Composed{}}
	for _, r := range p.Resources {
		if err := r.checkKind(); err != nil {
			return nil, err
		}
		if observed := in.Observed[r.Name()]; r.Err == nil && observed != nil && r.existing == nil {
			r.Err = immutable(r, observed)
		}
	}
	for _, r := range p.Resources {
		if err := p.apply(r, p.decisionOf(r), out); err != nil {
			return nil, err
		}
	}
	if err := p.retain(out); err != nil {
		return nil, err
	}
	p.addLeaving(out)
	return out, nil
}

// known returns the objects that references are resolved among: the object that exists has the ID in Azure.
func (p *Plan) known() []*unstructured.Unstructured {
	var objects []*unstructured.Unstructured
	for _, r := range p.Resources {
		object := p.standing(r)
		if live := Created(p.in, r.Name()); r.existing == nil && live != nil {
			object = live
		}
		objects = append(objects, object)
	}
	for _, peer := range p.Peers {
		objects = append(objects, peer.objects()...)
	}
	return objects
}

// decisionOf returns the decision about a resource, which may follow from that about the one that it lies in.
func (p *Plan) decisionOf(r *Resource) decision {
	if d, decided := p.decisions[r]; decided {
		return d
	}
	p.decisions[r] = decision{} // Nobody knows whose it is that lies in itself.
	d := p.situationOf(r).decide()
	if d.err == errKindLacking {
		d.err = composer.Blockedf(composer.ReasonKindNotInstalled,
			"%s is a %s of %s, which this cluster does not serve; install its CRD with Azure Service Operator's --crd-pattern, or correct apiVersion and kind",
			r.Source, r.Object.GetKind(), r.Object.GetAPIVersion())
	}
	p.decisions[r] = d
	return d
}

// situationOf returns all that is decided from about a resource.
func (p *Plan) situationOf(r *Resource) situation {
	kind, _ := aso.KindOf(r.groupKind())
	observed := p.in.Observed[r.Name()]
	_, userPolicy := r.Object.GetAnnotations()[aso.AnnotationReconcilePolicy]
	s := situation{
		err: r.Err, existing: r.existing != nil, gone: r.gone, paused: p.Paused, userPolicy: userPolicy, doubt: p.doubted[r], lifecycle: r.Lifecycle,
		rule: rule{kind: kind, declared: r.Declared || r.missing, first: p.looksFirst(r, observed)}, operator: p.in.Operator(), onlyFound: r.OnlyFound,
		absent: r.Absent, created: r.Known != nil && r.Known.Ready,
	}
	if r.OnlyWith != nil {
		s.with, s.withWhat = p.findingWith(r.OnlyWith), r.OnlyWith.String()
	}
	if s.err != nil || s.existing {
		s.observed = observe(observed)
		return s
	}
	s.preconditions = p.preconditionsOf(p.in, r)
	s.observed = observe(observed)
	s.otherVersion = observed != nil && observed.GetAPIVersion() != r.Object.GetAPIVersion()
	s.kindLacking = p.observed.lacks(r.Object.GroupVersionKind())
	if s.rule.first {
		s.found = findingByUser(observed)
	}
	if !s.rule.declared {
		s.parent, s.parentNew, s.found = p.parentFinding(r, kind), p.parentIsNew(r), p.findingOf(r, kind, observed)
		if parent := p.parentOf(r, kind); parent != nil {
			s.parentWhat = parent.String()
		}
	}
	return s
}

func observe(object *unstructured.Unstructured) *observedObject {
	if object == nil {
		return nil
	}
	annotations, state := object.GetAnnotations(), aso.StateOf(object)
	return &observedObject{
		held: aso.Held(object), ownership: annotations[v1beta1.AnnotationOwnership], new: annotations[v1beta1.AnnotationNew] != "",
		operator: annotations[aso.AnnotationOperator], ready: state.Ready, sent: annotations[aso.AnnotationSent] != "",
		lifecycle: aso.LifecycleOf(object), userPolicy: policyByUser(object),
		loss: annotations[aso.AnnotationLost], doubted: aso.Doubted(object), absent: state.Reason == aso.ReasonResourceNotFound,
	}
}

// apply carries out the decision about one resource.
func (p *Plan) apply(r *Resource, d decision, out *Outcomes) error {
	if d.action == Omit {
		return nil
	}
	observed := p.in.Observed[r.Name()]
	outcome := Outcome{Object: r.Object, Ownership: d.ownership, State: p.stateAfter(r, d, observed)}
	switch d.action {
	case Use:
		outcome.Object = r.existing
	case Wait:
		out.Incomplete = true
	case Keep, Refuse:
		out.Incomplete, outcome.Blocked = true, true
		// Crossplane watches no CRDs: another version of one may serve the kind, or have the field.
		out.Unwatched = out.Unwatched || d.err.Reason == composer.ReasonKindNotInstalled || d.err.Reason == composer.ReasonInvalidField
		if d.action == Keep {
			if err := p.keep(r, d, observed, out); err != nil {
				return err
			}
		}
	default:
		if blocked := p.pause(r, observed); blocked != nil {
			return p.apply(r, p.blockedBy(r, blocked), out)
		}
		outcome.Differences = p.differences(r, outcome.State)
		p.annotate(r, d, observed)
		out.Composed[r.Name()] = composer.Composed{Object: r.Object, Ready: outcome.State.Ready, Source: r.Source}
	}
	out.Of = append(out.Of, outcome)
	return nil
}

// blockedBy returns the decision about a resource that turns out to have a mistake.
func (p *Plan) blockedBy(r *Resource, blocked *composer.Blocked) decision {
	r.Err = blocked
	delete(p.decisions, r)
	return p.decisionOf(r)
}

// annotate writes a decision onto the object.
func (p *Plan) annotate(r *Resource, d decision, observed *unstructured.Unstructured) {
	p.annotateOwnership(r, d, observed)
	r.annotateLoss(d, observed)
	switch {
	case d.action == Hold:
		r.Annotate(aso.AnnotationHeld, "true")
		r.Annotate(aso.AnnotationReconcilePolicy, aso.PolicySkip)
	case d.readOnly:
		r.letOthersWrite(observed)
	}
	if d.seen {
		r.Release(observed, "metadata", "annotations", v1beta1.AnnotationOwnership)
		r.Release(observed, "metadata", "annotations", aso.AnnotationReconcilePolicy)
	}
	if d.released {
		r.Release(observed, "metadata", "annotations", aso.AnnotationHeld)
		r.Release(observed, "metadata", "annotations", aso.AnnotationReconcilePolicy)
	}
	if d.operator != "" {
		r.Annotate(aso.AnnotationOperator, d.operator)
	} else {
		r.Release(observed, "metadata", "annotations", aso.AnnotationOperator)
	}
	labels := r.Object.GetLabels()
	if _, set := labels[clusterv1.ClusterNameLabel]; !set && p.Cluster != "" {
		if labels == nil {
			labels = map[string]string{}
		}
		labels[clusterv1.ClusterNameLabel] = p.Cluster
		r.Object.SetLabels(labels)
	}
}

// letOthersWrite has ASO only read the resource, and provider-capz remove it from Azure when its object is deleted. An object whose deletion has begun
// takes no finalizer.
func (r *Resource) letOthersWrite(observed *unstructured.Unstructured) {
	r.Annotate(aso.AnnotationLifecycle, string(r.Lifecycle))
	r.Annotate(aso.AnnotationReconcilePolicy, aso.PolicySkip)
	deleted := observed != nil && observed.GetDeletionTimestamp() != nil
	if deleted {
		r.Annotate(aso.AnnotationComposedStill, "true")
	}
	if !deleted || aso.AwaitsRemoval(observed) {
		r.Object.SetFinalizers([]string{aso.RemovalFinalizer})
	}
}

// annotateOwnership records whose the resource is.
func (p *Plan) annotateOwnership(r *Resource, d decision, observed *unstructured.Unstructured) {
	if d.ownership != "" {
		r.Annotate(v1beta1.AnnotationOwnership, d.ownership)
	}
	switch d.ownership {
	case v1beta1.OwnershipExternal, v1beta1.OwnershipUndecided:
		r.Annotate(aso.AnnotationReconcilePolicy, aso.PolicySkip)
	case v1beta1.OwnershipOwned:
		if d.looks {
			// Without a policy the resource is managed, or what the namespace's own policy says.
			r.Release(observed, "metadata", "annotations", aso.AnnotationReconcilePolicy)
		}
	}
	if observed == nil && d.ownership == v1beta1.OwnershipUndecided {
		// ASO notes that the object is its own and looks at it after a second, but at once when its spec changes. Nothing is sent now.
		unstructured.RemoveNestedField(r.Object.Object, "spec", "tags")
	}
	switch {
	case d.new:
		r.Annotate(v1beta1.AnnotationNew, "true")
	case d.looks:
		r.Release(observed, "metadata", "annotations", v1beta1.AnnotationNew)
	}
}

// keep leaves an object with a mistake as it was applied last.
func (p *Plan) keep(r *Resource, d decision, observed *unstructured.Unstructured, out *Outcomes) error {
	kept, err := AsApplied(observed)
	if err != nil {
		return &composer.FatalError{Err: fmt.Errorf("%s; %w", d.err.Message, err),
			Conditions: []composer.Condition{composer.False(composer.ConditionResourcesReady, d.err.Reason, d.err.Message)}}
	}
	p.freeze(kept, observed)
	out.Composed[r.Name()] = composer.Composed{Object: kept, Source: r.Source}
	return nil
}

// addLeaving adds the outcomes of what is being deleted.
func (p *Plan) addLeaving(out *Outcomes) {
	for _, l := range p.observed.leaving {
		if _, kept := out.Composed[l.name]; !kept {
			out.Of = append(out.Of, Outcome{Object: l.object, State: leavingState(l.live)})
		}
	}
}
