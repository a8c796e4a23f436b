package composer

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// firstWaits returns what an object waits for before it is in Kubernetes, in words. One that only looks at Azure needs no
// more than its owner, which makes its address there.
func (p *Plan) firstWaits(in *Request, i *Inline) []string {
	if p.Withhold != "" || i.Probe == nil {
		return p.allWaits(in, i)
	}
	var waits []string
	for _, ref := range References(i.Object) {
		if w := p.wait(in, i, ref); w != "" && ref.Path == pathOwner {
			waits = append(waits, w)
		}
	}
	return waits
}

// allWaits returns what a resource waits for before it is created in Azure, in words.
func (p *Plan) allWaits(in *Request, i *Inline) []string {
	if p.Withhold != "" {
		return []string{p.Withhold}
	}
	return p.waits(in, i)
}

// waits returns what a resource of which nothing has been sent to Azure waits for, in words. ASO does not watch what an
// object refers to and retries on a timer, and Azure refuses a reference to what it does not have yet; so nothing is
// created early.
func (p *Plan) waits(in *Request, i *Inline) []string {
	refs := References(i.Object)
	if p.Awaits != nil {
		refs = append(refs, p.Awaits(i)...)
	}
	waits := slices.Concat(i.Waits, i.Needs)
	for n, ref := range refs {
		if slices.ContainsFunc(refs[:n], ref.sameObject) {
			continue // All pools of a cluster may refer to one subnet: once is enough to read.
		}
		if w := p.wait(in, i, ref); w != "" && !slices.Contains(waits, w) {
			waits = append(waits, w)
		}
	}
	return waits
}

func (p *Plan) wait(in *Request, from *Inline, ref Reference) string {
	if i := p.meant(from, ref); i != nil {
		if live := i.Live(in); live != nil && p.stateOf(in, live).Ready {
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
		defined, ready := peer.has(ref)
		if ready {
			return ""
		}
		if defined {
			return fmt.Sprintf("%s (%s) of %s %s is ready", ref, ref.Path, peer.Kind, peer.Name)
		}
	}
	// What nobody here defines is the user's own: ASO itself waits for it.
	return missing
}

// meant returns the object of the plan that a reference of another one means; nil when there is none.
func (p *Plan) meant(from *Inline, ref Reference) *Inline {
	for _, i := range p.Inlines {
		if i != from && ref.Matches(i.Object) {
			return i
		}
	}
	return nil
}

// has reports whether the peer's spec defines the object, and whether the peer's status says that it is ready.
func (p Peer) has(ref Reference) (defined, ready bool) {
	defined = p.defines(ref)
	for _, item := range mapsIn(p.XR.Object, "status", "resources") {
		resource, _ := item["resource"].(map[string]any)
		kind := schema.GroupKind{Group: text(resource["group"]), Kind: text(resource["kind"])}
		if kind == ref.GroupKind && text(resource["name"]) == ref.Name {
			ready = item["ready"] == true
		}
	}
	return defined, defined && ready
}

// defines reports whether the peer's spec defines the object.
func (p Peer) defines(ref Reference) bool {
	return p.XR != nil && slices.ContainsFunc(mapsIn(p.XR.Object, "spec", "resources"), func(item map[string]any) bool {
		return ref.Matches(&unstructured.Unstructured{Object: item})
	})
}
