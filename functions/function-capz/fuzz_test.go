package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/preview"
	"github.com/crossplane-capz/crossplane-capz/internal/test/hostile"
)

// FuzzRead reads anything as a stream of YAML documents. What is read is read the same again.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "---", "{}", "a: 1\n---\nb: 2", "a: &a [*a]", "a: 1\na: 2", "? [a]\n: b", "a: 1e400", "a: \"\\0\"", "a: \xff", "- a", "a", "a: !!binary x", "\ufeffa: 1", "a: {<<: 1}", "# no more"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		objects, err := readString(t, raw)
		if err != nil {
			return
		}
		again, err := readString(t, raw)
		if err != nil {
			t.Fatalf("read once, and not again: %v", err)
		}
		_, _ = marshal(objects)
		if diff := cmp.Diff(objects, again); diff != "" {
			t.Errorf("read twice:\n%s", diff)
		}
	})
}

// TestReadRefuses shows where what cannot be meant stands.
func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\n---\nspec:\n  b: 1\n  b: 2\n": `document 2: error converting YAML to JSON: yaml: unmarshal errors:` + "\n" + `  line 3: key "b" already set in map`,
		"a: &a [*a]":                         "document 1: error converting YAML to JSON: yaml: anchor 'a' value contains itself",
		"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n" +
			"e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]": "document 1: error converting YAML to JSON: yaml: document contains excessive aliasing",
	} {
		if _, err := readString(t, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

func readString(t *testing.T, raw []byte) ([]*unstructured.Unstructured, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.yaml")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return read(file)
}

// FuzzPreview changes one object of an example. It has a preview or an error, the same each time.
func FuzzPreview(f *testing.F) {
	var examples [][]*unstructured.Unstructured
	for _, name := range []string{"aks-aso", "aks"} {
		files, err := manifests([]string{filepath.Join("..", "..", "examples", name)})
		if err != nil {
			f.Fatal(err)
		}
		var objects []*unstructured.Unstructured
		for _, file := range files {
			more, err := read(file)
			if err != nil {
				f.Fatal(err)
			}
			objects = append(objects, more...)
		}
		examples = append(examples, objects)
	}
	for what := range 64 {
		f.Add([]byte{byte(what), byte(what / 2), byte(what / 3), byte(what), byte(what)})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		previewed := func() (string, string) {
			var objects []*unstructured.Unstructured
			for _, o := range examples[int(data[0])%len(examples)] {
				objects = append(objects, o.DeepCopy())
			}
			at := int(data[1]) % len(objects)
			objects[at].Object = hostile.Object(objects[at].Object, data[2:])
			made, err := preview.Make(context.Background(), &Function{log: logging.NewNopLogger()}, objects)
			if err != nil {
				return "", err.Error()
			}
			out, err := marshal(made.Resources)
			if err != nil {
				t.Fatal(err)
			}
			return string(out), cmp.Diff(nil, made.Problems)
		}
		out, said := previewed()
		if again, saidAgain := previewed(); again != out || saidAgain != said {
			t.Errorf("two previews of the same:\n%s\n%s", cmp.Diff(out, again), cmp.Diff(said, saidAgain))
		}
	})
}
