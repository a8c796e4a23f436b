// Package release writes the folder of files that a release consists of: the packages, what is applied beside them, the
// flavors and the metadata for clusterctl, bills of materials, and checksums of all.
package release

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

// Files of a release beside packages, flavors and bills of materials.
const (
	// Install has everything that is applied to a management cluster, the Configuration last.
	Install = "install.yaml"
	// Metadata tells clusterctl which contract a series of releases has.
	Metadata = "metadata.yaml"
	// Checksums has a line for each other file, as sha256sum --check reads it.
	Checksums = "SHA256SUMS"
)

// Options are what a release is made from. Root and Out are required.
type Options struct {
	// Root is the folder of the checkout.
	Root string
	// Out is the folder that is written; it must be empty or not exist.
	Out string
	// Version is the release, with its v; empty takes the one in package/version.txt.
	Version string
	// Platforms to build the packages for; empty takes all.
	Platforms []v1.Platform
	// PluginPlatforms to build the kubectl plugin for; empty takes all.
	PluginPlatforms []v1.Platform
}

// Write writes a release. The same files by the same Go release give the same bytes.
func Write(ctx context.Context, o Options) error {
	if entries, err := os.ReadDir(o.Out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", o.Out)
	}
	version := o.Version
	if version == "" {
		var err error
		if version, err = xpkg.TreeVersion(o.Root); err != nil {
			return err
		}
	}
	// What is wrong with the version shows before anything is built.
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return err
	}
	if err := metadata(o.Root, o.Out, version); err != nil {
		return err
	}
	build, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(build) }()
	builder := xpkg.Builder{Root: o.Root, Out: build, Version: version, Platforms: o.Platforms}
	files, err := builder.Build(ctx)
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return packages(files, o.Out, version) },
		func() error { return plugins(ctx, builder, o, version) },
		func() error { return install(o.Root, o.Out, version) },
		func() error { return flavors(o.Root, o.Out) },
		func() error { return checksums(o.Out) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// packages copies the packages, and writes a bill of materials for each that has a binary.
func packages(files []xpkg.File, out, version string) error {
	for _, file := range files {
		name := filepath.Base(file.Path)
		if err := copyFile(file.Path, filepath.Join(out, name)); err != nil {
			return err
		}
		if file.Binary == "" {
			continue
		}
		if err := writeBill(file.Binary, file.Package, version, filepath.Join(out, strings.TrimSuffix(name, filepath.Ext(name)))); err != nil {
			return err
		}
	}
	return nil
}

// writeBill writes the bill of materials of a binary into a file of the name, without an extension.
func writeBill(binary, name, version, file string) error {
	bill, err := billOfMaterials(binary, name, version)
	if err != nil {
		return fmt.Errorf("bill of materials of %s: %w", binary, err)
	}
	return os.WriteFile(file+".cdx.json", bill, 0o644)
}

// Plugin is the name of the kubectl plugin, and pluginPackage its Go package.
const (
	Plugin        = "kubectl-capz"
	pluginPackage = "./cluster/kubectl-capz"
)

// PluginPlatforms are those that people run kubectl on.
func PluginPlatforms() []v1.Platform {
	return append(xpkg.Platforms(), v1.Platform{OS: "darwin", Architecture: "amd64"}, v1.Platform{OS: "darwin", Architecture: "arm64"},
		v1.Platform{OS: "windows", Architecture: "amd64"})
}

// plugins builds the kubectl plugin for each platform, with a bill of materials.
func plugins(ctx context.Context, builder xpkg.Builder, o Options, version string) error {
	platforms := o.PluginPlatforms
	if len(platforms) == 0 {
		platforms = PluginPlatforms()
	}
	for _, platform := range platforms {
		binary, err := builder.Program(ctx, pluginPackage, platform)
		if err != nil {
			return err
		}
		path := filepath.Join(o.Out, Plugin+"-"+platform.OS+"-"+platform.Architecture)
		if err := copyFile(binary, path+filepath.Ext(binary)); err != nil {
			return err
		}
		if err := os.Chmod(path+filepath.Ext(binary), 0o755); err != nil { //nolint:gosec // It is to be run.
			return err
		}
		if err := writeBill(binary, Plugin, version, path); err != nil {
			return err
		}
	}
	return nil
}

// flavors copies what clusterctl knows by these names in a release.
func flavors(root, out string) error {
	found := 0
	for _, pattern := range []string{"cluster-template*.yaml", "clusterclass-*.yaml"} {
		paths, err := filepath.Glob(filepath.Join(root, "examples", "flavors", pattern))
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := copyFile(path, filepath.Join(out, filepath.Base(path))); err != nil {
				return err
			}
			found++
		}
	}
	if found == 0 {
		return errors.New("examples/flavors has no flavors")
	}
	return nil
}

// checksums writes a line for every file that is there so far.
func checksums(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	var lines []string
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(out, entry.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(content), entry.Name()))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[sha256.Size*2:], b[sha256.Size*2:]) })
	return os.WriteFile(filepath.Join(out, Checksums), []byte(strings.Join(lines, "")), 0o644)
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}
