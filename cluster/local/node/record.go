package node

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/written"
)

const (
	// recordedPart is how much of what one side says is kept at a time.
	recordedPart = 256 << 10
	// recordedOverlap is how much of a part is in the next one, too, for what lies across their border.
	recordedOverlap = 16 << 10
	// flushInterval is how often what is recorded gets to the file.
	flushInterval = time.Second
)

// A Recorder is between a function and those who call it, and keeps what they say to each other. It has the certificates of both,
// so that neither does anything else than without it.
type Recorder struct {
	// Servers is a pattern of folders with the functions' certificates; Client is the folder with that of their client.
	Servers, Client string
	Spool           *written.Spool

	mu          sync.Mutex
	connections int
	open        map[*recorded]bool
}

// Run writes what is recorded to the file from time to time, until ctx is done.
func (r *Recorder) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return r.Spool.Close()
		case <-time.After(flushInterval):
			r.flush()
		}
	}
}

func (r *Recorder) flush() {
	r.mu.Lock()
	open := slices.Collect(maps.Keys(r.open))
	r.mu.Unlock()
	for _, c := range open {
		c.keep()
	}
	r.Spool.Flush()
}

// record returns both sides of a connection, with what is read of them kept until it is done.
func (r *Recorder) record(name string, caller, function *tls.Conn) (a, b *recorded, done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connections++
	what := fmt.Sprintf("connection %d", r.connections)
	a = &recorded{Conn: caller, spool: r.Spool, where: "requests to " + name, place: what}
	b = &recorded{Conn: function, spool: r.Spool, where: "answers of " + name, place: what}
	if r.open == nil {
		r.open = map[*recorded]bool{}
	}
	r.open[a], r.open[b] = true, true
	return a, b, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.open, a)
		delete(r.open, b)
	}
}

// join is join, with all that is said recorded.
func (r *Recorder) join(ctx context.Context, host string, caller, function net.Conn) error {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		return errors.Join(err, caller.Close(), function.Close())
	}
	authority, err := r.authority()
	if err != nil {
		return errors.Join(err, caller.Close(), function.Close())
	}
	server := tls.Server(caller, &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}, ClientCAs: authority, ClientAuth: tls.RequireAndVerifyClientCert,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) { return r.certificate(hello.ServerName) },
	})
	client := tls.Client(function, &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}, RootCAs: authority, ServerName: name,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return keyPair(r.Client) },
	})
	a, b, done := r.record(name, server, client)
	defer done()
	return pipe(ctx, a, b)
}

func (r *Recorder) authority() (*x509.CertPool, error) {
	ca, err := os.ReadFile(filepath.Join(r.Client, "ca.crt"))
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	return pool, nil
}

// certificate returns that of the function of a name.
func (r *Recorder) certificate(name string) (*tls.Certificate, error) {
	folders, err := filepath.Glob(r.Servers)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if pair, err := keyPair(folder); err == nil && pair.Leaf.VerifyHostname(name) == nil {
			return pair, nil
		}
	}
	return nil, fmt.Errorf("no function has a certificate for %s", name)
}

func keyPair(folder string) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key"))
	return &pair, err
}

// recorded is a connection that keeps what is read of it.
type recorded struct {
	*tls.Conn

	spool        *written.Spool
	where, place string

	mu sync.Mutex
	// part is what has not been kept yet, after the end of what has.
	part []byte
	kept int
}

// Read implements net.Conn.
func (c *recorded) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	c.part = append(c.part, p[:n]...)
	full := len(c.part) >= recordedPart
	c.mu.Unlock()
	if full || err != nil {
		c.keep()
	}
	return n, err
}

// keep keeps what has come since the last time.
func (c *recorded) keep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.part) == c.kept {
		return
	}
	c.spool.Add(c.where, c.place, c.part)
	c.kept = copy(c.part, c.part[max(0, len(c.part)-recordedOverlap):])
	c.part = c.part[:c.kept]
}
