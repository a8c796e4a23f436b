package shape

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	kubejson "sigs.k8s.io/json"
)

// mostTold is how many mistakes a message has.
const mostTold = 5

// Sentence joins what is said of mistakes: prefix goes before each path, and of names the kind. It is empty where there is none.
func Sentence(mistakes []Mistake, prefix, of string) string {
	var told []string
	for _, m := range mistakes[:min(len(mistakes), mostTold)] {
		told = append(told, m.Text(prefix, of))
	}
	if more := len(mistakes) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(told, "; ")
}

// Decode reads JSON into what a pointer points to, as the API server does: a field in other letters than its own is an unknown one,
// and those are passed over. The error says which field has a value of the wrong type, what that is and what it must be.
func Decode(content []byte, into any) error {
	err := kubejson.UnmarshalCaseSensitivePreserveInts(content, into)
	if err == nil {
		return nil
	}
	var value any
	if kubejson.UnmarshalCaseSensitivePreserveInts(content, &value) != nil {
		return err // It is no JSON.
	}
	wrong := slices.DeleteFunc(Types(value, Go(reflect.TypeOf(into))), func(m Mistake) bool { return m.Unknown })
	return Explain(err, wrong, "it")
}

// Convert reads an object, of which numbers may be of any type, into what a pointer points to, as Decode does.
func Convert(object map[string]any, into any) error {
	if small(object) && reflect.ValueOf(into).Elem().IsZero() {
		if runtime.DefaultUnstructuredConverter.FromUnstructured(object, into) == nil {
			return nil
		}
		reflect.ValueOf(into).Elem().SetZero() // What is wrong is for Decode to say.
	}
	content, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return Decode(content, into)
}

// small reports whether every number in a value fits any type of Go that an object has for it: the converter of Kubernetes's libraries, which takes
// half of the time, does not look.
func small(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			if !small(inner) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(inner any) bool { return !small(inner) })
	case int64:
		return v >= 0 && v <= math.MaxInt32
	case float64: // What protobuf makes of every number.
		return v == math.Trunc(v) && v >= 0 && v <= math.MaxInt32
	case string, bool, nil:
	default:
		return false
	}
	return true
}

// Explain returns an error from decoding in the words of the mistakes that were found in what was decoded, where there are any. It
// never names a type of Go; of names the kind.
func Explain(err error, found []Mistake, of string) error {
	if err == nil {
		return nil
	}
	if told := Sentence(found, "", of); told != "" {
		return errors.New(told)
	}
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%s is a %s, but must be %s", wrong.Field, wrong.Value, Words(Go(wrong.Type)))
	}
	if strings.Contains(err.Error(), "cannot unmarshal") {
		return errors.New("a value in it is not of the type that its field takes")
	}
	return err
}
