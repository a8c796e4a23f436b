package arm

import (
	"fmt"
	"strings"
)

// Types of the network provider with children.
const (
	typeSecurityGroup      = "Microsoft.Network/networkSecurityGroups"
	typeSecurityRule       = "Microsoft.Network/networkSecurityGroups/securityRules"
	typeRouteTable         = "Microsoft.Network/routeTables"
	typeRoute              = "Microsoft.Network/routeTables/routes"
	typeNATGateway         = "Microsoft.Network/natGateways"
	TypePrivateLinkService = "Microsoft.Network/privateLinkServices"
	TypeBastionHost        = "Microsoft.Network/bastionHosts"
)

// busyParent refuses a change of a child while its parent or a sibling is changing: the network provider changes them as one.
func busyParent(s *Service, id ID) *Error {
	op := s.operations.runningOn(id.Parent, true)
	if op == nil || strings.EqualFold(op.ResourceID, id.Path) {
		return nil
	}
	parent := s.store.get(id.Parent)
	if parent != nil && strings.EqualFold(op.ResourceID, id.Parent) && parent.provisioningState() == statusSucceeded {
		return nil
	}
	return retryable(op, id.Parent)
}

func securityGroupType() *resourceType {
	t := networkResourceType(typeSecurityGroup, networkProtocol(1))
	t.validate = func(p *put) *Error {
		return checkPriorities(objects(p.requested, "properties", "securityRules"))
	}
	t.protocol.update = t.protocol.unchanged
	t.protocol.remove.retryAfter = 1
	return t
}

func securityRuleType() *resourceType {
	t := networkResourceType(typeSecurityRule, networkProtocol(1))
	t.validate = validateSecurityRule
	return t
}

func validateSecurityRule(p *put) *Error {
	if e := busyParent(p.service, p.id); e != nil {
		return e
	}
	own := clone(p.requested)
	own["name"] = p.id.Name
	rules := []map[string]any{own}
	for _, other := range p.service.store.children(p.id.Parent, typeSecurityRule) {
		if other.key() != p.id.Key() {
			rules = append(rules, other.Body)
		}
	}
	return checkPriorities(rules)
}

// checkPriorities refuses rules of one security group that Azure could not order.
func checkPriorities(rules []map[string]any) *Error {
	taken := map[string]string{}
	for _, rule := range rules {
		priority, ok := number(rule, "properties", "priority")
		if !ok || priority < 100 || priority > 4096 {
			return detailed(badRequest("SecurityRuleInvalidPriority", "Security rule has invalid Priority. Value provided: %d Allowed range 100-4096.", priority))
		}
		key := fmt.Sprintf("%s %d", strings.ToLower(text(rule, "properties", "direction")), priority)
		if other := taken[key]; other != "" {
			return detailed(badRequest("SecurityRuleConflict", "Security rule %s conflicts with rule %s. Rules cannot have the same Priority and Direction.", other, text(rule, "name")))
		}
		taken[key] = text(rule, "name")
	}
	return nil
}

func routeTableType() *resourceType {
	t := networkResourceType(typeRouteTable, networkProtocol(2))
	t.protocol.update = t.protocol.unchanged
	t.protocol.remove.retryAfter = 2
	return t
}

func routeType() *resourceType {
	t := networkResourceType(typeRoute, networkProtocol(2))
	t.protocol.remove.retryAfter = 2
	t.validate = func(p *put) *Error { return busyParent(p.service, p.id) }
	t.deletable = func(s *Service, r *Resource) *Error { return busyParent(s, r.id()) }
	return t
}

func natGatewayType() *resourceType {
	t := networkResourceType(typeNATGateway, networkProtocol(10))
	t.protocol.update = t.protocol.unchanged
	t.validate = func(p *put) *Error {
		if e := sameZones(p); e != nil {
			return e
		}
		for _, address := range objects(p.requested, "properties", "publicIpAddresses") {
			if e := checkPublicAddressFree(p, text(address, "id"), "publicIpAddresses"); e != nil {
				return e
			}
		}
		return checkReferences(p)
	}
	return t
}
