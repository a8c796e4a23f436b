package node

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// A Connector is an HTTP proxy that knows CONNECT only, and only for the names that Resolve knows: it plays the part of
// cluster DNS for a client that heeds HTTPS_PROXY, as gRPC's does.
type Connector struct {
	// Resolve returns the address on this machine of a host:port, and an error for one that must not be reached.
	Resolve func(hostPort string) (string, error)
	// Recorder keeps what is said, if not nil.
	Recorder *Recorder
}

// Serve answers on the listener until ctx is done.
func (c Connector) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: c, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // What could fail is over.
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (c Connector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(w, "this proxy is for CONNECT only", http.StatusMethodNotAllowed)
		return
	}
	address, err := c.Resolve(r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	onward, err := (&net.Dialer{Timeout: dialPatience}).DialContext(r.Context(), "tcp", address)
	if err != nil {
		http.Error(w, fmt.Sprintf("%s does not answer: %v", r.Host, err), http.StatusBadGateway)
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = onward.Close() // Nothing was said on it.
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if _, err := fmt.Fprint(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_, _ = conn.Close(), onward.Close()
		return
	}
	if c.Recorder != nil {
		_ = c.Recorder.join(r.Context(), r.Host, bufferedConn{conn, buffered.Reader}, onward) // As below.
		return
	}
	_ = pipe(r.Context(), bufferedConn{conn, buffered.Reader}, onward) // Both sides see it end.
}

// bufferedConn is a connection of which some bytes are read already.
type bufferedConn struct {
	net.Conn

	r *bufio.Reader
}

func (c bufferedConn) Read(p []byte) (int, error) { return c.r.Read(p) }

// CloseWrite tells the other side that nothing more comes.
func (c bufferedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}
