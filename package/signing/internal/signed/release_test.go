package signed

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

// release writes packages that are as small as packages can be: a Configuration, and a Function for two platforms.
func release(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writePackage(t, filepath.Join(dir, xpkg.Configuration+extension), xpkg.Configuration, "Configuration", v1.Platform{})
	for _, architecture := range []string{"amd64", "arm64"} {
		file := filepath.Join(dir, xpkg.Function+"-linux-"+architecture+extension)
		writePackage(t, file, xpkg.Function, "Function", v1.Platform{OS: "linux", Architecture: architecture})
	}
	if err := os.WriteFile(filepath.Join(dir, checksums), []byte("sums\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// writePackage writes a package that Crossplane reads, with a program for the platform unless that is empty.
func writePackage(t *testing.T, file, packageName, kind string, platform v1.Platform) {
	t.Helper()
	metadata := layer(t, "package.yaml", []byte("apiVersion: meta.pkg.crossplane.io/v1\nkind: "+kind+"\nmetadata:\n  name: "+packageName+"\nspec: {}\n"))
	digest, err := metadata.Digest()
	if err != nil {
		t.Fatal(err)
	}
	config := &v1.ConfigFile{OS: platform.OS, Architecture: platform.Architecture}
	config.Config.Labels = map[string]string{"io.crossplane.xpkg:" + digest.String(): "base"}
	layers := []v1.Layer{metadata}
	if platform.OS != "" {
		config.Config.Entrypoint = []string{"/" + packageName}
		layers = append(layers, layer(t, packageName, program(t, platform)))
	}
	image, err := mutate.ConfigFile(empty.Image, config)
	if err != nil {
		t.Fatal(err)
	}
	if image, err = mutate.AppendLayers(image, layers...); err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(xpkg.Repository + packageName + ":" + version)
	if err != nil {
		t.Fatal(err)
	}
	if err := tarball.WriteToFile(file, tag, image); err != nil {
		t.Fatal(err)
	}
}

func layer(t *testing.T, file string, content []byte) v1.Layer {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(&tar.Header{Name: file, Mode: 0o755, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
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

// program builds a Go program that does nothing.
func program(t *testing.T, platform v1.Platform) []byte {
	t.Helper()
	dir := t.TempDir()
	for file, content := range map[string]string{"go.mod": "module example.org/nothing\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", "program", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOOS="+platform.OS, "GOARCH="+platform.Architecture)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	content, err := os.ReadFile(filepath.Join(dir, "program"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
