package networking

import (
	_ "embed"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

//go:embed networkdefaults.json
var networkDefaults []byte

// networkFields are the properties of network resources that not every api-version shows.
var networkFields = map[string][]fields.Versioned{
	TypePublicIPAddress: {{Path: "properties.ddosSettings", Since: "2023-01-01"}},
	typeNATGateway: {
		{Path: "properties.type", Since: fields.Version2024, Before: fields.Version2025},
		{Path: "properties.scope", Since: fields.Version2025},
		{Path: "properties.privateIPAddresses", Since: fields.Version2025},
		{Path: "properties.privateIPAddressesV6", Since: fields.Version2025},
	},
	typeRouteTable: {{Path: "properties.disablePeeringRoute", Since: fields.Version2025}},
	TypePrivateEndpoint: {
		{Path: "properties.ipVersionType", Since: "2024-07-01"},
		{Path: "properties.isIPv6EnabledPrivateEndpoint", Since: fields.Version2024, Before: "2024-07-01"},
		{Path: "properties.customNetworkInterfaceName", Since: "2021-05-01"},
		{Path: "properties.ipConfigurations", Since: "2021-05-01"},
	},
	TypeNetworkInterface: {
		{Path: "kind", Since: "2022-01-01"},
		{Path: "properties.allowPort25Out", Since: "2022-01-01"},
		{Path: "properties.auxiliaryMode", Since: "2022-01-01"},
		{Path: "properties.auxiliarySku", Since: "2023-01-01"},
		{Path: "properties.disableTcpStateTracking", Since: "2023-01-01"},
		{Path: "properties.defaultOutboundConnectivityEnabled", Since: fields.Version2025},
	},
}

// childLists are the properties that list the children of a resource, and the children's types.
var childLists = map[string]struct{ property, childType string }{
	typeSecurityGroup: {"securityRules", typeSecurityRule},
	typeRouteTable:    {"routes", typeRoute},
	TypeLoadBalancer:  {"inboundNatRules", TypeInboundNATRule},
}

// applyNetworkDefaults adds what the provider sets if a request does not.
func applyNetworkDefaults(p *arm.Put) *arm.Error {
	if e := applyNetwork(p); e != nil {
		return e
	}
	all, err := fields.Decode(networkDefaults)
	if err != nil {
		return arm.InternalError(err)
	}
	fields.Fill(p.Result, fields.Child(all, p.Resource.Type))
	dropShown(p)
	if list, ok := childLists[p.Resource.Type]; ok {
		delete(fields.Child(p.Result, "properties"), list.property)
	}
	return nil
}

// dropShown takes out what Azure shows and does not take: who reads a resource, changes it and writes it back sends that along.
func dropShown(p *arm.Put) {
	properties := fields.Child(p.Result, "properties")
	switch {
	case p.Resource.Type == typeSecurityGroup:
		delete(properties, "defaultSecurityRules")
	case strings.HasSuffix(p.Resource.Type, "/publicIPAddresses"):
		delete(properties, "ipConfiguration")
		delete(properties, "natGateway")
	}
	if inUse[p.Resource.Type] != "" {
		delete(properties, "subnets")
	}
}

// storeChildren makes the children those of the request's list. A request without the list is one for none: who writes such a resource
// has to send along what others have written (so does Azure Service Operator, internal/genruntime/extensions and its network package).
func storeChildren(p *arm.Put) *arm.Error {
	list, ok := childLists[p.Resource.Type]
	if !ok {
		return nil
	}
	kept := map[string]bool{}
	for _, entry := range fields.Objects(p.Requested, "properties", list.property) {
		path := p.Resource.ID + "/" + list.property + "/" + fields.Text(entry, "name")
		kept[strings.ToLower(path)] = true
		if e := storeChild(p, path, list.childType, entry); e != nil {
			return e
		}
	}
	for _, present := range p.Service.Store.Children(p.Resource.ID, list.childType) {
		if !kept[present.Key()] {
			if err := p.Service.Remove(present); err != nil {
				return arm.InternalError(err)
			}
		}
	}
	return nil
}

func storeChild(p *arm.Put, path, childType string, entry map[string]any) *arm.Error {
	all, err := fields.Decode(networkDefaults)
	if err != nil {
		return arm.InternalError(err)
	}
	r := p.Service.Store.Get(path)
	if r == nil {
		r = &arm.Resource{ID: path, Type: childType, Name: fields.Text(entry, "name"), Created: p.Now}
	}
	r.APIVersion = p.APIVersion
	r.Body = arm.NewBody(path, r.Name, childType, fields.Clone(fields.Child(entry, "properties")))
	r.Body["etag"] = ""
	fields.Fill(r.Body, fields.Child(all, childType))
	r.Properties()["provisioningState"] = arm.StatusSucceeded
	arm.RefreshETag(r)
	if err := p.Service.Store.Put(r); err != nil {
		return arm.InternalError(err)
	}
	return nil
}

// viewNetwork shows a resource with its children, what uses it, and the rules that every security group has.
func viewNetwork(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := fields.Clone(r.Body)
	properties := fields.Child(body, "properties")
	if list, ok := childLists[r.Type]; ok {
		children := []any{}
		for _, c := range s.Store.Children(r.ID, list.childType) {
			children = append(children, s.Show(c, s.Types.Lookup(list.childType), apiVersion))
		}
		properties[list.property] = children
	}
	showParts(r, body)
	if r.Type == typeSecurityGroup {
		properties["defaultSecurityRules"] = defaultSecurityRules(r)
	}
	showUsers(s, r, properties)
	fields.Hide(body, networkFields[r.Type], apiVersion)
	return body
}

// showUsers adds the subnets that refer to the resource, or the configuration that a public IP address belongs to.
func showUsers(s *arm.Service, r *arm.Resource, properties map[string]any) {
	if inUse[r.Type] == "" {
		return
	}
	var subnets []any
	for _, other := range s.Store.All() {
		switch {
		case other.Key() == r.Key():
		case other.Type == TypeSubnet && arm.RefersTo(other.Body, r.ID):
			subnets = append(subnets, map[string]any{"id": other.ID})
		case strings.HasSuffix(r.Type, "/publicIPAddresses") && strings.HasSuffix(other.Type, "/natGateways") && arm.RefersTo(other.Body, r.ID):
			properties["natGateway"] = map[string]any{"id": other.ID}
		case strings.HasSuffix(r.Type, "/publicIPAddresses"):
			if id := configurationWith(other, r.ID); id != "" {
				properties["ipConfiguration"] = map[string]any{"id": id}
			}
		}
	}
	if len(subnets) > 0 {
		properties["subnets"] = subnets
	}
}

// configurationWith is the identifier of the IP configuration in other that has the public IP address, or empty.
func configurationWith(other *arm.Resource, address string) string {
	for _, list := range []string{ListConfigurations, ListFrontends} {
		for _, configuration := range fields.Objects(other.Body, "properties", list) {
			if strings.EqualFold(fields.Text(configuration, "properties", "publicIPAddress", "id"), address) {
				return other.ID + "/" + list + "/" + fields.Text(configuration, "name")
			}
		}
	}
	return ""
}

// securityRule is one of the rules that every network security group has.
type securityRule struct {
	name, description, source, destination, access, direction string
	priority                                                  int64
}

// defaultRules are those of https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview#default-security-rules.
var defaultRules = []securityRule{
	{"AllowVnetInBound", "Allow inbound traffic from all VMs in VNET", "VirtualNetwork", "VirtualNetwork", "Allow", "Inbound", 65000},
	{"AllowAzureLoadBalancerInBound", "Allow inbound traffic from azure load balancer", "AzureLoadBalancer", "*", "Allow", "Inbound", 65001},
	{"DenyAllInBound", "Deny all inbound traffic", "*", "*", "Deny", "Inbound", 65500},
	{"AllowVnetOutBound", "Allow outbound traffic from all VMs to all VMs in VNET", "VirtualNetwork", "VirtualNetwork", "Allow", "Outbound", 65000},
	{"AllowInternetOutBound", "Allow outbound traffic from all VMs to Internet", "*", "Internet", "Allow", "Outbound", 65001},
	{"DenyAllOutBound", "Deny all outbound traffic", "*", "*", "Deny", "Outbound", 65500},
}

func defaultSecurityRules(r *arm.Resource) []any {
	var rules []any
	for _, rule := range defaultRules {
		rules = append(rules, map[string]any{
			"name": rule.name, "id": r.ID + "/defaultSecurityRules/" + rule.name, "etag": r.Body["etag"], "type": r.Type + "/defaultSecurityRules",
			fields.Properties: map[string]any{
				fields.State: r.ProvisioningState(), "description": rule.description, "protocol": "*", "access": rule.access,
				"priority": rule.priority, "direction": rule.direction, "sourcePortRange": "*", "destinationPortRange": "*",
				"sourceAddressPrefix": rule.source, "destinationAddressPrefix": rule.destination,
				"sourcePortRanges": []any{}, "destinationPortRanges": []any{}, "sourceAddressPrefixes": []any{}, "destinationAddressPrefixes": []any{},
			},
		})
	}
	return rules
}
