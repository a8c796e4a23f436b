package xpkg

import (
	"fmt"
	"io"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Pushed returns the image of a package file as `crossplane xpkg push` pushes it, and the repository and version that the
// file was built for. It returns an error when the file is not such a package.
func Pushed(path string) (v1.Image, name.Tag, error) {
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(path) })
	if err != nil {
		return nil, name.Tag{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(manifest) != 1 || len(manifest[0].RepoTags) != 1 {
		return nil, name.Tag{}, fmt.Errorf("%s must hold one image with one tag", path)
	}
	tag, err := name.NewTag(manifest[0].RepoTags[0])
	if err != nil {
		return nil, name.Tag{}, fmt.Errorf("%s: %w", path, err)
	}
	image, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		return nil, name.Tag{}, fmt.Errorf("%s: %w", path, err)
	}
	if image, err = annotateLayers(image); err != nil {
		return nil, name.Tag{}, fmt.Errorf("%s: %w", path, err)
	}
	return image, tag, nil
}

// PushedTogether returns the index that `crossplane xpkg push` pushes for the images of one package, each for a platform of
// its own. Their order decides its digest.
func PushedTogether(images ...v1.Image) (v1.ImageIndex, error) {
	addenda := make([]mutate.IndexAddendum, 0, len(images))
	for _, image := range images {
		mediaType, err := image.MediaType()
		if err != nil {
			return nil, err
		}
		config, err := image.ConfigFile()
		if err != nil {
			return nil, err
		}
		addenda = append(addenda, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			MediaType: mediaType,
			Platform:  &v1.Platform{OS: config.OS, Architecture: config.Architecture, OSVersion: config.OSVersion},
		}})
	}
	return mutate.AppendManifests(empty.Index, addenda...), nil
}
