// Package sigstoretest stands in for sigstore's public services in tests: a transparency log that enters what it is sent and
// signs a promise of that, as Rekor does, and the roots of trust that Crossplane fetches when it starts.
package sigstoretest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/cyberphone/json-canonicalization/go/src/webpki.org/jsoncanonicalizer"
	"github.com/go-openapi/runtime"
	"github.com/sigstore/cosign/v3/pkg/cosign"
	"github.com/sigstore/cosign/v3/pkg/cosign/bundle"
	"github.com/sigstore/rekor/pkg/generated/models"
	"github.com/sigstore/rekor/pkg/types"
	_ "github.com/sigstore/rekor/pkg/types/dsse/v0.0.1"         // What attestations are entered as.
	_ "github.com/sigstore/rekor/pkg/types/hashedrekord/v0.0.1" // What signatures are entered as.
)

// entriesPath is where Rekor takes entries.
const entriesPath = "/api/v1/log/entries"

// A Log answers requests for new entries as Rekor does. It checks them with Rekor's own code, and forgets them: of a log, it
// has the promise alone, which is what verifiers look at that have no network.
type Log struct {
	key   *ecdsa.PrivateKey
	id    string
	count atomic.Int64
}

// NewLog returns a log with a key of its own.
func NewLog() (*Log, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	id, err := cosign.GetTransparencyLogID(key.Public())
	return &Log{key: key, id: id}, err
}

// PublicKey returns the key that verifies what the log has promised.
func (l *Log) PublicKey() crypto.PublicKey { return l.key.Public() }

// Entries returns how many entries were made.
func (l *Log) Entries() int { return int(l.count.Load()) }

// ServeHTTP makes an entry.
func (l *Log) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != entriesPath {
		http.NotFound(w, r)
		return
	}
	entry, err := l.enter(r)
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(models.Error{Code: http.StatusBadRequest, Message: err.Error()})
		return
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(entry)
}

func (l *Log) enter(r *http.Request) (models.LogEntry, error) {
	proposed, err := models.UnmarshalProposedEntry(r.Body, runtime.JSONConsumer())
	if err != nil {
		return nil, err
	}
	entry, err := types.CreateVersionedEntry(proposed)
	if err != nil {
		return nil, err
	}
	body, err := types.CanonicalizeEntry(r.Context(), entry)
	if err != nil {
		return nil, err
	}
	index, now := l.count.Add(1)-1, time.Now().Unix()
	promised := bundle.RekorPayload{Body: base64.StdEncoding.EncodeToString(body), IntegratedTime: now, LogIndex: index, LogID: l.id}
	promise, err := l.sign(promised)
	if err != nil {
		return nil, err
	}
	return models.LogEntry{fmt.Sprintf("%064x", index): models.LogEntryAnon{
		Body: promised.Body, IntegratedTime: &now, LogIndex: &index, LogID: &promised.LogID,
		Verification: &models.LogEntryAnonVerification{SignedEntryTimestamp: promise},
	}}, nil
}

// sign returns the signed entry timestamp of a payload.
func (l *Log) sign(payload bundle.RekorPayload) ([]byte, error) {
	raw, err := json.Marshal(payload)
	if err != nil {
		return nil, err
	}
	canonical, err := jsoncanonicalizer.Transform(raw)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(canonical)
	return ecdsa.SignASN1(rand.Reader, l.key, sum[:])
}
