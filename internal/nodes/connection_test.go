package nodes

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/test/bufconn"
	"k8s.io/client-go/rest"
)

// A wire is a client's end of a connection in memory.
type wire struct {
	net.Conn

	written atomic.Int64
	cut     atomic.Bool
}

func (w *wire) Write(b []byte) (int, error) {
	w.written.Add(1)
	if w.cut.Load() {
		return len(b), nil // It gets nowhere, and nobody says so.
	}
	return w.Conn.Write(b)
}

func (w *wire) Read(b []byte) (int, error) {
	for {
		n, err := w.Conn.Read(b)
		if err != nil || !w.cut.Load() {
			return n, err
		}
	}
}

// word is what a server says each minute, as an API server says how far a watch has come.
const word = "{}\n"

// speak serves over HTTP/2 what is sent each minute, and returns what a client does to listen.
func speak(t *testing.T) (*wire, io.Reader) {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 || r.Header.Get("Authorization") != "Bearer t" {
			http.Error(w, r.Proto, http.StatusUnauthorized)
			return
		}
		for {
			_, _ = io.WriteString(w, word)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(time.Minute):
			case <-r.Context().Done():
				return
			}
		}
	}))
	_ = server.Listener.Close()
	server.Listener, server.EnableHTTP2 = listener, true
	server.StartTLS()
	w := &wire{}
	asker, err := newClient(&rest.Config{
		BearerToken: "t", TLSClientConfig: rest.TLSClientConfig{ServerName: "example.com", CAData: certificate(server)},
		Dial: func(ctx context.Context, _, _ string) (conn net.Conn, err error) {
			w.Conn, err = listener.DialContext(ctx)
			return w, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := asker.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	t.Cleanup(func() {
		_ = w.Close()
		_ = answer.Body.Close()
		server.Close()
	})
	return w, answer.Body
}

func hear(t *testing.T, from io.Reader) {
	t.Helper()
	heard := make([]byte, len(word))
	if _, err := io.ReadFull(from, heard); err != nil || string(heard) != word {
		t.Fatalf("heard %q: %v", heard, err)
	}
}

// TestNothingIsAskedWhileAnAPIServerSpeaks has a minute between what it says.
func TestNothingIsAskedWhileAnAPIServerSpeaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, body := speak(t)
		hear(t, body)
		synctest.Wait()
		before := w.written.Load()
		for range 10 {
			hear(t, body)
		}
		synctest.Wait()
		if asked := w.written.Load() - before; asked != 0 {
			t.Errorf("the client wrote %d times in ten minutes", asked)
		}
	})
}

func TestLostConnectionIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, body := speak(t)
		hear(t, body)
		synctest.Wait()
		begun := time.Now()
		w.cut.Store(true)
		if _, err := io.ReadAll(body); err == nil {
			t.Error("a lost connection ended like a watch")
		}
		if took := time.Since(begun); took > 2*time.Minute {
			t.Errorf("noticed after %s", took)
		}
	})
}
