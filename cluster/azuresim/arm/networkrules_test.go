package arm

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const (
	testNetworkProvider = testGroup + "/providers/Microsoft.Network"
	testAddress         = testNetworkProvider + "/publicIPAddresses/ip"
	testBalancer        = testNetworkProvider + "/loadBalancers/lb"
	testInterface       = testNetworkProvider + "/networkInterfaces/nic"
	testRule            = testBalancer + "/inboundNatRules/ssh"
	testZone            = testNetworkProvider + "/privateDnsZones/capz.io"
	addressBody         = `{"location":"eastus","sku":{"name":"Standard"},"zones":["1","2"],"properties":{"publicIPAllocationMethod":"Static","dnsSettings":{"domainNameLabel":"api"}}}`
	ruleBody            = `{"properties":{"protocol":"Tcp","frontendPort":2201,"backendPort":22,"frontendIPConfiguration":{"id":"` + testBalancer + `/frontendIPConfigurations/front"}}}`
	zoneBody            = `{"location":"global"}`
	linkBody            = `{"location":"global","properties":{"registrationEnabled":false,"virtualNetwork":{"id":"` + testNetwork + `"}}}`
)

// balancerBody is a public load balancer for an API server; more are fields to add to its properties.
func balancerBody(more string) string {
	return `{"location":"eastus","sku":{"name":"Standard"},"properties":{
		"frontendIPConfigurations":[{"name":"front","properties":{"publicIPAddress":{"id":"` + testAddress + `"}}}],
		"backendAddressPools":[{"name":"pool"}],
		"probes":[{"name":"probe","properties":{"protocol":"Https","port":6443,"requestPath":"/readyz"}}],
		"loadBalancingRules":[{"name":"api","properties":{"protocol":"Tcp","frontendPort":6443,"backendPort":6443,
			"frontendIPConfiguration":{"id":"` + testBalancer + `/frontendIPConfigurations/front"},
			"backendAddressPool":{"id":"` + testBalancer + `/backendAddressPools/pool"},"probe":{"id":"` + testBalancer + `/probes/probe"}}}]` + more + `}}`
}

// interfaceBody is a network interface in the test's subnet; more are fields to add to its IP configuration.
func interfaceBody(more string) string {
	return `{"location":"eastus","properties":{"ipConfigurations":[{"name":"config","properties":{"subnet":{"id":"` + testSubnet + `"}` + more + `}}]}}`
}

const inPool = `,"loadBalancerBackendAddressPools":[{"id":"` + testBalancer + `/backendAddressPools/pool"}],"loadBalancerInboundNatRules":[{"id":"` + testRule + `"}]`

var (
	createAddress   = request{http.MethodPut, testAddress, addressBody}
	createBalancer  = request{http.MethodPut, testBalancer, balancerBody("")}
	createNATRule   = request{http.MethodPut, testRule, ruleBody}
	createInterface = request{http.MethodPut, testInterface, interfaceBody("")}
	joinPool        = request{http.MethodPut, testInterface, interfaceBody(inPool)}
	createZone      = request{http.MethodPut, testZone, zoneBody}
	createLink      = request{http.MethodPut, testZone + "/virtualNetworkLinks/link", linkBody}
	balanced        = []request{createGroup, createNetwork, createSubnet, createAddress, createBalancer, createNATRule, joinPool}
	another         = func(r request, name, body string) request {
		return request{r.method, r.path[:strings.LastIndex(r.path, "/")+1] + name, body}
	}
)

