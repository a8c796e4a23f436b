package sigstoretest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
)

// NewKey writes a new private key into a file, and returns its name.
func NewKey(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "release.key")
	if err := os.WriteFile(file, cryptoutils.PEMEncode(cryptoutils.PrivateKeyPEMType, raw), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// ServeLog serves a new log until the test ends, and returns it and its URL.
func ServeLog(t *testing.T) (*Log, string) {
	t.Helper()
	log, err := NewLog()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(log)
	t.Cleanup(server.Close)
	return log, server.URL
}
