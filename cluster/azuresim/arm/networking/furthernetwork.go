package networking

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
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
	protocol arm.Protocol
	// guid adds resourceGuid, system adds systemData, inherits shows the location of the parent.
	guid, system, inherits bool
	// stateless shows no provisioningState.
	stateless bool
}

// resolverProtocol is what Azure DNS Private Resolver answers.
func resolverProtocol() arm.Protocol {
	changed := arm.Answer{Status: 202, AsyncOperation: true, Location: true, RetryAfter: 5, State: arm.StateUpdating, EmptyBody: true}
	return arm.Protocol{
		Create: changed, Update: changed,
		Remove:     arm.Answer{Status: 202, AsyncOperation: true, Location: true, RetryAfter: 5, State: arm.StateDeleting, NoBody: true},
		Poll:       arm.PollComplete,
		Operations: "dnsResolverOperationStatuses",
		Results:    "dnsResolverOperationResults",
	}
}

// firewallProtocol is what policies of Azure Firewall answer.
func firewallProtocol() arm.Protocol {
	p := networkProtocol(10)
	p.Polls = map[arm.Change][]int{arm.Create: {10}, arm.Update: {10}}
	p.Operations, p.Results = "nfvOperations", "nfvOperationResults"
	p.Remove.NoBody = false
	p.Unchanged = arm.Answer{}
	return p
}

func furtherNetworkTypes() []*arm.ResourceType {
	zones := arm.Synchronous
	zones.Remove = arm.Answer{Status: 202, AsyncOperation: true, Location: true, RetryAfter: 3, State: arm.StateDeleting, NoBody: true}
	zones.Operations, zones.Results = "dnsOperationStatuses", "dnsOperationResults"
	watchers := networkProtocol(10)
	watchers.Create = arm.Answer{Status: 201, AsyncOperation: true, State: arm.StatusSucceeded}
	watchers.Update = watchers.Unchanged
	further := []furtherType{
		{name: "Microsoft.Network/dnsResolvers", protocol: resolverProtocol(), guid: true, system: true},
		{name: "Microsoft.Network/dnsResolvers/inboundEndpoints", protocol: resolverProtocol(), guid: true, system: true},
		{name: "Microsoft.Network/dnsResolvers/outboundEndpoints", protocol: resolverProtocol(), guid: true, system: true},
		{name: "Microsoft.Network/dnsForwardingRulesets", protocol: resolverProtocol(), guid: true, system: true},
		{name: "Microsoft.Network/dnsForwardingRulesets/forwardingRules", protocol: arm.Synchronous, system: true},
		{name: "Microsoft.Network/dnsForwardingRulesets/virtualNetworkLinks", protocol: resolverProtocol(), system: true},
		{name: "Microsoft.Network/firewallPolicies", protocol: firewallProtocol()},
		{name: "Microsoft.Network/firewallPolicies/ruleCollectionGroups", protocol: firewallProtocol(), inherits: true},
		{name: "Microsoft.Network/dnsZones", protocol: zones, stateless: true},
		{name: "Microsoft.Network/networkWatchers", protocol: watchers},
		{name: "Microsoft.Network/networkWatchers/flowLogs", protocol: networkProtocol(10)},
		{name: "Microsoft.Network/trafficManagerProfiles", protocol: arm.Synchronous, stateless: true},
		{name: "Microsoft.Network/trafficManagerProfiles/azureEndpoints", protocol: arm.Synchronous, stateless: true},
		{name: "Microsoft.Network/trafficManagerProfiles/externalEndpoints", protocol: arm.Synchronous, stateless: true},
		{name: "Microsoft.Network/trafficManagerProfiles/nestedEndpoints", protocol: arm.Synchronous, stateless: true},
	}
	for _, record := range []string{"A", "AAAA", "CAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT"} {
		further = append(further, furtherType{name: "Microsoft.Network/dnsZones/" + record, protocol: arm.Synchronous})
	}
	gateways := networkProtocol(5)
	gateways.Polls = map[arm.Change][]int{arm.Create: {1, 2, 2, 4, 4, 8, 8, 16, 16, 10}, arm.Update: {1, 2, 2, 4, 4, 8, 8, 16, 16, 10}, arm.Remove: {10, 20}}
	types := []*arm.ResourceType{frontDoorPolicyType(), networkResourceType("Microsoft.Network/applicationGateways", gateways), azureFirewallType(), publicIPPrefixType(), zoneGroupType(), applicationSecurityGroupType()}
	for _, one := range further {
		types = append(types, one.resourceType())
	}
	return types
}

