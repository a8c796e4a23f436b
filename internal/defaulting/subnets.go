package defaulting

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// numbered returns the name of one of several.
func numbered(name string, n int) string { return fmt.Sprintf("%s-%d", name, n) }

// nodeRange is the address range of the subnet of nodes with the number.
func nodeRange(n int) string { return fmt.Sprintf("10.%d.0.0/16", n) }

// firstOf returns the first subnet with a role; nil if there is none.
func firstOf(all []v1beta1.SubnetSpec, role v1beta1.SubnetRole) *v1beta1.SubnetSpec {
	i := slices.IndexFunc(all, func(s v1beta1.SubnetSpec) bool { return s.Role == role })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// subnets fills in the subnets and adds those without which there is no cluster: one for the control plane and one for nodes, unless
// one is for both.
func subnets(name string, spec *v1beta1.AzureClusterSpec) {
	all := &spec.NetworkSpec.Subnets
	if both := firstOf(*all, v1beta1.SubnetCluster); both != nil {
		bothRolesSubnet(name, both)
	}
	both := firstOf(*all, v1beta1.SubnetCluster) != nil
	if spec.ControlPlaneEnabled {
		if firstOf(*all, v1beta1.SubnetControlPlane) == nil && !both {
			*all = append(*all, v1beta1.SubnetSpec{SubnetClassSpec: v1beta1.SubnetClassSpec{Role: v1beta1.SubnetControlPlane}})
		}
		if s := firstOf(*all, v1beta1.SubnetControlPlane); s != nil {
			controlPlaneSubnet(name, s)
		}
	}
	nodes := 0
	for i := range *all {
		if (*all)[i].Role == v1beta1.SubnetNode {
			nodes++
			nodeSubnet(name, &(*all)[i], nodes)
		}
	}
	if nodes == 0 && !both {
		*all = append(*all, onlyNodeSubnet(name))
	}
	if s := firstOf(*all, v1beta1.SubnetControlPlane); s != nil && spec.ControlPlaneEnabled {
		s.RouteTable.Name = cmp.Or(s.RouteTable.Name, nodeRouteTable(*all))
	}
}

// nodeRouteTable returns the name of the route table into which the cloud controller writes the ways to pods. The control plane has the
// same one, as API servers reach pods too.
func nodeRouteTable(all []v1beta1.SubnetSpec) string {
	for i := range all {
		if all[i].Role == v1beta1.SubnetNode || all[i].Role == v1beta1.SubnetCluster {
			return all[i].RouteTable.Name
		}
	}
	return ""
}

func bothRolesSubnet(name string, s *v1beta1.SubnetSpec) {
	s.Name = cmp.Or(s.Name, name+"-subnet")
	s.SecurityGroup.Name = cmp.Or(s.SecurityGroup.Name, name+"-nsg")
	s.RouteTable.Name = cmp.Or(s.RouteTable.Name, name+"-routetable")
	ranges(&s.CIDRBlocks, bothRolesCIDR)
	natGateway(s, name+"-natgw")
	directions(s.SecurityGroup.SecurityRules)
}

func controlPlaneSubnet(name string, s *v1beta1.SubnetSpec) {
	s.Name = cmp.Or(s.Name, name+"-controlplane-subnet")
	ranges(&s.CIDRBlocks, controlPlaneCIDR)
	s.SecurityGroup.Name = cmp.Or(s.SecurityGroup.Name, name+"-controlplane-nsg")
	directions(s.SecurityGroup.SecurityRules)
}

func nodeSubnet(name string, s *v1beta1.SubnetSpec, n int) {
	s.Name = cmp.Or(s.Name, numbered(name+"-node-subnet", n))
	ranges(&s.CIDRBlocks, nodeRange(n))
	s.SecurityGroup.Name = cmp.Or(s.SecurityGroup.Name, name+"-node-nsg")
	s.RouteTable.Name = cmp.Or(s.RouteTable.Name, name+"-node-routetable")
	natGateway(s, numbered(name+"-node-natgw", n))
	directions(s.SecurityGroup.SecurityRules)
}

// onlyNodeSubnet returns the subnet for nodes of a cluster that names none. It is the only one, so no name has a number.
func onlyNodeSubnet(name string) v1beta1.SubnetSpec {
	s := v1beta1.SubnetSpec{SubnetClassSpec: v1beta1.SubnetClassSpec{Name: name + "-node-subnet", Role: v1beta1.SubnetNode}}
	s.NatGateway.Name = name + "-node-natgw"
	nodeSubnet(name, &s, 1)
	return s
}

// natGateway fills in the NAT gateway of a subnet, but not for IPv6, which NAT gateways cannot do, nor for a subnet that has an ID, as it
// was there before the cluster.
func natGateway(s *v1beta1.SubnetSpec, name string) {
	if s.ID != "" || HasIPv6(s.CIDRBlocks) {
		return
	}
	s.NatGateway.Name = cmp.Or(s.NatGateway.Name, name)
	s.NatGateway.NatGatewayIP.Name = cmp.Or(s.NatGateway.NatGatewayIP.Name, "pip-"+s.NatGateway.Name)
}

// directions fills in the direction of security rules.
func directions(rules []v1beta1.SecurityRule) {
	for i := range rules {
		rules[i].Direction = cmp.Or(rules[i].Direction, v1beta1.SecurityRuleDirectionInbound)
	}
}
