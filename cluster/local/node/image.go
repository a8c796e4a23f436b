package node

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// An Image is a container image whose files are on this machine.
type Image struct {
	// Digest of the image for this platform.
	Digest string
	// Root is the folder that its files are below.
	Root string
	// Command is the entrypoint with its default arguments; the first is a path inside the image.
	Command []string
	// Entrypoint is how many of Command are the entrypoint: a pod's args replace the rest.
	Entrypoint int
	// Env are its variables, as in NAME=value.
	Env []string
}

// Pull fetches an image for this machine's platform, unless it was fetched before, and returns it. Its files are put below
// dir, in a folder named for the digest.
func Pull(ctx context.Context, reference, dir string) (Image, error) {
	ref, err := name.ParseReference(reference, name.StrictValidation)
	if err != nil {
		return Image{}, err
	}
	platform := v1.Platform{OS: runtime.GOOS, Architecture: runtime.GOARCH}
	image, err := remote.Image(ref, remote.WithContext(ctx), remote.WithPlatform(platform))
	if err != nil {
		return Image{}, fmt.Errorf("pull %s: %w", reference, err)
	}
	digest, err := image.Digest()
	if err != nil {
		return Image{}, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return Image{}, fmt.Errorf("configuration of %s: %w", reference, err)
	}
	pulled := Image{
		Digest: digest.String(), Root: filepath.Join(dir, digest.Hex), Entrypoint: len(config.Config.Entrypoint),
		Command: append(config.Config.Entrypoint, config.Config.Cmd...), Env: config.Config.Env,
	}
	if len(pulled.Command) == 0 {
		return Image{}, fmt.Errorf("%s has no entrypoint", reference)
	}
	if _, err := os.Stat(pulled.Root); err == nil {
		return pulled, nil
	}
	if err := extract(image, pulled.Root); err != nil {
		return Image{}, fmt.Errorf("files of %s: %w", reference, err)
	}
	return pulled, nil
}

// extract writes the files of an image below root, which is there when all of them are.
func extract(image v1.Image, root string) error {
	if err := os.MkdirAll(filepath.Dir(root), 0o700); err != nil {
		return err
	}
	unfinished, err := os.MkdirTemp(filepath.Dir(root), ".unfinished-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(unfinished)
	files, err := os.OpenRoot(unfinished)
	if err != nil {
		return err
	}
	defer files.Close()
	content := mutate.Extract(image)
	defer content.Close()
	archive := tar.NewReader(content)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			// What the library refuses ends the archive as if it were complete; the error comes after it.
			if _, err := io.Copy(io.Discard, content); err != nil {
				return err
			}
			return os.Rename(unfinished, root)
		}
		if err != nil {
			return err
		}
		if err := write(files, header, archive); err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
	}
}

// write writes one file or folder of an archive; it can leave the root by no name.
func write(root *os.Root, header *tar.Header, content io.Reader) error {
	name := filepath.Clean(filepath.Join(".", header.Name)) //nolint:gosec // os.Root lets nothing out of the folder.
	switch header.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeReg:
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		file, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, header.FileInfo().Mode().Perm())
		if err != nil {
			return err
		}
		if _, err := io.Copy(file, content); err != nil {
			return errors.Join(err, file.Close())
		}
		return file.Close()
	}
	return fmt.Errorf("a file of type %q is not supported", header.Typeflag)
}
