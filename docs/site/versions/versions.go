// Package versions has Hugo build the documentation of the checkout, and below it that of earlier versions.
package versions

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	// checkout is what the version of the checkout's own documentation is called. It stands at the site's root.
	checkout   = "main"
	repository = "https://github.com/crossplane-capz/crossplane-capz"
)

// A Site is what Hugo builds of the documentation: one folder for each version, all with the checkout's theme and layouts.
type Site struct {
	// Root is the checkout, Out the folder for what is built. Both are absolute.
	Root, Out string
	// URL is where the site will be.
	URL string
	// Tags are the versions beside the checkout: tags, or other names of commits.
	Tags []string
	// Hugo runs Hugo with arguments.
	Hugo func(arguments []string) error
}

// Build empties Out and builds all versions into the folder public below it.
func (s Site) Build(ctx context.Context) error {
	if err := os.RemoveAll(s.Out); err != nil {
		return err
	}
	for _, v := range s.versions() {
		if err := s.prepare(ctx, v); err != nil {
			return fmt.Errorf("version %s: %w", v, err)
		}
		if err := s.Hugo(append(s.arguments(v), "--minify")); err != nil {
			return fmt.Errorf("version %s: %w", v, err)
		}
	}
	return nil
}

// Serve serves what was built, and builds the checkout's pages again when they change.
func (s Site) Serve() error {
	return s.Hugo(append([]string{"server"}, append(s.arguments(checkout), "--bind", "127.0.0.1", "--port", "1313")...))
}

func (s Site) versions() []string { return append([]string{checkout}, s.Tags...) }

func (s Site) arguments(version string) []string {
	hugo := filepath.Join(s.Root, "docs", "site", "hugo")
	return []string{
		"--source", hugo,
		"--config", filepath.Join(hugo, "hugo.yaml") + "," + s.config(version),
		"--destination", filepath.Join(s.Out, "public", below(version)),
		"--noBuildLock",
	}
}

func (s Site) config(version string) string {
	return filepath.Join(s.Out, "config", strings.ReplaceAll(version, "/", "-")+".yaml")
}

// below is where a version stands below the site's root.
func below(version string) string {
	if version == checkout {
		return ""
	}
	return version
}

func (s Site) address(version string) string {
	address := strings.TrimSuffix(s.URL, "/") + "/"
	if b := below(version); b != "" {
		address += b + "/"
	}
	return address
}

// prepare writes what Hugo is told of a version beyond hugo.yaml.
func (s Site) prepare(ctx context.Context, version string) error {
	docs := filepath.Join(s.Root, "docs")
	if version != checkout {
		source := filepath.Join(s.Out, "source", version)
		if err := s.extract(ctx, version, source); err != nil {
			return err
		}
		docs = filepath.Join(source, "docs")
	}
	content, err := yaml.Marshal(s.settings(version, docs))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.config(version)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(s.config(version), content, 0o644)
}

type (
	settings struct {
		BaseURL string            `yaml:"baseURL"`
		Params  map[string]string `yaml:"params"`
		Menus   map[string][]item `yaml:"menus"`
		Module  struct {
			Mounts []mount `yaml:"mounts"`
		} `yaml:"module"`
	}
	item struct {
		Identifier string            `yaml:"identifier"`
		Name       string            `yaml:"name"`
		URL        string            `yaml:"url,omitempty"`
		Weight     int               `yaml:"weight"`
		Params     map[string]string `yaml:"params,omitempty"`
	}
	mount struct {
		Source string   `yaml:"source"`
		Target string   `yaml:"target"`
		Files  []string `yaml:"files,omitempty"`
	}
)

// settings are the address of a version, where its pages are, and a list of all versions where there are several.
func (s Site) settings(version, docs string) settings {
	result := settings{
		BaseURL: s.address(version),
		Params:  map[string]string{"version": version, "repository": repository},
		Menus:   map[string][]item{"sidebar": {}},
	}
	result.Module.Mounts = []mount{
		{Source: "content", Target: "content"},
		{Source: "layouts", Target: "layouts"},
		{Source: "assets", Target: "assets"},
		{Source: docs, Target: "assets/docs", Files: []string{"! site/**"}},
	}
	if len(s.Tags) == 0 {
		return result
	}
	menu := []item{{Identifier: "versions", Name: "Versions", Weight: 1, Params: map[string]string{"type": "separator"}}}
	for i, v := range s.versions() {
		menu = append(menu, item{Identifier: "version-" + v, Name: v, URL: s.address(v), Weight: i + 2})
	}
	result.Menus["sidebar"] = menu
	return result
}

// extract writes the documentation of a commit below a folder.
func (s Site) extract(ctx context.Context, version, to string) error {
	if strings.HasPrefix(version, "-") {
		return fmt.Errorf("%q is no tag", version)
	}
	var archive, said bytes.Buffer
	git := exec.CommandContext(ctx, "git", "-C", s.Root, "archive", "--format=tar", version, "docs")
	git.Stdout, git.Stderr = &archive, &said
	if err := git.Run(); err != nil {
		return fmt.Errorf("git archive: %w: %s", err, strings.TrimSpace(said.String()))
	}
	entries := tar.NewReader(&archive)
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := write(to, header, entries); err != nil {
			return err
		}
	}
}

// write writes one file of an archive. Folders come with their files.
func write(to string, header *tar.Header, content io.Reader) error {
	if header.Typeflag != tar.TypeReg {
		return nil
	}
	if !filepath.IsLocal(header.Name) {
		return fmt.Errorf("the archive has %q, which is outside of it", header.Name)
	}
	data, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	file := filepath.Join(to, header.Name) //nolint:gosec // It is local.
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}
