package arm

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Types of the network provider that a cluster meets in the network of a company.
const (
	typeAzureFirewall = "Microsoft.Network/azureFirewalls"
	typeIPPrefix      = "Microsoft.Network/publicIPPrefixes"
	typeZoneGroup     = "Microsoft.Network/privateEndpoints/privateDnsZoneGroups"
)

// furtherType is a type of the network provider of which the protocol and the defaults are known, and few rules.
type furtherType struct {
	name     string
	protocol protocol
	// guid adds resourceGuid, system adds systemData, inherits shows the location of the parent.
	guid, system, inherits bool
	// stateless shows no provisioningState.
	stateless bool
}

// resolverProtocol is what Azure DNS Private Resolver answers.
func resolverProtocol() protocol {
	changed := answer{status: 202, asyncOperation: true, location: true, retryAfter: 5, state: stateUpdating, emptyBody: true}
	return protocol{
		create: changed, update: changed,
		remove:     answer{status: 202, asyncOperation: true, location: true, retryAfter: 5, state: stateDeleting, noBody: true},
		poll:       pollComplete,
		operations: "dnsResolverOperationStatuses",
		results:    "dnsResolverOperationResults",
	}
}

// firewallProtocol is what policies of Azure Firewall answer.
func firewallProtocol() protocol {
	p := networkProtocol(10)
	p.polls = map[change][]int{create: {10}, update: {10}}
	p.operations, p.results = "nfvOperations", "nfvOperationResults"
	p.remove.noBody = false
	p.unchanged = answer{}
	return p
}

func furtherNetworkTypes() []*resourceType {
	zones := synchronous
	zones.remove = answer{status: 202, asyncOperation: true, location: true, retryAfter: 3, state: stateDeleting, noBody: true}
	zones.operations, zones.results = "dnsOperationStatuses", "dnsOperationResults"
	watchers := networkProtocol(10)
	watchers.create = answer{status: 201, asyncOperation: true, state: statusSucceeded}
	watchers.update = watchers.unchanged
	further := []furtherType{
		{name: "Microsoft.Network/dnsResolvers", protocol: resolverProtocol(), guid: true, system: true},
		{name: "Microsoft.Network/dnsResolvers/inboundEndpoints", protocol: resolverProtocol(), guid: true, system: true},
		{name: "Microsoft.Network/dnsResolvers/outboundEndpoints", protocol: resolverProtocol(), guid: true, system: true},
		{name: "Microsoft.Network/dnsForwardingRulesets", protocol: resolverProtocol(), guid: true, system: true},
		{name: "Microsoft.Network/dnsForwardingRulesets/forwardingRules", protocol: synchronous, system: true},
		{name: "Microsoft.Network/dnsForwardingRulesets/virtualNetworkLinks", protocol: resolverProtocol(), system: true},
		{name: "Microsoft.Network/firewallPolicies", protocol: firewallProtocol()},
		{name: "Microsoft.Network/firewallPolicies/ruleCollectionGroups", protocol: firewallProtocol(), inherits: true},
		{name: "Microsoft.Network/dnsZones", protocol: zones, stateless: true},
		{name: "Microsoft.Network/networkWatchers", protocol: watchers},
		{name: "Microsoft.Network/networkWatchers/flowLogs", protocol: networkProtocol(10)},
		{name: "Microsoft.Network/trafficManagerProfiles", protocol: synchronous, stateless: true},
		{name: "Microsoft.Network/trafficManagerProfiles/azureEndpoints", protocol: synchronous, stateless: true},
		{name: "Microsoft.Network/trafficManagerProfiles/externalEndpoints", protocol: synchronous, stateless: true},
		{name: "Microsoft.Network/trafficManagerProfiles/nestedEndpoints", protocol: synchronous, stateless: true},
	}
	for _, record := range []string{"A", "AAAA", "CAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT"} {
		further = append(further, furtherType{name: "Microsoft.Network/dnsZones/" + record, protocol: synchronous})
	}
	gateways := networkProtocol(5)
	gateways.polls = map[change][]int{create: {1, 2, 2, 4, 4, 8, 8, 16, 16, 10}, update: {1, 2, 2, 4, 4, 8, 8, 16, 16, 10}, remove: {10, 20}}
	types := []*resourceType{frontDoorPolicyType(), networkResourceType("Microsoft.Network/applicationGateways", gateways), azureFirewallType(), publicIPPrefixType(), zoneGroupType(), applicationSecurityGroupType()}
	for _, one := range further {
		types = append(types, one.resourceType())
	}
	return types
}

