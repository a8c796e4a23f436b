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

// led is a connection that a proxy was asked to lead on.
type led struct {
	*net.TCPConn
	// status is the answer, says its body where the connection is not led.
	status int
	says   string
	// reader reads what comes behind the answer.
	reader *bufio.Reader
}

// connect asks a proxy for a tunnel.
func connect(t *testing.T, proxy, address string) led {
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
	defer answer.Body.Close()
	tunnel := led{TCPConn: conn.(*net.TCPConn), status: answer.StatusCode, reader: reader}
	if tunnel.status != http.StatusOK {
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		tunnel.says = string(body)
	}
	return tunnel
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
			conn := connect(t, proxy, tc.address)
			if conn.status != tc.status || !strings.Contains(conn.says, tc.says) {
				t.Fatalf("CONNECT %s is answered %d %q, want %d %q", tc.address, conn.status, conn.says, tc.status, tc.says)
			}
			if tc.status != http.StatusOK {
				return
			}
			if _, err := io.WriteString(conn, "hello"); err != nil {
				t.Fatal(err)
			}
			// The machine answers only when it knows that nothing more comes.
			if err := conn.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			heard, err := io.ReadAll(conn.reader)
			if err != nil || string(heard) != "HELLO" {
				t.Errorf("heard %q, %v", heard, err)
			}
		})
	}
}

func TestNothingIsLedWithoutNetworks(t *testing.T) {
	p, proxy := serve(t, echo(t))
	p.Dial = nil
	if conn := connect(t, proxy, "machine.example:6443"); conn.status != http.StatusForbidden {
		t.Errorf("CONNECT is answered %d", conn.status)
	}
}

func TestShutdownEndsWhatIsLed(t *testing.T) {
	p, proxy := serve(t, echo(t))
	conn := connect(t, proxy, "machine.example:6443")
	if conn.status != http.StatusOK {
		t.Fatal(conn.status)
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset") {
		t.Errorf("after the end: %v", err)
	}
}
