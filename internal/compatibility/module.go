package compatibility

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Dir returns the folder of the module that the part is built in, relative to the checkout, and the path of the module that makes the part's version.
func (o Other) Dir() (dir, module string) {
	p := parts[slices.IndexFunc(parts, func(p Part) bool { return p.Name == o.Part })]
	return filepath.Dir(p.file), p.module
}

// Edit makes the edits in a checkout. It fails where a text is not in its file, or more than once.
func (o Other) Edit(root string) error {
	for _, e := range o.Edits {
		path := filepath.Join(root, e.File)
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if n := strings.Count(string(content), e.Old); n != 1 {
			return fmt.Errorf("%s has %q %d times, but once is what %s is edited by", e.File, e.Old, n, o.Name())
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(content), e.Old, e.New, 1)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Staged reports whether the part's module names libraries of the same repository without their versions, as Kubernetes does.
func (o Other) Staged() bool { return o.Part == kubernetes }

// Require returns a go.mod file with another version of a module, of which upstream is the go.mod file of that version. Libraries that upstream keeps in its
// own repository get the version that they are released in: v0.35.4 for Kubernetes v1.35.4. Those that it has no more, or not yet, go. Of what the file
// requires as upstream does, it takes upstream's version.
func Require(content, upstream []byte, module, version string) ([]byte, error) {
	file, err := modfile.Parse("go.mod", content, nil)
	if err != nil {
		return nil, err
	}
	from, err := modfile.Parse("upstream/go.mod", upstream, nil)
	if err != nil {
		return nil, err
	}
	theirs := map[string]string{}
	for _, r := range from.Require {
		theirs[r.Mod.Path] = r.Mod.Version
	}
	staged := map[string]bool{}
	for _, r := range from.Replace {
		if r.New.Version == "" {
			staged[r.Old.Path] = true
		}
	}
	library := "v0" + strings.TrimPrefix(version, "v1")
	was := map[string]bool{}
	for _, r := range slices.Clone(file.Replace) {
		was[r.Old.Path] = true
		if staged[r.Old.Path] {
			continue
		}
		if err := file.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return nil, err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(staged)) {
		if err := file.AddReplace(path, "", path, library); err != nil {
			return nil, err
		}
	}
	for _, r := range slices.Clone(file.Require) {
		switch path := r.Mod.Path; {
		case path == module:
			err = file.AddRequire(path, version)
		case staged[path] && r.Mod.Version != "v0.0.0":
			err = file.AddRequire(path, library)
		case was[path] && !staged[path]:
			err = file.DropRequire(path)
		case !staged[path] && theirs[path] != "":
			err = file.AddRequire(path, theirs[path])
		}
		if err != nil {
			return nil, err
		}
	}
	file.Cleanup()
	return file.Format()
}
