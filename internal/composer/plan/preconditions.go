package plan

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Peer is another composite of the same Cluster, whose resources these may refer to.
type Peer struct {
	// Kind and Name say which one is meant, also when it does not exist.
	Kind, Name string
	// XR is nil when it does not exist.
	XR *unstructured.Unstructured
	// Resources are the objects that it stands for; those of spec.resources where they are not given.
	Resources []*unstructured.Unstructured
}

// objects returns the objects that the peer defines.
func (p Peer) objects() []*unstructured.Unstructured {
	if p.XR == nil || p.Resources != nil {
		return p.Resources
	}
	items, _, _ := unstructured.NestedFieldNoCopy(p.XR.Object, "spec", "resources")
	list, _ := items.([]any)
	var objects []*unstructured.Unstructured
	for _, item := range field.Maps(list) {
		objects = append(objects, &unstructured.Unstructured{Object: item})
	}
	return objects
}

// defines reports whether the peer's spec defines the object.
func (p Peer) defines(ref aso.Reference) bool { return slices.ContainsFunc(p.objects(), ref.Matches) }

// statusOf returns what the peer's status says of the object; not ok when it says nothing.
func (p Peer) statusOf(ref aso.Reference) (s resourceStatus, ok bool) {
	if p.XR == nil {
		return resourceStatus{}, false
	}
	for _, s := range statusesOf(p.XR) {
		if ref.Matches(s.object) {
			return s, true
		}
	}
	return resourceStatus{}, false
}

// preconditionsOf returns what a resource of which nothing has been sent to Azure waits for, in words. ASO does not watch what an
// object refers to and retries on a timer, and Azure refuses a reference to what it does not have yet; so nothing is created early.
func (p *Plan) preconditionsOf(in *composer.Request, r *Resource) preconditions {
	found := preconditions{gate: p.Gate}
	for _, c := range r.After {
		found.all = append(found.all, c.Description)
		if c.OfObject {
			found.ofObject = append(found.ofObject, c.Description)
		}
	}
	refs := p.resolver.Resolve(r.Object)
	if p.Order != nil {
		refs = append(refs, p.Order(r)...)
	}
	for n, ref := range refs {
		wait := p.wait(in, r, ref)
		if wait == "" {
			continue
		}
		if ref.Path == aso.PathOwner {
			found.owner = append(found.owner, wait)
		}
		// All pools of a cluster may refer to one subnet: once is enough to read.
		if !slices.ContainsFunc(refs[:n], ref.SameObject) && !slices.Contains(found.all, wait) {
			found.all = append(found.all, wait)
		}
	}
	return found
}

// wait returns what has to be before something that refers to another object is created, in words; empty if nothing.
func (p *Plan) wait(in *composer.Request, from *Resource, ref aso.Reference) string {
	if r := p.meant(from, ref); r != nil {
		if r.OnlyWith != nil && p.decisionOf(r).action == Omit {
			return ""
		}
		if live := r.Live(in); live != nil && p.stateOfLive(in, r, live).Ready && !p.asks(r) {
			return ""
		}
		return fmt.Sprintf("%s (%s) is ready", ref, ref.Path)
	}
	missing := ""
	for _, peer := range p.Peers {
		if peer.XR == nil {
			missing = fmt.Sprintf("%s %s exists, which may define %s (%s)", peer.Kind, peer.Name, ref, ref.Path)
			continue
		}
		if !peer.defines(ref) {
			continue
		}
		s, ok := peer.statusOf(ref)
		if ok && s.ready {
			return ""
		}
		return fmt.Sprintf("%s (%s) of %s %s is ready%s", ref, ref.Path, peer.Kind, peer.Name, s.mistake())
	}
	// What nobody here defines is the user's own: ASO itself waits for it.
	return missing
}

// asks reports whether Azure is asked now if it still has a resource.
func (p *Plan) asks(r *Resource) bool {
	d := p.decisionOf(r)
	return d.action == Look && d.loss != ""
}

// meant returns the resource of the plan that a reference of another one means; nil when there is none.
func (p *Plan) meant(from *Resource, ref aso.Reference) *Resource {
	for _, r := range p.Resources {
		if r != from && ref.Matches(p.standing(r)) {
			return r
		}
	}
	return nil
}

// standing returns the object by which others refer to a resource.
func (p *Plan) standing(r *Resource) *unstructured.Unstructured {
	if r.existing != nil {
		return r.existing
	}
	return r.Object
}

// referencesKnown reports whether all that a resource refers to is known. Then it was ready when the object was released.
func (p *Plan) referencesKnown(r *Resource) bool {
	if p.ReferencesReady {
		return true
	}
	for _, ref := range aso.References(r.Object) {
		if p.meant(r, ref) == nil && !slices.ContainsFunc(p.Peers, func(peer Peer) bool { return peer.defines(ref) }) {
			return false
		}
	}
	return true
}
