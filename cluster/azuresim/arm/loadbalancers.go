package arm

import (
	"fmt"
	"strings"
)

// The types of load balancers.
const (
	TypeLoadBalancer   = "Microsoft.Network/loadBalancers"
	TypeInboundNATRule = "Microsoft.Network/loadBalancers/inboundNatRules"
)

func loadBalancerType() *resourceType {
	p := networkProtocol(3)
	p.update = p.unchanged
	t := networkResourceType(TypeLoadBalancer, p)
	t.validate = validateLoadBalancer
	t.apply = applyLoadBalancer
	t.view = viewLoadBalancer
	t.deletable = loadBalancerDeletable
	t.answers = func(p *put) answer {
		if p.existing == nil && !hasPrivateFrontend(p.requested) {
			return answer{status: 201, asyncOperation: true, state: statusSucceeded}
		}
		return p.answer(t)
	}
	return t
}

func inboundNATRuleType() *resourceType {
	p := networkProtocol(10)
	p.create = answer{status: 201, asyncOperation: true, state: statusSucceeded}
	p.update = p.unchanged
	t := networkResourceType(TypeInboundNATRule, p)
	t.validate = validateInboundNATRule
	t.view = viewInboundNATRule
	t.deletable = func(s *Service, r *Resource) *Error {
		if e := busyParent(s, r.id()); e != nil {
			return e
		}
		return unreferenced(s, r.ID)
	}
	return t
}

func hasPrivateFrontend(body map[string]any) bool {
	for _, frontend := range objects(body, "properties", listFrontends) {
		if text(frontend, "properties", "subnet", "id") != "" {
			return true
		}
	}
	return false
}

func validateLoadBalancer(p *put) *Error {
	if e := checkReferences(p); e != nil {
		return e
	}
	for _, frontend := range objects(p.requested, "properties", listFrontends) {
		address, subnet := text(frontend, "properties", "publicIPAddress", "id"), text(frontend, "properties", "subnet", "id")
		if address == "" && subnet == "" && text(frontend, "properties", "publicIPPrefix", "id") == "" {
			return detailed(badRequest("LoadBalancerFrontendIPConfigMustReferenceSubnetOrPublicIP", "Frontend IP configuration %s of load balancer %s refers to neither a subnet nor a public IP address.", text(frontend, "name"), p.id.Name))
		}
		if e := checkPublicAddressFree(p, address, "frontendIPConfigurations/"+text(frontend, "name")); e != nil {
			return e
		}
	}
	rules := objects(p.requested, "properties", "inboundNatRules")
	if e := checkPorts(p.id.Path, append(objects(p.requested, "properties", "loadBalancingRules"), rules...)); e != nil {
		return e
	}
	return checkRemovedParts(p)
}

// checkPorts refuses rules that take the same port of the same frontend.
func checkPorts(balancer string, rules []map[string]any) *Error {
	taken := map[string]string{}
	for _, rule := range rules {
		port, _ := number(rule, "properties", "frontendPort")
		protocol := text(rule, "properties", "protocol")
		if protocol == "" {
			protocol = "Tcp"
		}
		key := strings.ToLower(fmt.Sprintf("%s|%s|%d", text(rule, "properties", "frontendIPConfiguration", "id"), protocol, port))
		if other := taken[key]; other != "" {
			return detailed(badRequest("RulesUseSameFrontendPortProtocolAndIPConfig",
				"Load balancer rules %s and %s of %s use the same frontend port %d, protocol %s and frontend IP configuration.", other, text(rule, "name"), balancer, port, protocol))
		}
		taken[key] = text(rule, "name")
	}
	return nil
}

// checkRemovedParts refuses to take away what another resource refers to: after the change its reference would lead nowhere.
func checkRemovedParts(p *put) *Error {
	if p.existing == nil {
		return nil
	}
	for _, list := range partsOf[TypeLoadBalancer] {
		for _, one := range objects(p.existing.Body, "properties", list.list) {
			if !hasPart(p.requested, list.list, text(one, "name")) {
				if e := unreferenced(p.service, text(one, "id")); e != nil {
					return e
				}
			}
		}
	}
	for _, rule := range p.service.store.children(p.id.Path, TypeInboundNATRule) {
		if !hasPart(p.requested, "inboundNatRules", rule.Name) {
			if e := unreferenced(p.service, rule.ID); e != nil {
				return e
			}
		}
	}
	return nil
}

