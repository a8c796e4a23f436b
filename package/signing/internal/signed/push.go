package signed

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Push copies the signatures of a release to the registry, beside packages that are there already: into the repositories
// that these were built for, or, when prefix is not empty, into those of the same names behind it, such as
// registry.example.org/mirror/. It refuses when a package in the registry is not the one that was signed.
func Push(ctx context.Context, dir, prefix string, options ...remote.Option) error {
	options = append(slices.Clone(options), remote.WithContext(ctx))
	packages, err := Packages(dir)
	if err != nil {
		return err
	}
	for _, p := range packages {
		tag := p.Tag
		if prefix != "" {
			if tag, err = name.NewTag(prefix + p.Name + ":" + p.Tag.TagStr()); err != nil {
				return err
			}
		}
		if err := p.push(filepath.Join(dir, Folder, p.Name), tag, options); err != nil {
			return fmt.Errorf("signatures of %s: %w", tag, err)
		}
	}
	return nil
}

func (p Package) push(dir string, tag name.Tag, options []remote.Option) error {
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	pushed, err := remote.Head(tag, options...)
	if err != nil {
		return fmt.Errorf("the package must be pushed first: %w", err)
	}
	if !slices.Contains(p.Digests, pushed.Digest) {
		return fmt.Errorf("the registry has %s, but %s was signed", pushed.Digest, p.Digests[0])
	}
	for _, entry := range manifest.Manifests {
		image, err := index.Image(entry.Digest)
		if err != nil {
			return err
		}
		if err := remote.Write(tag.Tag(entry.Annotations[reference]), image, options...); err != nil {
			return err
		}
	}
	return nil
}
