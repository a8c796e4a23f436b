package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const checkout = "../.."

// TestGeneratedFilesAreUpToDate compares what the types and catalogues give with what is committed, in both directions.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	files, err := generate(checkout)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{rolesFile, webhooksFile} {
		if files[name] == nil {
			t.Errorf("%s is not generated", name)
		}
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(checkout, name))
		if err != nil {
			t.Errorf("%v: run `go run ./package/generate`", err)
			continue
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is out of date, run `go run ./package/generate` (-generated +found):\n%s", name, diff)
		}
	}
	stale, err := staleFiles(checkout, files)
	if err != nil {
		t.Fatal(err)
	}
	if len(stale) > 0 {
		t.Errorf("no kind stands behind %v, run `go run ./package/generate`", stale)
	}
}

// TestGenerateIsDeterministic would fail if an order of Go maps got into a file.
func TestGenerateIsDeterministic(t *testing.T) {
	first, err := generate(checkout)
	if err != nil {
		t.Fatal(err)
	}
	second, err := generate(checkout)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("two runs differ (-first +second):\n%s", diff)
	}
}

func TestWriteAndStaleFiles(t *testing.T) {
	root := t.TempDir()
	kept := filepath.Join(configurationDir, "kept", "definition.yaml")
	gone := filepath.Join(configurationDir, "gone", "composition.yaml")
	foreign := filepath.Join(configurationDir, "gone", "crossplane.yaml")
	before := fileSet{kept: []byte("old"), gone: []byte("gone"), foreign: []byte("by hand")}
	if err := before.write(root); err != nil {
		t.Fatal(err)
	}
	after := fileSet{kept: []byte("new")}
	stale, err := staleFiles(root, after)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{gone}, stale); diff != "" {
		t.Errorf("stale files (-want +got):\n%s", diff)
	}
	if err := after.write(root); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, kept))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("new", string(got)); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}