// TestNetworkRefusals checks what Azure's network does not do.
func TestNetworkRefusals(t *testing.T) {
	securityRule := func(name, properties string) request {
		return request{http.MethodPut, createGuard.path + "/securityRules/" + name, `{"properties":{` + properties + `}}`}
	}
	first := securityRule("a", `"priority":100,"direction":"Inbound"`)
	networks := []request{createGroup, createNetwork, createSubnet}
	cases := map[string]struct {
		before []request
		request
		status int
		code   string
	}{
		"label is taken":               {[]request{createGroup, createAddress}, another(createAddress, "b", addressBody), 400, "DnsRecordInUse"},
		"label with capitals":          {[]request{createGroup}, request{http.MethodPut, testAddress, strings.Replace(addressBody, `"api"`, `"Api"`, 1)}, 400, "InvalidDomainNameLabel"},
		"zones of an address":          {[]request{createGroup, createAddress}, request{http.MethodPut, testAddress, strings.Replace(addressBody, `["1","2"]`, `["1"]`, 1)}, 400, "ResourceAvailabilityZonesCannotBeModified"},
		"address in use deleted":       {balanced, request{http.MethodDelete, testAddress, ""}, 400, "PublicIPAddressCannotBeDeleted"},
		"address of two":               {balanced, another(createBalancer, "b", `{"location":"eastus","properties":{"frontendIPConfigurations":[{"name":"f","properties":{"publicIPAddress":{"id":"`+testAddress+`"}}}]}}`), 400, "PublicIPAddressInUse"},
		"balancer of no address":       {[]request{createGroup}, createBalancer, 400, "InvalidResourceReference"},
		"rule of no pool":              {[]request{createGroup, createAddress}, request{http.MethodPut, testBalancer, strings.ReplaceAll(balancerBody(""), `[{"name":"pool"}]`, `[]`)}, 400, "InvalidResourceReference"},
		"two rules of one port":        {[]request{createGroup, createAddress}, request{http.MethodPut, testBalancer, balancerBody(`,"inboundNatRules":[{"name":"x","properties":{"frontendPort":6443,"backendPort":22,"frontendIPConfiguration":{"id":"` + testBalancer + `/frontendIPConfigurations/front"}}}]`)}, 400, "RulesUseSameFrontendPortProtocolAndIPConfig"},
		"NAT rules of one port":        {balanced, another(createNATRule, "b", ruleBody), 400, "RulesUseSameFrontendPortProtocolAndIPConfig"},
		"NAT rule in use":              {balanced, request{http.MethodDelete, testRule, ""}, 400, "InvalidResourceReference"},
		"NAT rule of two interfaces":   {balanced, another(joinPool, "b", interfaceBody(inPool)), 400, "InboundNatRuleAlreadyAssociated"},
		"pool in use dropped":          {balanced, request{http.MethodPut, testBalancer, `{"location":"eastus","properties":{}}`}, 400, "InvalidResourceReference"},
		"balancer in use deleted":      {balanced, request{http.MethodDelete, testBalancer, ""}, 400, "InvalidResourceReference"},
		"interface of no pool":         {networks, joinPool, 400, "InvalidResourceReference"},
		"interface of no subnet":       {[]request{createGroup, createNetwork}, createInterface, 400, "InvalidResourceReference"},
		"interface without anything":   {networks, request{http.MethodPut, testInterface, `{"location":"eastus","properties":{}}`}, 400, "NetworkInterfaceMustHaveAtLeastOneIpConfiguration"},
		"address outside the subnet":   {networks, request{http.MethodPut, testInterface, interfaceBody(`,"privateIPAllocationMethod":"Static","privateIPAddress":"10.9.0.1"`)}, 400, "PrivateIPAddressNotInSubnet"},
		"address of another":           {append(networks, createInterface), another(createInterface, "b", interfaceBody(`,"privateIPAllocationMethod":"Static","privateIPAddress":"10.1.0.4"`)), 400, "PrivateIPAddressIsAllocated"},
		"subnet with an interface":     {append(networks, createInterface), request{http.MethodDelete, testSubnet, ""}, 400, "InUseSubnetCannotBeDeleted"},
		"range with an interface":      {append(networks, createInterface), request{http.MethodPut, testSubnet, `{"properties":{"addressPrefix":"10.2.0.0/16"}}`}, 400, "InUsePrefixCannotBeDeleted"},
		"subnet outside the network":   {[]request{createGroup, createNetwork}, request{http.MethodPut, testSubnet, `{"properties":{"addressPrefix":"192.168.0.0/16"}}`}, 400, "NetcfgInvalidSubnet"},
		"subnets overlap":              {networks, another(createSubnet, "b", `{"properties":{"addressPrefix":"10.1.2.0/24"}}`), 400, "NetcfgSubnetRangesOverlap"},
		"network smaller than subnets": {networks, request{http.MethodPut, testNetwork, `{"location":"eastus","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/16"]}}}`}, 400, "NetcfgInvalidSubnet"},
		"subnet of no gateway":         {[]request{createGroup, createNetwork}, request{http.MethodPut, testSubnet, `{"properties":{"addressPrefix":"10.1.0.0/16","natGateway":{"id":"` + testNetworkProvider + `/natGateways/g"}}}`}, 400, "InvalidResourceReference"},
		"networks that overlap":        {append(networks, another(createNetwork, "b", networkBody)), request{http.MethodPut, testNetwork + "/virtualNetworkPeerings/p", `{"properties":{"remoteVirtualNetwork":{"id":"` + testNetworkProvider + `/virtualNetworks/b"}}}`}, 400, "VnetAddressSpacesOverlap"},
		"rules of one priority":        {[]request{createGroup, createGuard, first}, securityRule("b", `"priority":100,"direction":"inbound"`), 400, "SecurityRuleConflict"},
		"a rule that comes too early":  {[]request{createGroup, createGuard}, securityRule("b", `"priority":99,"direction":"Inbound"`), 400, "SecurityRuleInvalidPriority"},
		"zone with a link":             {append(networks, createZone, createLink), request{http.MethodDelete, testZone, ""}, 409, "CannotDeleteResource"},
		"link of no network":           {[]request{createGroup, createZone}, createLink, 400, "BadRequest"},
		"a second link of a network":   {append(networks, createZone, createLink), another(createLink, "b", linkBody), 409, "BadRequest"},
		"record of nothing":            {[]request{createGroup, createZone}, request{http.MethodPut, testZone + "/A/api", `{"properties":{"ttl":300}}`}, 400, "BadRequest"},
		"record of no zone":            {[]request{createGroup}, request{http.MethodPut, testZone + "/A/api", `{"properties":{"ttl":300,"aRecords":[{"ipv4Address":"10.0.0.1"}]}}`}, 404, "ParentResourceNotFound"},
		"bastion in any subnet": {append(networks, createAddress), request{http.MethodPut, testNetworkProvider + "/bastionHosts/b",
			`{"location":"eastus","properties":{"ipConfigurations":[{"name":"c","properties":{"subnet":{"id":"` + testSubnet + `"},"publicIPAddress":{"id":"` + testAddress + `"}}}]}}`}, 400, "InvalidBastionSubnetName"},
		"private link with policies": {networks, request{http.MethodPut, testNetworkProvider + "/privateLinkServices/p",
			`{"location":"eastus","properties":{"ipConfigurations":[{"name":"c","properties":{"subnet":{"id":"` + testSubnet + `"}}}]}}`}, 400, "PrivateLinkServiceCannotBeCreatedInSubnetThatHasNetworkPoliciesEnabled"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			for _, r := range c.before {
				f.settle(r.method, r.path, r.body)
			}
			w := f.send(c.method, c.path, c.body)
			if w.Code != c.status || errorCodeOf(w) != c.code {
				t.Errorf("%s %s: %d %s, want %d %s\n%s", c.method, c.path, w.Code, errorCodeOf(w), c.status, c.code, w.Body)
			}
		})
	}
}