func (f furtherType) resourceType() *resourceType {
	t := &resourceType{name: f.name, protocol: f.protocol, tracked: strings.Count(f.name, "/") == 1, apply: f.apply, missing: networkMissing}
	if f.stateless {
		t.view = viewWithoutState
	}
	if strings.HasSuffix(f.name, "/dnsForwardingRulesets") {
		t.ready = rulesetReady
	}
	if strings.HasSuffix(f.name, "/trafficManagerProfiles") {
		t.viewOfPut = func(s *Service, r *Resource, apiVersion string) map[string]any {
			body := viewWithoutState(s, r, apiVersion)
			delete(body, "tags")
			return body
		}
	}
	return t
}

// apply adds what the provider sets if a request does not.
func (f furtherType) apply(p *put) *Error {
	all, err := decode(networkDefaults)
	if err != nil {
		return internalError(err)
	}
	fill(p.result, child(all, f.name))
	properties := child(p.result, "properties")
	made := uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.id.Key())).String()
	now := p.now.UTC().Format(time.RFC3339Nano)
	if !strings.HasPrefix(f.name, "Microsoft.Network/trafficManager") {
		p.result["etag"] = ""
	}
	if f.guid {
		properties["resourceGuid"] = made
	}
	if f.system {
		p.result["systemData"] = map[string]any{"createdAt": now, "createdByType": "Application", "lastModifiedAt": now, "lastModifiedByType": "Application"}
		if p.existing != nil && p.existing.Body["systemData"] != nil {
			child(p.result, "systemData")["createdAt"] = at(p.existing.Body, "systemData", "createdAt")
		}
	}
	if f.inherits {
		p.result["location"] = p.service.locationOf(p.service.store.get(p.id.Parent))
	}
	switch {
	case strings.HasSuffix(f.name, "/dnsForwardingRulesets"):
		noteUnready(p)
	case strings.HasSuffix(f.name, "/inboundEndpoints"):
		return assignFlatAddresses(p)
	case strings.HasSuffix(f.name, "/ruleCollectionGroups"):
		for _, collection := range objects(properties, "ruleCollections") {
			fill(collection, map[string]any{"rules": []any{}})
		}
	case strings.HasSuffix(f.name, "/flowLogs"):
		properties["targetResourceGuid"] = made
	case strings.HasSuffix(f.name, "/trafficManagerProfiles"):
		fill(child(properties, "dnsConfig"), map[string]any{"fqdn": text(properties, "dnsConfig", "relativeName") + ".trafficmanager.net"})
	case strings.HasPrefix(f.name, "Microsoft.Network/dnsZones/"):
		_, _, zone := cutPart(p.id.Parent)
		properties["fqdn"], properties["targetResource"] = p.id.Name+"."+zone+".", map[string]any{}
	}
	return nil
}

// noteUnready notes on a forwarding ruleset the endpoint that it names before that is there.
func noteUnready(p *put) {
	p.resource.Private = map[string]any{}
	for _, path := range references(p.requested["properties"]) {
		if r := p.service.store.get(path); r == nil || r.provisioningState() != statusSucceeded {
			p.resource.Private["unready"] = path
		}
	}
}

// rulesetReady has the operation on a ruleset that came too early fail.
func rulesetReady(_ *Service, op *Operation, r *Resource) (bool, *Error) {
	path := text(r.Private, "unready")
	if path == "" || op.Change == remove {
		return true, nil
	}
	return true, &Error{Status: 400, Code: "BadRequest", Target: path, Details: []Detail{}, Message: "DNS resolver outbound endpoint " + path + " is not in Succeeded state."}
}

// assignFlatAddresses gives the IP configurations of a DNS resolver's endpoint, which have no properties of their own, their addresses.
func assignFlatAddresses(p *put) *Error {
	for _, configuration := range objects(p.result, "properties", listConfigurations) {
		subnet := p.service.store.get(text(configuration, "subnet", "id"))
		if subnet == nil || text(configuration, "privateIpAddress") != "" {
			continue
		}
		address, ok := firstFree(subnet, p.service.usedAddresses(subnet.id().Parent), false)
		if !ok {
			return detailed(badRequest("SubnetIsFull", "Subnet %s does not have enough capacity for 1 IP addresses.", subnet.Name))
		}
		configuration["privateIpAddress"] = address.String()
	}
	return nil
}

func azureFirewallType() *resourceType {
	t := networkResourceType(typeAzureFirewall, networkProtocol(10))
	t.protocol.unchanged = answer{}
	t.validate = func(p *put) *Error {
		if op := p.service.operations.runningOn(text(p.requested, "properties", "firewallPolicy", "id"), true); op != nil {
			return anotherOperation(p.service.operationURL(op, operationsSegment))
		}
		return nil
	}
	t.apply = func(p *put) *Error {
		if e := applyNetworkDefaults(p); e != nil {
			return e
		}
		delete(child(p.result, "properties"), "resourceGuid")
		if e := completeParts(p); e != nil {
			return e
		}
		keepAddresses(p)
		return nil
	}
	t.settle = settleAddresses
	return t
}

