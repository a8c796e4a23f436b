package xpkg

import (
	"archive/tar"
	"fmt"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// user is numeric, so that a kubelet can tell that it is not root.
const user = "65532:65532"

// runtimeImage returns an image that has nothing but a binary, with what it takes to run it as a pod.
func runtimeImage(binary string, s source, platform v1.Platform, version string) (v1.Image, error) {
	file := filepath.Base(binary)
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	layer, err := fileLayer(tar.Header{Name: file, Mode: 0o755}, content)
	if err != nil {
		return nil, fmt.Errorf("image of %s: %w", file, err)
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return nil, fmt.Errorf("image of %s: %w", file, err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("image of %s: %w", file, err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Variant = platform.OS, platform.Architecture, platform.Variant
	config.Config = v1.Config{
		Entrypoint: []string{"/" + file},
		Cmd:        s.arguments,
		User:       user,
		WorkingDir: "/",
		Labels: map[string]string{
			"org.opencontainers.image.title":    s.name,
			"org.opencontainers.image.version":  version,
			"org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.source":   "https://github.com/crossplane-capz/crossplane-capz",
		},
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return nil, fmt.Errorf("image of %s: %w", file, err)
	}
	return image, nil
}
