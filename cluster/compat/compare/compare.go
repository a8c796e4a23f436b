// Package compare finds the fields in which two sides differ.
package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/sides"
)

// A Difference is one field that CAPZ and this project set to different values; nil stands for absent.
type Difference struct {
	// Object is kind and name, Path the field, as in spec.tags.Name.
	Object, Path string
	CAPZ, Ours   any
}

func (d Difference) String() string {
	return fmt.Sprintf("%s %s: CAPZ %s, ours %s", d.Object, d.Path, written(d.CAPZ), written(d.Ours))
}

func written(v any) string {
	b, err := json.Marshal(v)
	if err != nil || v == nil {
		return "nothing"
	}
	return string(b)
}

// notCompared are fields that are decided elsewhere: whose the object is, whether ASO touches Azure, and Crossplane's own.
var notCompared = []string{"metadata.ownerReferences", "metadata.uid", "metadata.creationTimestamp", "metadata.resourceVersion", "metadata.namespace",
	"metadata.annotations.serviceoperator.azure.com/reconcile-policy", "metadata.annotations.infrastructure.cluster.x-k8s.io/ownership",
	"metadata.annotations.crossplane.io/composition-resource-name", "metadata.labels.crossplane.io/composite"}

// Answers returns the differences between what the two sides make of a spec.
func Answers(capz, ours *sides.Answer) []Difference {
	var all []Difference
	for _, object := range union(capz.Objects, ours.Objects) {
		a, b := capz.Objects[object], ours.Objects[object]
		switch {
		case a == nil || b == nil:
			all = append(all, Difference{Object: object, Path: "", CAPZ: existence(capz, object), Ours: existence(ours, object)})
		default:
			all = append(all, fields(object, "", plain(a), plain(b))...)
		}
	}
	for _, object := range union(capz.Failures, ours.Failures) {
		if capz.Objects[object] == nil && ours.Objects[object] == nil && (capz.Failures[object] == "") != (ours.Failures[object] == "") {
			all = append(all, Difference{Object: object, CAPZ: existence(capz, object), Ours: existence(ours, object)})
		}
	}
	return all
}

// Objects returns the differences between what the two sides make of an object. A field without a value counts as one that is not there.
func Objects(object string, capz, ours map[string]any) []Difference {
	return fields(object, "", withoutEmpty(plain(capz)), withoutEmpty(plain(ours)))
}

// withoutEmpty removes what has no value, which Go types write and manifests do not have; nil if nothing is left.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for field, inner := range v {
			if v[field] = withoutEmpty(inner); v[field] == nil {
				delete(v, field)
			}
		}
		if len(v) > 0 {
			return v
		}
	case []any:
		for i := range v {
			v[i] = withoutEmpty(v[i])
		}
		if len(v) > 0 {
			return v
		}
	case string:
		if v != "" {
			return v
		}
	default:
		return v
	}
	return nil
}

// existence says in words whether a side makes an object.
func existence(a *sides.Answer, object string) any {
	switch {
	case a.Objects[object] != nil:
		return "an object"
	case a.Failures[object] != "":
		return "failure: " + a.Failures[object]
	}
	return nil
}

func union[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// plain returns the value as JSON makes it, so that types of numbers and empty fields do not count.
func plain(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		return err.Error()
	}
	return out
}

func fields(object, path string, a, b any) []Difference {
	if slices.Contains(notCompared, path) || reflect.DeepEqual(a, b) {
		return nil
	}
	ma, aIsMap := a.(map[string]any)
	mb, bIsMap := b.(map[string]any)
	if aIsMap && bIsMap {
		var all []Difference
		for _, field := range union(ma, mb) {
			all = append(all, fields(object, strings.TrimPrefix(path+"."+field, "."), ma[field], mb[field])...)
		}
		return all
	}
	la, aIsList := a.([]any)
	lb, bIsList := b.([]any)
	if aIsList && bIsList && len(la) == len(lb) {
		var all []Difference
		for i := range la {
			all = append(all, fields(object, fmt.Sprintf("%s[%d]", path, i), la[i], lb[i])...)
		}
		return all
	}
	return []Difference{{Object: object, Path: path, CAPZ: a, Ours: b}}
}