// keepAddresses keeps the private addresses that IP configurations have.
func keepAddresses(p *put) {
	if p.existing == nil {
		return
	}
	for _, configuration := range objects(p.result, "properties", listConfigurations) {
		if before := partNamed(p.existing.Body, listConfigurations, text(configuration, "id")); before != nil {
			if address := text(before, "properties", "privateIPAddress"); address != "" {
				child(configuration, "properties")["privateIPAddress"] = address
			}
		}
	}
}

// settleAddresses gives IP configurations their private addresses when the resource has been made.
func settleAddresses(s *Service, r *Resource) error {
	for _, configuration := range objects(r.Body, "properties", listConfigurations) {
		subnet := s.store.get(text(configuration, "properties", "subnet", "id"))
		if subnet == nil || text(configuration, "properties", "privateIPAddress") != "" {
			continue
		}
		if address, ok := firstFree(subnet, s.usedAddresses(subnet.id().Parent), false); ok {
			child(configuration, "properties")["privateIPAddress"] = address.String()
		}
	}
	return s.store.put(r)
}

func publicIPPrefixType() *resourceType {
	p := networkProtocol(3)
	p.update = p.unchanged
	t := networkResourceType(typeIPPrefix, p)
	t.validate = sameZones
	t.apply = func(p *put) *Error {
		if p.existing != nil {
			if addresses := text(p.existing.Body, "properties", "ipPrefix"); addresses != "" {
				child(p.result, "properties")["ipPrefix"] = addresses
			}
		}
		return applyNetworkDefaults(p)
	}
	t.settle = func(s *Service, r *Resource) error {
		h := fnv.New32a()
		_, _ = h.Write([]byte(r.key())) // never fails
		length, _ := number(r.Body, "properties", "prefixLength")
		sum := h.Sum32()
		fill(r.properties(), map[string]any{"ipPrefix": fmt.Sprintf("4.%d.%d.%d/%d", sum>>16&0xff, sum>>8&0xff, sum&0xf0, length)})
		return s.store.put(r)
	}
	return t
}

// zoneGroupType brings the address of a private endpoint into private DNS zones.
func zoneGroupType() *resourceType {
	t := networkResourceType(typeZoneGroup, networkProtocol(10))
	t.apply = func(p *put) *Error {
		if e := applyNetworkDefaults(p); e != nil {
			return e
		}
		_, _, endpoint := cutPart(p.id.Parent)
		for _, configuration := range objects(p.result, "properties", "privateDnsZoneConfigs") {
			zone := text(configuration, "properties", "privateDnsZoneId")
			_, _, name := cutPart(zone)
			fill(child(configuration, "properties"), map[string]any{"recordSets": []any{map[string]any{
				"recordType": "A", "recordSetName": endpoint, "fqdn": endpoint + "." + name, "ttl": int64(10), fieldState: statusSucceeded,
				"ipAddresses": anyStrings(p.service.endpointAddresses(p.id.Parent)),
			}}})
		}
		return completeParts(p)
	}
	return t
}

// endpointAddresses are the private addresses of a private endpoint.
func (s *Service) endpointAddresses(endpoint string) []string {
	var found []string
	id, err := ParseID(endpoint)
	if err != nil {
		return nil
	}
	if nic := s.store.get(endpointInterface(id)); nic != nil {
		for _, configuration := range objects(nic.Body, "properties", listConfigurations) {
			found = append(found, text(configuration, "properties", "privateIPAddress"))
		}
	}
	return found
}

func applicationSecurityGroupType() *resourceType {
	p := networkProtocol(1)
	p.update = p.unchanged
	p.remove.retryAfter = 1
	t := networkResourceType("Microsoft.Network/applicationSecurityGroups", p)
	t.apply = func(p *put) *Error {
		e := applyNetworkDefaults(p)
		delete(child(p.result, "properties"), "resourceGuid")
		return e
	}
	return t
}

// frontDoorPolicyType is a web application firewall policy of Azure Front Door.
func frontDoorPolicyType() *resourceType {
	p := synchronous
	p.remove = answer{status: 204, noBody: true}
	t := furtherType{name: "Microsoft.Network/frontDoorWebApplicationFirewallPolicies", protocol: p}.resourceType()
	plain := t.apply
	t.apply = func(p *put) *Error {
		if e := plain(p); e != nil {
			return e
		}
		delete(p.result, "etag")
		for _, rule := range objects(p.result, "properties", "customRules", "rules") {
			fill(rule, map[string]any{"rateLimitDurationInMinutes": nil, "rateLimitThreshold": nil})
			for _, condition := range objects(rule, "matchConditions") {
				fill(condition, map[string]any{"selector": nil, "negateCondition": false, "transforms": []any{}})
			}
		}
		return nil
	}
	return t
}
