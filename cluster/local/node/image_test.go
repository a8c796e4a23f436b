package node

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/registry/registrytest"
)

// layer is an archive of files by name; a name that ends with a slash is a folder.
func layer(t *testing.T, files map[string]string) v1.Layer {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for name, content := range files {
		header := &tar.Header{Name: name, Mode: 0o755, Size: int64(len(content)), Typeflag: tar.TypeReg}
		if strings.HasSuffix(name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// pushed pushes an image of layers to a registry of its own, and returns its reference.
func pushed(t *testing.T, config v1.Config, layers ...v1.Layer) string {
	t.Helper()
	image, err := mutate.AppendLayers(empty.Image, layers...)
	if err != nil {
		t.Fatal(err)
	}
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		OS: runtime.GOOS, Architecture: runtime.GOARCH, Config: config, RootFS: rootFS(t, image),
	})
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(registrytest.Serve(t) + "/org/image:v1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, image); err != nil {
		t.Fatal(err)
	}
	return ref.String()
}

func rootFS(t *testing.T, image v1.Image) v1.RootFS {
	t.Helper()
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return config.RootFS
}

func TestPull(t *testing.T) {
	ref := pushed(t, v1.Config{Entrypoint: []string{"/bin/app"}, Cmd: []string{"--flag"}, Env: []string{"A=b"}},
		layer(t, map[string]string{"bin/": "", "bin/app": "old", "gone": "x"}),
		layer(t, map[string]string{"bin/app": "new", ".wh.gone": "", "deep/er/file": "y"}))
	dir := t.TempDir()
	image, err := Pull(t.Context(), ref, dir)
	if err != nil {
		t.Fatal(err)
	}
	want := Image{Command: []string{"/bin/app", "--flag"}, Entrypoint: 1, Env: []string{"A=b"}}
	if diff := cmp.Diff(want, image, cmpopts.IgnoreFields(Image{}, "Digest", "Root")); diff != "" {
		t.Errorf("Pull(): -want, +got:\n%s", diff)
	}
	if want := filepath.Join(dir, strings.TrimPrefix(image.Digest, "sha256:")); image.Root != want {
		t.Errorf("files are in %s, want %s", image.Root, want)
	}
	files := map[string]string{}
	err = filepath.WalkDir(image.Root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, image.Root+"/")] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"bin/app": "new", "deep/er/file": "y"}, files); diff != "" {
		t.Errorf("files: -want, +got:\n%s", diff)
	}
	again, err := Pull(t.Context(), ref, dir)
	if diff := cmp.Diff(image, again); err != nil || diff != "" {
		t.Errorf("pulled again: %v -want, +got:\n%s", err, diff)
	}
}

func TestPullRefuses(t *testing.T) {
	cases := map[string]struct{ ref, message string }{
		"NoTag":        {"127.0.0.1:1/org/image", "could not parse reference"},
		"NoRegistry":   {"127.0.0.1:1/org/image:v1", "connection refused"},
		"NoEntrypoint": {pushed(t, v1.Config{}, layer(t, map[string]string{"a": "b"})), "no entrypoint"},
		"Escapes":      {pushed(t, v1.Config{Entrypoint: []string{"/a"}}, layer(t, map[string]string{"../../a": "b"})), "unsafe tar path"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := Pull(t.Context(), tc.ref, filepath.Join(dir, "images"))
			if err == nil || !strings.Contains(err.Error(), tc.message) {
				t.Errorf("Pull() = %v, want %q in it", err, tc.message)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "images", "*")); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}
