package node

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/written"
	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
)

// certify writes a certificate for a name, signed by the parent or by itself, with the authority's, as a Secret's files.
func certify(t *testing.T, dir, name string, parent *tls.Certificate) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name},
		IsCA: parent == nil, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	authority, signer := template, any(key)
	if parent != nil {
		authority, signer = parent.Leaf, parent.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	ca := leaf.Raw
	if parent != nil {
		ca = parent.Leaf.Raw
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		"tls.crt": {Type: "CERTIFICATE", Bytes: der}, "tls.key": {Type: "PRIVATE KEY", Bytes: private}, "ca.crt": {Type: "CERTIFICATE", Bytes: ca},
	} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// TestRecorder has a client and a function talk, each of which asks for the other's certificate, and finds what they said.
func TestRecorder(t *testing.T) {
	const name = "function.crossplane-system"
	dir := t.TempDir()
	authority := certify(t, filepath.Join(dir, "ca"), "authority", nil)
	server := certify(t, filepath.Join(dir, "pods", "function", "certs"), name, authority)
	caller := certify(t, filepath.Join(dir, "client"), "crossplane", authority)
	pool := x509.NewCertPool()
	pool.AddCert(authority.Leaf)

	function := tls.NewListener(listen(t), &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*server}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, NextProtos: []string{"h2"},
	})
	go func() {
		conn, err := function.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil {
			return
		}
		fmt.Fprint(conn, "answered "+strings.TrimPrefix(line, "asked "))
	}()

	path := filepath.Join(dir, "recorded")
	spool, err := written.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	recorder := &Recorder{Servers: filepath.Join(dir, "pods", "*", "certs"), Client: filepath.Join(dir, "client"), Spool: spool}
	proxy := listen(t)
	serve(t, func(ctx context.Context) error {
		return Connector{Resolve: func(string) (string, error) { return function.Addr().String(), nil }, Recorder: recorder}.Serve(ctx, proxy)
	})
	conn := connect(t, proxy.Addr().String(), name+":9443")
	client := tls.Client(conn, &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: pool, ServerName: name, Certificates: []tls.Certificate{*caller}, NextProtos: []string{"h2"},
	})
	fmt.Fprint(client, "asked 7f3a9c0e2b\n")
	answer, err := io.ReadAll(client)
	if err != nil || string(answer) != "answered 7f3a9c0e2b\n" {
		t.Fatalf("answer %q, %v", answer, err)
	}
	if client.ConnectionState().NegotiatedProtocol != "h2" {
		t.Error("gRPC wants h2")
	}
	recorder.flush()

	haul := &leaks.Haul{}
	haul.Add("asked", "", []byte("asked 7f3a9c0e2b"))
	haul.Add("answered", "", []byte("answered 7f3a9c0e2b"))
	search := leaks.NewSearch(haul.Values())
	if _, err := written.Search(search, path); err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, f := range search.Findings() {
		places = append(places, f.Source+": "+f.Where)
	}
	if want := []string{"answered: answers of " + name, "asked: requests to " + name}; !slices.Equal(places, want) {
		t.Errorf("found %q, want %q", places, want)
	}
}

// connect returns a connection through the proxy.
func connect(t *testing.T, proxy, host string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", proxy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", host, host)
	reader := bufio.NewReader(conn)
	answer, err := http.ReadResponse(reader, nil)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("CONNECT: %v, %v", answer, err)
	}
	_ = answer.Body.Close() // It has none: the tunnel follows.
	return conn
}
