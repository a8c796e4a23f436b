package composer

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// annotationOperator is where ASO notes the namespace that it runs in on each object that it takes up. It does that by itself in
// a first look at the object, and comes back a second later for all else; to an object that says so from the start it comes at once.
// An operator in another namespace leaves the object alone.
const annotationOperator = "serviceoperator.azure.com/operator-namespace"

// setOperator names the operator that is to take up a new object: the one that has taken up others of the namespace. One that
// exists keeps what is noted on it, for whoever hands it to another operator to change.
func (p *Plan) setOperator(in *Request, i *Inline, observed *unstructured.Unstructured) {
	operator := p.operator(in)
	if observed != nil {
		operator = observed.GetAnnotations()[annotationOperator]
	}
	if operator == "" {
		return
	}
	annotations := maps.Clone(i.Object.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[annotationOperator] = operator
	i.Object.SetAnnotations(annotations)
}

// operator returns the namespace of the operator that has taken up everything that is known here; empty if there are several.
func (p *Plan) operator(in *Request) string {
	found := map[string]bool{}
	for _, o := range in.Observed {
		if StateOf(o).Ready {
			found[o.GetAnnotations()[annotationOperator]] = true
		}
	}
	for _, peer := range p.Peers {
		if peer.XR == nil {
			continue
		}
		for _, item := range mapsIn(peer.XR.Object, "status", "resources") {
			if item["ready"] == true {
				found[text(item["operator"])] = true
			}
		}
	}
	for operator := range found {
		if len(found) == 1 {
			return operator
		}
	}
	return ""
}
