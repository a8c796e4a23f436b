package cli

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/registry/registrytest"
	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

// TestPackageSources has Crossplane's own parser and linter look at the sources of each package.
func TestPackageSources(t *testing.T) {
	for _, source := range []string{"configuration", "function", "provider"} {
		t.Run(source, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "built.xpkg")
			_, stderr, err := run(t, "", tools.crossplane, "xpkg", "build", "--package-root", filepath.Join("package", source), "--package-file", file)
			if err != nil {
				t.Fatalf("%v: %s", err, stderr)
			}
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPackageSourcesAreLinted makes sure that the linter would have found something.
func TestPackageSourcesAreLinted(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(tools.root, "package", "configuration"))); err != nil {
		t.Fatal(err)
	}
	webhooks, err := os.ReadFile(filepath.Join(tools.root, "package", "provider", "webhooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "webhooks.yaml"), webhooks, 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, err := run(t, "", tools.crossplane, "xpkg", "build", "--package-root", dir, "--package-file", filepath.Join(t.TempDir(), "built.xpkg"))
	if err == nil || !strings.Contains(stderr, "failed to lint package") {
		t.Errorf("a Configuration with webhooks passes: %v, %s", err, stderr)
	}
}

// TestPush pushes the packages with the CLI, two platforms of those that have binaries, and pulls them again. The binaries of the second platform are
// those of the first: to compile for another one takes five minutes on a machine that has not done so.
func TestPush(t *testing.T) {
	amd64, arm64 := v1.Platform{OS: "linux", Architecture: "amd64"}, v1.Platform{OS: "linux", Architecture: "arm64"}
	files, err := xpkg.Builder{Root: tools.root, Out: t.TempDir(), Version: "v0.1.0", Platforms: []v1.Platform{amd64}}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	address := registrytest.Serve(t)
	packages := map[string][]xpkg.File{}
	for _, file := range files {
		packages[file.Package] = append(packages[file.Package], file)
		if file.Platform != nil {
			packages[file.Package] = append(packages[file.Package], relabelled(t, file, arm64))
		}
	}
	for kind, pkg := range map[string]string{"Configuration": xpkg.Configuration, "Function": xpkg.Function, "Provider": xpkg.Provider} {
		t.Run(kind, func(t *testing.T) {
			tag := address + "/crossplane-capz/" + pkg + ":v0.1.0"
			checkPush(t, kind, tag, packages[pkg])
		})
	}
}

// relabelled returns a package that says of itself that it is for another platform.
func relabelled(t *testing.T, file xpkg.File, platform v1.Platform) xpkg.File {
	t.Helper()
	_, tag, err := xpkg.Pushed(file.Path)
	if err != nil {
		t.Fatal(err)
	}
	image, err := tarball.ImageFromPath(file.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = platform.OS, platform.Architecture
	if image, err = mutate.ConfigFile(image, config); err != nil {
		t.Fatal(err)
	}
	file.Platform, file.Path = &platform, filepath.Join(t.TempDir(), filepath.Base(file.Path))
	if err := tarball.WriteToFile(file.Path, tag, image); err != nil {
		t.Fatal(err)
	}
	pushed, _, err := xpkg.Pushed(file.Path)
	if err != nil {
		t.Fatal(err)
	}
	if file.Digest, err = pushed.Digest(); err != nil {
		t.Fatal(err)
	}
	return file
}

func checkPush(t *testing.T, kind, tag string, files []xpkg.File) {
	t.Helper()
	var paths []string
	for _, file := range files {
		paths = append(paths, file.Path)
	}
	if _, stderr, err := run(t, "", tools.crossplane, "xpkg", "push", "--package-files", strings.Join(paths, ","), tag); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	reference, err := name.ParseReference(tag)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		options := []remote.Option{remote.WithContext(t.Context())}
		if file.Platform != nil {
			options = append(options, remote.WithPlatform(v1.Platform{OS: file.Platform.OS, Architecture: file.Platform.Architecture}))
		}
		image, err := remote.Image(reference, options...)
		if err != nil {
			t.Fatal(err)
		}
		if digest, err := image.Digest(); err != nil || digest != file.Digest {
			t.Errorf("%s has digest %s in the registry (%v), but %s was printed when it was built", filepath.Base(file.Path), digest, err, file.Digest)
		}
	}
	checkPushedDigest(t, reference, paths)
	// The package manager finds the objects as this command does.
	extracted := filepath.Join(t.TempDir(), "package.gz")
	if _, stderr, err := run(t, "", tools.crossplane, "xpkg", "extract", tag, "--output", extracted); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	compressed, err := os.Open(extracted)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = compressed.Close() }()
	stream, err := gzip.NewReader(compressed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	if want := "apiVersion: meta.pkg.crossplane.io/v1\nkind: " + kind + "\n"; !strings.Contains(string(content), want) {
		t.Errorf("the package in the registry has no %s", kind)
	}
}

// checkPushedDigest compares what the CLI has pushed with what package/signing signs.
func checkPushedDigest(t *testing.T, reference name.Reference, paths []string) {
	t.Helper()
	var images []v1.Image
	for _, path := range paths {
		image, _, err := xpkg.Pushed(path)
		if err != nil {
			t.Fatal(err)
		}
		images = append(images, image)
	}
	var signed interface{ Digest() (v1.Hash, error) } = images[0]
	if len(images) > 1 {
		index, err := xpkg.PushedTogether(images...)
		if err != nil {
			t.Fatal(err)
		}
		signed = index
	}
	want, err := signed.Digest()
	if err != nil {
		t.Fatal(err)
	}
	pushed, err := remote.Head(reference, remote.WithContext(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if pushed.Digest != want {
		t.Errorf("%s has digest %s, but %s would be signed", reference, pushed.Digest, want)
	}
}
