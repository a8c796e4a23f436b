package composertest

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/refusal"
)

// An Edit changes an object.
type Edit func(*unstructured.Unstructured)

// Set gives the field the value.
func Set(value any, path ...string) Edit {
	return func(o *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(o.Object, value, path...); err != nil {
			panic(err)
		}
	}
}

// Remove takes the field away.
func Remove(path ...string) Edit {
	return func(o *unstructured.Unstructured) { unstructured.RemoveNestedField(o.Object, path...) }
}

// Annotate sets an annotation.
func Annotate(key, value string) Edit { return Set(value, "metadata", "annotations", key) }

// Refused has Crossplane say in condition Synced that it cannot apply something, and provider-capz note that with what Events say. It is for the
// last of the edits.
func Refused(message string, events refusal.Answers) Edit {
	return func(o *unstructured.Unstructured) {
		Set([]any{map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": message}}, "status", "conditions")(o)
		if note, _ := refusal.Note(o, time.Now(), func(time.Time) refusal.Answers { return events }); note != "" {
			Annotate(refusal.Annotation, note)(o)
		}
	}
}

// Edited returns a copy of the object with the edits made.
func Edited(o *unstructured.Unstructured, edits ...Edit) *unstructured.Unstructured {
	o = o.DeepCopy()
	for _, e := range edits {
		e(o)
	}
	return o
}
