package xpkg

import (
	"archive/tar"
	"bytes"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// What Crossplane looks for in the layers of a package. A file has the annotation of a layer as a label of the image, as its
// format knows no annotations of layers: the key, a colon and the layer's digest.
const (
	annotationKey      = "io.crossplane.xpkg"
	packageAnnotation  = "base"
	packageFile        = "package.yaml"
	examplesAnnotation = "upbound"
	examplesFile       = ".up/examples.yaml"
)

// contents is a layer with one file of objects.
type contents struct {
	file, annotation string
	objects          []*unstructured.Unstructured
}

// appendContents returns an image with a further layer for each of the contents, and the labels that say what they are.
func appendContents(image v1.Image, all []contents) (v1.Image, error) {
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config := *file.Config.DeepCopy()
	if config.Labels == nil {
		config.Labels = map[string]string{}
	}
	for _, c := range all {
		var stream bytes.Buffer
		for _, u := range c.objects {
			document, err := yaml.Marshal(u.Object)
			if err != nil {
				return nil, err
			}
			stream.WriteString("---\n")
			stream.Write(document)
		}
		layer, err := fileLayer(tar.Header{Name: c.file, Mode: 0o644}, stream.Bytes())
		if err != nil {
			return nil, err
		}
		digest, err := layer.Digest()
		if err != nil {
			return nil, err
		}
		config.Labels[annotationKey+":"+digest.String()] = c.annotation
		if image, err = mutate.AppendLayers(image, layer); err != nil {
			return nil, err
		}
	}
	return mutate.Config(image, config)
}

// fileLayer returns a layer with one file of root's, without a time.
func fileLayer(header tar.Header, content []byte) (v1.Layer, error) {
	header.Size, header.Format = int64(len(content)), tar.FormatUSTAR
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(&header); err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(archive.Bytes())), nil
	})
}

// annotateLayers returns the image as `crossplane xpkg push` pushes it, which decides its digest: labels about layers are
// annotations of the layers too.
func annotateLayers(image v1.Image) (v1.Image, error) {
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	layers, err := image.Layers()
	if err != nil {
		return nil, err
	}
	annotated := empty.Image
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return nil, err
		}
		addendum := mutate.Addendum{Layer: layer}
		if annotation, found := config.Config.Labels[annotationKey+":"+digest.String()]; found {
			addendum.Annotations = map[string]string{annotationKey: annotation}
		}
		if annotated, err = mutate.Append(annotated, addendum); err != nil {
			return nil, err
		}
	}
	return mutate.ConfigFile(annotated, config)
}
