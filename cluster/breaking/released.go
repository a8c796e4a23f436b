package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// Files below the root of the checkout.
const (
	releasedDir  = "package/released"
	acceptedFile = "package/released/accepted.yaml"
	upgradePage  = "docs/upgrade.md"
	versionFile  = "package/version.txt"
)

// An acceptance is a change that breaks something and was decided on.
type acceptance struct {
	// Change is how the change is told, see change.String.
	Change string `json:"change"`
	Why    string `json:"why"`
}

// check returns what is wrong: changes that nobody has accepted, and acceptances that stand for nothing, give no reason, or are told to no user.
func check(root string, now definitions) ([]string, error) {
	released, err := ofRelease(filepath.Join(root, releasedDir))
	if err != nil {
		return nil, err
	}
	accepted, err := acceptances(root)
	if err != nil {
		return nil, err
	}
	page, err := os.ReadFile(filepath.Join(root, upgradePage))
	if err != nil {
		return nil, err
	}
	found, err := changes(released, now)
	if err != nil {
		return nil, err
	}
	return judged(found, accepted, string(page)), nil
}

// judged holds changes against those that are accepted, and these against the page for users.
func judged(found []change, accepted []acceptance, page string) []string {
	var problems []string
	for _, c := range found {
		i := slices.IndexFunc(accepted, func(a acceptance) bool { return a.Change == c.String() })
		switch {
		case i < 0:
			problems = append(problems, c.String())
		case accepted[i].Why == "":
			problems = append(problems, c.String()+": is accepted without a reason")
		case !strings.Contains(page, c.field()):
			problems = append(problems, fmt.Sprintf("%s: is accepted, but %s does not tell of %s", c, upgradePage, c.field()))
		}
	}
	for _, a := range accepted {
		if !slices.ContainsFunc(found, func(c change) bool { return c.String() == a.Change }) {
			problems = append(problems, a.Change+": is accepted, but there is no such change")
		}
	}
	return problems
}

func acceptances(root string) ([]acceptance, error) {
	content, err := os.ReadFile(filepath.Join(root, acceptedFile))
	if err != nil {
		return nil, err
	}
	var all []acceptance
	if err := yaml.UnmarshalStrict(content, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", acceptedFile, err)
	}
	return all, nil
}

// ofRelease reads the definitions that release has written.
func ofRelease(dir string) (definitions, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no definitions", dir)
	}
	all := definitions{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		d := &extv1.CustomResourceDefinition{}
		if err := json.Unmarshal(content, d); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, v := range d.Spec.Versions {
			undocument(v.Schema.OpenAPIV3Schema) // Defaults are indented like all else in the file.
		}
		all[d.Name] = d
	}
	return all, nil
}

// release makes definitions those of the last release, of which nothing has been broken yet.
func release(root string, now definitions) error {
	dir := filepath.Join(root, releasedDir)
	old, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, d := range now {
		content, err := json.MarshalIndent(d, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".json"), append(content, '\n'), 0o644); err != nil {
			return err
		}
	}
	version, err := os.ReadFile(filepath.Join(root, versionFile))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "version.txt"), version, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, acceptedFile), []byte("# Changes since the last release that break something and were decided on: change, as make breaking prints it, and why.\n[]\n"), 0o644)
}
