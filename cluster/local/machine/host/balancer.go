package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/machine/network"
)

// balancer is a load balancer: the frontends that it has open, by address and port.
type balancer struct {
	network   *virtualNetwork
	frontends map[endpoint]*network.Frontend
}

type endpoint struct {
	ip   string
	port int
}

func (b *balancer) has(ip string) bool {
	for e := range b.frontends {
		if e.ip == ip {
			return true
		}
	}
	return false
}

// SetLoadBalancer implements power.Host. A frontend that stays is not interrupted.
func (h *Host) SetLoadBalancer(_ context.Context, spec power.LoadBalancer) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.setBalancer(spec); err != nil {
		return err
	}
	h.memory.Balancers[key(spec.ID)] = spec
	return h.remember()
}

// setBalancer is SetLoadBalancer. The caller holds the lock.
func (h *Host) setBalancer(spec power.LoadBalancer) error {
	n, err := h.network(spec.VirtualNetwork)
	if err != nil {
		return fmt.Errorf("load balancer %s: %w", spec.ID, err)
	}
	b := h.lbs[key(spec.ID)]
	if b != nil && b.network != n {
		h.closeBalancer(spec.ID)
		b = nil
	}
	if b == nil {
		b = &balancer{network: n, frontends: map[endpoint]*network.Frontend{}}
		h.lbs[key(spec.ID)] = b
	}
	wanted := map[endpoint]power.Frontend{}
	for _, f := range spec.Frontends {
		wanted[endpoint{f.IP, f.Port}] = f
	}
	for e, open := range b.frontends {
		if _, ok := wanted[e]; !ok {
			open.Close()
			delete(b.frontends, e)
		}
	}
	var failed error
	for e, f := range wanted {
		if open := b.frontends[e]; open != nil {
			open.Set(f)
			continue
		}
		open, err := n.Balance(f)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("load balancer %s: %w", spec.ID, err))
			continue
		}
		b.frontends[e] = open
	}
	return failed
}

// DeleteLoadBalancer implements power.Host.
func (h *Host) DeleteLoadBalancer(_ context.Context, id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closeBalancer(id)
	delete(h.memory.Balancers, key(id))
	h.sweep()
	return h.remember()
}

// closeBalancer forgets a load balancer. The caller holds the lock.
func (h *Host) closeBalancer(id string) {
	if b := h.lbs[key(id)]; b != nil {
		for _, open := range b.frontends {
			open.Close()
		}
	}
	delete(h.lbs, key(id))
}
