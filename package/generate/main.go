// Command generate writes everything that follows from the Go types under apis: their DeepCopy methods, one
// CompositeResourceDefinition and one Composition per kind under package/configuration, and docs/kinds.md.
//
// The same types always give the same bytes. Run it from the root of the checkout: go run ./package/generate
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// run generates all files of the checkout at root and writes those that changed. Definitions of kinds that are gone are
// removed.
func run(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	stale, err := staleFiles(root, files)
	if err != nil {
		return err
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(root, name)); err != nil {
			return fmt.Errorf("removing a file that is no longer generated: %w", err)
		}
	}
	return files.write(root)
}

// generate returns every generated file of the checkout at root, without touching the disk.
func generate(root string) (fileSet, error) {
	files := fileSet{}
	if err := addDeepCopy(files, root); err != nil {
		return nil, fmt.Errorf("generating DeepCopy methods: %w", err)
	}
	crds, err := loadCRDs(root)
	if err != nil {
		return nil, fmt.Errorf("reading the kinds under apis: %w", err)
	}
	for _, crd := range crds {
		xrd, err := definition(crd)
		if err != nil {
			return nil, fmt.Errorf("making the definition of %s: %w", crd.Spec.Names.Kind, err)
		}
		file, err := claimable(xrd)
		if err != nil {
			return nil, fmt.Errorf("making the definition of %s: %w", crd.Spec.Names.Kind, err)
		}
		dir := filepath.Join(configurationDir, crd.Spec.Names.Plural)
		if err := files.addYAML(filepath.Join(dir, "definition.yaml"), file); err != nil {
			return nil, err
		}
		if err := files.addYAML(filepath.Join(dir, "composition.yaml"), composition(xrd)); err != nil {
			return nil, err
		}
	}
	files[referenceFile] = reference(crds)
	return files, nil
}

// staleFiles lists the definitions and Compositions on disk that files does not have.
func staleFiles(root string, files fileSet) ([]string, error) {
	var stale []string
	for _, name := range []string{"definition.yaml", "composition.yaml"} {
		found, err := fs.Glob(os.DirFS(root), filepath.ToSlash(filepath.Join(configurationDir, "*", name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, f := range found {
			if _, ok := files[filepath.FromSlash(f)]; !ok {
				stale = append(stale, f)
			}
		}
	}
	slices.Sort(stale)
	return stale, nil
}
