package journal

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// fieldDepth is how deep fields are named: spec.resources and metadata.annotations.name, but not what is inside.
const fieldDepth = 3

// identifying fields say which object, and which state of it, is meant.
var identifying = []string{"apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.resourceVersion"}

// fields are the names of those that a patch sets and removes. It says nothing of their values.
type fields struct{ set, removed []string }

func (f fields) none() bool { return len(f.set)+len(f.removed) == 0 }

func (f fields) keysAndValues() []any {
	var all []any
	for _, part := range []struct {
		key   string
		names []string
	}{{"set", f.set}, {"removed", f.removed}} {
		if len(part.names) > 0 {
			all = append(all, part.key, slices.Compact(slices.Sorted(slices.Values(part.names))))
		}
	}
	return all
}

// fieldsOf returns what a patch changes, by its type.
func fieldsOf(kind types.PatchType, patch []byte) fields {
	var found fields
	if kind == types.JSONPatchType {
		found.readOperations(patch)
		return found
	}
	content := map[string]any{}
	if json.Unmarshal(patch, &content) == nil {
		found.read(nil, content)
	}
	return found
}

// read takes in the fields of a merge patch, or of an object that is applied.
func (f *fields) read(path []string, content map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(content)) {
		at := append(slices.Clone(path), key)
		name := strings.Join(at, ".")
		inner, isMap := content[key].(map[string]any)
		switch {
		case slices.Contains(identifying, name):
		case content[key] == nil:
			f.removed = append(f.removed, name)
		case isMap && len(at) < fieldDepth:
			f.read(at, inner)
		default:
			f.set = append(f.set, name)
		}
	}
}

// readOperations takes in the fields of a JSON patch (RFC 6902).
func (f *fields) readOperations(patch []byte) {
	var operations []struct{ Op, Path string }
	if json.Unmarshal(patch, &operations) != nil {
		return
	}
	for _, o := range operations {
		segments := strings.Split(strings.TrimPrefix(o.Path, "/"), "/")
		for i, s := range segments {
			segments[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
		}
		name := strings.Join(segments[:min(len(segments), fieldDepth)], ".")
		switch {
		case o.Op == "test" || slices.Contains(identifying, name):
		case o.Op == "remove":
			f.removed = append(f.removed, name)
		default:
			f.set = append(f.set, name)
		}
	}
}