func (f furtherType) resourceType() *arm.ResourceType {
	t := &arm.ResourceType{Name: f.name, Protocol: f.protocol, Tracked: strings.Count(f.name, "/") == 1, Apply: f.apply, Missing: networkMissing}
	if f.stateless {
		t.View = arm.ViewWithoutState
	}
	if strings.HasSuffix(f.name, "/dnsForwardingRulesets") {
		t.Ready = rulesetReady
	}
	if strings.HasSuffix(f.name, "/trafficManagerProfiles") {
		t.ViewOfPut = func(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
			body := arm.ViewWithoutState(s, r, apiVersion)
			delete(body, "tags")
			return body
		}
	}
	return t
}

// apply adds what the provider sets if a request does not.
func (f furtherType) apply(p *arm.Put) *arm.Error {
	all, err := fields.Decode(networkDefaults)
	if err != nil {
		return arm.InternalError(err)
	}
	fields.Fill(p.Result, fields.Child(all, f.name))
	properties := fields.Child(p.Result, "properties")
	made := uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.ID.Key())).String()
	now := p.Now.UTC().Format(time.RFC3339Nano)
	if !strings.HasPrefix(f.name, "Microsoft.Network/trafficManager") {
		p.Result["etag"] = ""
	}
	if f.guid {
		properties["resourceGuid"] = made
	}
	if f.system {
		p.Result["systemData"] = map[string]any{"createdAt": now, "createdByType": "Application", "lastModifiedAt": now, "lastModifiedByType": "Application"}
		if p.Existing != nil && p.Existing.Body["systemData"] != nil {
			fields.Child(p.Result, "systemData")["createdAt"] = fields.At(p.Existing.Body, "systemData", "createdAt")
		}
	}
	if f.inherits {
		p.Result[fields.Location] = p.Service.LocationOf(p.Service.Store.Get(p.ID.Parent))
	}
	switch {
	case strings.HasSuffix(f.name, "/dnsForwardingRulesets"):
		noteUnready(p)
	case strings.HasSuffix(f.name, "/inboundEndpoints"):
		return assignFlatAddresses(p)
	case strings.HasSuffix(f.name, "/ruleCollectionGroups"):
		for _, collection := range fields.Objects(properties, "ruleCollections") {
			fields.Fill(collection, map[string]any{"rules": []any{}})
		}
	case strings.HasSuffix(f.name, "/flowLogs"):
		properties["targetResourceGuid"] = made
	case strings.HasSuffix(f.name, "/trafficManagerProfiles"):
		fields.Fill(fields.Child(properties, "dnsConfig"), map[string]any{"fqdn": fields.Text(properties, "dnsConfig", "relativeName") + ".trafficmanager.net"})
	case strings.HasPrefix(f.name, "Microsoft.Network/dnsZones/"):
		_, _, zone := arm.CutPart(p.ID.Parent)
		properties["fqdn"], properties["targetResource"] = p.ID.Name+"."+zone+".", map[string]any{}
	}
	return nil
}

