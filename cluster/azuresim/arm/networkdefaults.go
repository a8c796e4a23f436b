package arm

import (
	_ "embed"
	"strings"
)

//go:embed networkdefaults.json
var networkDefaults []byte

// networkFields are the properties of network resources that not every api-version shows.
var networkFields = map[string][]field{
	TypePublicIPAddress: {{path: "properties.ddosSettings", since: "2023-01-01"}},
	typeNATGateway: {
		{path: "properties.type", since: version2024, before: version2025},
		{path: "properties.scope", since: version2025},
		{path: "properties.privateIPAddresses", since: version2025},
		{path: "properties.privateIPAddressesV6", since: version2025},
	},
	typeRouteTable: {{path: "properties.disablePeeringRoute", since: version2025}},
	TypePrivateEndpoint: {
		{path: "properties.ipVersionType", since: "2024-07-01"},
		{path: "properties.isIPv6EnabledPrivateEndpoint", since: version2024, before: "2024-07-01"},
		{path: "properties.customNetworkInterfaceName", since: "2021-05-01"},
		{path: "properties.ipConfigurations", since: "2021-05-01"},
	},
	TypeNetworkInterface: {
		{path: "kind", since: "2022-01-01"},
		{path: "properties.allowPort25Out", since: "2022-01-01"},
		{path: "properties.auxiliaryMode", since: "2022-01-01"},
		{path: "properties.auxiliarySku", since: "2023-01-01"},
		{path: "properties.disableTcpStateTracking", since: "2023-01-01"},
		{path: "properties.defaultOutboundConnectivityEnabled", since: version2025},
	},
}

// childLists are the properties that list the children of a resource, and the children's types.
var childLists = map[string]struct{ property, childType string }{
	typeSecurityGroup: {"securityRules", typeSecurityRule},
	typeRouteTable:    {"routes", typeRoute},
	TypeLoadBalancer:  {"inboundNatRules", TypeInboundNATRule},
}

// applyNetworkDefaults adds what the provider sets if a request does not.
func applyNetworkDefaults(p *put) *Error {
	if e := applyNetwork(p); e != nil {
		return e
	}
	all, err := decode(networkDefaults)
	if err != nil {
		return internalError(err)
	}
	fill(p.result, child(all, p.resource.Type))
	if list, ok := childLists[p.resource.Type]; ok {
		delete(child(p.result, "properties"), list.property)
	}
	return nil
}

// storeChildren makes the children those of the request's list. A request without the list is one for none: who writes such a resource
// has to send along what others have written (so does Azure Service Operator, internal/genruntime/extensions and its network package).
func storeChildren(p *put) *Error {
	list, ok := childLists[p.resource.Type]
	if !ok {
		return nil
	}
	kept := map[string]bool{}
	for _, entry := range objects(p.requested, "properties", list.property) {
		path := p.resource.ID + "/" + list.property + "/" + text(entry, "name")
		kept[strings.ToLower(path)] = true
		if e := storeChild(p, path, list.childType, entry); e != nil {
			return e
		}
	}
	for _, present := range p.service.store.children(p.resource.ID, list.childType) {
		if !kept[present.key()] {
			if err := p.service.erase(present); err != nil {
				return internalError(err)
			}
		}
	}
	return nil
}

func storeChild(p *put, path, childType string, entry map[string]any) *Error {
	all, err := decode(networkDefaults)
	if err != nil {
		return internalError(err)
	}
	r := p.service.store.get(path)
	if r == nil {
		r = &Resource{ID: path, Type: childType, Name: text(entry, "name"), Created: p.now}
	}
	r.APIVersion = p.apiVersion
	r.Body = newBody(path, r.Name, childType, clone(child(entry, "properties")))
	r.Body["etag"] = ""
	fill(r.Body, child(all, childType))
	r.properties()["provisioningState"] = statusSucceeded
	refreshETag(r)
	if err := p.service.store.put(r); err != nil {
		return internalError(err)
	}
	return nil
}

// viewNetwork shows a resource with its children, what uses it, and the rules that every security group has.
func viewNetwork(s *Service, r *Resource, apiVersion string) map[string]any {
	body := clone(r.Body)
	properties := child(body, "properties")
	if list, ok := childLists[r.Type]; ok {
		children := []any{}
		for _, c := range s.store.children(r.ID, list.childType) {
			children = append(children, s.show(c, s.types.lookup(list.childType), apiVersion))
		}
		properties[list.property] = children
	}
	showParts(r, body)
	if r.Type == typeSecurityGroup {
		properties["defaultSecurityRules"] = defaultSecurityRules(r)
	}
	showUsers(s, r, properties)
	hideFields(body, networkFields[r.Type], apiVersion)
	return body
}

// showUsers adds the subnets that refer to the resource, or the configuration that a public IP address belongs to.
func showUsers(s *Service, r *Resource, properties map[string]any) {
	var subnets []any
	for _, other := range s.store.all() {
		switch {
		case other.key() == r.key() || inUse[r.Type] == "":
		case other.Type == TypeSubnet && refersTo(other.Body, r.ID):
			subnets = append(subnets, map[string]any{"id": other.ID})
		case strings.HasSuffix(r.Type, "/publicIPAddresses") && strings.HasSuffix(other.Type, "/natGateways") && refersTo(other.Body, r.ID):
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
func configurationWith(other *Resource, address string) string {
	for _, list := range []string{listConfigurations, listFrontends} {
		for _, configuration := range objects(other.Body, "properties", list) {
			if strings.EqualFold(text(configuration, "properties", "publicIPAddress", "id"), address) {
				return other.ID + "/" + list + "/" + text(configuration, "name")
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

func defaultSecurityRules(r *Resource) []any {
	var rules []any
	for _, rule := range defaultRules {
		rules = append(rules, map[string]any{
			"name": rule.name, "id": r.ID + "/defaultSecurityRules/" + rule.name, "etag": r.Body["etag"], "type": r.Type + "/defaultSecurityRules",
			fieldProperties: map[string]any{
				fieldState: r.provisioningState(), "description": rule.description, "protocol": "*", "access": rule.access,
				"priority": rule.priority, "direction": rule.direction, "sourcePortRange": "*", "destinationPortRange": "*",
				"sourceAddressPrefix": rule.source, "destinationAddressPrefix": rule.destination,
				"sourcePortRanges": []any{}, "destinationPortRanges": []any{}, "sourceAddressPrefixes": []any{}, "destinationAddressPrefixes": []any{},
			},
		})
	}
	return rules
}
