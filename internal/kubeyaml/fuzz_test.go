package kubeyaml

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse shows that what was read and written is read the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "---", "{}", "null", "[]", "kind: A", "apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B\n", `{"apiVersion": "v1", "kind": "A"}{"kind": "B"}`, "a: &a [*a]",
		"kind: A\nkind: B", "kind: A\nn: 1e400", "kind: A\nn: 99999999999999999999", "kind: A\nn: -0", "kind: A\nn: .inf", "? [a]\n: b", "kind: A\n!!binary x: y", "kind: A\n1: 2",
		"kind: \"\\0\"", "kind: A\nx: \xff", "\ufeffkind: A", "kind: A\n--- \nkind: B\n...\n---\n# no more", strings.Repeat("[", 20000), strings.Repeat("a:\n ", 300),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		objects, err := Parse(raw)
		if err != nil {
			return
		}
		var again strings.Builder
		for _, o := range objects {
			text, err := o.MarshalJSON() // YAML has characters that the library writes and does not read.
			if err != nil {
				t.Fatal(err)
			}
			again.Write(text)
		}
		reread, err := Parse([]byte(again.String()))
		if err != nil {
			t.Fatalf("%v of\n%s", err, again.String())
		}
		if diff := cmp.Diff(objects, reread); diff != "" {
			t.Errorf("written and read again:\n%s", diff)
		}
	})
}