// noteUnready notes on a forwarding ruleset the endpoint that it names before that is there.
func noteUnready(p *arm.Put) {
	p.Resource.Private = map[string]any{}
	for _, path := range arm.References(p.Requested["properties"]) {
		if r := p.Service.Store.Get(path); r == nil || r.ProvisioningState() != arm.StatusSucceeded {
			p.Resource.Private["unready"] = path
		}
	}
}

// rulesetReady has the operation on a ruleset that came too early fail.
func rulesetReady(_ *arm.Service, op *arm.Operation, r *arm.Resource) (bool, *arm.Error) {
	path := fields.Text(r.Private, "unready")
	if path == "" || op.Change == arm.Remove {
		return true, nil
	}
	return true, &arm.Error{Status: 400, Code: "BadRequest", Target: path, Details: []arm.Detail{}, Message: "DNS resolver outbound endpoint " + path + " is not in Succeeded state."}
}

// assignFlatAddresses gives the IP configurations of a DNS resolver's endpoint, which have no properties of their own, their addresses.
func assignFlatAddresses(p *arm.Put) *arm.Error {
	for _, configuration := range fields.Objects(p.Result, "properties", ListConfigurations) {
		subnet := p.Service.Store.Get(fields.Text(configuration, "subnet", "id"))
		if subnet == nil || fields.Text(configuration, "privateIpAddress") != "" {
			continue
		}
		address, ok := FirstFree(subnet, UsedAddresses(p.Service, subnet.Identity().Parent), false)
		if !ok {
			return arm.Detailed(arm.BadRequest("SubnetIsFull", "Subnet %s does not have enough capacity for 1 IP addresses.", subnet.Name))
		}
		configuration["privateIpAddress"] = address.String()
	}
	return nil
}

func azureFirewallType() *arm.ResourceType {
	t := networkResourceType(typeAzureFirewall, networkProtocol(10))
	t.Protocol.Unchanged = arm.Answer{}
	t.Validate = func(p *arm.Put) *arm.Error {
		if op := p.Service.Operations.RunningOn(fields.Text(p.Requested, "properties", "firewallPolicy", "id"), true); op != nil {
			return anotherOperation(p.Service.OperationURL(op, arm.OperationsSegment))
		}
		return nil
	}
	t.Apply = func(p *arm.Put) *arm.Error {
		if e := applyNetworkDefaults(p); e != nil {
			return e
		}
		delete(fields.Child(p.Result, "properties"), "resourceGuid")
		if e := completeParts(p); e != nil {
			return e
		}
		keepAddresses(p)
		return nil
	}
	t.Settle = settleAddresses
	return t
}

// keepAddresses keeps the private addresses that IP configurations have.
func keepAddresses(p *arm.Put) {
	if p.Existing == nil {
		return
	}
	for _, configuration := range fields.Objects(p.Result, "properties", ListConfigurations) {
		if before := PartNamed(p.Existing.Body, ListConfigurations, fields.Text(configuration, "id")); before != nil {
			if address := fields.Text(before, "properties", "privateIPAddress"); address != "" {
				fields.Child(configuration, "properties")["privateIPAddress"] = address
			}
		}
	}
}

// settleAddresses gives IP configurations their private addresses when the resource has been made.
func settleAddresses(s *arm.Service, r *arm.Resource) error {
	for _, configuration := range fields.Objects(r.Body, "properties", ListConfigurations) {
		subnet := s.Store.Get(fields.Text(configuration, "properties", "subnet", "id"))
		if subnet == nil || fields.Text(configuration, "properties", "privateIPAddress") != "" {
			continue
		}
		if address, ok := FirstFree(subnet, UsedAddresses(s, subnet.Identity().Parent), false); ok {
			fields.Child(configuration, "properties")["privateIPAddress"] = address.String()
		}
	}
	return s.Store.Put(r)
}

