package sigstoretest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
	sigstoretuf "github.com/sigstore/sigstore/pkg/tuf"
	"github.com/theupdateframework/go-tuf"
)

// rootVariable names the folder in which sigstore's libraries keep the roots of trust.
const rootVariable = "TUF_ROOT"

// Trust has sigstore's libraries trust the log in the place of public Rekor, for the time of the test and without a network,
// by the roots of trust that it writes into the folder. Another process for whom this is the folder of these roots trusts the
// log for a day. The libraries read the roots once in a process, so only the first call in a process has an effect on it.
func Trust(t *testing.T, log *Log, folder string) {
	t.Helper()
	key, err := cryptoutils.MarshalPublicKeyToPEM(log.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	// The last two are about certificates of Fulcio's, of which there are none where keys sign.
	mirror, root := publish(t, map[sigstoretuf.UsageKind]target{
		sigstoretuf.Rekor:  {"rekor.pub", key},
		sigstoretuf.CTFE:   {"ctfe.pub", key},
		sigstoretuf.Fulcio: {"fulcio.crt.pem", certificate(t)},
	})
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(rootVariable, folder)
	if err := sigstoretuf.Initialize(context.Background(), "file://"+mirror, root); err != nil {
		t.Fatal(err)
	}
}

// A target is a file that roots of trust are in.
type target struct {
	name    string
	content []byte
}

// publish makes a repository of The Update Framework with these targets, and returns its folder and its root.
func publish(t *testing.T, targets map[sigstoretuf.UsageKind]target) (mirror string, root []byte) {
	t.Helper()
	dir := t.TempDir()
	store := tuf.FileSystemStore(dir, nil)
	repository, err := tuf.NewRepo(store)
	if err != nil {
		t.Fatal(err)
	}
	if err := repository.Init(false); err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"root", "targets", "snapshot", "timestamp"} {
		if _, err := repository.GenKey(role); err != nil {
			t.Fatal(err)
		}
	}
	staged := filepath.Join(dir, "staged", "targets")
	if err := os.MkdirAll(staged, 0o755); err != nil {
		t.Fatal(err)
	}
	for usage, file := range targets {
		if err := os.WriteFile(filepath.Join(staged, file.name), file.content, 0o600); err != nil {
			t.Fatal(err)
		}
		custom, err := json.Marshal(map[string]any{"sigstore": map[string]any{"usage": usage, "status": sigstoretuf.Active}})
		if err != nil {
			t.Fatal(err)
		}
		if err := repository.AddTarget(file.name, custom); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []func() error{repository.Snapshot, repository.Timestamp, repository.Commit} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	meta, err := store.GetMeta()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "repository"), meta["root.json"]
}

// certificate returns, in PEM, one that stands for Fulcio's root.
func certificate(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nobody"}, NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return cryptoutils.PEMEncode(cryptoutils.CertificatePEMType, raw)
}
