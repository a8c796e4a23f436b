package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// serve runs a proxy that leads to a listener by the name machine.example:6443, and nowhere else.
func serve(t *testing.T, machine net.Listener) (*Proxy, string) {
	t.Helper()
	p := &Proxy{
		Serves: func(host string) bool { return host == "management.azure.com" },
		Dial: func(ctx context.Context, address string) (net.Conn, error) {
			if address != "machine.example:6443" {
				return nil, fmt.Errorf("nothing is called %s", address)
			}
			return (&net.Dialer{}).DialContext(ctx, "tcp", machine.Addr().String())
		},
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = p.Serve(l) }()
	t.Cleanup(func() {
		if err := p.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return p, l.Addr().String()
}

// echo answers on every connection with what was sent until its end, in capitals.
func echo(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				said, err := io.ReadAll(conn)
				if err == nil {
					_, _ = io.WriteString(conn, strings.ToUpper(string(said)))
				}
			}()
		}
	}()
	return l
}

// connect asks a proxy for a tunnel and returns the connection and the answer.
func connect(t *testing.T, proxy, address string) (*net.TCPConn, *http.Response, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", proxy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", address)
	reader := bufio.NewReader(conn)
	answer, err := http.ReadResponse(reader, &http.Request{Method: http.MethodConnect})
	if err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn), answer, reader
}

func TestConnectLeadsIntoTheSimulatedNetwork(t *testing.T) {
	cases := map[string]struct {
		address string
		status  int
		says    string
	}{
		"Machine":        {address: "machine.example:6443", status: http.StatusOK},
		"Unknown":        {address: "elsewhere.example:6443", status: http.StatusBadGateway, says: "nothing is called elsewhere.example:6443"},
		"OtherPort":      {address: "machine.example:22", status: http.StatusBadGateway, says: "nothing is called machine.example:22"},
		"ServedByItself": {address: "management.azure.com:80", status: http.StatusForbidden},
		"NoPort":         {address: "machine.example", status: http.StatusForbidden},
	}
	_, proxy := serve(t, echo(t))
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			conn, answer, reader := connect(t, proxy, tc.address)
			if answer.StatusCode != tc.status {
				t.Fatalf("CONNECT %s is answered %s, want %d", tc.address, answer.Status, tc.status)
			}
			if tc.status != http.StatusOK {
				body, err := io.ReadAll(answer.Body)
				if err != nil || !strings.Contains(string(body), tc.says) {
					t.Errorf("the answer says %q (%v), want %q", body, err, tc.says)
				}
				return
			}
			if _, err := io.WriteString(conn, "hello"); err != nil {
				t.Fatal(err)
			}
			// The machine answers only when it knows that nothing more comes.
			if err := conn.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			heard, err := io.ReadAll(reader)
			if err != nil || string(heard) != "HELLO" {
				t.Errorf("heard %q, %v", heard, err)
			}
		})
	}
}

func TestNothingIsLedWithoutNetworks(t *testing.T) {
	p, proxy := serve(t, echo(t))
	p.Dial = nil
	if _, answer, _ := connect(t, proxy, "machine.example:6443"); answer.StatusCode != http.StatusForbidden {
		t.Errorf("CONNECT is answered %s", answer.Status)
	}
}

func TestShutdownEndsWhatIsLed(t *testing.T) {
	p, proxy := serve(t, echo(t))
	conn, answer, _ := connect(t, proxy, "machine.example:6443")
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset") {
		t.Errorf("after the end: %v", err)
	}
}
