// Package host is a power.Host whose machines boot: each is a tree of processes with a root, process identifiers and a network of its own,
// in one virtual network of packages network. They end with the process that runs this.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/machine/network"
)

// Host implements power.Host.
type Host struct {
	// dir has a folder for each machine.
	dir string
	// kubernetes and program are the binaries that machines run.
	kubernetes, program string
	log                 io.Writer

	mu       sync.Mutex
	machines map[string]*machine
	networks map[string]*virtualNetwork
	lbs      map[string]*balancer
	global   network.Names
	memory   memory
}

var _ power.Host = (*Host)(nil)

// virtualNetwork is a network with the names that are found in it alone.
type virtualNetwork struct {
	*network.Network
	names network.Names
}

// Options configure a Host.
type Options struct {
	// Dir keeps the machines' disks.
	Dir string
	// Kubernetes is the combined binary, Program the one that has guest.Main.
	Kubernetes, Program string
	// Log takes a line about each machine that starts and ends.
	Log io.Writer
}

// New returns a host without machines. Disks that are in its folder already belong to machines that are started again.
func New(o Options) (*Host, error) {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, err
	}
	h := &Host{
		dir: o.Dir, kubernetes: o.Kubernetes, program: o.Program, log: o.Log,
		machines: map[string]*machine{}, networks: map[string]*virtualNetwork{}, lbs: map[string]*balancer{},
	}
	if err := h.recall(); err != nil {
		return nil, fmt.Errorf("networks of the process before: %w", err)
	}
	return h, nil
}

// key is an ARM identifier as all are compared.
func key(id string) string { return strings.ToLower(strings.TrimSuffix(id, "/")) }

// network returns a virtual network, which is made when it is first heard of. The caller holds the lock.
func (h *Host) network(id string) (*virtualNetwork, error) {
	if id == "" {
		return nil, errors.New("no virtual network is named")
	}
	if n := h.networks[key(id)]; n != nil {
		return n, nil
	}
	made, err := network.New()
	if err != nil {
		return nil, err
	}
	n := &virtualNetwork{Network: made}
	lookup := func(name string) (string, bool) {
		if ip, ok := n.names.Lookup(name); ok {
			return ip, true
		}
		return h.global.Lookup(name)
	}
	err = n.Resolve(lookup)
	if err == nil {
		err = n.ServeMetadata(func(ip string) (power.Machine, bool) { return h.at(id, ip) })
	}
	if err != nil {
		n.Close()
		return nil, err
	}
	h.networks[key(id)] = n
	return n, nil
}

// at returns the machine with an address in a network.
func (h *Host) at(vnet, ip string) (power.Machine, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.machines {
		if spec := m.current(); key(spec.VirtualNetwork) == key(vnet) {
			for _, nic := range spec.NICs {
				if nic.IP == ip {
					return spec, true
				}
			}
		}
	}
	return power.Machine{}, false
}

// machine returns the machine of an identifier, new if it is unknown.
func (h *Host) machine(id string) *machine {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.machines[key(id)]
	if m == nil {
		m = &machine{host: h, dir: filepath.Join(h.dir, folder(id))}
		h.machines[key(id)] = m
	}
	return m
}

// known returns the machine of an identifier, nil if it is unknown.
func (h *Host) known(id string) *machine {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.machines[key(id)]
}

// Start implements power.Host.
func (h *Host) Start(_ context.Context, spec power.Machine) error {
	if len(spec.NICs) == 0 {
		return fmt.Errorf("machine %s has no network interface", spec.Name)
	}
	spec.ComputerName = cmp.Or(spec.ComputerName, spec.Name)
	return h.machine(spec.ID).start(spec)
}

// Stop implements power.Host.
func (h *Host) Stop(_ context.Context, id string) error {
	if m := h.known(id); m != nil {
		m.stop()
	}
	return nil
}

// Delete implements power.Host. The disk of a machine from before this process is found by its name.
func (h *Host) Delete(_ context.Context, id string) error {
	m := h.machine(id)
	if err := m.remove(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.machines[key(id)] == m {
		delete(h.machines, key(id))
	}
	h.sweep()
	return nil
}

// sweep gives up the networks that nothing is in any more. The caller holds the lock.
func (h *Host) sweep() {
	used := map[*virtualNetwork]bool{}
	for _, b := range h.lbs {
		used[b.network] = true
	}
	for _, m := range h.machines {
		used[h.networks[key(m.current().VirtualNetwork)]] = true
	}
	for id, n := range h.networks {
		if !used[n] && n.names.Empty() {
			n.Close()
			delete(h.networks, id)
		}
	}
}

// State implements power.Host.
func (h *Host) State(_ context.Context, id string) (power.State, error) {
	if m := h.known(id); m != nil {
		return m.state(), nil
	}
	return power.State{Phase: power.Off}, nil
}

// SetNames implements power.Host.
func (h *Host) SetNames(_ context.Context, vnet string, names map[string]string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.setNames(vnet, names); err != nil {
		return err
	}
	h.memory.Names[key(vnet)] = names
	if len(names) == 0 {
		delete(h.memory.Names, key(vnet))
	}
	h.sweep()
	return h.remember()
}

// setNames is SetNames. The caller holds the lock.
func (h *Host) setNames(vnet string, names map[string]string) error {
	if vnet == "" {
		h.global.Set(names)
		return nil
	}
	n, err := h.network(vnet)
	if err != nil {
		return err
	}
	n.names.Set(names)
	return nil
}

// Dial implements power.Host.
func (h *Host) Dial(ctx context.Context, address string) (net.Conn, error) {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	n, ip, err := h.find(name)
	if err != nil {
		return nil, err
	}
	return n.Dial(ctx, net.JoinHostPort(ip, port))
}
