package signatures

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/registry/registrytest"
	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

// A localRegistry has packages and their signatures.
type localRegistry struct {
	address string
	// version is that of the packages.
	version string
}

func newRegistry(t *testing.T) *localRegistry {
	t.Helper()
	version, err := xpkg.TreeVersion(root(t))
	if err != nil {
		t.Fatal(err)
	}
	return &localRegistry{address: registrytest.Serve(t), version: version}
}

// release returns a folder with function-capz as it was built.
func release(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range buildParts(t) {
		if p.Name != xpkg.Function {
			continue
		}
		content, err := os.ReadFile(p.File)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(p.File)), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sign signs the release as `make release` does, and returns the public key.
func (r *localRegistry) sign(t *testing.T, release, key, logURL string) string {
	t.Helper()
	commit, err := exec.CommandContext(t.Context(), "git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	signing(t, "sign", "--key", key, "--rekor", logURL, "--commit", string(commit[:len(commit)-1]), release)
	public, err := os.ReadFile(filepath.Join(release, "cosign.pub"))
	if err != nil {
		t.Fatal(err)
	}
	return string(public)
}

// push pushes function-capz as the Crossplane CLI does, or with an annotation more.
func (r *localRegistry) push(t *testing.T, release, prefix string, altered bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(release, "*.xpkg"))
	if err != nil || len(files) != 1 {
		t.Fatalf("packages are %v, %v", files, err)
	}
	image, _, err := xpkg.Pushed(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if altered {
		image = mutate.Annotations(image, map[string]string{"altered": "yes"}).(v1.Image) //nolint:forcetypeassert // As documented.
	}
	tag, err := name.NewTag(prefix + xpkg.Function + ":" + r.version)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(tag, image, remote.WithContext(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// pushSignatures pushes what sign has left in the release, as `make push-signatures` does.
func (r *localRegistry) pushSignatures(t *testing.T, release, prefix string) {
	t.Helper()
	signing(t, "push", "--to", prefix, release)
}

// signing runs the command that signs.
func signing(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"run", "."}, args...)...)
	cmd.Dir = filepath.Join(root(t), "package", "signing")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
