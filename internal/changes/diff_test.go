package changes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestDifferences(t *testing.T) {
	cases := map[string]struct {
		old, new string
		want     []FieldChange
		// reordered is set where items that are taken back come last.
		reordered bool
	}{
		"nothing":                   {old: "a: {b: [1, 2]}", new: "a: {b: [1, 2]}"},
		"a value":                   {old: "a: {b: 1}", new: "a: {b: 2}", want: []FieldChange{{Path: "a.b", Old: 1., New: 2.}}},
		"one more, one less":        {old: "{a: 1}", new: "{b: 2}", want: []FieldChange{{Path: "a", Old: 1.}, {Path: "b", New: 2.}}},
		"another type":              {old: "a: {b: 1}", new: "a: x", want: []FieldChange{{Path: "a", Old: map[string]any{"b": 1.}, New: "x"}}},
		"an item":                   {old: "a: [1, 2]", new: "a: [1, 3]", want: []FieldChange{{Path: "a[1]", Old: 2., New: 3.}}},
		"items without names":       {old: "a: [1]", new: "a: [1, 2]", want: []FieldChange{{Path: "a", Old: []any{1.}, New: []any{1., 2.}}}},
		"within an item with name":  {reordered: true, old: "a: [{name: x, v: 1}, {name: w}]", new: "a: [{name: w}, {name: x, v: 2}, {name: z}]", want: []FieldChange{{Path: "a[name=x].v", Old: 1., New: 2.}, {Path: "a[name=z]", New: map[string]any{"name": "z"}}}},
		"an item less":              {reordered: true, old: "a: [{name: x}, {name: w}]", new: "a: [{name: w}]", want: []FieldChange{{Path: "a[name=x]", Old: map[string]any{"name": "x"}}}},
		"another name in the place": {old: "a: [{name: x, v: 1}]", new: "a: [{name: w, v: 1}]", want: []FieldChange{{Path: "a[0].name", Old: "x", New: "w"}}},
		"two of one name":           {old: "a: [{name: x}, {name: x}]", new: "a: [{name: x}]", want: []FieldChange{{Path: "a", Old: []any{map[string]any{"name": "x"}, map[string]any{"name": "x"}}, New: []any{map[string]any{"name": "x"}}}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var old, now map[string]any
			for text, into := range map[string]*map[string]any{c.old: &old, c.new: &now} {
				if err := yaml.Unmarshal([]byte(text), into); err != nil {
					t.Fatal(err)
				}
			}
			if c.old == c.new {
				old = now
			}
			var got []FieldChange
			for _, d := range differences("", old, now) {
				got = append(got, d.change())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			// Each field as it was, gives what was; none, what is.
			if diff := cmp.Diff(any(old), walk("", old, now, func(difference) bool { return true })); diff != "" && !c.reordered {
				t.Errorf("taken back: -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(any(now), walk("", old, now, func(difference) bool { return false })); diff != "" {
				t.Errorf("kept: -want, +got:\n%s", diff)
			}
		})
	}
}