func publicIPPrefixType() *arm.ResourceType {
	p := networkProtocol(3)
	p.Update = p.Unchanged
	t := networkResourceType(typeIPPrefix, p)
	t.Validate = SameZones
	t.Apply = func(p *arm.Put) *arm.Error {
		if p.Existing != nil {
			if addresses := fields.Text(p.Existing.Body, "properties", "ipPrefix"); addresses != "" {
				fields.Child(p.Result, "properties")["ipPrefix"] = addresses
			}
		}
		return applyNetworkDefaults(p)
	}
	t.Settle = func(s *arm.Service, r *arm.Resource) error {
		h := fnv.New32a()
		_, _ = h.Write([]byte(r.Key())) // never fails
		length, _ := fields.Number(r.Body, "properties", "prefixLength")
		sum := h.Sum32()
		fields.Fill(r.Properties(), map[string]any{"ipPrefix": fmt.Sprintf("4.%d.%d.%d/%d", sum>>16&0xff, sum>>8&0xff, sum&0xf0, length)})
		return s.Store.Put(r)
	}
	return t
}

// zoneGroupType brings the address of a private endpoint into private DNS zones.
func zoneGroupType() *arm.ResourceType {
	t := networkResourceType(typeZoneGroup, networkProtocol(10))
	t.Apply = func(p *arm.Put) *arm.Error {
		if e := applyNetworkDefaults(p); e != nil {
			return e
		}
		_, _, endpoint := arm.CutPart(p.ID.Parent)
		for _, configuration := range fields.Objects(p.Result, "properties", "privateDnsZoneConfigs") {
			zone := fields.Text(configuration, "properties", "privateDnsZoneId")
			_, _, name := arm.CutPart(zone)
			fields.Fill(fields.Child(configuration, "properties"), map[string]any{"recordSets": []any{map[string]any{
				"recordType": "A", "recordSetName": endpoint, "fqdn": endpoint + "." + name, "ttl": int64(10), fields.State: arm.StatusSucceeded,
				"ipAddresses": fields.List(endpointAddresses(p.Service, p.ID.Parent)),
			}}})
		}
		return completeParts(p)
	}
	return t
}

// endpointAddresses are the private addresses of a private endpoint.
func endpointAddresses(s *arm.Service, endpoint string) []string {
	var found []string
	id, err := arm.ParseID(endpoint)
	if err != nil {
		return nil
	}
	if nic := s.Store.Get(endpointInterface(id)); nic != nil {
		for _, configuration := range fields.Objects(nic.Body, "properties", ListConfigurations) {
			found = append(found, fields.Text(configuration, "properties", "privateIPAddress"))
		}
	}
	return found
}

func applicationSecurityGroupType() *arm.ResourceType {
	p := networkProtocol(1)
	p.Update = p.Unchanged
	p.Remove.RetryAfter = 1
	t := networkResourceType("Microsoft.Network/applicationSecurityGroups", p)
	t.Apply = func(p *arm.Put) *arm.Error {
		e := applyNetworkDefaults(p)
		delete(fields.Child(p.Result, "properties"), "resourceGuid")
		return e
	}
	return t
}

// frontDoorPolicyType is a web application firewall policy of Azure Front Door.
func frontDoorPolicyType() *arm.ResourceType {
	p := arm.Synchronous
	p.Remove = arm.Answer{Status: 204, NoBody: true}
	t := furtherType{name: "Microsoft.Network/frontDoorWebApplicationFirewallPolicies", protocol: p}.resourceType()
	plain := t.Apply
	t.Apply = func(p *arm.Put) *arm.Error {
		if e := plain(p); e != nil {
			return e
		}
		delete(p.Result, "etag")
		for _, rule := range fields.Objects(p.Result, "properties", "customRules", "rules") {
			fields.Fill(rule, map[string]any{"rateLimitDurationInMinutes": nil, "rateLimitThreshold": nil})
			for _, condition := range fields.Objects(rule, "matchConditions") {
				fields.Fill(condition, map[string]any{"selector": nil, "negateCondition": false, "transforms": []any{}})
			}
		}
		return nil
	}
	return t
}
