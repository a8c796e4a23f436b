package boot

import (
	"os"
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

// TestNetworks looks for addresses and names in several networks, and in those of a fabric that has been replaced.
func TestNetworks(t *testing.T) {
	t.Parallel()
	w := start(t, os.Geteuid())
	const (
		one = subscription + "Microsoft.Network/virtualNetworks/one"
		two = subscription + "Microsoft.Network/virtualNetworks/two"
		hub = subscription + "Microsoft.Network/virtualNetworks/hub"
	)
	balancer := func(id, vnet, ip string) power.LoadBalancer {
		return power.LoadBalancer{ID: id, VirtualNetwork: vnet, Frontends: []power.Frontend{{IP: ip, Port: 6443}}}
	}
	for _, b := range []power.LoadBalancer{
		balancer("a", one, "10.0.0.100"), balancer("b", two, "10.0.0.100"), balancer("c", two, "10.0.0.101"), balancer("d", one, "20.0.0.1"),
	} {
		if err := w.SetLoadBalancer(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	for vnet, names := range map[string]map[string]string{
		"":  {"public.example": "20.0.0.1", "nobody.example": "20.0.0.9"},
		one: {"one.example": "10.0.0.100", "both.example": "10.0.0.100"},
		two: {"two.example": "10.0.0.101", "both.example": "10.0.0.100"},
		// A network that is peered with another finds names of it.
		hub: {"two.example": "10.0.0.101"},
	} {
		if err := w.SetNames(t.Context(), vnet, names); err != nil {
			t.Fatal(err)
		}
	}
	look := func(t *testing.T) {
		t.Helper()
		for address, want := range map[string]string{
			"20.0.0.1:6443":       "",
			"10.0.0.101:6443":     "",
			"public.example:6443": "",
			"PUBLIC.example:6443": "",
			"one.example:6443":    "",
			"two.example:6443":    "",
			"20.0.0.1:443":        "refused",
			"10.0.0.100:6443":     "in 2 virtual networks",
			"both.example:6443":   "in 2 virtual networks",
			"nobody.example:6443": "no machine and no load balancer has this name or address",
			"other.example:6443":  "no machine and no load balancer has this name or address",
			"10.0.0.9:6443":       "no machine and no load balancer has this name or address",
			"20.0.0.1":            "missing port",
		} {
			conn, err := w.Dial(t.Context(), address)
			if conn != nil {
				_ = conn.Close()
			}
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", address, err, want)
			}
		}
	}
	t.Run("it finds what is where", look)
	t.Run("one that is replaced goes on", func(t *testing.T) {
		w.end(t)
		w.launch(t, os.Geteuid())
		look(t)
	})
	t.Run("what is deleted is gone", func(t *testing.T) {
		if err := w.DeleteLoadBalancer(t.Context(), "C"); err != nil {
			t.Fatal(err)
		}
		if err := w.SetLoadBalancer(t.Context(), power.LoadBalancer{ID: "d", VirtualNetwork: one}); err != nil {
			t.Fatal(err)
		}
		for _, address := range []string{"two.example:6443", "public.example:6443"} {
			if conn, err := w.Dial(t.Context(), address); err == nil {
				_ = conn.Close()
				t.Errorf("%s answers", address)
			}
		}
		// Of two that had the address, one is left.
		if err := w.DeleteLoadBalancer(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		conn, err := w.Dial(t.Context(), "10.0.0.100:6443")
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	})
}