// TestNetworkBusy checks what the network refuses while something that the request is about is changing.
func TestNetworkBusy(t *testing.T) {
	second := request{http.MethodPut, createGuard.path + "/securityRules/b", `{"properties":{"priority":101,"direction":"Inbound"}}`}
	cases := map[string]struct {
		settled []request
		running request
		request
	}{
		"balancer while its address is made":  {[]request{createGroup}, createAddress, createBalancer},
		"interface while its subnet changes":  {[]request{createGroup, createNetwork}, createSubnet, createInterface},
		"rule while another rule of it is":    {[]request{createGroup, createGuard}, request{http.MethodPut, createGuard.path + "/securityRules/a", `{"properties":{"priority":100,"direction":"Inbound"}}`}, second},
		"NAT rule while another of it is":     {[]request{createGroup, createAddress, createBalancer}, createNATRule, another(createNATRule, "b", strings.Replace(ruleBody, "2201", "2202", 1))},
		"delete of a NAT rule while one is":   {[]request{createGroup, createAddress, createBalancer, createNATRule}, another(createNATRule, "b", strings.Replace(ruleBody, "2201", "2202", 1)), request{http.MethodDelete, testRule, ""}},
		"route while another of the table is": {[]request{createGroup, {http.MethodPut, testNetworkProvider + "/routeTables/t", groupBody}}, request{http.MethodPut, testNetworkProvider + "/routeTables/t/routes/a", `{"properties":{}}`}, request{http.MethodPut, testNetworkProvider + "/routeTables/t/routes/b", `{"properties":{}}`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			for _, r := range c.settled {
				f.settle(r.method, r.path, r.body)
			}
			if w := f.send(c.running.method, c.running.path, c.running.body); w.Code >= 300 {
				t.Fatalf("%s %s: %d %s", c.running.method, c.running.path, w.Code, w.Body)
			}
			w := f.send(c.method, c.path, c.body)
			if w.Code != http.StatusTooManyRequests || errorCodeOf(w) != "RetryableError" {
				t.Errorf("%s %s: %d %s, want 429 RetryableError", c.method, c.path, w.Code, errorCodeOf(w))
			}
		})
	}
}

