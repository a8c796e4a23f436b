package process

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// A Probe tells whether a component does its work. One without URL, Address and Socket succeeds while the process lives.
type Probe struct {
	// URL that answers 200.
	URL string `json:"url,omitempty"`
	// CA is the file with the certificate authority of URL.
	CA string `json:"ca,omitempty"`
	// Address that accepts TCP connections.
	Address string `json:"address,omitempty"`
	// Socket in the file system that accepts connections.
	Socket string `json:"socket,omitempty"`
}

// Check probes once; its error says why the component is not ready.
func (p Probe) Check(ctx context.Context) error {
	check, err := p.client()
	if err != nil {
		return err
	}
	return check(ctx)
}

// client returns a function that probes once; its error says why the component is not ready.
func (p Probe) client() (func(context.Context) error, error) {
	switch {
	case p.URL != "":
		return p.httpClient()
	case p.Address != "":
		return accepts("tcp", p.Address), nil
	case p.Socket != "":
		return accepts("unix", p.Socket), nil
	default:
		return func(context.Context) error { return nil }, nil
	}
}

// accepts returns a probe of where connections are accepted.
func accepts(network, address string) func(context.Context) error {
	dialer := &net.Dialer{Timeout: time.Second}
	return func(ctx context.Context) error {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
}

func (p Probe) httpClient() (func(context.Context) error, error) {
	transport := &http.Transport{DisableKeepAlives: true}
	if p.CA != "" {
		pem, err := os.ReadFile(p.CA)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", p.CA)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	client := &http.Client{Timeout: 2 * time.Second, Transport: transport}
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %s", p.URL, resp.Status)
		}
		return nil
	}, nil
}
