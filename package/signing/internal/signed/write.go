package signed

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/sigstore/cosign/v3/pkg/oci"
	ociempty "github.com/sigstore/cosign/v3/pkg/oci/empty"
	ocimutate "github.com/sigstore/cosign/v3/pkg/oci/mutate"
	ociremote "github.com/sigstore/cosign/v3/pkg/oci/remote"

	"github.com/crossplane-capz/crossplane-capz/package/signing/internal/provenance"
	"github.com/crossplane-capz/crossplane-capz/package/signing/internal/signer"
)

// What is written beside the packages.
const (
	// Folder has an OCI layout for each package.
	Folder = "signatures"
	// PublicKey is the file with the key that verifies the signatures.
	PublicKey = "cosign.pub"
	// checksums covers every file of a release, so its signature does, too.
	checksums          = "SHA256SUMS"
	checksumsSignature = checksums + ".sig"
	// reference names an entry of an OCI layout, as oras, skopeo and crane expect it.
	reference = "org.opencontainers.image.ref.name"
)

// Options are what is signed. All are required.
type Options struct {
	// Dir is the folder of the release.
	Dir string
	// Commit that it was built from.
	Commit string
	// Builder is the URI of who or what has built it.
	Builder string
	Signer  *signer.Signer
}

// Write signs a release: its packages, with their provenance, and its checksums, where it has any. What it writes is left
// for Push, or for any tool that copies OCI layouts. It returns the packages signed.
func Write(ctx context.Context, o Options) ([]Package, error) {
	packages, err := Packages(o.Dir)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(filepath.Join(o.Dir, Folder)); err != nil {
		return nil, err
	}
	for _, p := range packages {
		if err := o.write(ctx, p); err != nil {
			return nil, fmt.Errorf("signing %s: %w", p.Name, err)
		}
	}
	if err := o.signChecksums(); err != nil {
		return nil, err
	}
	return packages, os.WriteFile(filepath.Join(o.Dir, PublicKey), o.Signer.PublicKey(), 0o644)
}

// write makes the layout of a package: for each of its digests the two images that cosign keeps signatures and attestations
// in, under the tags that cosign gives them.
func (o Options) write(ctx context.Context, p Package) error {
	attestation, err := o.attest(ctx, p)
	if err != nil {
		return err
	}
	dir := filepath.Join(o.Dir, Folder, p.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	for _, digest := range p.Digests {
		image := p.Tag.Digest(digest.String())
		signature, err := o.Signer.Sign(ctx, image)
		if err != nil {
			return err
		}
		if err := add(path, image, signature, ociremote.SignatureTag); err != nil {
			return err
		}
		if err := add(path, image, attestation, ociremote.AttestationTag); err != nil {
			return err
		}
	}
	return nil
}

// attest returns the provenance of a package. It names all digests, so that it fits each.
func (o Options) attest(ctx context.Context, p Package) (oci.Signature, error) {
	binaries, err := p.binaries()
	if err != nil {
		return nil, err
	}
	statement, err := provenance.Statement(provenance.Build{
		Package: p.Name, Version: p.Tag.TagStr(), Commit: o.Commit, Builder: o.Builder,
		Repository: p.Tag.Repository.Name(), Digests: p.Digests, Binaries: binaries,
	})
	if err != nil {
		return nil, err
	}
	return o.Signer.Attest(ctx, statement, provenance.PredicateType)
}

func add(path layout.Path, image name.Digest, signature oci.Signature, tag func(name.Reference, ...ociremote.Option) (name.Tag, error)) error {
	at, err := tag(image)
	if err != nil {
		return err
	}
	signatures, err := ocimutate.AppendSignatures(ociempty.Signatures(), false, signature)
	if err != nil {
		return err
	}
	return path.AppendImage(signatures, layout.WithAnnotations(map[string]string{reference: at.TagStr()}))
}

// signChecksums writes the signature that `cosign verify-blob` takes. Packages alone have no checksums.
func (o Options) signChecksums() error {
	content, err := os.ReadFile(filepath.Join(o.Dir, checksums))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	signature, err := o.Signer.SignBlob(content)
	if err != nil {
		return err
	}
	encoded := base64.StdEncoding.EncodeToString(signature)
	return os.WriteFile(filepath.Join(o.Dir, checksumsSignature), []byte(encoded), 0o644)
}
