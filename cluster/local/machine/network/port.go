package network

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"sync"

	"github.com/vishvananda/netlink"
)

// Interface is a network interface of a machine.
type Interface struct {
	IP  string
	MAC string
}

// Port is where a machine is connected: a network namespace for its processes, with its interfaces in it.
type Port struct {
	network *Network
	space   *namespace
	closed  sync.Once
	// undo takes what was made in the network.
	undo []func() error
}

// Connect makes the place for a machine in the network. The first interface has the way out.
func (n *Network) Connect(interfaces []Interface) (*Port, error) {
	if len(interfaces) == 0 {
		return nil, errors.New("a machine without a network interface")
	}
	space, err := newNamespace()
	if err != nil {
		return nil, err
	}
	p := &Port{network: n, space: space}
	for i, nic := range interfaces {
		if err := p.plug(fmt.Sprintf("eth%d", i), nic); err != nil {
			p.Close()
			return nil, fmt.Errorf("interface with address %s: %w", nic.IP, err)
		}
	}
	// kubeadm's preflight checks want it of every node. Not every kernel has IPv6.
	for _, forwarding := range []string{"ipv4/ip_forward", "ipv6/conf/default/forwarding"} {
		if err := space.sysctl(forwarding, "1"); err != nil && !errors.Is(err, os.ErrNotExist) {
			p.Close()
			return nil, err
		}
	}
	return p, nil
}

// plug connects one interface: a pair of which the outer end is in the bridge and has the route.
func (p *Port) plug(name string, nic Interface) error {
	address, err := host(nic.IP)
	if err != nil {
		return err
	}
	outside := p.network.space.links
	br, err := outside.LinkByName(bridge)
	if err != nil {
		return err
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MasterIndex = p.network.portName(), br.Attrs().Index
	pair := netlink.NewVeth(attrs)
	pair.PeerName, pair.PeerNamespace = name, netlink.NsFd(int(p.space.handle))
	if mac, err := net.ParseMAC(nic.MAC); err == nil {
		pair.PeerHardwareAddr = mac
	}
	if err := outside.LinkAdd(pair); err != nil {
		return fmt.Errorf("pair of interfaces: %w", err)
	}
	p.undo = append(p.undo, func() error { return outside.LinkDel(&netlink.Veth{LinkAttrs: attrs}) })
	if err := up(outside, attrs.Name); err != nil {
		return err
	}
	if err := p.configure(name, address, name == "eth0"); err != nil {
		return err
	}
	return p.announce(name, br.Attrs().Index, address)
}

// announce tells the network where an address is, as nobody needs to ask then.
func (p *Port) announce(name string, bridge int, address *net.IPNet) error {
	outside := p.network.space.links
	link, err := p.space.links.LinkByName(name)
	if err != nil {
		return err
	}
	neighbor := &netlink.Neigh{LinkIndex: bridge, IP: address.IP, HardwareAddr: link.Attrs().HardwareAddr, State: netlink.NUD_PERMANENT}
	if err := outside.NeighSet(neighbor); err != nil {
		return fmt.Errorf("neighbor: %w", err)
	}
	p.undo = append(p.undo, func() error { return outside.NeighDel(neighbor) })
	route := &netlink.Route{LinkIndex: bridge, Dst: address, Scope: netlink.SCOPE_LINK}
	if err := outside.RouteReplace(route); err != nil {
		return fmt.Errorf("route: %w", err)
	}
	p.undo = append(p.undo, func() error { return outside.RouteDel(route) })
	return nil
}

// configure gives the inner end its address, and the way to all others.
func (p *Port) configure(name string, address *net.IPNet, wayOut bool) error {
	inside := p.space.links
	link, err := inside.LinkByName(name)
	if err != nil {
		return err
	}
	if err := inside.AddrAdd(link, &netlink.Addr{IPNet: address}); err != nil {
		return err
	}
	if err := inside.LinkSetUp(link); err != nil {
		return err
	}
	if !wayOut {
		return nil
	}
	hop, err := host(gateway)
	if err != nil {
		return err
	}
	index := link.Attrs().Index
	if err := inside.RouteAdd(&netlink.Route{LinkIndex: index, Dst: hop, Scope: netlink.SCOPE_LINK}); err != nil {
		return fmt.Errorf("route to the gateway: %w", err)
	}
	if err := inside.RouteAdd(&netlink.Route{LinkIndex: index, Gw: hop.IP, Src: address.IP}); err != nil {
		return fmt.Errorf("default route: %w", err)
	}
	return nil
}

// portName returns a name for the outer end of a pair.
func (n *Network) portName() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ports++
	return fmt.Sprintf("port%d", n.ports)
}

// Start starts a process of the machine.
func (p *Port) Start(cmd *exec.Cmd) error { return p.space.do(cmd.Start) }

// Close unplugs the machine. Processes that are left have no network any more.
func (p *Port) Close() {
	p.closed.Do(func() {
		for _, undo := range slices.Backward(p.undo) {
			_ = undo() // It goes with the namespaces otherwise.
		}
		p.space.close()
	})
}
