package endure

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestCutConnections cuts what this process is connected with, and nothing that it listens on.
func TestCutConnections(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	connect := func() (client, server net.Conn) {
		client, err := net.Dial("tcp4", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		server, err = listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = client.Close(), server.Close() })
		return client, server
	}
	client, server := connect()
	cut, err := cutConnections(os.Getpid())
	if os.Geteuid() != 0 && errors.Is(err, syscall.EPERM) {
		return // What an ordinary user is answered.
	}
	// The other end may be gone before its turn comes, as it has the reset of the first.
	if err != nil || cut < 1 {
		t.Fatalf("%d connections cut: %v", cut, err)
	}
	for _, end := range []net.Conn{client, server} {
		_ = end.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := end.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNABORTED) && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s reads on: %v", end.LocalAddr(), err)
		}
	}
	connect()

	if cut, err := cutConnections(1 << 30); cut != 0 || err != nil {
		t.Errorf("of no process %d connections are cut: %v", cut, err)
	}
}
