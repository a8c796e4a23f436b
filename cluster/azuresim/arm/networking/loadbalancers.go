package networking

import (
	"fmt"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// The types of load balancers.
const (
	TypeLoadBalancer   = "Microsoft.Network/loadBalancers"
	TypeInboundNATRule = "Microsoft.Network/loadBalancers/inboundNatRules"
)

func loadBalancerType() *arm.ResourceType {
	p := networkProtocol(3)
	p.Update = p.Unchanged
	t := networkResourceType(TypeLoadBalancer, p)
	t.Validate = validateLoadBalancer
	t.Apply = applyLoadBalancer
	t.View = viewLoadBalancer
	t.Deletable = loadBalancerDeletable
	t.Answers = func(p *arm.Put) arm.Answer {
		if p.Existing == nil && !hasPrivateFrontend(p.Requested) {
			return arm.Answer{Status: 201, AsyncOperation: true, State: arm.StatusSucceeded}
		}
		return p.Answer(t)
	}
	return t
}

func inboundNATRuleType() *arm.ResourceType {
	p := networkProtocol(10)
	p.Create = arm.Answer{Status: 201, AsyncOperation: true, State: arm.StatusSucceeded}
	p.Update = p.Unchanged
	t := networkResourceType(TypeInboundNATRule, p)
	t.Validate = validateInboundNATRule
	t.View = viewInboundNATRule
	t.Deletable = func(s *arm.Service, r *arm.Resource) *arm.Error {
		if e := busyParent(s, r.Identity()); e != nil {
			return e
		}
		return unreferenced(s, r.ID)
	}
	return t
}

func hasPrivateFrontend(body map[string]any) bool {
	for _, frontend := range fields.Objects(body, "properties", ListFrontends) {
		if fields.Text(frontend, "properties", "subnet", "id") != "" {
			return true
		}
	}
	return false
}

func validateLoadBalancer(p *arm.Put) *arm.Error {
	if e := checkReferences(p); e != nil {
		return e
	}
	for _, frontend := range fields.Objects(p.Requested, "properties", ListFrontends) {
		address, subnet := fields.Text(frontend, "properties", "publicIPAddress", "id"), fields.Text(frontend, "properties", "subnet", "id")
		if address == "" && subnet == "" && fields.Text(frontend, "properties", "publicIPPrefix", "id") == "" {
			return arm.Detailed(arm.BadRequest("LoadBalancerFrontendIPConfigMustReferenceSubnetOrPublicIP", "Frontend IP configuration %s of load balancer %s refers to neither a subnet nor a public IP address.", fields.Text(frontend, "name"), p.ID.Name))
		}
		if e := checkPublicAddressFree(p, address, "frontendIPConfigurations/"+fields.Text(frontend, "name")); e != nil {
			return e
		}
	}
	rules := fields.Objects(p.Requested, "properties", "inboundNatRules")
	if e := checkPorts(p.ID.Path, append(fields.Objects(p.Requested, "properties", "loadBalancingRules"), rules...)); e != nil {
		return e
	}
	return checkRemovedParts(p)
}

// checkPorts refuses rules that take the same port of the same frontend.
func checkPorts(balancer string, rules []map[string]any) *arm.Error {
	taken := map[string]string{}
	for _, rule := range rules {
		port, _ := fields.Number(rule, "properties", "frontendPort")
		protocol := fields.Text(rule, "properties", "protocol")
		if protocol == "" {
			protocol = "Tcp"
		}
		key := strings.ToLower(fmt.Sprintf("%s|%s|%d", fields.Text(rule, "properties", "frontendIPConfiguration", "id"), protocol, port))
		if other := taken[key]; other != "" {
			return arm.Detailed(arm.BadRequest("RulesUseSameFrontendPortProtocolAndIPConfig",
				"Load balancer rules %s and %s of %s use the same frontend port %d, protocol %s and frontend IP configuration.", other, fields.Text(rule, "name"), balancer, port, protocol))
		}
		taken[key] = fields.Text(rule, "name")
	}
	return nil
}

// checkRemovedParts refuses to take away what another resource refers to: after the change its reference would lead nowhere.
func checkRemovedParts(p *arm.Put) *arm.Error {
	if p.Existing == nil {
		return nil
	}
	for _, list := range partsOf[TypeLoadBalancer] {
		for _, one := range fields.Objects(p.Existing.Body, "properties", list.list) {
			if !arm.HasPart(p.Requested, list.list, fields.Text(one, "name")) {
				if e := unreferenced(p.Service, fields.Text(one, "id")); e != nil {
					return e
				}
			}
		}
	}
	for _, rule := range p.Service.Store.Children(p.ID.Path, TypeInboundNATRule) {
		if !arm.HasPart(p.Requested, "inboundNatRules", rule.Name) {
			if e := unreferenced(p.Service, rule.ID); e != nil {
				return e
			}
		}
	}
	return nil
}

// unreferenced refuses while a resource outside of the load balancer refers to the path. That Azure answers this error for it is concluded
// from how it checks the references of a load balancer's own parts.
func unreferenced(s *arm.Service, path string) *arm.Error {
	owner, _, _ := arm.CutPart(path)
	for _, user := range networkUsersOf(s, path, owner) {
		return InvalidReference(path, user.Identity())
	}
	return nil
}

func applyLoadBalancer(p *arm.Put) *arm.Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	if e := completeParts(p); e != nil {
		return e
	}
	for _, frontend := range fields.Objects(p.Result, "properties", ListFrontends) {
		if _, given := frontend["zones"]; !given && p.Existing != nil {
			if before := PartNamed(p.Existing.Body, ListFrontends, fields.Text(frontend, "id")); before != nil && before["zones"] != nil {
				frontend["zones"] = before["zones"]
			}
		}
	}
	return assignAddresses(p, ListFrontends)
}

