package network

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

// inside is set for the process that has the right to make networks, and can harm nobody's.
const inside = "NETWORK_TEST_INSIDE"

// TestMain runs the tests in namespaces of their own, as the fabric runs.
func TestMain(m *testing.M) {
	if os.Getenv(inside) != "" {
		os.Exit(m.Run())
	}
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}},
		Pdeathsig: syscall.SIGKILL,
	}
	err := cmd.Run()
	if err != nil && cmd.Process == nil && os.Geteuid() == 0 {
		// No user namespaces here, and root needs none.
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func newNetwork(t *testing.T) *Network {
	t.Helper()
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

func connect(t *testing.T, n *Network, ip string) *Port {
	t.Helper()
	// Two machines with one hardware address would take each other's packets.
	number := net.ParseIP(ip).To4()
	p, err := n.Connect([]Interface{{IP: ip, MAC: fmt.Sprintf("00-0D-3A-%02X-%02X-%02X", number[1], number[2], number[3])}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// serve answers with a name, and with 503 while it is unwell, at port 80 of a machine.
func serve(t *testing.T, p *Port, name string) (unwell *atomic.Bool) {
	t.Helper()
	unwell = &atomic.Bool{}
	var listener net.Listener
	err := p.space.do(func() (err error) {
		listener, err = net.Listen("tcp4", ":80")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if unwell.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprint(w, name)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return unwell
}

// from is a client in a machine.
func (p *Port) from() *http.Client {
	return client(func(f func() error) error { return p.space.do(f) })
}

// from is a client in the network itself.
func (n *Network) from() *http.Client { return client(n.space.do) }

func client(do func(func() error) error) *http.Client {
	return &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, address string) (conn net.Conn, err error) {
			err = do(func() error {
				conn, err = (&net.Dialer{FallbackDelay: -1}).DialContext(ctx, "tcp4", address)
				return err
			})
			return conn, err
		},
	}}
}

func get(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return string(raw), err
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not in time: " + what)
		}
	}
}

func TestMachinesReachEachOther(t *testing.T) {
	n := newNetwork(t)
	a, b := connect(t, n, "10.0.0.4"), connect(t, n, "10.1.0.4")
	serve(t, a, "a")
	for name, c := range map[string]*http.Client{"another machine": b.from(), "itself": a.from(), "the network": n.from()} {
		t.Run(name, func(t *testing.T) {
			if got, err := get(c, "http://10.0.0.4/"); err != nil || got != "a" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	if _, err := get(b.from(), "http://192.0.2.1/"); err == nil {
		t.Error("an address outside answers")
	}
	a.Close()
	if _, err := get(b.from(), "http://10.0.0.4/"); err == nil {
		t.Error("it answers when it is unplugged")
	}
	// The address is free again.
	again := connect(t, n, "10.0.0.4")
	serve(t, again, "again")
	if got, err := get(b.from(), "http://10.0.0.4/"); err != nil || got != "again" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestNetworksAreApart(t *testing.T) {
	one, two := newNetwork(t), newNetwork(t)
	a, b := connect(t, one, "10.0.0.4"), connect(t, two, "10.0.0.4")
	serve(t, a, "one")
	serve(t, b, "two")
	for want, n := range map[string]*Network{"one": one, "two": two} {
		if got, err := get(n.from(), "http://10.0.0.4/"); err != nil || got != want {
			t.Errorf("%s: %q, %v", want, got, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	n := newNetwork(t)
	for name, interfaces := range map[string][]Interface{"none": nil, "no address": {{IP: ""}}, "IPv6": {{IP: "fd00::1"}}} {
		t.Run(name, func(t *testing.T) {
			if _, err := n.Connect(interfaces); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestBalancer(t *testing.T) {
	n := newNetwork(t)
	a, b := connect(t, n, "10.0.0.4"), connect(t, n, "10.0.0.5")
	unwell := serve(t, a, "a")
	config := power.Frontend{
		IP: "20.0.0.1", Port: 6443, ProbePath: "/readyz", ProbePort: 80, Backends: []power.Backend{{IP: "10.0.0.4", Port: 80}, {IP: "10.0.0.5", Port: 80}},
	}
	f, err := n.Balance(config)
	if err != nil {
		t.Fatal(err)
	}
	const url = "http://20.0.0.1:6443/"
	answers := func(want string) func() bool {
		return func() bool { got, err := get(b.from(), url); return err == nil && got == want }
	}
	eventually(t, "the one backend that is up answers", answers("a"))
	serve(t, b, "b")
	eventually(t, "the other answers too", answers("b"))
	unwell.Store(true)
	eventually(t, "the unwell one is found out", func() bool {
		for range 20 {
			if got, err := get(n.from(), url); err != nil || got != "b" {
				return false
			}
		}
		return true
	})
	config.Backends = config.Backends[:1]
	f.Set(config)
	eventually(t, "nobody is up", func() bool { _, err := get(n.from(), url); return err != nil })
	unwell.Store(false)
	eventually(t, "it is well again", answers("a"))
	config.ProbePort, config.Backends = 0, []power.Backend{{IP: "10.0.0.5", Port: 80}}
	f.Set(config)
	eventually(t, "without a probe all are up", answers("b"))
	if _, err := n.Balance(config); err == nil {
		t.Error("an address and port that is taken can be taken again")
	}
	f.Close()
	if _, err := get(n.from(), url); err == nil {
		t.Error("a closed frontend answers")
	}
	again, err := n.Balance(config)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	eventually(t, "it can be opened again", answers("b"))
}

func TestServices(t *testing.T) {
	n := newNetwork(t)
	p := connect(t, n, "10.0.0.4")
	if err := n.Resolve(func(name string) (string, bool) { return "20.0.0.1", name == "api.example" }); err != nil {
		t.Fatal(err)
	}
	machine := power.Machine{Name: "m", NICs: []power.NIC{{IP: "10.0.0.4"}}}
	if err := n.ServeMetadata(func(ip string) (power.Machine, bool) { return machine, ip == "10.0.0.4" }); err != nil {
		t.Fatal(err)
	}
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (conn net.Conn, err error) {
		err = p.space.do(func() error {
			conn, err = (&net.Dialer{}).DialContext(ctx, "udp4", Resolver+":53")
			return err
		})
		return conn, err
	}}
	if got, err := resolver.LookupHost(t.Context(), "API.example."); err != nil || len(got) != 1 || got[0] != "20.0.0.1" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := resolver.LookupHost(t.Context(), "other.example."); err == nil {
		t.Errorf("an unknown name has %v", got)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+metadata+"/metadata/instance/compute/name?api-version=2021-02-01&format=text", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Metadata", "true")
	resp, err := p.from().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if raw, err := io.ReadAll(resp.Body); err != nil || string(raw) != "m" {
		t.Errorf("%q, %v", raw, err)
	}
}

func TestReply(t *testing.T) {
	lookup := func(name string) (string, bool) {
		ip, ok := map[string]string{"a.example": "10.0.0.1", "broken.example": "none"}[name]
		return ip, ok
	}
	for name, c := range map[string]struct {
		question string
		kind     dnsmessage.Type
		code     dnsmessage.RCode
		want     string
	}{
		"an address":              {"a.example.", dnsmessage.TypeA, dnsmessage.RCodeSuccess, "10.0.0.1"},
		"in capital letters":      {"A.Example.", dnsmessage.TypeA, dnsmessage.RCodeSuccess, "10.0.0.1"},
		"of IPv6, without any":    {"a.example.", dnsmessage.TypeAAAA, dnsmessage.RCodeSuccess, ""},
		"a name of nobody":        {"b.example.", dnsmessage.TypeA, dnsmessage.RCodeNameError, ""},
		"an address that is none": {"broken.example.", dnsmessage.TypeA, dnsmessage.RCodeNameError, ""},
	} {
		t.Run(name, func(t *testing.T) {
			q := dnsmessage.Message{Header: dnsmessage.Header{ID: 7}, Questions: []dnsmessage.Question{{
				Name: dnsmessage.MustNewName(c.question), Type: c.kind, Class: dnsmessage.ClassINET,
			}}}
			packet, err := q.Pack()
			if err != nil {
				t.Fatal(err)
			}
			raw, err := reply(packet, lookup)
			if err != nil {
				t.Fatal(err)
			}
			var got dnsmessage.Message
			if err := got.Unpack(raw); err != nil {
				t.Fatal(err)
			}
			address := ""
			for _, r := range got.Answers {
				ip := r.Body.(*dnsmessage.AResource).A
				address = net.IP(ip[:]).String()
			}
			if got.ID != 7 || !got.Response || got.RCode != c.code || address != c.want {
				t.Errorf("%+v", got)
			}
		})
	}
	for name, packet := range map[string][]byte{"nothing": nil, "noise": []byte("noise"), "no question": make([]byte, 12)} {
		if _, err := reply(packet, lookup); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestMetadata(t *testing.T) {
	machine := power.Machine{
		Name: "m", Location: "westus", Zone: "2", Size: "Standard_D2s_v3", OS: "Linux", Tags: map[string]string{"k": "v"},
		NICs: []power.NIC{{IP: "10.0.0.4", MAC: "00-0d-3a-00-00-01"}},
	}
	handler := metadataHandler(func(ip string) (power.Machine, bool) { return machine, ip == "10.0.0.4" })
	for name, c := range map[string]struct {
		path, from, header string
		status             int
		want               string
	}{
		"a text":            {"/metadata/instance/compute/zone?api-version=1&format=text", "10.0.0.4", "true", 200, "2"},
		"a JSON text":       {"/metadata/instance/compute/location?api-version=1", "10.0.0.4", "True", 200, `"westus"`},
		"an interface":      {"/metadata/instance/network/interface?api-version=1", "10.0.0.4", "true", 200, `[{"ipv4":{"ipAddress":[{"privateIpAddress":"10.0.0.4","publicIpAddress":""}]},"macAddress":"000D3A000001"}]`},
		"no header":         {"/metadata/instance?api-version=1", "10.0.0.4", "", 400, "header not specified"},
		"no version":        {"/metadata/instance", "10.0.0.4", "true", 400, "api-version was not specified"},
		"another service":   {"/metadata/identity/oauth2/token?api-version=1", "10.0.0.4", "true", 404, "Not found"},
		"no such value":     {"/metadata/instance/compute/none?api-version=1", "10.0.0.4", "true", 404, "Not found"},
		"below a value":     {"/metadata/instance/compute/name/x?api-version=1", "10.0.0.4", "true", 404, "Not found"},
		"a machine unknown": {"/metadata/instance?api-version=1", "10.0.0.5", "true", 404, "Not found"},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			r.RemoteAddr = c.from + ":1234"
			r.Header.Set("Metadata", c.header)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	r := httptest.NewRequest(http.MethodGet, "/metadata/instance?api-version=1", nil)
	r.RemoteAddr = "10.0.0.4:1"
	r.Header.Set("Metadata", "true")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	var got struct {
		Compute struct {
			TagsList []struct{ Name, Value string }
			VMSize   string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]struct{ Name, Value string }{{"k", "v"}}, got.Compute.TagsList); diff != "" || got.Compute.VMSize != "Standard_D2s_v3" {
		t.Error(diff, got)
	}
}
