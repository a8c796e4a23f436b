package e2e

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// on expects something of an object, which has to exist.
func on(gvk schema.GroupVersionKind, name string, check func(u *unstructured.Unstructured) []string) expectation {
	return func(w *world) []string {
		u, err := w.get(gvk, name)
		switch {
		case err != nil:
			return []string{err.Error()}
		case u == nil:
			return []string{fmt.Sprintf("%s %s does not exist", gvk.Kind, name)}
		}
		return check(u)
	}
}

// exists expects an object.
func exists(gvk schema.GroupVersionKind, name string) expectation {
	return on(gvk, name, func(*unstructured.Unstructured) []string { return nil })
}

// gone expects that an object does not exist.
func gone(gvk schema.GroupVersionKind, name string) expectation {
	return func(w *world) []string {
		u, err := w.get(gvk, name)
		switch {
		case err != nil:
			return []string{err.Error()}
		case u != nil:
			return []string{fmt.Sprintf("%s %s is still there%s", gvk.Kind, name, finalizers(u))}
		}
		return nil
	}
}

// field expects a field, given as in "status.version", to have a value; nil stands for absent.
func field(gvk schema.GroupVersionKind, name, path string, want any) expectation {
	return on(gvk, name, func(u *unstructured.Unstructured) []string {
		have, _, _ := unstructured.NestedFieldNoCopy(u.Object, strings.Split(path, ".")...)
		if fmt.Sprint(have) != fmt.Sprint(want) {
			return []string{fmt.Sprintf("%s of %s %s is %v, want %v", path, gvk.Kind, name, have, want)}
		}
		return nil
	})
}

// annotated expects an annotation; nil stands for absent.
func annotated(gvk schema.GroupVersionKind, name, annotation string, want *string) expectation {
	return on(gvk, name, func(u *unstructured.Unstructured) []string {
		have, found := u.GetAnnotations()[annotation]
		switch {
		case want == nil && found:
			return []string{fmt.Sprintf("%s %s has annotation %s=%q", gvk.Kind, name, annotation, have)}
		case want != nil && (!found || have != *want):
			return []string{fmt.Sprintf("annotation %s of %s %s is %q, want %q", annotation, gvk.Kind, name, have, *want)}
		}
		return nil
	})
}

