// Package certificates issues the TLS certificates that the simulator answers with.
package certificates

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

// journalKey is where the authority's key pair is kept, so that clients go on trusting a restarted simulator.
const journalKey = "certificates/authority"

const validity = 10 * 365 * 24 * time.Hour

type pair struct {
	Certificate []byte `json:"certificate"`
	Key         []byte `json:"key"`
}

// Authority is a certificate authority that issues leaf certificates on demand.
type Authority struct {
	certificate *x509.Certificate
	pem         []byte
	key         *ecdsa.PrivateKey

	mu     sync.Mutex
	leaves map[string]*tls.Certificate
}

// Load returns the authority in the journal, or a new one that it writes there.
func Load(journal *state.Journal) (*Authority, error) {
	var p pair
	found, err := journal.Get(journalKey, &p)
	if err != nil {
		return nil, err
	}
	if !found {
		if p, err = newAuthority(); err != nil {
			return nil, err
		}
		if err := journal.Put(journalKey, p); err != nil {
			return nil, err
		}
	}
	certificate, err := x509.ParseCertificate(p.Certificate)
	if err != nil {
		return nil, fmt.Errorf("parse certificate of the authority: %w", err)
	}
	key, err := x509.ParseECPrivateKey(p.Key)
	if err != nil {
		return nil, fmt.Errorf("parse key of the authority: %w", err)
	}
	return &Authority{
		certificate: certificate,
		pem:         pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.Certificate}),
		key:         key,
		leaves:      map[string]*tls.Certificate{},
	}, nil
}

func newAuthority() (pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair{}, fmt.Errorf("generate key of the authority: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "azuresim"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(validity),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return pair{}, fmt.Errorf("create certificate of the authority: %w", err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return pair{}, fmt.Errorf("encode key of the authority: %w", err)
	}
	return pair{Certificate: der, Key: keyDER}, nil
}

// PEM returns the authority's certificate.
func (a *Authority) PEM() []byte {
	return a.pem
}

// Leaf returns a server certificate for host.
func (a *Authority) Leaf(host string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if leaf, ok := a.leaves[host]; ok {
		return leaf, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate key for %s: %w", host, err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("generate serial number for %s: %w", host, err)
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: host},
		DNSNames:     []string{host},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(validity),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("create certificate for %s: %w", host, err)
	}
	leaf := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	a.leaves[host] = leaf
	return leaf, nil
}
