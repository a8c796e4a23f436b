package plan

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// SetField sets a field of the object to what it must be. A user may have set it to the same value or to null; any other is
// an incompatible value, and the returned error says so with the given reason ("because ...").
func (r *Resource) SetField(path interface{ Names() []string }, value any, because string) *composer.Blocked {
	fields := path.Names()
	found, exists, err := field.Nested(r.Object.Object, fields...)
	if err != nil {
		return composer.Blockedf(composer.ReasonInvalidField, "%s.%v", r.Source, err)
	}
	if exists && found != nil && !reflect.DeepEqual(normalized(found), normalized(value)) {
		return composer.Blockedf(composer.ReasonIncompatibleValue, "%s.%s is %s, but must be %s or absent %s",
			r.Source, strings.Join(fields, "."), field.Show(found), field.Show(value), because)
	}
	if err := unstructured.SetNestedField(r.Object.Object, value, fields...); err != nil {
		return composer.Blockedf(composer.ReasonInvalidResource, "%s: %v", r.Source, err)
	}
	return nil
}

// RequireAbsent returns an error if a user has set the field at all.
func (r *Resource) RequireAbsent(path interface{ Names() []string }, because string) *composer.Blocked {
	fields := path.Names()
	found, exists, _ := unstructured.NestedFieldNoCopy(r.Object.Object, fields...)
	if !exists {
		return nil
	}
	return composer.Blockedf(composer.ReasonIncompatibleValue, "%s.%s is %s, but must be absent %s",
		r.Source, strings.Join(fields, "."), field.Show(found), because)
}

// normalized makes numbers comparable: those that came through protobuf are floats.
func normalized(v any) any {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v
}
