package compute

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/networking"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

// balancerTasks programs the load balancers whose host does not know them as they are.
func (c *Provider) balancerTasks(s *arm.Service) ([]task, error) {
	d := c.driver
	var tasks []task
	for key := range d.balancers {
		if s.Store.Get(key) == nil {
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
	for _, r := range s.Store.All() {
		if r.Type != networking.TypeLoadBalancer {
			continue
		}
		balancer, key := hostBalancer(s, r), r.Key()
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
func hostBalancer(s *arm.Service, r *arm.Resource) power.LoadBalancer {
	b := power.LoadBalancer{ID: r.ID}
	for _, frontend := range fields.Objects(r.Body, "properties", networking.ListFrontends) {
		if network, _, _ := arm.CutPart(fields.Text(frontend, "properties", "subnet", "id")); network != "" {
			b.VirtualNetwork = network
		}
	}
	add := func(rule map[string]any, members []networking.Member) {
		front, _ := fields.Number(rule, "properties", "frontendPort")
		back, _ := fields.Number(rule, "properties", "backendPort")
		frontend := networking.PartNamed(r.Body, networking.ListFrontends, fields.Text(rule, "properties", "frontendIPConfiguration", "id"))
		one := power.Frontend{IP: addressOf(s, frontend), Port: int(front)}
		for _, m := range members {
			if b.VirtualNetwork == "" {
				b.VirtualNetwork = networking.NetworkOf(m.Owner)
			}
			one.Backends = append(one.Backends, power.Backend{IP: fields.Text(m.Configuration, "properties", "privateIPAddress"), Port: int(back)})
		}
		if probe := networking.PartNamed(r.Body, "probes", fields.Text(rule, "properties", "probe", "id")); probe != nil {
			port, _ := fields.Number(probe, "properties", "port")
			one.ProbePort, one.ProbePath = int(port), fields.Text(probe, "properties", "requestPath")
			one.ProbeTLS = strings.EqualFold(fields.Text(probe, "properties", "protocol"), "Https")
		}
		if one.IP != "" {
			b.Frontends = append(b.Frontends, one)
		}
	}
	for _, rule := range fields.Objects(r.Body, "properties", "loadBalancingRules") {
		pool := fields.Text(rule, "properties", "backendAddressPool", "id")
		add(rule, networking.MembersOf(s, pool))
	}
	for _, rule := range s.Store.Children(r.ID, networking.TypeInboundNATRule) {
		add(rule.Body, networking.MembersOf(s, rule.ID))
	}
	return b
}

// addressOf is the address of a frontend, public or private; it is empty if there is none yet.
func addressOf(s *arm.Service, frontend map[string]any) string {
	if address := s.Store.Get(fields.Text(frontend, "properties", "publicIPAddress", "id")); address != nil {
		return fields.Text(address.Body, "properties", "ipAddress")
	}
	return fields.Text(frontend, "properties", "privateIPAddress")
}

// nameTasks tells the host the names that networks resolve.
func (c *Provider) nameTasks(s *arm.Service) ([]task, error) {
	d, all := c.driver, names(s)
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
func names(s *arm.Service) map[string]map[string]string {
	all := map[string]map[string]string{"": {}}
	for _, r := range s.Store.All() {
		switch r.Type {
		case networking.TypePublicIPAddress:
			if name, address := fields.Text(r.Body, "properties", "dnsSettings", "fqdn"), fields.Text(r.Body, "properties", "ipAddress"); name != "" && address != "" {
				all[""][name] = address
			}
		case networking.TypeVirtualNetwork:
			if names := networking.PrivateNames(s, r.ID); len(names) > 0 {
				all[r.ID] = names
			}
		}
	}
	for _, r := range s.Store.All() {
		if !isMachine(r) {
			continue
		}
		machine := hostMachine(s, r)
		if machine.VirtualNetwork == "" || len(machine.NICs) == 0 {
			continue
		}
		network := machine.VirtualNetwork
		if r := s.Store.Get(network); r != nil {
			network = r.ID
		}
		if all[network] == nil {
			all[network] = map[string]string{}
		}
		all[network][machine.ComputerName] = machine.NICs[0].IP
	}
	return all
}
