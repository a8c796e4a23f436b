package compatibility

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/semver"
)

func TestOthers(t *testing.T) {
	all, err := Parts(checkout)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, o := range Others() {
		if names[o.Name()] {
			t.Errorf("%s is there twice", o.Name())
		}
		names[o.Name()] = true
		i := slices.IndexFunc(all, func(p Part) bool { return p.Name == o.Part })
		if i < 0 || !slices.Contains(together, o.Part) {
			t.Errorf("%s runs in no end-to-end test", o.Part)
			continue
		}
		if !semver.IsValid(o.Version) || o.Version == all[i].Version {
			t.Errorf("%s is the version that runs anyway, or none", o.Name())
		}
		if _, module := o.Dir(); module != all[i].module {
			t.Errorf("%s is made by module %s, want %s", o.Name(), module, all[i].module)
		}
	}
	if !names["cluster-api-v1.13.6"] {
		t.Errorf("names: %v", names)
	}
}

// TestEditsFit would fail when what a row of the table edits has changed.
func TestEditsFit(t *testing.T) {
	for _, o := range Others() {
		root := t.TempDir()
		for _, e := range o.Edits {
			copyFile(t, e.File, root)
		}
		if err := o.Edit(root); err != nil {
			t.Error(err)
		}
		for _, e := range o.Edits {
			edited, err := os.ReadFile(filepath.Join(root, e.File))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(edited), e.New) {
				t.Errorf("%s: %s has no %q", o.Name(), e.File, e.New)
			}
		}
		if len(o.Edits) == 0 {
			continue
		}
		if err := o.Edit(root); err == nil {
			t.Errorf("%s was edited twice", o.Name())
		}
	}
}

func TestScenariosExist(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(checkout, "cluster/local/e2e/*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	for _, name := range Scenarios() {
		if !strings.Contains(all.String(), fmt.Sprintf("= &scenario{\n\tname: %q,", name)) {
			t.Errorf("there is no scenario %s", name)
		}
	}
}

func TestRequire(t *testing.T) {
	const content = `module m

go 1.26.0

require (
	example.org/both v1.3.0
	example.org/deep v1.4.0 // indirect
	example.org/other v1.2.3
	k8s.io/api v0.36.3 // indirect
	k8s.io/kubectl v0.0.0
	k8s.io/kubernetes v1.36.3
	k8s.io/new v0.0.0 // indirect
)

replace (
	k8s.io/api => k8s.io/api v0.36.3
	k8s.io/kubectl => k8s.io/kubectl v0.36.3
	k8s.io/new => k8s.io/new v0.36.3
)
`
	const upstream = `module k8s.io/kubernetes

require (
	example.org/both v1.2.0
	example.org/deep v1.3.0
	k8s.io/api v0.0.0
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/former => ./staging/src/k8s.io/former
	k8s.io/kubectl => ./staging/src/k8s.io/kubectl
	example.org/forked => example.org/fork v1.0.0
)
`
	const want = `module m

go 1.26.0

require (
	example.org/both v1.2.0
	example.org/deep v1.3.0 // indirect
	example.org/other v1.2.3
	k8s.io/api v0.35.4 // indirect
	k8s.io/kubectl v0.0.0
	k8s.io/kubernetes v1.35.4
)

replace (
	k8s.io/api => k8s.io/api v0.35.4
	k8s.io/kubectl => k8s.io/kubectl v0.35.4
)

replace k8s.io/former => k8s.io/former v0.35.4
`
	got, err := Require([]byte(content), []byte(upstream), "k8s.io/kubernetes", "v1.35.4")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if _, err := Require([]byte("nonsense"), []byte(upstream), "k8s.io/kubernetes", "v1.35.4"); err == nil {
		t.Error("a file that is no go.mod was changed")
	}
}

func TestRecordOther(t *testing.T) {
	root, ranIn := t.TempDir(), t.TempDir()
	for _, p := range parts {
		copyFile(t, p.file, ranIn)
	}
	if err := os.MkdirAll(filepath.Join(root, "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := Other{Part: crossplane, Version: "v2.0.1"}
	for _, result := range []Result{NotBuilt, Failed} {
		if err := RecordOther(root, ranIn, o, Run{Date: "2026-11-28", Result: result, Reason: "It is old."}); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := Runs(root)
	if err != nil {
		t.Fatal(err)
	}
	last := Last(runs)
	if len(runs) != 2 || len(last) != 1 || last["crossplane-v2.0.1"].Result != Failed || last["crossplane-v2.0.1"].Reason != "It is old." {
		t.Errorf("of the runs %v the last are %v", runs, last)
	}
	all, err := Parts(ranIn)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, p := range all {
		if slices.Contains(together, p.Name) {
			want[p.Name] = p.Version
		}
	}
	want[crossplane] = "v2.0.1"
	if diff := cmp.Diff(want, runs[0].Versions); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	for name, line := range map[string]string{
		"NoResult":     `{"target":"compatibility","other":"crossplane-v2.0.1"}`,
		"NoName":       `{"target":"compatibility","result":"passed"}`,
		"OtherCommand": `{"target":"e2e","other":"crossplane-v2.0.1","result":"passed"}`,
		"OtherResult":  `{"target":"compatibility","other":"crossplane-v2.0.1","result":"good"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(root, RunsFile), []byte(line), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Runs(root); err == nil || !strings.Contains(err.Error(), "line 1: ") {
				t.Errorf("Runs() = %v", err)
			}
		})
	}
}

// copyFile copies a file of the checkout to the same place below root.
func copyFile(t *testing.T, file, root string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(checkout, file))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
