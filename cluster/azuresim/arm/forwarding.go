package arm

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

// balancerTasks programs the load balancers whose host does not know them as they are.
func (s *Service) balancerTasks() ([]task, error) {
	d := s.driver
	var tasks []task
	for key := range d.balancers {
		if s.store.get(key) == nil {
			id := d.ids[key]
			tasks = append(tasks, task{
				do: func(ctx context.Context, host power.Host) error { return host.DeleteLoadBalancer(ctx, id) },
				done: func() error {
					delete(d.balancers, key)
					delete(d.ids, key)
					return d.journal.Delete(hostBalancerPrefix + key)
				},
			})
		}
	}
	for _, r := range s.store.all() {
		if r.Type != TypeLoadBalancer {
			continue
		}
		balancer, key := s.hostBalancer(r), r.key()
		wanted, err := digest(balancer)
		if err != nil {
			return nil, err
		}
		if balancer.VirtualNetwork == "" || d.balancers[key] == wanted {
			continue // Without a network nothing can be behind it.
		}
		tasks = append(tasks, task{
			do: func(ctx context.Context, host power.Host) error { return host.SetLoadBalancer(ctx, balancer) },
			done: func() error {
				d.balancers[key], d.ids[key] = wanted, balancer.ID
				return d.journal.Put(hostBalancerPrefix+key, balancer.ID)
			},
		})
	}
	return tasks, nil
}

// hostBalancer is a load balancer as the host is to run it.
func (s *Service) hostBalancer(r *Resource) power.LoadBalancer {
	b := power.LoadBalancer{ID: r.ID}
	for _, frontend := range objects(r.Body, "properties", listFrontends) {
		if network, _, _ := cutPart(text(frontend, "properties", "subnet", "id")); network != "" {
			b.VirtualNetwork = network
		}
	}
	add := func(rule map[string]any, members []member) {
		front, _ := number(rule, "properties", "frontendPort")
		back, _ := number(rule, "properties", "backendPort")
		frontend := partNamed(r.Body, listFrontends, text(rule, "properties", "frontendIPConfiguration", "id"))
		one := power.Frontend{IP: s.addressOf(frontend), Port: int(front)}
		for _, m := range members {
			if b.VirtualNetwork == "" {
				b.VirtualNetwork = networkOf(m.owner)
			}
			one.Backends = append(one.Backends, power.Backend{IP: text(m.configuration, "properties", "privateIPAddress"), Port: int(back)})
		}
		if probe := partNamed(r.Body, "probes", text(rule, "properties", "probe", "id")); probe != nil {
			port, _ := number(probe, "properties", "port")
			one.ProbePort, one.ProbePath = int(port), text(probe, "properties", "requestPath")
			one.ProbeTLS = strings.EqualFold(text(probe, "properties", "protocol"), "Https")
		}
		if one.IP != "" {
			b.Frontends = append(b.Frontends, one)
		}
	}
	for _, rule := range objects(r.Body, "properties", "loadBalancingRules") {
		pool := text(rule, "properties", "backendAddressPool", "id")
		add(rule, s.membersOf(pool))
	}
	for _, rule := range s.store.children(r.ID, TypeInboundNATRule) {
		add(rule.Body, s.membersOf(rule.ID))
	}
	return b
}

// addressOf is the address of a frontend, public or private; it is empty if there is none yet.
func (s *Service) addressOf(frontend map[string]any) string {
	if address := s.store.get(text(frontend, "properties", "publicIPAddress", "id")); address != nil {
		return text(address.Body, "properties", "ipAddress")
	}
	return text(frontend, "properties", "privateIPAddress")
}

// nameTasks tells the host the names that networks resolve.
func (s *Service) nameTasks() ([]task, error) {
	d, all := s.driver, s.names()
	for network := range d.names {
		if all[network] == nil {
			all[network] = map[string]string{}
		}
	}
	var tasks []task
	for _, network := range slices.Sorted(maps.Keys(all)) {
		names := all[network]
		wanted, err := digest(names)
		if err != nil {
			return nil, err
		}
		if d.names[network] == wanted || len(names) == 0 && d.names[network] == "" {
			continue
		}
		tasks = append(tasks, task{
			do:   func(ctx context.Context, host power.Host) error { return host.SetNames(ctx, network, names) },
			done: func() error { d.names[network] = wanted; return nil },
		})
	}
	return tasks, nil
}

// names are the host names by virtual network; those of public addresses stand under the empty one. In its network a machine has its computer name,
// as by Azure's own name resolution.
func (s *Service) names() map[string]map[string]string {
	all := map[string]map[string]string{"": {}}
	for _, r := range s.store.all() {
		switch r.Type {
		case TypePublicIPAddress:
			if name, address := text(r.Body, "properties", "dnsSettings", "fqdn"), text(r.Body, "properties", "ipAddress"); name != "" && address != "" {
				all[""][name] = address
			}
		case TypeVirtualNetwork:
			if names := s.privateNames(r.ID); len(names) > 0 {
				all[r.ID] = names
			}
		}
	}
	for _, r := range s.store.all() {
		if r.Type != TypeVirtualMachine {
			continue
		}
		machine := s.hostMachine(r)
		if machine.VirtualNetwork == "" || len(machine.NICs) == 0 {
			continue
		}
		network := machine.VirtualNetwork
		if r := s.store.get(network); r != nil {
			network = r.ID
		}
		if all[network] == nil {
			all[network] = map[string]string{}
		}
		all[network][machine.ComputerName] = machine.NICs[0].IP
	}
	return all
}
