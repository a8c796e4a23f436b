package composer

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// SetField sets a field of the object to what it must be. A user may have set it to the same value or to null; any other is
// an incompatible value, and the returned problem says so with the given reason ("because ...").
func (i *Inline) SetField(value any, because string, fields ...string) *Problem {
	found, exists, err := unstructured.NestedFieldNoCopy(i.Object.Object, fields...)
	if err != nil {
		return &Problem{ReasonInvalidResource, fmt.Sprintf("%s: %v", i.Path, err)}
	}
	if exists && found != nil && !reflect.DeepEqual(normalized(found), normalized(value)) {
		return &Problem{ReasonIncompatibleValue, fmt.Sprintf("%s.%s is %s, but must be %s or absent %s",
			i.Path, strings.Join(fields, "."), Shown(found), Shown(value), because)}
	}
	if err := unstructured.SetNestedField(i.Object.Object, value, fields...); err != nil {
		return &Problem{ReasonInvalidResource, fmt.Sprintf("%s: %v", i.Path, err)}
	}
	return nil
}

// RequireAbsent returns a problem if a user has set the field at all.
func (i *Inline) RequireAbsent(because string, fields ...string) *Problem {
	found, exists, _ := unstructured.NestedFieldNoCopy(i.Object.Object, fields...)
	if !exists {
		return nil
	}
	return &Problem{ReasonIncompatibleValue, fmt.Sprintf("%s.%s is %s, but must be absent %s",
		i.Path, strings.Join(fields, "."), Shown(found), because)}
}

// normalized makes numbers comparable: those that came through protobuf are floats.
func normalized(v any) any {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v
}

// Shown writes a value as it would stand in the manifest, cut where it is long.
func Shown(v any) string {
	const most = 120
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return cutTo(string(b), most+len("…"))
}