// unreferenced refuses while a resource outside of the load balancer refers to the path. That Azure answers this error for it is concluded
// from how it checks the references of a load balancer's own parts.
func unreferenced(s *Service, path string) *Error {
	owner, _, _ := cutPart(path)
	for _, user := range s.networkUsersOf(path, owner) {
		return invalidReference(path, user.id())
	}
	return nil
}

func applyLoadBalancer(p *put) *Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	if e := completeParts(p); e != nil {
		return e
	}
	for _, frontend := range objects(p.result, "properties", listFrontends) {
		if _, given := frontend["zones"]; !given && p.existing != nil {
			if before := partNamed(p.existing.Body, listFrontends, text(frontend, "id")); before != nil && before["zones"] != nil {
				frontend["zones"] = before["zones"]
			}
		}
	}
	return assignAddresses(p, listFrontends)
}

// viewLoadBalancer shows with each part what refers to it.
func viewLoadBalancer(s *Service, r *Resource, apiVersion string) map[string]any {
	body := viewNetwork(s, r, apiVersion)
	for _, list := range []string{"loadBalancingRules", "inboundNatRules", "outboundRules", "inboundNatPools"} {
		for _, rule := range objects(body, "properties", list) {
			showRule(body, list, rule)
		}
	}
	for _, pool := range objects(body, "properties", "backendAddressPools") {
		for _, member := range s.membersOf(text(pool, "id")) {
			addReference(child(pool, "properties"), "backendIPConfigurations", text(member.configuration, "id"))
		}
	}
	return body
}

// showRule adds a rule to the parts that it refers to.
func showRule(body map[string]any, list string, rule map[string]any) {
	id := text(rule, "id")
	targets := []struct{ list, reference, name string }{
		{listFrontends, text(rule, "properties", "frontendIPConfiguration", "id"), list},
		{"backendAddressPools", text(rule, "properties", "backendAddressPool", "id"), list},
		{"probes", text(rule, "properties", "probe", "id"), list},
	}
	for _, frontend := range objects(rule, "properties", listFrontends) {
		targets = append(targets, struct{ list, reference, name string }{listFrontends, text(frontend, "id"), list})
	}
	for _, target := range targets {
		if one := partNamed(body, target.list, target.reference); one != nil {
			addReference(child(one, "properties"), target.name, id)
		}
	}
}

// member is an IP configuration of a network interface.
type member struct {
	owner         *Resource
	configuration map[string]any
}

// membersOf returns the IP configurations that are in a backend pool or that an inbound NAT rule leads to.
func (s *Service) membersOf(path string) []member {
	var found []member
	for _, r := range s.store.all() {
		if r.Type != TypeNetworkInterface {
			continue
		}
		for _, configuration := range objects(r.Body, "properties", listConfigurations) {
			for _, list := range []string{"loadBalancerBackendAddressPools", "loadBalancerInboundNatRules"} {
				for _, reference := range objects(configuration, "properties", list) {
					if strings.EqualFold(text(reference, "id"), path) {
						found = append(found, member{r, configuration})
					}
				}
			}
		}
	}
	return found
}

func loadBalancerDeletable(s *Service, r *Resource) *Error {
	for _, list := range partsOf[TypeLoadBalancer] {
		for _, one := range objects(r.Body, "properties", list.list) {
			if e := unreferenced(s, text(one, "id")); e != nil {
				return e
			}
		}
	}
	for _, rule := range s.store.children(r.ID, TypeInboundNATRule) {
		if e := unreferenced(s, rule.ID); e != nil {
			return e
		}
	}
	return nil
}

func validateInboundNATRule(p *put) *Error {
	if e := busyParent(p.service, p.id); e != nil {
		return e
	}
	balancer := p.service.store.get(p.id.Parent)
	frontend := text(p.requested, "properties", "frontendIPConfiguration", "id")
	if partNamed(balancer.Body, listFrontends, frontend) == nil {
		return invalidReference(frontend, p.id)
	}
	rules := objects(balancer.Body, "properties", "loadBalancingRules")
	for _, other := range p.service.store.children(balancer.ID, TypeInboundNATRule) {
		if other.key() != p.id.Key() {
			rules = append(rules, other.Body)
		}
	}
	own := clone(p.requested)
	own["name"] = p.id.Name
	return checkPorts(balancer.ID, append(rules, own))
}

func viewInboundNATRule(s *Service, r *Resource, _ string) map[string]any {
	body := clone(r.Body)
	for _, target := range s.membersOf(r.ID) {
		child(body, "properties")["backendIPConfiguration"] = map[string]any{"id": text(target.configuration, "id")}
	}
	return body
}
