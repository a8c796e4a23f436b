package node

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// listen returns a listener on a free port.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// echo answers every line with the same in upper case, and returns where.
func echo(t *testing.T) string {
	t.Helper()
	l := listen(t)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				lines := bufio.NewScanner(conn)
				for lines.Scan() {
					fmt.Fprintln(conn, strings.ToUpper(lines.Text()))
				}
			}()
		}
	}()
	return l.Addr().String()
}

// serve runs f until the test is over, and fails it when f does.
func serve(t *testing.T, f func(context.Context) error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestForward(t *testing.T) {
	cases := map[string]struct {
		address string
		err     error
		want    string
	}{
		"Answers":       {address: echo(t), want: "HELLO\n"},
		"Unknown":       {err: errors.New("no such process")},
		"NobodyListens": {address: "127.0.0.1:1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l := listen(t)
			serve(t, func(ctx context.Context) error {
				return Forward(ctx, l, func() (string, error) { return tc.address, tc.err })
			})
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(conn, "hello")
			// Where nobody listens the connection may be reset before either.
			_ = conn.(*net.TCPConn).CloseWrite()
			got, _ := io.ReadAll(conn)
			if string(got) != tc.want {
				t.Errorf("answer is %q, want %q", got, tc.want)
			}
		})
	}
}

func TestConnector(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "from ", r.Host) }))
	defer server.Close()
	l := listen(t)
	connector := Connector{Resolve: func(hostPort string) (string, error) {
		switch hostPort {
		case "example.com:9443":
			return server.Listener.Addr().String(), nil
		case "dead.com:9443":
			return "127.0.0.1:1", nil
		}
		return "", fmt.Errorf("%s is not of this cluster", hostPort)
	}}
	serve(t, func(ctx context.Context) error { return connector.Serve(ctx, l) })

	transport := server.Client().Transport.(*http.Transport).Clone()
	transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr().String()})
	defer transport.CloseIdleConnections()
	cases := map[string]struct{ url, want, err string }{
		"Known":         {url: "https://example.com:9443/", want: "from example.com:9443"},
		"Unknown":       {url: "https://example.org:9443/", err: "Forbidden"},
		"NobodyListens": {url: "https://dead.com:9443/", err: "Bad Gateway"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp, err := (&http.Client{Transport: transport}).Get(tc.url)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error is %v, want %q in it", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer rsp.Body.Close()
			if got, err := io.ReadAll(rsp.Body); err != nil || string(got) != tc.want {
				t.Errorf("answer is %q, %v, want %q", got, err, tc.want)
			}
		})
	}
	t.Run("NoConnect", func(t *testing.T) {
		rsp, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer rsp.Body.Close()
		if rsp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("status is %s", rsp.Status)
		}
	})
}
