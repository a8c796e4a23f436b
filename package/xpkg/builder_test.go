package xpkg

import (
	"archive/tar"
	"debug/elf"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// checkout is the root of this one.
var checkout = filepath.Join("..", "..")

var amd64 = v1.Platform{OS: "linux", Architecture: "amd64"}

// TestBuild builds the packages for real, in this folder and in a copy elsewhere.
func TestBuild(t *testing.T) {
	build := func(root string) []File {
		files, err := Builder{Root: root, Out: t.TempDir(), Version: "v1.2.3", Platforms: []v1.Platform{amd64}}.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	here, there := build(checkout), build(copyOfCheckout(t))
	if diff := cmp.Diff(digests(here), digests(there)); diff != "" {
		t.Errorf("two builds of the same files differ (-here +there):\n%s", diff)
	}
	var names []string
	for _, file := range here {
		names = append(names, filepath.Base(file.Path))
	}
	want := []string{"configuration-capz.xpkg", "function-capz-linux-amd64.xpkg", "provider-capz-linux-amd64.xpkg"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	for _, file := range here {
		t.Run(file.Package, func(t *testing.T) { checkFile(t, file) })
	}
}

func digests(files []File) map[string]string {
	out := map[string]string{}
	for _, file := range files {
		out[file.Package] = file.Digest.String()
	}
	return out
}

// copyOfCheckout returns a folder with what a build reads.
func copyOfCheckout(t *testing.T) string {
	t.Helper()
	to := t.TempDir()
	for _, dir := range []string{"apis", "cluster/provider", "examples/aks-aso", "functions", "internal", "package"} {
		if err := os.CopyFS(filepath.Join(to, dir), os.DirFS(filepath.Join(checkout, dir))); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(checkout, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, file), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// checkFile reads a file as `crossplane xpkg push` does.
func checkFile(t *testing.T, file File) {
	t.Helper()
	pushed, tag, err := Pushed(file.Path)
	if err != nil {
		t.Fatal(err)
	}
	if want := Repository + file.Package + ":v1.2.3"; tag.String() != want {
		t.Errorf("it is %s, want %s", tag, want)
	}
	if digest, err := pushed.Digest(); err != nil || digest != file.Digest {
		t.Errorf("pushed it has digest %s, %v, but %s was reported", digest, err, file.Digest)
	}
	config, err := pushed.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if !config.Created.IsZero() {
		t.Errorf("the image has a time: %s", config.Created)
	}
	metadata := checkPackageLayer(t, pushed, file)
	for _, annotation := range []string{"maintainer", "source", "license", "description", "readme", "iconURI"} {
		if metadata.GetAnnotations()["meta.crossplane.io/"+annotation] == "" {
			t.Errorf("metadata has no %s", annotation)
		}
	}
	if file.Platform != nil {
		checkRuntime(t, pushed, config, file)
		return
	}
	dependencies, _, _ := unstructured.NestedSlice(metadata.Object, "spec", "dependsOn")
	want := []any{
		map[string]any{"apiVersion": "pkg.crossplane.io/v1", "kind": "Function", "package": Repository + Function, "version": ">=v1.2.3"},
		map[string]any{"apiVersion": "pkg.crossplane.io/v1", "kind": "Provider", "package": Repository + Provider, "version": ">=v1.2.3"},
	}
	if diff := cmp.Diff(want, dependencies); diff != "" {
		t.Errorf("dependencies (-want +got):\n%s", diff)
	}
}

// checkPackageLayer finds the objects where Crossplane looks for them, and returns the metadata object.
func checkPackageLayer(t *testing.T, image v1.Image, file File) *unstructured.Unstructured {
	t.Helper()
	manifest, err := image.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	var annotations []string
	var found *unstructured.Unstructured
	for i, descriptor := range manifest.Layers {
		annotation := descriptor.Annotations["io.crossplane.xpkg"]
		annotations = append(annotations, annotation)
		if annotation != "base" {
			continue
		}
		header, content := onlyFile(t, image, i)
		if header.Name != "package.yaml" {
			t.Errorf("the package's layer has %s", header.Name)
		}
		objects, err := kubeyaml.Parse(content)
		if err != nil {
			t.Fatal(err)
		}
		found = objects[0]
		want, err := kubeyaml.Read(filepath.Join(checkout, "package", strings.TrimSuffix(file.Package, "-capz")), metadataFile)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, objects[1:], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("objects (-checkout +package):\n%s", diff)
		}
	}
	want := map[string][]string{Configuration: {"base", "upbound"}, Function: {"", "base"}, Provider: {"", "base"}}[file.Package]
	if diff := cmp.Diff(want, annotations); diff != "" {
		t.Fatalf("layers (-want +got):\n%s", diff)
	}
	return found
}

func onlyFile(t *testing.T, image v1.Image, layer int) (*tar.Header, []byte) {
	t.Helper()
	layers, err := image.Layers()
	if err != nil {
		t.Fatal(err)
	}
	stream, err := layers[layer].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	archive := tar.NewReader(stream)
	header, err := archive.Next()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(archive)
	if err != nil {
		t.Fatal(err)
	}
	if next, err := archive.Next(); !errors.Is(err, io.EOF) {
		t.Fatalf("the layer also has %v (%v)", next, err)
	}
	return header, content
}

// checkRuntime looks at what a kubelet runs.
func checkRuntime(t *testing.T, image v1.Image, config *v1.ConfigFile, file File) {
	t.Helper()
	header, content := onlyFile(t, image, 0)
	if header.Name != file.Package || header.FileInfo().Mode() != 0o755 || header.Uid != 0 || !header.ModTime.IsZero() && header.ModTime.Unix() != 0 {
		t.Errorf("the binary is %+v", header)
	}
	got := v1.Config{Entrypoint: config.Config.Entrypoint, Cmd: config.Config.Cmd, User: config.Config.User, WorkingDir: config.Config.WorkingDir}
	want := v1.Config{Entrypoint: []string{"/" + file.Package}, User: "65532:65532", WorkingDir: "/"}
	if file.Package == Provider {
		want.Cmd = []string{"--leader-elect"}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("how it is run (-want +got):\n%s", diff)
	}
	if config.OS != "linux" || config.Architecture != "amd64" {
		t.Errorf("platform is %s/%s", config.OS, config.Architecture)
	}
	path := filepath.Join(t.TempDir(), file.Package)
	if err := os.WriteFile(path, content, 0o755); err != nil {
		t.Fatal(err)
	}
	binary, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = binary.Close() }()
	if slices.ContainsFunc(binary.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Error("the binary needs a dynamic linker, which the image does not have")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return
	}
	if out, err := exec.CommandContext(t.Context(), path, "--version").Output(); err != nil || string(out) != "v1.2.3\n" {
		t.Errorf("--version prints %q, %v", out, err)
	}
}

func TestCheckVersion(t *testing.T) {
	const refusal = ", but must be like v1.2.3 or v1.2.3-rc.1"
	cases := map[string]string{
		"v1.2.3":      "",
		"v0.1.0-rc.1": "",
		"1.2.3":       `version is "1.2.3"` + refusal,
		"v1.2":        `version is "v1.2"` + refusal,
		"v1.2.3+b":    `version is "v1.2.3+b"` + refusal,
		"latest":      `version is "latest"` + refusal,
	}
	for version, want := range cases {
		t.Run(version, func(t *testing.T) {
			got := ""
			if err := checkVersion(version); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTreeVersion(t *testing.T) {
	if _, err := TreeVersion(checkout); err != nil {
		t.Error(err)
	}
	if _, err := TreeVersion(t.TempDir()); err == nil {
		t.Error("a folder without package/version.txt has a version")
	}
}

// TestRefuses has what Crossplane would filter out of a package, or fail on, only when it is installed.
func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.yaml"), []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Builder{Root: checkout, Out: t.TempDir(), Configuration: dir}.Build(t.Context())
	if want := "package configuration-capz: " + dir + ": ConfigMap x cannot be in a Configuration package"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	if _, err := (Builder{Out: t.TempDir()}).Build(t.Context()); err == nil {
		t.Error("builds without a checkout")
	}
}
