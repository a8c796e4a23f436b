package changes

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

// mostCauses is for how many changed fields each is tried without: a try composes everything once more.
const mostCauses = 40

// A cause is one change of the manifests.
type cause struct {
	FieldChange
	// object is the one that is changed, without what is said here.
	without *unstructured.Unstructured
	of      *unstructured.Unstructured
}

// attribute finds out without which change of the manifests an item would not be: it plays each of them back alone.
func (m *maker) attribute(ctx context.Context, plan *Plan, items []Item, before *preview.Preview) error {
	causes := m.causes()
	if len(causes) > mostCauses {
		plan.Notes = append(plan.Notes, "the manifests change too much to say which field is the cause of what")
		return nil
	}
	anyway := m.keysOf(before)
	for _, c := range causes {
		var manifests []*unstructured.Unstructured
		for _, o := range m.Manifests {
			switch {
			case o != c.of:
				manifests = append(manifests, o)
			case c.without != nil:
				manifests = append(manifests, c.without)
			}
		}
		objects := overlay(m.Live, manifests)
		still := map[string]bool{}
		if slices.ContainsFunc(objects, preview.IsComposite) {
			made, err := m.play(ctx, objects)
			if err != nil {
				return err
			}
			still = m.keysOf(made)
		}
		for i := range items {
			if items[i].Of == items[i].Resource.Reference && items[i].Action != Hold {
				continue // The manifest itself says what it changes.
			}
			if key := items[i].key(); !still[key] && !anyway[key] {
				items[i].Because = append(items[i].Because, c.FieldChange)
			}
		}
	}
	for i := range items {
		if len(causes) > 0 && anyway[items[i].key()] && items[i].Action != Leave && items[i].Action != Hold {
			items[i].Reason = cmp.Or(items[i].Reason, "happens without the manifests, too")
		}
	}
	return nil
}

// keysOf returns the keys of the items of a preview.
func (m *maker) keysOf(p *preview.Preview) map[string]bool {
	keys := map[string]bool{}
	if p == nil {
		return keys
	}
	items, _ := m.itemsOf(p, nil, nil)
	for _, item := range append(items, heldAndLeft(p)...) {
		keys[item.key()] = true
		if item.Action == Create || item.Action == Delete { // Either may be half of a replacement.
			item.Action = Replace
			keys[item.key()] = true
		}
	}
	return keys
}

// key tells an item from others, and from another change of the same resource.
func (i Item) key() string {
	raw, err := json.Marshal([]any{i.Action, i.Resource.Reference, i.Of, i.Fields, i.Spec, i.Count})
	if err != nil {
		return err.Error() // It comes from JSON.
	}
	return string(raw)
}

// causes returns all that the manifests change.
func (m *maker) causes() []cause {
	var causes []cause
	for _, o := range m.Manifests {
		reference := referenceTo(o)
		i := slices.IndexFunc(m.Live, func(live *unstructured.Unstructured) bool { return preview.SameObject(o, live) })
		if i < 0 {
			causes = append(causes, cause{FieldChange: FieldChange{Object: &reference}, of: o})
			continue
		}
		before, after := asked(m.Live[i]), asked(o)
		for _, d := range differences("", before, after) {
			change := d.change()
			change.Object = &reference
			kept := walk("", before, after, func(other difference) bool { return other.path == d.path })
			without := o.DeepCopy()
			put(without, kept.(map[string]any))
			causes = append(causes, cause{FieldChange: change, without: without, of: o})
		}
	}
	return causes
}

// asked returns what a user asks for by an object: what others write into it is not.
func asked(o *unstructured.Unstructured) map[string]any {
	out := map[string]any{}
	for name, value := range o.Object {
		if name != "metadata" && name != "status" && name != "apiVersion" && name != "kind" {
			out[name] = value
		}
	}
	if spec, ok := out["spec"].(map[string]any); ok && composite.IsGroup(o.GroupVersionKind().Group) {
		copied := map[string]any{}
		for name, value := range spec {
			if name != "crossplane" {
				copied[name] = value
			}
		}
		out["spec"] = copied
	}
	metadata := map[string]any{}
	if labels := o.GetLabels(); len(labels) > 0 {
		metadata["labels"] = texts(labels)
	}
	annotations := o.GetAnnotations()
	delete(annotations, lastApplied)
	if len(annotations) > 0 {
		metadata["annotations"] = texts(annotations)
	}
	if len(metadata) > 0 {
		out["metadata"] = metadata
	}
	return out
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func texts(of map[string]string) map[string]any {
	out := map[string]any{}
	for name, value := range of {
		out[name] = value
	}
	return out
}

// put makes an object ask for what is given.
func put(o *unstructured.Unstructured, content map[string]any) {
	crossplane, kept, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "crossplane")
	for name, value := range content {
		if name != "metadata" {
			o.Object[name] = value
		}
	}
	if kept {
		_ = unstructured.SetNestedField(o.Object, crossplane, "spec", "crossplane") // It was there.
	}
	labels, _, _ := unstructured.NestedStringMap(content, "metadata", "labels")
	annotations, _, _ := unstructured.NestedStringMap(content, "metadata", "annotations")
	o.SetLabels(labels)
	o.SetAnnotations(annotations)
}
