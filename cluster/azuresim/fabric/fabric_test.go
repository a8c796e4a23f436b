package fabric

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

// recorder is a host that notes what it is asked for.
type recorder struct {
	asked []any
	err   error
	state power.State
	echo  string
}

func (r *recorder) note(what ...any) error { r.asked = append(r.asked, what...); return r.err }

func (r *recorder) Start(_ context.Context, m power.Machine) error { return r.note("Start", m) }
func (r *recorder) Stop(_ context.Context, id string) error        { return r.note("Stop", id) }
func (r *recorder) Delete(_ context.Context, id string) error      { return r.note("Delete", id) }
func (r *recorder) State(_ context.Context, id string) (power.State, error) {
	return r.state, r.note("State", id)
}
func (r *recorder) SetLoadBalancer(_ context.Context, lb power.LoadBalancer) error {
	return r.note("SetLoadBalancer", lb)
}
func (r *recorder) DeleteLoadBalancer(_ context.Context, id string) error {
	return r.note("DeleteLoadBalancer", id)
}
func (r *recorder) SetNames(_ context.Context, vnet string, names map[string]string) error {
	return r.note("SetNames", vnet, names)
}
func (r *recorder) Dial(ctx context.Context, address string) (net.Conn, error) {
	if err := r.note("Dial", address); err != nil {
		return nil, err
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", r.echo)
}

func serve(t *testing.T, host power.Host) *Client {
	t.Helper()
	socket := filepath.Join(t.TempDir(), strings.Repeat("a-folder-with-a-long-name-", 5), "fabric.sock")
	if err := os.MkdirAll(filepath.Dir(socket), 0o755); err != nil {
		t.Fatal(err)
	}
	listener, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: Handler(host), ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return NewClient(socket)
}

func TestMethods(t *testing.T) {
	machine := power.Machine{
		ID: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/m", Name: "m", CPUs: 2, CustomData: []byte{0, 1, 255},
		NICs: []power.NIC{{Name: "n", IP: "10.0.0.4"}}, DataDisks: []power.Disk{{LUN: 0, Name: "d", SizeGiB: 256}}, Tags: map[string]string{"a": "b"},
	}
	balancer := power.LoadBalancer{ID: "lb", VirtualNetwork: "v", Frontends: []power.Frontend{{
		IP: "20.0.0.1", Port: 6443, Backends: []power.Backend{{IP: "10.0.0.4", Port: 6443}}, ProbePath: "/readyz", ProbeTLS: true, ProbePort: 6443,
	}}}
	names := map[string]string{"host": "10.0.0.100"}
	for name, c := range map[string]struct {
		call func(context.Context, power.Host) error
		want []any
	}{
		"Start":              {func(ctx context.Context, h power.Host) error { return h.Start(ctx, machine) }, []any{"Start", machine}},
		"Stop":               {func(ctx context.Context, h power.Host) error { return h.Stop(ctx, "i") }, []any{"Stop", "i"}},
		"Delete":             {func(ctx context.Context, h power.Host) error { return h.Delete(ctx, "i") }, []any{"Delete", "i"}},
		"State":              {func(ctx context.Context, h power.Host) error { _, err := h.State(ctx, "i"); return err }, []any{"State", "i"}},
		"SetLoadBalancer":    {func(ctx context.Context, h power.Host) error { return h.SetLoadBalancer(ctx, balancer) }, []any{"SetLoadBalancer", balancer}},
		"DeleteLoadBalancer": {func(ctx context.Context, h power.Host) error { return h.DeleteLoadBalancer(ctx, "i") }, []any{"DeleteLoadBalancer", "i"}},
		"SetNames":           {func(ctx context.Context, h power.Host) error { return h.SetNames(ctx, "v", names) }, []any{"SetNames", "v", names}},
	} {
		t.Run(name, func(t *testing.T) {
			host := &recorder{}
			client := serve(t, host)
			if err := c.call(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, host.asked); diff != "" {
				t.Error(diff)
			}
			host.err = errors.New("the host's own words")
			if err := c.call(t.Context(), client); err == nil || err.Error() != "the host's own words" {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestState(t *testing.T) {
	host := &recorder{state: power.State{Phase: power.Failed, Message: "no such image"}}
	got, err := serve(t, host).State(t.Context(), "i")
	if err != nil || got != host.state {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestDial(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		conn, err := echo.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		all, _ := io.ReadAll(conn) // It ends when the client has closed its writing side only.
		_, _ = conn.Write(append([]byte("you said "), all...))
	}()
	host := &recorder{echo: echo.Addr().String()}
	client := serve(t, host)
	conn, err := client.Dial(t.Context(), "10.0.0.100:6443")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "hello"); err != nil {
		t.Fatal(err)
	}
	if err := conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil || string(got) != "you said hello" {
		t.Errorf("%q, %v", got, err)
	}
	if diff := cmp.Diff([]any{"Dial", "10.0.0.100:6443"}, host.asked); diff != "" {
		t.Error(diff)
	}

	host.err = errors.New("nothing has this address")
	if _, err := client.Dial(t.Context(), "10.0.0.9:1"); err == nil || err.Error() != "nothing has this address" {
		t.Errorf("error %v", err)
	}
}

func TestNobodyListens(t *testing.T) {
	client := NewClient(filepath.Join(t.TempDir(), "none"))
	if err := client.Stop(t.Context(), "i"); err == nil {
		t.Error("no error")
	}
	if _, err := client.Dial(t.Context(), "a:1"); err == nil {
		t.Error("no error")
	}
}
