package signer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sigstore/cosign/v3/pkg/cosign"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
)

func TestLoadKey(t *testing.T) {
	encrypted, err := cosign.GenerateKeyPair(func(bool) ([]byte, error) { return []byte("open sesame"), nil })
	if err != nil {
		t.Fatal(err)
	}
	unprotected, err := cosign.GenerateKeyPair(func(bool) ([]byte, error) { return []byte{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		key           []byte
		password      string
		inEnvironment bool
		want          string
	}{
		"Cosign":              {key: encrypted.PrivateBytes, password: "open sesame"},
		"CosignInEnvironment": {key: encrypted.PrivateBytes, password: "open sesame", inEnvironment: true},
		"CosignWithout":       {key: unprotected.PrivateBytes},
		"ECDSA":               {key: pkcs8(t, curve)},
		"RSA":                 {key: pkcs8(t, rsaKey)},
		"Ed25519":             {key: pkcs8(t, edwards), want: "must be an ECDSA or RSA key"},
		"WrongPassword":       {key: encrypted.PrivateBytes, password: "abracadabra", want: "must be in COSIGN_PASSWORD"},
		"NoPassword":          {key: encrypted.PrivateBytes, want: "must be in COSIGN_PASSWORD"},
		"NoKey":               {key: []byte("nonsense"), want: "cannot be read"},
		"PublicKey":           {key: encrypted.PublicBytes, want: "cannot be read"},
		"Empty":               {inEnvironment: true, want: "the environment variable SIGNING_KEY is empty"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv(PasswordVariable, tc.password)
			reference := "env://SIGNING_KEY"
			if tc.inEnvironment {
				t.Setenv("SIGNING_KEY", string(tc.key))
			} else {
				reference = filepath.Join(t.TempDir(), "release.key")
				if err := os.WriteFile(reference, tc.key, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			key, err := LoadKey(reference)
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("error is %v, want %q", err, tc.want)
				}
				if err != nil && tc.password != "" && strings.Contains(err.Error(), tc.password) {
					t.Errorf("the error has the password: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkSignature(t, key)
		})
	}
}

func pkcs8(t *testing.T, key any) []byte {
	t.Helper()
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}

// checkSignature verifies what a key signs with the public key, as Crossplane loads it.
func checkSignature(t *testing.T, key signature.SignerVerifier) {
	t.Helper()
	s, err := New(key, "")
	if err != nil {
		t.Fatal(err)
	}
	signed, err := s.SignBlob([]byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	public, err := cryptoutils.UnmarshalPEMToPublicKey(s.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := signature.LoadVerifier(public, crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	for content, valid := range map[string]bool{"content": true, "other content": false} {
		err := verifier.VerifySignature(strings.NewReader(string(signed)), strings.NewReader(content))
		if (err == nil) != valid {
			t.Errorf("signature of %q: %v", content, err)
		}
	}
}

// TestLoadKeyByContent gives the key in the place of its name, which must not be printed.
func TestLoadKeyByContent(t *testing.T) {
	pair, err := cosign.GenerateKeyPair(func(bool) ([]byte, error) { return []byte{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKey(string(pair.PrivateBytes)); err == nil || strings.Contains(err.Error(), "BEGIN") || !strings.Contains(err.Error(), "env://NAME") {
		t.Errorf("error is %v", err)
	}
}
