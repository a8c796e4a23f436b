// Package xpkg builds the three Crossplane packages of the product: the Configuration, and the Function and the Provider
// with their static binaries. It needs the go command and nothing else.
//
// Format: Crossplane's contributing/specifications/xpkg.md. Two builds of the same files by the same Go release have the
// same digests: no image, layer or binary has a time, a path or a build ID.
package xpkg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/mod/semver"
)

// Repository is where the packages of a release are, each in a repository of its own name below.
const Repository = "xpkg.crossplane.io/crossplane-capz/"

// Names of the packages.
const (
	Configuration = "configuration-capz"
	Function      = "function-capz"
	Provider      = "provider-capz"
)

// Platforms are those that releases are built for.
func Platforms() []v1.Platform {
	return []v1.Platform{{OS: "linux", Architecture: "amd64"}, {OS: "linux", Architecture: "arm64"}}
}

// ParsePlatforms reads platforms such as linux/amd64.
func ParsePlatforms(texts []string) ([]v1.Platform, error) {
	platforms := make([]v1.Platform, 0, len(texts))
	for _, text := range texts {
		platform, err := v1.ParsePlatform(text)
		if err != nil {
			return nil, err
		}
		platforms = append(platforms, *platform)
	}
	return platforms, nil
}

// Builder builds packages of a checkout. Root and Out are required.
type Builder struct {
	// Root is the folder of the checkout.
	Root string
	// Out is the folder that the files are written to; it is made if there is none.
	Out string
	// Version is the release, with its v; empty takes the one in package/version.txt.
	Version string
	// Platforms to build the binaries for; empty takes those of a release.
	Platforms []v1.Platform
	// Configuration is the folder with the definitions and Compositions; empty takes package/configuration.
	Configuration string
}

// File is a package that was written.
type File struct {
	// Package is the name, such as function-capz.
	Package string
	// Platform is what its binary runs on; nil for the Configuration, which has none.
	Platform *v1.Platform
	// Path of the file.
	Path string
	// Digest is what a registry calls the image when it is pushed.
	Digest v1.Hash
	// Binary is where the binary inside was built; empty for the Configuration.
	Binary string
}

// Build writes configuration-capz.xpkg, and function-capz-OS-ARCH.xpkg and provider-capz-OS-ARCH.xpkg for each platform.
// It returns them in that order.
func (b Builder) Build(ctx context.Context) ([]File, error) {
	b, err := b.withDefaults()
	if err != nil {
		return nil, err
	}
	configuration, err := b.write(b.configuration(), empty.Image, File{Package: Configuration})
	if err != nil {
		return nil, err
	}
	files := []File{configuration}
	for _, source := range []source{b.function(), b.provider()} {
		for _, platform := range b.Platforms {
			binary, err := b.compile(ctx, source.binary, platform)
			if err != nil {
				return nil, err
			}
			base, err := runtimeImage(binary, source, platform, b.Version)
			if err != nil {
				return nil, err
			}
			file, err := b.write(source, base, File{Package: source.name, Platform: &platform, Binary: binary})
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
	}
	return files, nil
}

func (b Builder) withDefaults() (Builder, error) {
	var err error
	for _, dir := range []*string{&b.Root, &b.Out} {
		if *dir == "" {
			return b, errors.New("a build needs the folder of the checkout and one to write to")
		}
		if *dir, err = filepath.Abs(*dir); err != nil {
			return b, err
		}
	}
	if b.Version == "" {
		if b.Version, err = TreeVersion(b.Root); err != nil {
			return b, err
		}
	}
	if err := checkVersion(b.Version); err != nil {
		return b, err
	}
	if len(b.Platforms) == 0 {
		b.Platforms = Platforms()
	}
	if b.Configuration == "" {
		b.Configuration = filepath.Join(b.Root, "package", "configuration")
	}
	return b, os.MkdirAll(b.Out, 0o755)
}

// TreeVersion returns the version that a checkout will be released as, from package/version.txt.
func TreeVersion(root string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(root, "package", "version.txt"))
	if err != nil {
		return "", fmt.Errorf("cannot tell the version: %w", err)
	}
	version := strings.TrimSpace(string(raw))
	return version, checkVersion(version)
}

// checkVersion refuses what the package manager would not take for a version. Build metadata cannot be in a tag.
func checkVersion(version string) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version {
		return fmt.Errorf("version is %q, but must be like v1.2.3 or v1.2.3-rc.1", version)
	}
	return nil
}

// write makes the package of a source upon a base image and writes it to the file that `crossplane xpkg push` takes.
func (b Builder) write(s source, base v1.Image, file File) (File, error) {
	image, err := s.build(base)
	if err != nil {
		return file, fmt.Errorf("package %s: %w", s.name, err)
	}
	// What is pushed has annotations in the place of the labels that a file has.
	pushed, err := annotateLayers(image)
	if err != nil {
		return file, fmt.Errorf("package %s: %w", s.name, err)
	}
	if file.Digest, err = pushed.Digest(); err != nil {
		return file, fmt.Errorf("package %s: %w", s.name, err)
	}
	file.Path = filepath.Join(b.Out, file.fileName())
	tag, err := name.NewTag(Repository + s.name + ":" + b.Version)
	if err != nil {
		return file, err
	}
	if err := tarball.WriteToFile(file.Path, tag, image); err != nil {
		return file, fmt.Errorf("writing %s: %w", file.Path, err)
	}
	return file, nil
}

// extension of the files, by which Crossplane's CLI finds them.
const extension = ".xpkg"

func (f File) fileName() string {
	if f.Platform == nil {
		return f.Package + extension
	}
	return strings.Join([]string{f.Package, f.Platform.OS, f.Platform.Architecture}, "-") + extension
}
