package guest

import (
	"fmt"
	"hash/fnv"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/vishvananda/netlink"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/machine/cri"
)

// runtimeSocket is containerd's, where kubeadm and the kubelet look first.
const runtimeSocket = "/run/containerd/containerd.sock"

// controlPlane are the programs that containers of a machine run for real.
var controlPlane = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}

func serveRuntime(boot Boot, children *children) error {
	own := map[string]string{}
	for _, name := range controlPlane {
		own[name] = filepath.Join(programsPath, name)
	}
	server, err := cri.New(cri.Options{
		Programs: own,
		// A machine that is switched off loses nothing that was written: the kernel below goes on.
		Arguments:   map[string][]string{"etcd": {"--unsafe-no-fsync"}},
		Environment: environment(boot), Addresses: newAddresses(boot.Hostname), Start: children.start,
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(runtimeSocket), 0o755); err != nil {
		return err
	}
	listener, err := net.Listen("unix", runtimeSocket)
	if err != nil {
		return err
	}
	go func() { fmt.Fprintf(os.Stderr, "the container runtime has ended: %v\n", server.Serve(listener)) }()
	return nil
}

// addresses are for pods, on the machine's loopback interface: nobody reaches them from another machine.
type addresses struct {
	mu    sync.Mutex
	pool  netip.Prefix
	taken []netip.Addr
}

// newAddresses begins with a range that depends on the name, until the kubelet tells the node's own.
func newAddresses(hostname string) *addresses {
	h := fnv.New32a()
	_, _ = h.Write([]byte(hostname)) // It never fails.
	return &addresses{pool: netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 168, byte(h.Sum32() & 0xff), 0}), 24)}
}

// Use implements cri.Addresses. Of several ranges the first of IPv4 counts.
func (a *addresses) Use(cidr string) error {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if prefix.Addr().Is4() {
		a.pool = prefix.Masked()
	}
	return nil
}

// Take implements cri.Addresses.
func (a *addresses) Take() (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	// The first two are the network's and, with usual plugins, the node's.
	for ip := a.pool.Addr().Next().Next(); a.pool.Contains(ip); ip = ip.Next() {
		if slices.Contains(a.taken, ip) {
			continue
		}
		if err := onLoopback(ip, netlink.AddrReplace); err != nil {
			return "", err
		}
		a.taken = append(a.taken, ip)
		return ip.String(), nil
	}
	return "", fmt.Errorf("range %s has no free address", a.pool)
}

// Give implements cri.Addresses.
func (a *addresses) Give(ip string) error {
	address, err := netip.ParseAddr(ip)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken = slices.DeleteFunc(a.taken, func(t netip.Addr) bool { return t == address })
	return onLoopback(address, netlink.AddrDel)
}

func onLoopback(ip netip.Addr, do func(netlink.Link, *netlink.Addr) error) error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	return do(lo, &netlink.Addr{IPNet: &net.IPNet{IP: ip.AsSlice(), Mask: net.CIDRMask(32, 32)}})
}
