package signed

import (
	"crypto"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/registry/registrytest"
	"github.com/crossplane-capz/crossplane-capz/package/signing/sigstoretest"
	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

// TestWrite looks at what is left in the folder of a release.
func TestWrite(t *testing.T) {
	w := &world{release: release(t)}
	dir := w.sign(t, sigstoretest.NewKey(t), "")
	packages, err := Packages(dir)
	if err != nil {
		t.Fatal(err)
	}
	digests := map[string]int{}
	for _, p := range packages {
		digests[p.Name] = len(p.Digests)
		var want []string
		for _, digest := range p.Digests {
			want = append(want, "sha256-"+digest.Hex+".sig", "sha256-"+digest.Hex+".att")
		}
		if diff := cmp.Diff(want, references(t, filepath.Join(dir, Folder, p.Name))); diff != "" {
			t.Errorf("%s: tags (-want +got):\n%s", p.Name, diff)
		}
		binaries, err := p.binaries()
		if err != nil {
			t.Fatal(err)
		}
		if p.Name == xpkg.Function && (binaries["linux/arm64"] == nil || binaries["linux/arm64"].Path != "example.org/nothing") {
			t.Errorf("%s: binaries are %v", p.Name, binaries)
		}
	}
	if diff := cmp.Diff(map[string]int{xpkg.Configuration: 1, xpkg.Function: 3}, digests); diff != "" {
		t.Errorf("number of digests (-want +got):\n%s", diff)
	}
	checkChecksums(t, dir)
}

func references(t *testing.T, dir string) []string {
	t.Helper()
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range manifest.Manifests {
		all = append(all, entry.Annotations[reference])
	}
	return all
}

// checkChecksums verifies the signature of the checksums with the public key beside them.
func checkChecksums(t *testing.T, dir string) {
	t.Helper()
	read := func(file string) []byte {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	public, err := cryptoutils.UnmarshalPEMToPublicKey(read(PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := signature.LoadVerifier(public, crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := base64.StdEncoding.DecodeString(string(read(checksumsSignature)))
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.VerifySignature(strings.NewReader(string(signed)), strings.NewReader(string(read(checksums)))); err != nil {
		t.Error(err)
	}
}

func TestPackagesRefuses(t *testing.T) {
	dir := release(t)
	if err := os.Rename(filepath.Join(dir, xpkg.Configuration+extension), filepath.Join(dir, xpkg.Function+"-other"+extension)); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{dir: "but other files of function-capz are", t.TempDir(): "has no packages"} {
		if _, err := Packages(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
}

func TestPushRefuses(t *testing.T) {
	w := &world{release: release(t), registry: registrytest.Serve(t)}
	dir := w.sign(t, sigstoretest.NewKey(t), "")
	cases := map[string]struct {
		push func(prefix string)
		want string
	}{
		"NotThere": {push: func(string) {}, want: "the package must be pushed first"},
		"Other":    {push: func(prefix string) { w.pushPackages(t, prefix, annotated) }, want: "was signed"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			prefix := w.registry + "/" + strings.ToLower(name) + "/"
			tc.push(prefix)
			if err := Push(t.Context(), dir, prefix); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want %q", err, tc.want)
			}
		})
	}
}
