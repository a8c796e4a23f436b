package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"

	"github.com/vishvananda/netlink"
)

const (
	bridge = "fabric"
	// gateway is the next hop of every machine. Azure's is the first address of each subnet, of which there may be many.
	gateway = "169.254.1.1"
	// Resolver and metadata are Azure's own addresses: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16.
	Resolver = "168.63.129.16"
	metadata = "169.254.169.254"
)

// Network is one virtual network. Machines reach each other, the frontends of load balancers, and Azure's own services in it.
type Network struct {
	space *namespace

	mu sync.Mutex
	// addresses are those that the network itself listens at, with how many listeners each has.
	addresses map[string]int
	// ports is how many machines' interfaces were ever made.
	ports int
	// services are Azure's own listeners.
	services []io.Closer
}

// New makes a virtual network without any machine.
func New() (*Network, error) {
	space, err := newNamespace()
	if err != nil {
		return nil, err
	}
	n := &Network{space: space, addresses: map[string]int{}}
	if err := n.build(); err != nil {
		n.Close()
		return nil, fmt.Errorf("virtual network: %w", err)
	}
	return n, nil
}

func (n *Network) build() error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = bridge
	// Without one of its own it takes the least of its ports', another one whenever machines come and go. This is that of Azure's gateways.
	attrs.HardwareAddr = net.HardwareAddr{0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc}
	if err := n.space.links.LinkAdd(&netlink.Bridge{LinkAttrs: attrs}); err != nil {
		return fmt.Errorf("bridge: %w", err)
	}
	if err := n.addAddress(bridge, gateway); err != nil {
		return err
	}
	if err := up(n.space.links, bridge); err != nil {
		return err
	}
	// Machines are told of no shorter way: that every packet passes the gateway is how the cloud does it.
	for path, value := range map[string]string{
		"ipv4/ip_forward": "1", "ipv4/conf/all/send_redirects": "0", "ipv4/conf/" + bridge + "/send_redirects": "0",
	} {
		if err := n.space.sysctl(path, value); err != nil {
			return err
		}
	}
	return nil
}

// Close gives the network up. Its machines and frontends should have ended.
func (n *Network) Close() {
	for _, s := range n.services {
		_ = s.Close() // It goes with the namespace otherwise.
	}
	n.space.close()
}

// addAddress gives an interface an address of its own.
func (n *Network) addAddress(link, ip string) error {
	l, err := n.space.links.LinkByName(link)
	if err != nil {
		return err
	}
	address, err := host(ip)
	if err != nil {
		return err
	}
	if err := n.space.links.AddrAdd(l, &netlink.Addr{IPNet: address}); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("address %s: %w", ip, err)
	}
	return nil
}

// host returns an address as a network of one host.
func host(ip string) (*net.IPNet, error) {
	parsed := net.ParseIP(ip).To4()
	if parsed == nil {
		return nil, fmt.Errorf("%q is no IPv4 address: machines of the fabric have those only", ip)
	}
	return &net.IPNet{IP: parsed, Mask: net.CIDRMask(32, 32)}, nil
}

// own has the network itself have an address until the returned function is called.
func (n *Network) own(ip string) (release func(), err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.addresses[ip] == 0 {
		if err := n.addAddress("lo", ip); err != nil {
			return nil, err
		}
	}
	n.addresses[ip]++
	return sync.OnceFunc(func() { n.disown(ip) }), nil
}

func (n *Network) disown(ip string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.addresses[ip]--; n.addresses[ip] > 0 {
		return
	}
	delete(n.addresses, ip)
	if l, err := n.space.links.LinkByName("lo"); err == nil {
		if address, err := host(ip); err == nil {
			_ = n.space.links.AddrDel(l, &netlink.Addr{IPNet: address}) // Nobody listens there any more.
		}
	}
}

// Listen listens at an address that the network itself has from then on, until the listener is closed.
func (n *Network) Listen(ip string, port int) (net.Listener, error) {
	release, err := n.own(ip)
	if err != nil {
		return nil, err
	}
	var listener net.Listener
	err = n.space.do(func() (err error) {
		listener, err = net.ListenTCP("tcp4", &net.TCPAddr{IP: net.ParseIP(ip), Port: port})
		return err
	})
	if err != nil {
		release()
		return nil, err
	}
	return &owned{Listener: listener, release: release}, nil
}

// owned gives its address back when it is closed.
type owned struct {
	net.Listener
	release func()
}

func (o *owned) Close() error {
	err := o.Listener.Close()
	o.release()
	return err
}

// listenPacket is Listen for UDP. The address stays.
func (n *Network) listenPacket(ip string, port int) (net.PacketConn, error) {
	if _, err := n.own(ip); err != nil {
		return nil, err
	}
	var conn net.PacketConn
	err := n.space.do(func() (err error) {
		conn, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(ip), Port: port})
		return err
	})
	return conn, err
}

// Dial connects to an address ip:port in the network.
func (n *Network) Dial(ctx context.Context, address string) (net.Conn, error) {
	var conn net.Conn
	err := n.space.do(func() (err error) {
		// One address, so that the dialer uses this very thread.
		conn, err = (&net.Dialer{FallbackDelay: -1}).DialContext(ctx, "tcp4", address)
		return err
	})
	return conn, err
}

// Unreachable tells whether an error of Dial says that nobody has the address.
func Unreachable(err error) bool {
	return errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EHOSTUNREACH)
}
