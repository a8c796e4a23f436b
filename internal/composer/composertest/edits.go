package composertest

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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

// Edited returns a copy of the object with the edits made.
func Edited(o *unstructured.Unstructured, edits ...Edit) *unstructured.Unstructured {
	o = o.DeepCopy()
	for _, e := range edits {
		e(o)
	}
	return o
}
