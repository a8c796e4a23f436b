package check

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

var root = os.DirFS("../../..")

// TestDocumentation checks the pages at the root, in docs/ and in examples/.
func TestDocumentation(t *testing.T) {
	var pages []*Page
	files, err := fs.Glob(root, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(files, pagesBelow(t, "docs"), pagesBelow(t, "examples")) {
		pages = append(pages, Read(file, read(t, file)))
	}
	c := Checker{Root: root, Targets: targets(t), Subcommands: subcommands(t)}
	for _, p := range c.Check(pages) {
		t.Error(p)
	}
}

// TestSections holds docs/ and the order of the pages on the site together.
func TestSections(t *testing.T) {
	var sections []struct {
		Pages []string `yaml:"pages"`
	}
	if err := yaml.Unmarshal(read(t, "docs/site/hugo/assets/sections.yaml"), &sections); err != nil {
		t.Fatal(err)
	}
	var listed, there []string
	for _, s := range sections {
		listed = append(listed, s.Pages...)
	}
	for _, file := range pagesBelow(t, "docs") {
		if !strings.HasPrefix(file, "docs/site/") {
			there = append(there, strings.TrimSuffix(strings.TrimPrefix(file, "docs/"), ".md"))
		}
	}
	slices.Sort(listed)
	slices.Sort(there)
	if diff := cmp.Diff(there, listed); diff != "" {
		t.Errorf("docs/site/hugo/assets/sections.yaml names each page of docs/ once: -docs +sections:\n%s", diff)
	}
}

// pagesBelow returns the pages of a folder.
func pagesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := fs.WalkDir(root, dir, func(file string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path.Ext(file) == ".md" {
			all = append(all, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatalf("there is no page below %s", dir)
	}
	return all
}

func targets(t *testing.T) []string {
	return found(t, `(?m)^\.PHONY: (.+)$`, "Makefile")
}

func subcommands(t *testing.T) []string {
	files, err := fs.Glob(root, "cluster/kubectl-capz/*.go")
	if err != nil {
		t.Fatal(err)
	}
	// cobra brings one of its own.
	return append(found(t, `Use:\s+"([a-z]+)`, files...), "completion")
}

// found returns what the first group of an expression matches in files.
func found(t *testing.T, expression string, files ...string) []string {
	t.Helper()
	var all []string
	for _, file := range files {
		for _, m := range regexp.MustCompile(expression).FindAllSubmatch(read(t, file), -1) {
			all = append(all, string(m[1]))
		}
	}
	if len(all) == 0 {
		t.Fatalf("nothing in %v matches %s", files, expression)
	}
	return all
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := fs.ReadFile(root, file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