// viewLoadBalancer shows with each part what refers to it.
func viewLoadBalancer(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := viewNetwork(s, r, apiVersion)
	for _, list := range []string{"loadBalancingRules", "inboundNatRules", "outboundRules", "inboundNatPools"} {
		for _, rule := range fields.Objects(body, "properties", list) {
			showRule(body, list, rule)
		}
	}
	for _, pool := range fields.Objects(body, "properties", "backendAddressPools") {
		for _, member := range MembersOf(s, fields.Text(pool, "id")) {
			addReference(fields.Child(pool, "properties"), "backendIPConfigurations", fields.Text(member.Configuration, "id"))
		}
	}
	return body
}

// showRule adds a rule to the parts that it refers to.
func showRule(body map[string]any, list string, rule map[string]any) {
	id := fields.Text(rule, "id")
	targets := []struct{ list, reference, name string }{
		{ListFrontends, fields.Text(rule, "properties", "frontendIPConfiguration", "id"), list},
		{"backendAddressPools", fields.Text(rule, "properties", "backendAddressPool", "id"), list},
		{"probes", fields.Text(rule, "properties", "probe", "id"), list},
	}
	for _, frontend := range fields.Objects(rule, "properties", ListFrontends) {
		targets = append(targets, struct{ list, reference, name string }{ListFrontends, fields.Text(frontend, "id"), list})
	}
	for _, target := range targets {
		if one := PartNamed(body, target.list, target.reference); one != nil {
			addReference(fields.Child(one, "properties"), target.name, id)
		}
	}
}

// Member is an IP configuration of a network interface.
type Member struct {
	Owner         *arm.Resource
	Configuration map[string]any
}

// MembersOf returns the IP configurations that are in a backend pool or that an inbound NAT rule leads to.
func MembersOf(s *arm.Service, path string) []Member {
	var found []Member
	for _, r := range s.Store.All() {
		if !isNetworkInterface(r) {
			continue
		}
		for _, configuration := range fields.Objects(r.Body, "properties", ListConfigurations) {
			for _, list := range []string{"loadBalancerBackendAddressPools", "loadBalancerInboundNatRules"} {
				for _, reference := range fields.Objects(configuration, "properties", list) {
					if strings.EqualFold(fields.Text(reference, "id"), path) {
						found = append(found, Member{r, configuration})
					}
				}
			}
		}
	}
	return found
}

func loadBalancerDeletable(s *arm.Service, r *arm.Resource) *arm.Error {
	for _, list := range partsOf[TypeLoadBalancer] {
		for _, one := range fields.Objects(r.Body, "properties", list.list) {
			if e := unreferenced(s, fields.Text(one, "id")); e != nil {
				return e
			}
		}
	}
	for _, rule := range s.Store.Children(r.ID, TypeInboundNATRule) {
		if e := unreferenced(s, rule.ID); e != nil {
			return e
		}
	}
	return nil
}

func validateInboundNATRule(p *arm.Put) *arm.Error {
	if e := busyParent(p.Service, p.ID); e != nil {
		return e
	}
	balancer := p.Service.Store.Get(p.ID.Parent)
	frontend := fields.Text(p.Requested, "properties", "frontendIPConfiguration", "id")
	if PartNamed(balancer.Body, ListFrontends, frontend) == nil {
		return InvalidReference(frontend, p.ID)
	}
	rules := fields.Objects(balancer.Body, "properties", "loadBalancingRules")
	for _, other := range p.Service.Store.Children(balancer.ID, TypeInboundNATRule) {
		if other.Key() != p.ID.Key() {
			rules = append(rules, other.Body)
		}
	}
	own := fields.Clone(p.Requested)
	own["name"] = p.ID.Name
	return checkPorts(balancer.ID, append(rules, own))
}

func viewInboundNATRule(s *arm.Service, r *arm.Resource, _ string) map[string]any {
	body := fields.Clone(r.Body)
	for _, target := range MembersOf(s, r.ID) {
		fields.Child(body, "properties")["backendIPConfiguration"] = map[string]any{"id": fields.Text(target.Configuration, "id")}
	}
	return body
}
