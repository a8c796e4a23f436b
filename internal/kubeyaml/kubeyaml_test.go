package kubeyaml

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"b.yaml":     "kind: B\n---\n# Nothing but a comment.\n---\nkind: C\n",
		"a/a.yaml":   "kind: A\n",
		"a/not.yaml": "kind: Not\n",
		"d.txt":      "kind: D\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]struct {
		path   string
		except []string
		want   []string
	}{
		"Folder": {path: dir, want: []string{"A", "Not", "B", "C"}},
		"Except": {path: dir, except: []string{"not.yaml"}, want: []string{"A", "B", "C"}},
		"File":   {path: filepath.Join(dir, "b.yaml"), want: []string{"B", "C"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects, err := Read(tc.path, tc.except...)
			if err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for _, u := range objects {
				kinds = append(kinds, u.GetKind())
			}
			if diff := cmp.Diff(tc.want, kinds); diff != "" {
				t.Errorf("Read(): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestReadNamesTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wrong.yaml")
	if err := os.WriteFile(file, []byte("kind: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Read() = %v, want the file named", err)
	}
	if _, err := Read(file + ".none"); !os.IsNotExist(err) {
		t.Errorf("Read() = %v for a file that is not there", err)
	}
}

func TestParse(t *testing.T) {
	cases := map[string]struct {
		in    string
		want  []string
		fails bool
	}{
		"Empty":   {in: "# nothing\n---\n"},
		"Several": {in: "kind: A\n---\n---\nkind: B\n", want: []string{"A", "B"}},
		"Broken":  {in: "kind: [", fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects, err := Parse([]byte(tc.in))
			if (err != nil) != tc.fails {
				t.Fatalf("Parse() error = %v", err)
			}
			var got []string
			for _, u := range objects {
				got = append(got, u.GetKind())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Parse(): -want, +got:\n%s", diff)
			}
		})
	}
}
