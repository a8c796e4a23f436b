package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// pause has ASO leave Azure alone while the plan is paused, and do its work again afterwards. The error is a policy of the user's
// that says otherwise.
func (p *Plan) pause(r *Resource, observed *unstructured.Unstructured) *composer.Blocked {
	const because = "while the Cluster is paused"
	switch {
	case p.Paused && p.decisions[r].readOnly:
		r.Annotate(aso.AnnotationSkippedByPause, "true") // So that who moves the composite resource removes nothing from Azure.
	case p.Paused && !p.skips(r):
		if blocked := r.SetField(annotation(aso.AnnotationReconcilePolicy), aso.PolicySkip, because); blocked != nil {
			return blocked
		}
		return r.SetField(annotation(aso.AnnotationSkippedByPause), "true", because)
	case !p.Paused && observed != nil && aso.SkippedByPause(observed):
		r.Release(observed, "metadata", "annotations", aso.AnnotationReconcilePolicy)
		r.Release(observed, "metadata", "annotations", aso.AnnotationSkippedByPause)
	}
	return nil
}

func annotation(name string) field.Path[string] {
	return field.At[string]("metadata", "annotations", name)
}

// skips reports whether ASO leaves the resource alone anyway.
func (p *Plan) skips(r *Resource) bool {
	switch d := p.decisions[r]; d.action {
	case Hold, Look, Read:
		return true
	}
	return r.Object.GetAnnotations()[aso.AnnotationReconcilePolicy] == aso.PolicySkip
}

// freeze pauses and resumes an object that stays as it is otherwise: a mistake must not stand in the way of that.
func (p *Plan) freeze(kept, observed *unstructured.Unstructured) {
	annotations := kept.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	_, set := annotations[aso.AnnotationReconcilePolicy]
	_, byPause := annotations[aso.AnnotationSkippedByPause]
	onlyRead := aso.LifecycleOf(kept) != aso.Managed
	switch {
	case onlyRead && p.Paused:
		annotations[aso.AnnotationSkippedByPause] = "true"
	case onlyRead:
		delete(annotations, aso.AnnotationSkippedByPause)
	case p.Paused && !set:
		annotations[aso.AnnotationReconcilePolicy], annotations[aso.AnnotationSkippedByPause] = aso.PolicySkip, "true"
	case !p.Paused && byPause:
		delete(annotations, aso.AnnotationReconcilePolicy)
		delete(annotations, aso.AnnotationSkippedByPause)
	case !p.Paused && aso.SkippedByPause(observed):
		// Nobody owns them any more, see Resource.Release.
		annotations[aso.AnnotationReconcilePolicy], annotations[aso.AnnotationSkippedByPause] = aso.PolicySkip, "true"
	default:
		return
	}
	kept.SetAnnotations(annotations)
}
