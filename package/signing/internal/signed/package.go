// Package signed writes the signatures of a release beside its packages, and pushes them to registries.
package signed

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

// extension of the files of packages.
const extension = ".xpkg"

// A Package is one of a release, as `crossplane xpkg push` pushes it: all its files at once.
type Package struct {
	// Name is the package, such as function-capz.
	Name string
	// Tag is the repository and version that it was built for.
	Tag name.Tag
	// Digests of what is pushed, that of the tag first: an index of images with one for each platform, and these, or one
	// image.
	Digests []v1.Hash
	images  []v1.Image
}

// Packages returns the packages in a folder. It returns an error when there are none, or files of one do not belong together.
func Packages(dir string) ([]Package, error) {
	var packages []Package
	for _, name := range []string{xpkg.Configuration, xpkg.Function, xpkg.Provider} {
		var files []string
		for _, pattern := range []string{name + extension, name + "-*" + extension} {
			found, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
		if len(files) == 0 {
			continue
		}
		slices.Sort(files)
		p, err := read(name, files)
		if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("%s has no packages; `make release` writes them", dir)
	}
	return packages, nil
}

func read(packageName string, files []string) (Package, error) {
	p := Package{Name: packageName}
	for _, file := range files {
		image, tag, err := xpkg.Pushed(file)
		if err != nil {
			return p, err
		}
		if len(p.images) > 0 && tag != p.Tag {
			return p, fmt.Errorf("%s is %s, but other files of %s are %s", file, tag, packageName, p.Tag)
		}
		digest, err := image.Digest()
		if err != nil {
			return p, fmt.Errorf("%s: %w", file, err)
		}
		p.Tag, p.images, p.Digests = tag, append(p.images, image), append(p.Digests, digest)
	}
	if len(p.images) == 1 {
		return p, nil
	}
	index, err := xpkg.PushedTogether(p.images...)
	if err != nil {
		return p, err
	}
	digest, err := index.Digest()
	if err != nil {
		return p, err
	}
	p.Digests = slices.Insert(p.Digests, 0, digest)
	return p, nil
}

// binaries returns what the Go command has noted in the binaries of the package, by platform.
func (p Package) binaries() (map[string]*buildinfo.BuildInfo, error) {
	all := map[string]*buildinfo.BuildInfo{}
	for _, image := range p.images {
		config, err := image.ConfigFile()
		if err != nil {
			return nil, err
		}
		if len(config.Config.Entrypoint) == 0 {
			continue
		}
		path := strings.TrimPrefix(config.Config.Entrypoint[0], "/")
		if all[config.OS+"/"+config.Architecture], err = binary(image, path); err != nil {
			return nil, fmt.Errorf("binary of %s for %s/%s: %w", p.Name, config.OS, config.Architecture, err)
		}
	}
	return all, nil
}

func binary(image v1.Image, path string) (*buildinfo.BuildInfo, error) {
	stream := mutate.Extract(image)
	defer func() { _ = stream.Close() }()
	archive := tar.NewReader(stream)
	for {
		header, err := archive.Next()
		if err != nil {
			return nil, err
		}
		if header.Name != path {
			continue
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			return nil, err
		}
		return buildinfo.Read(bytes.NewReader(content))
	}
}