// mapsAt returns the maps in a list.
func mapsAt(u *unstructured.Unstructured, fields ...string) []map[string]any {
	list, _, _ := unstructured.NestedSlice(u.Object, fields...)
	var out []map[string]any
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// conditions returns the conditions that the contract reads of an object: ours are in status.v1beta2.
func conditions(u *unstructured.Unstructured) []map[string]any {
	if ours := mapsAt(u, "status", "v1beta2", "conditions"); len(ours) > 0 {
		return ours
	}
	return mapsAt(u, "status", "conditions")
}

// condition expects a condition with a status, whose message holds a text.
func condition(gvk schema.GroupVersionKind, name, conditionType, status, message string) expectation {
	return on(gvk, name, func(u *unstructured.Unstructured) []string {
		for _, c := range conditions(u) {
			if c["type"] != conditionType {
				continue
			}
			if c["status"] == status && strings.Contains(fmt.Sprint(c["message"]), message) {
				return nil
			}
			return []string{fmt.Sprintf("condition %s of %s %s is %v (%v: %v), want %s with %q",
				conditionType, gvk.Kind, name, c["status"], c["reason"], c["message"], status, message)}
		}
		return []string{fmt.Sprintf("%s %s has no condition %s", gvk.Kind, name, conditionType)}
	})
}

// says expects a text in a condition of an object, wherever a person looks: in status.conditions and in
// status.v1beta2.conditions.
func says(gvk schema.GroupVersionKind, name, text string) expectation {
	return on(gvk, name, func(u *unstructured.Unstructured) []string {
		all := slices.Concat(mapsAt(u, "status", "conditions"), mapsAt(u, "status", "v1beta2", "conditions"))
		var said []string
		for _, c := range all {
			message := fmt.Sprint(c["message"])
			if strings.Contains(message, text) {
				return nil
			}
			if c["status"] != "True" {
				said = append(said, fmt.Sprintf("%v: %s", c["type"], message))
			}
		}
		return []string{fmt.Sprintf("%s %s does not say %q; it says %q", gvk.Kind, name, text, said)}
	})
}

// silent expects that no condition of an object has the text any more.
func silent(gvk schema.GroupVersionKind, name, text string) expectation {
	return func(w *world) []string {
		if len(says(gvk, name, text)(w)) == 0 {
			return []string{fmt.Sprintf("%s %s still says %q", gvk.Kind, name, text)}
		}
		return nil
	}
}

// entry expects an entry in status.resources, named as in "VirtualNetwork/services", to be ready or not, with a reason
// and a message that hold the texts.
func entry(gvk schema.GroupVersionKind, name, resource string, ready bool, reason, message string) expectation {
	return on(gvk, name, func(u *unstructured.Unstructured) []string {
		for _, e := range mapsAt(u, "status", "resources") {
			of, _ := e["resource"].(map[string]any)
			if fmt.Sprintf("%v/%v", of["kind"], of["name"]) != resource {
				continue
			}
			if e["ready"] == ready && strings.Contains(fmt.Sprint(e["reason"]), reason) && strings.Contains(fmt.Sprint(e["message"]), message) {
				return nil
			}
			return []string{fmt.Sprintf("status.resources of %s %s has %s ready=%v (%v: %v), want ready=%v with %q and %q",
				gvk.Kind, name, resource, e["ready"], e["reason"], e["message"], ready, reason, message)}
		}
		return []string{fmt.Sprintf("status.resources of %s %s has no %s", gvk.Kind, name, resource)}
	})
}

// noEntry expects that status.resources lists a resource no more.
func noEntry(gvk schema.GroupVersionKind, name, resource string) expectation {
	return on(gvk, name, func(u *unstructured.Unstructured) []string {
		for _, e := range mapsAt(u, "status", "resources") {
			of, _ := e["resource"].(map[string]any)
			if fmt.Sprintf("%v/%v", of["kind"], of["name"]) == resource {
				return []string{fmt.Sprintf("status.resources of %s %s still lists %s (%v)", gvk.Kind, name, resource, e["reason"])}
			}
		}
		return nil
	})
}

var eventKind = schema.GroupVersionKind{Group: "events.k8s.io", Version: "v1", Kind: "Event"}

// warned expects a Warning Event about an object with a text in its note.
func warned(gvk schema.GroupVersionKind, name, text string) expectation {
	return warning(gvk, name, text, func(*unstructured.Unstructured) bool { return true })
}

// warnedAgain expects the same of a Warning that has been repeated.
func warnedAgain(gvk schema.GroupVersionKind, name, text string) expectation {
	return warning(gvk, name, text, func(e *unstructured.Unstructured) bool {
		_, repeated, _ := unstructured.NestedMap(e.Object, "series")
		return repeated
	})
}

func warning(gvk schema.GroupVersionKind, name, text string, is func(*unstructured.Unstructured) bool) expectation {
	return func(w *world) []string {
		events, err := w.list(eventKind)
		if err != nil {
			return []string{err.Error()}
		}
		for _, e := range events {
			about, _, _ := unstructured.NestedStringMap(e.Object, "regarding")
			note, _, _ := unstructured.NestedString(e.Object, "note")
			kind, _, _ := unstructured.NestedString(e.Object, "type")
			if kind == "Warning" && about["kind"] == gvk.Kind && about["name"] == name && strings.Contains(note, text) && is(&e) {
				return nil
			}
		}
		return []string{fmt.Sprintf("there is no Warning about %s %s with %q", gvk.Kind, name, text)}
	}
}

// note remembers a value, such as the time, under a name.
func note(name string, value func(w *world) (any, error)) func(*world) error {
	return func(w *world) error {
		v, err := value(w)
		if err != nil {
			return err
		}
		w.noted[name] = v
		return nil
	}
}

// now notes the time.
func now(name string) func(*world) error {
	return note(name, func(*world) (any, error) { return time.Now(), nil })
}

// all makes one act of several.
func all(acts ...func(*world) error) func(*world) error {
	return func(w *world) error {
		for _, act := range acts {
			if err := act(w); err != nil {
				return err
			}
		}
		return nil
	}
}
