// Package signer makes signatures and attestations of images as cosign makes them with a key.
package signer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/sigstore/cosign/v3/pkg/cosign"
	"github.com/sigstore/cosign/v3/pkg/cosign/bundle"
	"github.com/sigstore/cosign/v3/pkg/oci"
	"github.com/sigstore/cosign/v3/pkg/oci/static"
	"github.com/sigstore/cosign/v3/pkg/types"
	rekor "github.com/sigstore/rekor/pkg/client"
	"github.com/sigstore/rekor/pkg/generated/client"
	"github.com/sigstore/rekor/pkg/generated/models"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/sigstore/sigstore/pkg/signature/dsse"
	"github.com/sigstore/sigstore/pkg/signature/payload"
)

// A Signer signs with one key. New makes one.
type Signer struct {
	key    signature.SignerVerifier
	public []byte
	log    *client.Rekor
}

// New returns a Signer with a key that LoadKey has read. What it signs is entered into the transparency log at the URL; into
// none, and without any use of the network, when that is empty.
func New(key signature.SignerVerifier, logURL string) (*Signer, error) {
	public, err := key.PublicKey()
	if err != nil {
		return nil, err
	}
	s := &Signer{key: key}
	if s.public, err = cryptoutils.MarshalPublicKeyToPEM(public); err != nil {
		return nil, err
	}
	if logURL != "" {
		if s.log, err = rekor.GetRekorClient(logURL); err != nil {
			return nil, fmt.Errorf("transparency log %s: %w", logURL, err)
		}
	}
	return s, nil
}

// PublicKey returns, in PEM, the key that verifies what is signed.
func (s *Signer) PublicKey() []byte { return s.public }

// Sign returns the signature of an image or index.
func (s *Signer) Sign(ctx context.Context, image name.Digest) (oci.Signature, error) {
	claims, err := payload.Cosign{Image: image}.MarshalJSON()
	if err != nil {
		return nil, err
	}
	raw, err := s.SignBlob(claims)
	if err != nil {
		return nil, err
	}
	entry, err := s.enter(func() (*models.LogEntryAnon, error) {
		sum := sha256.New()
		sum.Write(claims)
		return cosign.TLogUpload(ctx, s.log, raw, sum, s.public)
	})
	if err != nil {
		return nil, err
	}
	return static.NewSignature(claims, base64.StdEncoding.EncodeToString(raw), static.WithBundle(entry))
}

// Attest returns an attestation of an in-toto statement.
func (s *Signer) Attest(ctx context.Context, statement []byte, predicateType string) (oci.Signature, error) {
	envelope, err := dsse.WrapSigner(s.key, types.IntotoPayloadType).SignMessage(bytes.NewReader(statement))
	if err != nil {
		return nil, err
	}
	entry, err := s.enter(func() (*models.LogEntryAnon, error) {
		return cosign.TLogUploadDSSEEnvelope(ctx, s.log, envelope, s.public)
	})
	if err != nil {
		return nil, err
	}
	return static.NewAttestation(envelope, static.WithLayerMediaType(types.DssePayloadType), static.WithBundle(entry),
		static.WithAnnotations(map[string]string{"predicateType": predicateType}))
}

// SignBlob returns the signature of any bytes, which is entered into no log.
func (s *Signer) SignBlob(content []byte) ([]byte, error) {
	return s.key.SignMessage(bytes.NewReader(content))
}

// enter returns what proves that the log has an entry, or nil when there is no log.
func (s *Signer) enter(upload func() (*models.LogEntryAnon, error)) (*bundle.RekorBundle, error) {
	if s.log == nil {
		return nil, nil //nolint:nilnil // No log, no proof.
	}
	entry, err := upload()
	if err != nil {
		return nil, fmt.Errorf("the transparency log did not take the signature: %w", err)
	}
	proof := bundle.EntryToBundle(entry)
	if proof == nil {
		return nil, fmt.Errorf("the transparency log took the signature without a proof of that")
	}
	return proof, nil
}
