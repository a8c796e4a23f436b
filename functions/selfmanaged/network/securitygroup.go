package network

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// securityGroups returns the network security groups of the subnets, each once and followed by its rules. ASO's object of a group has no
// rules, and sends along those that it finds: also what the cloud controller of the cluster has added.
func (n *Network) securityGroups(network *plan.Resource) []*plan.Resource {
	var all []*plan.Resource
	seen := nameSet{}
	for i, s := range n.spec.NetworkSpec.Subnets {
		group := s.SecurityGroup
		if !seen.add(group.Name) {
			continue
		}
		r := n.objects.Resource(subnetPath(i)+".securityGroup", v1beta1.ASOObjectName(group.Name), &networks.NetworkSecurityGroup{Spec: networks.NetworkSecurityGroup_Spec{
			AzureName: group.Name,
			Owner:     typed.OwnedBy(n.vnet().ResourceGroup),
			Location:  &n.spec.Location,
			Tags:      n.tags(group.Name, "", group.Tags),
		}}, nil)
		r.OnlyWith = network
		all = append(append(all, r), n.securityRules(r, group.Name)...)
	}
	return all
}

// A placedRule is a security rule with the field that has it.
type placedRule struct {
	v1beta1.SecurityRule

	path string
}

// securityRules returns the rules of one group: those of all subnets that share it.
func (n *Network) securityRules(group *plan.Resource, name string) []*plan.Resource {
	var all []*plan.Resource
	first := map[string]placedRule{}
	for _, rule := range n.rulesOf(name) {
		same, taken := first[rule.Name]
		if taken && reflect.DeepEqual(same.SecurityRule, rule.SecurityRule) {
			continue
		}
		r := n.securityRule(rule, name)
		if taken && r.Err == nil {
			r.Err = composer.Blockedf(composer.ReasonDuplicateResource, "%s is called %q, but must be the same as %s, or be called otherwise: both are of network security group %s",
				rule.path, rule.Name, same.path, name)
		} else {
			first[rule.Name] = rule
		}
		r.OnlyWith = group
		all = append(all, r)
	}
	return all
}

// rulesOf returns the rules of a group by the subnets that have it, with those that a control plane needs.
func (n *Network) rulesOf(group string) []placedRule {
	var all []placedRule
	for i, s := range n.spec.NetworkSpec.Subnets {
		if !sameName(s.SecurityGroup.Name, group) {
			continue
		}
		for at, rule := range s.SecurityGroup.SecurityRules {
			all = append(all, placedRule{rule, fmt.Sprintf("%s.securityGroup.securityRules[%d]", subnetPath(i), at)})
		}
		if i == n.controlPlaneSubnet() {
			for _, rule := range n.controlPlaneRules(s.SecurityGroup.SecurityRules) {
				all = append(all, placedRule{rule, subnetPath(i) + ".securityGroup"})
			}
		}
	}
	return all
}

// controlPlaneRules lets SSH and the API server in, unless the user has a rule for the port.
func (n *Network) controlPlaneRules(rules v1beta1.SecurityRules) []v1beta1.SecurityRule {
	any := ptr.To("*")
	allow := v1beta1.SecurityRule{Protocol: v1beta1.SecurityGroupProtocolTCP, Direction: v1beta1.SecurityRuleDirectionInbound,
		Source: any, SourcePorts: any, Destination: any, Action: v1beta1.SecurityRuleActionAllow}
	ssh, apiServer := allow, allow
	ssh.Name, ssh.Description, ssh.Priority, ssh.DestinationPorts = "allow_ssh", "Allow SSH", 2200, ptr.To("22")
	apiServer.Name, apiServer.Description, apiServer.Priority = "allow_apiserver", "Allow K8s API Server", 2201
	apiServer.DestinationPorts = ptr.To(strconv.Itoa(int(n.apiServerPort())))
	return slices.DeleteFunc([]v1beta1.SecurityRule{ssh, apiServer}, func(missing v1beta1.SecurityRule) bool {
		return slices.ContainsFunc(rules, func(r v1beta1.SecurityRule) bool {
			return ptr.Deref(r.DestinationPorts, "") == *missing.DestinationPorts
		})
	})
}

func (n *Network) securityRule(rule placedRule, group string) *plan.Resource {
	spec := networks.NetworkSecurityGroupsSecurityRule_Spec{
		AzureName:                rule.Name,
		Owner:                    typed.OwnedBy(group),
		Description:              ptr.To(rule.Description),
		Access:                   (*networks.SecurityRuleAccess)(typed.Text(rule.Action)),
		Direction:                (*networks.SecurityRuleDirection)(typed.Text(rule.Direction)),
		Protocol:                 (*networks.SecurityRulePropertiesFormat_Protocol)(typed.Text(rule.Protocol)),
		Priority:                 whole(&rule.Priority),
		SourceAddressPrefix:      rule.Source,
		SourcePortRange:          rule.SourcePorts,
		DestinationAddressPrefix: rule.Destination,
		DestinationPortRange:     rule.DestinationPorts,
	}
	for _, source := range rule.Sources {
		if source != nil {
			spec.SourceAddressPrefixes = append(spec.SourceAddressPrefixes, *source)
		}
	}
	return n.objects.Resource(rule.path, v1beta1.ASOObjectName(group+"-"+rule.Name), &networks.NetworkSecurityGroupsSecurityRule{Spec: spec}, nil)
}
