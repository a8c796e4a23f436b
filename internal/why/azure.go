package why

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/remedy"
)

var asoOwner = field.At[map[string]any]("spec", "owner")

// azure looks at an object of Azure Service Operator, the Secret with its credential, and what it lies in.
func (w *walk) azure(link *Link, obj *unstructured.Unstructured) {
	state := aso.StateOf(obj)
	if state.Ready {
		return
	}
	refusal, refused := aso.RefusalOf(obj)
	s := Saying{Condition: "Ready", Reason: state.Reason, Message: state.Message, waiting: !refused && !state.Failed}
	if refused {
		s.Reason, s.Message = refusal.Reason, refusal.Message
	}
	link.Says = []Saying{s}
	if remedy.Of(s.Reason, s.Message).Waiting && s.Reason != aso.ReasonWaitingForOwner {
		return
	}
	if name := obj.GetAnnotations()[aso.AnnotationCredentialFrom]; name != "" {
		link.add(w.secret(obj.GetNamespace(), name, nil))
	}
	if s.Reason != aso.ReasonWaitingForOwner {
		return
	}
	// Its owner is what is missing, or it is as soon as that is there.
	link.Says[0].waiting = true
	if kind := aso.OwnerKind(obj.GroupVersionKind().GroupKind()); kind.Kind != "" {
		link.add(w.reference(kind.WithVersion(""), obj.GetNamespace(), field.Text(asoOwner.Value(obj)["name"])))
	}
}
