package signed

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	ociremote "github.com/sigstore/cosign/v3/pkg/oci/remote"

	"github.com/crossplane-capz/crossplane-capz/package/signing/internal/signer"
	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

func newSigner(t *testing.T, key, logURL string) *signer.Signer {
	t.Helper()
	loaded, err := signer.LoadKey(key)
	if err != nil {
		t.Fatal(err)
	}
	s, err := signer.New(loaded, logURL)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sign signs a copy of the release and returns its folder.
func (w *world) sign(t *testing.T, key, logURL string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dist")
	if err := os.CopyFS(dir, os.DirFS(w.release)); err != nil {
		t.Fatal(err)
	}
	o := Options{Dir: dir, Commit: commit(t), Builder: "https://example.org/builder", Signer: newSigner(t, key, logURL)}
	if _, err := Write(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return dir
}

func commit(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// pushPackages pushes the packages of the release as `crossplane xpkg push` does, after a change, and returns their digests.
func (w *world) pushPackages(t *testing.T, prefix string, change func(v1.Image) v1.Image) map[string]string {
	t.Helper()
	packages, err := Packages(w.release)
	if err != nil {
		t.Fatal(err)
	}
	digests := map[string]string{}
	for _, p := range packages {
		tag, err := name.NewTag(prefix + p.Name + ":" + version)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.images {
			if change != nil {
				p.images[i] = change(p.images[i])
			}
		}
		digests[p.Name] = pushPackage(t, tag, p.images)
	}
	return digests
}

func pushPackage(t *testing.T, tag name.Tag, images []v1.Image) string {
	t.Helper()
	if len(images) == 1 {
		if err := remote.Write(tag, images[0]); err != nil {
			t.Fatal(err)
		}
		digest, err := images[0].Digest()
		if err != nil {
			t.Fatal(err)
		}
		return digest.String()
	}
	index, err := xpkg.PushedTogether(images...)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(tag, index); err != nil {
		t.Fatal(err)
	}
	digest, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return digest.String()
}

func (w *world) pushSigned(key, logURL string) func(*testing.T, string) {
	return func(t *testing.T, prefix string) {
		t.Helper()
		w.pushPackages(t, prefix, nil)
		if err := Push(t.Context(), w.sign(t, key, logURL), prefix); err != nil {
			t.Fatal(err)
		}
	}
}

// pushAltered pushes the release with its signatures, and then other packages under its tags: with copies of the
// signatures in the place of their own, or with none.
func (w *world) pushAltered(withSignatures bool) func(*testing.T, string) {
	return func(t *testing.T, prefix string) {
		t.Helper()
		genuine := w.pushPackages(t, prefix, nil)
		if err := Push(t.Context(), w.sign(t, w.key, w.logURL), prefix); err != nil {
			t.Fatal(err)
		}
		altered := w.pushPackages(t, prefix, annotated)
		if !withSignatures {
			return
		}
		for p, digest := range altered {
			for _, tag := range []func(name.Reference, ...ociremote.Option) (name.Tag, error){ociremote.SignatureTag, ociremote.AttestationTag} {
				copyTag(t, tag, prefix+p+"@"+genuine[p], prefix+p+"@"+digest)
			}
		}
	}
}

// annotated returns an altered image.
func annotated(image v1.Image) v1.Image {
	return mutate.Annotations(image, map[string]string{"altered": "yes"}).(v1.Image) //nolint:forcetypeassert // As documented.
}

func copyTag(t *testing.T, tag func(name.Reference, ...ociremote.Option) (name.Tag, error), from, to string) {
	t.Helper()
	var tags []name.Tag
	for _, image := range []string{from, to} {
		reference, err := name.NewDigest(image)
		if err != nil {
			t.Fatal(err)
		}
		at, err := tag(reference)
		if err != nil {
			t.Fatal(err)
		}
		tags = append(tags, at)
	}
	image, err := remote.Image(tags[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(tags[1], image); err != nil {
		t.Fatal(err)
	}
}
