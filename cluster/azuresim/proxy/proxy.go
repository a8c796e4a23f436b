// Package proxy is an HTTP proxy that answers for the simulated hosts itself, leads to the simulated machines, and refuses every
// other host.
package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/certificates"
)

// grace is how long requests that are being answered have at the end; watches would never end by themselves.
const grace = 250 * time.Millisecond

// Proxy terminates TLS for the hosts that Serves accepts and hands the requests to Handler.
type Proxy struct {
	Authority *certificates.Authority
	Handler   http.Handler
	// Serves tells whether the simulator answers for host.
	Serves func(host string) bool
	// Plain tells for which hosts it answers without TLS.
	Plain func(host string) bool
	// Dial connects to what is behind an address of a simulated network, such as the API server of a machine. Nothing is when it is nil.
	Dial func(ctx context.Context, address string) (net.Conn, error)

	once   sync.Once
	tunnel *tunnelListener
	inner  *http.Server
	led    couples
}

// Serve accepts proxy connections on l until Shutdown; it returns http.ErrServerClosed then.
func (p *Proxy) Serve(l net.Listener) error {
	p.start()
	outer := &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	p.inner.RegisterOnShutdown(func() { _ = outer.Close() })
	return outer.Serve(l)
}

func (p *Proxy) start() {
	p.once.Do(func() {
		p.tunnel = &tunnelListener{connections: make(chan net.Conn), done: make(chan struct{})}
		p.inner = &http.Server{
			Handler:           p.Handler,
			ReadHeaderTimeout: 30 * time.Second,
			TLSConfig: &tls.Config{
				MinVersion: tls.VersionTLS12,
				NextProtos: []string{"h2", "http/1.1"},
				GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
					if !p.Serves(hello.ServerName) {
						return nil, fmt.Errorf("no certificate for host %q", hello.ServerName)
					}
					return p.Authority.Leaf(hello.ServerName)
				},
			},
		}
		go func() { _ = p.inner.ServeTLS(p.tunnel, "", "") }()
	})
}

// Shutdown ends the proxy and every tunnel; watches are cut.
func (p *Proxy) Shutdown(ctx context.Context) error {
	p.start()
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	p.tunnel.close()
	p.led.end()
	if err := p.inner.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		return p.inner.Close()
	} else if err != nil {
		return err
	}
	return nil
}

// ServeHTTP opens a tunnel for CONNECT to a simulated host or into a simulated network, and answers requests for those that do without
// TLS; anything else is refused.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect && r.URL.Scheme == "http" && p.Plain != nil && p.Plain(r.URL.Host) {
		p.Handler.ServeHTTP(w, r)
		return
	}
	host, port, err := net.SplitHostPort(r.Host)
	switch {
	case r.Method == http.MethodConnect && err == nil && p.Serves(strings.ToLower(host)):
		if port != "443" {
			refuse(w, r)
			return
		}
		if conn := establish(w); conn != nil {
			p.tunnel.offer(conn)
		}
	case r.Method == http.MethodConnect && err == nil && p.Dial != nil:
		p.lead(w, r)
	default:
		refuse(w, r)
	}
}

func refuse(w http.ResponseWriter, r *http.Request) {
	http.Error(w, fmt.Sprintf("azuresim: %s %s refused: only CONNECT to a simulated Azure host, port 443", r.Method, r.Host), http.StatusForbidden)
}

// establish answers a CONNECT and returns the connection behind it; nil when the client has gone.
func establish(w http.ResponseWriter) net.Conn {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "azuresim: "+err.Error(), http.StatusInternalServerError)
		return nil
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection Established\r\n\r\n"); err != nil {
		_ = conn.Close()
		return nil
	}
	return &bufferedConn{Conn: conn, reader: buffered.Reader}
}

// bufferedConn reads first what the HTTP server has already taken from the connection.
type bufferedConn struct {
	net.Conn
	reader *bufio.Reader
}

func (c *bufferedConn) Read(b []byte) (int, error) {
	return c.reader.Read(b)
}

// CloseWrite says that nothing more is sent.
func (c *bufferedConn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// tunnelListener hands hijacked connections to the inner server.
type tunnelListener struct {
	connections chan net.Conn
	done        chan struct{}
	once        sync.Once
}

func (l *tunnelListener) offer(c net.Conn) {
	select {
	case l.connections <- c:
	case <-l.done:
		_ = c.Close()
	}
}

// Accept implements net.Listener.
func (l *tunnelListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.connections:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *tunnelListener) Close() error {
	l.close()
	return nil
}

func (l *tunnelListener) close() {
	l.once.Do(func() { close(l.done) })
}

// Addr implements net.Listener.
func (l *tunnelListener) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
}