// TestNetworkViews checks what Azure adds to network resources.
func TestNetworkViews(t *testing.T) {
	f := newFixture(t)
	for _, r := range append(balanced, another(createInterface, "second", interfaceBody(""))) {
		f.settle(r.method, r.path, r.body)
	}
	configuration := testInterface + "/ipConfigurations/config"
	cases := map[string]struct {
		path string
		at   func(map[string]any) any
		want any
	}{
		"address": {testInterface, func(b map[string]any) any {
			return text(objects(b, "properties", "ipConfigurations")[0], "properties", "privateIPAddress")
		}, "10.1.0.4"},
		"the next address": {testNetworkProvider + "/networkInterfaces/second", func(b map[string]any) any {
			return text(objects(b, "properties", "ipConfigurations")[0], "properties", "privateIPAddress")
		}, "10.1.0.5"},
		"name":                {testAddress, func(b map[string]any) any { return text(b, "properties", "dnsSettings", "fqdn") }, "api.eastus.cloudapp.azure.com"},
		"who has the address": {testAddress, func(b map[string]any) any { return text(b, "properties", "ipConfiguration", "id") }, testBalancer + "/frontendIPConfigurations/front"},
		"members of the pool": {testBalancer, func(b map[string]any) any {
			return text(objects(objects(b, "properties", "backendAddressPools")[0], "properties", "backendIPConfigurations")[0], "id")
		}, configuration},
		"rules of the frontend": {testBalancer, func(b map[string]any) any {
			return fmt.Sprint(len(objects(objects(b, "properties", "frontendIPConfigurations")[0], "properties", "inboundNatRules")), len(objects(objects(b, "properties", "frontendIPConfigurations")[0], "properties", "loadBalancingRules")))
		}, "1 1"},
		"target of the NAT rule": {testRule, func(b map[string]any) any { return text(b, "properties", "backendIPConfiguration", "id") }, configuration},
		"who is in the subnet":   {testSubnet, func(b map[string]any) any { return len(objects(b, "properties", "ipConfigurations")) }, 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := c.at(f.get(c.path)); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestForeignNATRules checks that a PUT of a load balancer without them takes its inbound NAT rules away, as Azure does.
func TestForeignNATRules(t *testing.T) {
	f := newFixture(t)
	for _, r := range []request{createGroup, createAddress, createBalancer, createNATRule, createBalancer} {
		f.settle(r.method, r.path, r.body)
	}
	if w := f.send(http.MethodGet, testRule, ""); w.Code != http.StatusNotFound {
		t.Errorf("GET of the NAT rule: %d, want 404", w.Code)
	}
}

// TestSubnetIsFull checks that a subnet has no more addresses than Azure gives away: five of each are its own.
func TestSubnetIsFull(t *testing.T) {
	f := newFixture(t)
	for _, r := range []request{createGroup, createNetwork, {http.MethodPut, testSubnet, `{"properties":{"addressPrefix":"10.1.0.0/29"}}`}} {
		f.settle(r.method, r.path, r.body)
	}
	for i := range 3 {
		f.settle(http.MethodPut, fmt.Sprintf("%s%d", testInterface, i), interfaceBody(""))
	}
	if w := f.send(http.MethodPut, testInterface, interfaceBody("")); errorCodeOf(w) != "SubnetIsFull" {
		t.Errorf("a fourth address of eight: %d %s, want SubnetIsFull", w.Code, errorCodeOf(w))
	}
}

// TestGroupCascade checks that a resource group takes everything in it along, in whatever order.
func TestGroupCascade(t *testing.T) {
	f := newFixture(t)
	for _, r := range append(append([]request{}, running...), createZone, createLink, createSet, createEndpoint) {
		f.settle(r.method, r.path, r.body)
	}
	f.settle(http.MethodDelete, testGroup, "")
	if left := f.resources(testGroup); len(left) != 0 {
		t.Errorf("left: %d resources, the first is %s", len(left), left[0].ID)
	}
}
