package networking

import (
	"fmt"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
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
func busyParent(s *arm.Service, id arm.ID) *arm.Error {
	op := s.Operations.RunningOn(id.Parent, true)
	if op == nil || strings.EqualFold(op.ResourceID, id.Path) {
		return nil
	}
	parent := s.Store.Get(id.Parent)
	if parent != nil && strings.EqualFold(op.ResourceID, id.Parent) && parent.ProvisioningState() == arm.StatusSucceeded {
		return nil
	}
	return retryable(op, id.Parent)
}

func securityGroupType() *arm.ResourceType {
	t := networkResourceType(typeSecurityGroup, networkProtocol(1))
	t.Validate = func(p *arm.Put) *arm.Error {
		return checkPriorities(fields.Objects(p.Requested, "properties", "securityRules"))
	}
	t.Protocol.Update = t.Protocol.Unchanged
	t.Protocol.Remove.RetryAfter = 1
	return t
}

func securityRuleType() *arm.ResourceType {
	t := networkResourceType(typeSecurityRule, networkProtocol(1))
	t.Validate = validateSecurityRule
	return t
}

func validateSecurityRule(p *arm.Put) *arm.Error {
	if e := busyParent(p.Service, p.ID); e != nil {
		return e
	}
	own := fields.Clone(p.Requested)
	own["name"] = p.ID.Name
	rules := []map[string]any{own}
	for _, other := range p.Service.Store.Children(p.ID.Parent, typeSecurityRule) {
		if other.Key() != p.ID.Key() {
			rules = append(rules, other.Body)
		}
	}
	return checkPriorities(rules)
}

// checkPriorities refuses rules of one security group that Azure could not order.
func checkPriorities(rules []map[string]any) *arm.Error {
	taken := map[string]string{}
	for _, rule := range rules {
		priority, ok := fields.Number(rule, "properties", "priority")
		if !ok || priority < 100 || priority > 4096 {
			return arm.Detailed(arm.BadRequest("SecurityRuleInvalidPriority", "Security rule has invalid Priority. Value provided: %d Allowed range 100-4096.", priority))
		}
		key := fmt.Sprintf("%s %d", strings.ToLower(fields.Text(rule, "properties", "direction")), priority)
		if other := taken[key]; other != "" {
			return arm.Detailed(arm.BadRequest("SecurityRuleConflict", "Security rule %s conflicts with rule %s. Rules cannot have the same Priority and Direction.", other, fields.Text(rule, "name")))
		}
		taken[key] = fields.Text(rule, "name")
	}
	return nil
}

func routeTableType() *arm.ResourceType {
	t := networkResourceType(typeRouteTable, networkProtocol(2))
	t.Protocol.Update = t.Protocol.Unchanged
	t.Protocol.Remove.RetryAfter = 2
	return t
}

func routeType() *arm.ResourceType {
	t := networkResourceType(typeRoute, networkProtocol(2))
	t.Protocol.Remove.RetryAfter = 2
	t.Validate = func(p *arm.Put) *arm.Error { return busyParent(p.Service, p.ID) }
	t.Deletable = func(s *arm.Service, r *arm.Resource) *arm.Error { return busyParent(s, r.Identity()) }
	return t
}

func natGatewayType() *arm.ResourceType {
	t := networkResourceType(typeNATGateway, networkProtocol(10))
	t.Protocol.Update = t.Protocol.Unchanged
	t.Validate = func(p *arm.Put) *arm.Error {
		if e := SameZones(p); e != nil {
			return e
		}
		for _, address := range fields.Objects(p.Requested, "properties", "publicIpAddresses") {
			if e := checkPublicAddressFree(p, fields.Text(address, "id"), "publicIpAddresses"); e != nil {
				return e
			}
		}
		return checkReferences(p)
	}
	return t
}
