package compatibility

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const checkout = "../.."

func TestParts(t *testing.T) {
	all, err := Parts(checkout)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if !strings.HasPrefix(p.Version, "v") {
			t.Errorf("%s has version %q", p.Name, p.Version)
		}
	}
}

// TestLibrariesAreOfTheParts compares the versions that the code is built with, with those that run.
func TestLibrariesAreOfTheParts(t *testing.T) {
	all, err := Parts(checkout)
	if err != nil {
		t.Fatal(err)
	}
	for name, module := range map[string]string{
		aso: "github.com/Azure/azure-service-operator/v2", clusterAPI: "sigs.k8s.io/cluster-api/api", crossplane: "github.com/crossplane/crossplane/apis/v2",
	} {
		version, err := Required(filepath.Join(checkout, "go.mod"), module)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(p Part) bool { return p.Name == name })
		if all[i].Version != version {
			t.Errorf("%s runs in version %s, but the code is built with %s", name, all[i].Version, version)
		}
	}
}

// TestTargets has every command in the Makefile.
func TestTargets(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(checkout, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Commands() {
		if !strings.Contains(string(makefile), ".PHONY: "+c.Target+"\n") {
			t.Errorf("there is no make %s", c.Target)
		}
		for _, name := range c.parts {
			if !slices.ContainsFunc(parts, func(p Part) bool { return p.Name == name }) {
				t.Errorf("make %s runs %s, which is no part", c.Target, name)
			}
		}
	}
}

func TestRecord(t *testing.T) {
	root := t.TempDir()
	for _, p := range parts {
		content, err := os.ReadFile(filepath.Join(checkout, p.file))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, p.file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if runs, err := Runs(root); err != nil || runs != nil {
		t.Errorf("before anything ran there are %v, %v", runs, err)
	}
	schema, _ := Lookup("schema")
	first := Run{Date: "2026-11-27", Commit: "abc", Go: "go1.26.8", Seconds: 61}
	for range 2 {
		if err := Record(root, schema, first); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := Runs(root)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Parts(root)
	if err != nil {
		t.Fatal(err)
	}
	first.Target, first.Versions = "schema", map[string]string{kubernetes: all[0].Version, etcd: all[1].Version}
	if diff := cmp.Diff([]Run{first, first}, runs); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(filepath.Join(root, RunsFile), []byte(`{"target":"nonsense"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Runs(root); err == nil || !strings.Contains(err.Error(), "line 1: make nonsense runs no parts") {
		t.Errorf("a target that there is not: %v", err)
	}
}
