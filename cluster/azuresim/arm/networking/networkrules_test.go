package networking_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
)

// TestNetworkRefusals checks what Azure's network does not do.
func TestNetworkRefusals(t *testing.T) {
	securityRule := func(name, properties string) armtest.Request {
		return armtest.Request{http.MethodPut, armtest.Guard + "/securityRules/" + name, `{"properties":{` + properties + `}}`}
	}
	first := securityRule("a", `"priority":100,"direction":"Inbound"`)
	networks := []armtest.Request{armtest.CreateGroup, armtest.CreateNetwork, armtest.CreateSubnet}
	cases := map[string]struct {
		before []armtest.Request
		armtest.Request
		status int
		code   string
	}{
		"label is taken":               {[]armtest.Request{armtest.CreateGroup, armtest.CreateAddress}, armtest.Another(armtest.CreateAddress, "b", armtest.AddressBody), 400, "DnsRecordInUse"},
		"label with capitals":          {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Address, strings.Replace(armtest.AddressBody, `"api"`, `"Api"`, 1)}, 400, "InvalidDomainNameLabel"},
		"zones of an address":          {[]armtest.Request{armtest.CreateGroup, armtest.CreateAddress}, armtest.Request{http.MethodPut, armtest.Address, strings.Replace(armtest.AddressBody, `["1","2"]`, `["1"]`, 1)}, 400, "ResourceAvailabilityZonesCannotBeModified"},
		"address in use deleted":       {armtest.Balanced, armtest.Request{http.MethodDelete, armtest.Address, ""}, 400, "PublicIPAddressCannotBeDeleted"},
		"address of two":               {armtest.Balanced, armtest.Another(armtest.CreateBalancer, "b", `{"location":"eastus","properties":{"frontendIPConfigurations":[{"name":"f","properties":{"publicIPAddress":{"id":"`+armtest.Address+`"}}}]}}`), 400, "PublicIPAddressInUse"},
		"balancer of no address":       {[]armtest.Request{armtest.CreateGroup}, armtest.CreateBalancer, 400, "InvalidResourceReference"},
		"rule of no pool":              {[]armtest.Request{armtest.CreateGroup, armtest.CreateAddress}, armtest.Request{http.MethodPut, armtest.Balancer, strings.ReplaceAll(armtest.BalancerBody(""), `[{"name":"pool"}]`, `[]`)}, 400, "InvalidResourceReference"},
		"two rules of one port":        {[]armtest.Request{armtest.CreateGroup, armtest.CreateAddress}, armtest.Request{http.MethodPut, armtest.Balancer, armtest.BalancerBody(`,"inboundNatRules":[{"name":"x","properties":{"frontendPort":6443,"backendPort":22,"frontendIPConfiguration":{"id":"` + armtest.Balancer + `/frontendIPConfigurations/front"}}}]`)}, 400, "RulesUseSameFrontendPortProtocolAndIPConfig"},
		"NAT rules of one port":        {armtest.Balanced, armtest.Another(armtest.CreateNATRule, "b", armtest.RuleBody), 400, "RulesUseSameFrontendPortProtocolAndIPConfig"},
		"NAT rule in use":              {armtest.Balanced, armtest.Request{http.MethodDelete, armtest.Rule, ""}, 400, "InvalidResourceReference"},
		"NAT rule of two interfaces":   {armtest.Balanced, armtest.Another(armtest.JoinPool, "b", armtest.InterfaceBody(armtest.InPool)), 400, "InboundNatRuleAlreadyAssociated"},
		"pool in use dropped":          {armtest.Balanced, armtest.Request{http.MethodPut, armtest.Balancer, `{"location":"eastus","properties":{}}`}, 400, "InvalidResourceReference"},
		"balancer in use deleted":      {armtest.Balanced, armtest.Request{http.MethodDelete, armtest.Balancer, ""}, 400, "InvalidResourceReference"},
		"interface of no pool":         {networks, armtest.JoinPool, 400, "InvalidResourceReference"},
		"interface of no subnet":       {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork}, armtest.CreateInterface, 400, "InvalidResourceReference"},
		"interface without anything":   {networks, armtest.Request{http.MethodPut, armtest.Interface, `{"location":"eastus","properties":{}}`}, 400, "NetworkInterfaceMustHaveAtLeastOneIpConfiguration"},
		"address outside the subnet":   {networks, armtest.Request{http.MethodPut, armtest.Interface, armtest.InterfaceBody(`,"privateIPAllocationMethod":"Static","privateIPAddress":"10.9.0.1"`)}, 400, "PrivateIPAddressNotInSubnet"},
		"address of another":           {append(networks, armtest.CreateInterface), armtest.Another(armtest.CreateInterface, "b", armtest.InterfaceBody(`,"privateIPAllocationMethod":"Static","privateIPAddress":"10.1.0.4"`)), 400, "PrivateIPAddressIsAllocated"},
		"subnet with an interface":     {append(networks, armtest.CreateInterface), armtest.Request{http.MethodDelete, armtest.Subnet, ""}, 400, "InUseSubnetCannotBeDeleted"},
		"range with an interface":      {append(networks, armtest.CreateInterface), armtest.Request{http.MethodPut, armtest.Subnet, `{"properties":{"addressPrefix":"10.2.0.0/16"}}`}, 400, "InUsePrefixCannotBeDeleted"},
		"subnet outside the network":   {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork}, armtest.Request{http.MethodPut, armtest.Subnet, `{"properties":{"addressPrefix":"192.168.0.0/16"}}`}, 400, "NetcfgInvalidSubnet"},
		"subnets overlap":              {networks, armtest.Another(armtest.CreateSubnet, "b", `{"properties":{"addressPrefix":"10.1.2.0/24"}}`), 400, "NetcfgSubnetRangesOverlap"},
		"network smaller than subnets": {networks, armtest.Request{http.MethodPut, armtest.Network, `{"location":"eastus","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/16"]}}}`}, 400, "NetcfgInvalidSubnet"},
		"subnet of no gateway":         {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork}, armtest.Request{http.MethodPut, armtest.Subnet, `{"properties":{"addressPrefix":"10.1.0.0/16","natGateway":{"id":"` + armtest.NetworkProvider + `/natGateways/g"}}}`}, 400, "InvalidResourceReference"},
		"networks that overlap":        {append(networks, armtest.Another(armtest.CreateNetwork, "b", armtest.NetworkBody)), armtest.Request{http.MethodPut, armtest.Network + "/virtualNetworkPeerings/p", `{"properties":{"remoteVirtualNetwork":{"id":"` + armtest.NetworkProvider + `/virtualNetworks/b"}}}`}, 400, "VnetAddressSpacesOverlap"},
		"rules of one priority":        {[]armtest.Request{armtest.CreateGroup, armtest.CreateGuard, first}, securityRule("b", `"priority":100,"direction":"inbound"`), 400, "SecurityRuleConflict"},
		"a rule that comes too early":  {[]armtest.Request{armtest.CreateGroup, armtest.CreateGuard}, securityRule("b", `"priority":99,"direction":"Inbound"`), 400, "SecurityRuleInvalidPriority"},
		"zone with a link":             {append(networks, armtest.CreateZone, armtest.CreateLink), armtest.Request{http.MethodDelete, armtest.Zone, ""}, 409, "CannotDeleteResource"},
		"link of no network":           {[]armtest.Request{armtest.CreateGroup, armtest.CreateZone}, armtest.CreateLink, 400, "BadRequest"},
		"a second link of a network":   {append(networks, armtest.CreateZone, armtest.CreateLink), armtest.Another(armtest.CreateLink, "b", armtest.LinkBody), 409, "BadRequest"},
		"record of nothing":            {[]armtest.Request{armtest.CreateGroup, armtest.CreateZone}, armtest.Request{http.MethodPut, armtest.Zone + "/A/api", `{"properties":{"ttl":300}}`}, 400, "BadRequest"},
		"record of no zone":            {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Zone + "/A/api", `{"properties":{"ttl":300,"aRecords":[{"ipv4Address":"10.0.0.1"}]}}`}, 404, "ParentResourceNotFound"},
		"bastion in any subnet": {append(networks, armtest.CreateAddress), armtest.Request{http.MethodPut, armtest.NetworkProvider + "/bastionHosts/b",
			`{"location":"eastus","properties":{"ipConfigurations":[{"name":"c","properties":{"subnet":{"id":"` + armtest.Subnet + `"},"publicIPAddress":{"id":"` + armtest.Address + `"}}}]}}`}, 400, "InvalidBastionSubnetName"},
		"private link with policies": {networks, armtest.Request{http.MethodPut, armtest.NetworkProvider + "/privateLinkServices/p",
			`{"location":"eastus","properties":{"ipConfigurations":[{"name":"c","properties":{"subnet":{"id":"` + armtest.Subnet + `"}}}]}}`}, 400, "PrivateLinkServiceCannotBeCreatedInSubnetThatHasNetworkPoliciesEnabled"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			armtest.CheckRefused(t, c.before, c.Request, c.status, c.code)
		})
	}
}

// TestNetworkBusy checks what the network refuses while something that the request is about is changing.
func TestNetworkBusy(t *testing.T) {
	second := armtest.Request{http.MethodPut, armtest.Guard + "/securityRules/b", `{"properties":{"priority":101,"direction":"Inbound"}}`}
	cases := map[string]struct {
		settled []armtest.Request
		running armtest.Request
		armtest.Request
	}{
		"balancer while its address is made":  {[]armtest.Request{armtest.CreateGroup}, armtest.CreateAddress, armtest.CreateBalancer},
		"interface while its subnet changes":  {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork}, armtest.CreateSubnet, armtest.CreateInterface},
		"rule while another rule of it is":    {[]armtest.Request{armtest.CreateGroup, armtest.CreateGuard}, armtest.Request{http.MethodPut, armtest.Guard + "/securityRules/a", `{"properties":{"priority":100,"direction":"Inbound"}}`}, second},
		"NAT rule while another of it is":     {[]armtest.Request{armtest.CreateGroup, armtest.CreateAddress, armtest.CreateBalancer}, armtest.CreateNATRule, armtest.Another(armtest.CreateNATRule, "b", strings.Replace(armtest.RuleBody, "2201", "2202", 1))},
		"delete of a NAT rule while one is":   {[]armtest.Request{armtest.CreateGroup, armtest.CreateAddress, armtest.CreateBalancer, armtest.CreateNATRule}, armtest.Another(armtest.CreateNATRule, "b", strings.Replace(armtest.RuleBody, "2201", "2202", 1)), armtest.Request{http.MethodDelete, armtest.Rule, ""}},
		"route while another of the table is": {[]armtest.Request{armtest.CreateGroup, {http.MethodPut, armtest.NetworkProvider + "/routeTables/t", armtest.GroupBody}}, armtest.Request{http.MethodPut, armtest.NetworkProvider + "/routeTables/t/routes/a", `{"properties":{}}`}, armtest.Request{http.MethodPut, armtest.NetworkProvider + "/routeTables/t/routes/b", `{"properties":{}}`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := armtest.New(t)
			for _, r := range c.settled {
				f.Make(r)
			}
			if w := f.Ask(c.running); w.Code >= 300 {
				t.Fatalf("%s: %d %s", c.running, w.Code, w.Body)
			}
			w := f.Ask(c.Request)
			if w.Code != http.StatusTooManyRequests || armtest.ErrorCodeOf(w) != "RetryableError" {
				t.Errorf("%s: %d %s, want 429 RetryableError", c.Request, w.Code, armtest.ErrorCodeOf(w))
			}
		})
	}
}

// TestNetworkViews checks what Azure adds to network resources.
func TestNetworkViews(t *testing.T) {
	f := armtest.New(t)
	for _, r := range append(armtest.Balanced, armtest.Another(armtest.CreateInterface, "second", armtest.InterfaceBody(""))) {
		f.Make(r)
	}
	configuration := armtest.Interface + "/ipConfigurations/config"
	cases := map[string]struct {
		path string
		at   func(map[string]any) any
		want any
	}{
		"address": {armtest.Interface, func(b map[string]any) any {
			return fields.Text(fields.Objects(b, "properties", "ipConfigurations")[0], "properties", "privateIPAddress")
		}, "10.1.0.4"},
		"the next address": {armtest.NetworkProvider + "/networkInterfaces/second", func(b map[string]any) any {
			return fields.Text(fields.Objects(b, "properties", "ipConfigurations")[0], "properties", "privateIPAddress")
		}, "10.1.0.5"},
		"name":                {armtest.Address, func(b map[string]any) any { return fields.Text(b, "properties", "dnsSettings", "fqdn") }, "api.eastus.cloudapp.azure.com"},
		"who has the address": {armtest.Address, func(b map[string]any) any { return fields.Text(b, "properties", "ipConfiguration", "id") }, armtest.Balancer + "/frontendIPConfigurations/front"},
		"members of the pool": {armtest.Balancer, func(b map[string]any) any {
			return fields.Text(fields.Objects(fields.Objects(b, "properties", "backendAddressPools")[0], "properties", "backendIPConfigurations")[0], "id")
		}, configuration},
		"rules of the frontend": {armtest.Balancer, func(b map[string]any) any {
			return fmt.Sprint(len(fields.Objects(fields.Objects(b, "properties", "frontendIPConfigurations")[0], "properties", "inboundNatRules")), len(fields.Objects(fields.Objects(b, "properties", "frontendIPConfigurations")[0], "properties", "loadBalancingRules")))
		}, "1 1"},
		"target of the NAT rule": {armtest.Rule, func(b map[string]any) any { return fields.Text(b, "properties", "backendIPConfiguration", "id") }, configuration},
		"who is in the subnet":   {armtest.Subnet, func(b map[string]any) any { return len(fields.Objects(b, "properties", "ipConfigurations")) }, 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := c.at(f.Get(c.path)); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestReadAndWrittenBack has somebody write a resource back with all that Azure shows of it. That adds nothing: who leaves it out changes nothing.
func TestReadAndWrittenBack(t *testing.T) {
	const group = armtest.NetworkProvider + "/networkSecurityGroups/nsg"
	const groupBody = `{"location":"eastus","properties":{"securityRules":[]}}`
	inSubnet := armtest.Request{http.MethodPut, armtest.Network + "/subnets/guarded", `{"properties":{"addressPrefix":"10.2.0.0/16","networkSecurityGroup":{"id":"` + group + `"}}}`}
	for path, body := range map[string]string{group: groupBody, armtest.Address: armtest.AddressBody} {
		t.Run(path, func(t *testing.T) {
			f := armtest.New(t)
			for _, r := range append(slices.Clone(armtest.Balanced), armtest.Request{http.MethodPut, group, groupBody}, inSubnet) {
				f.Make(r)
			}
			read, err := json.Marshal(f.Get(path))
			if err != nil {
				t.Fatal(err)
			}
			f.Settle(http.MethodPut, path, string(read))
			var changes []string
			r := httptest.NewRequest(http.MethodPut, "https://"+clouds.Public.ARMHost+path+"?api-version=2025-08-01", strings.NewReader(body))
			w := httptest.NewRecorder()
			f.Service.ServeHTTP(w, r.WithContext(arm.WithChange(r.Context(), &changes)))
			if w.Code != http.StatusOK || len(changes) > 0 {
				t.Errorf("%d %s, changed %q", w.Code, w.Body, changes)
			}
		})
	}
}

// TestForeignNATRules checks that a PUT of a load balancer without them takes its inbound NAT rules away, as Azure does.
func TestForeignNATRules(t *testing.T) {
	f := armtest.New(t)
	for _, r := range []armtest.Request{armtest.CreateGroup, armtest.CreateAddress, armtest.CreateBalancer, armtest.CreateNATRule, armtest.CreateBalancer} {
		f.Make(r)
	}
	if w := f.Send(http.MethodGet, armtest.Rule, ""); w.Code != http.StatusNotFound {
		t.Errorf("GET of the NAT rule: %d, want 404", w.Code)
	}
}

// TestSubnetIsFull checks that a subnet has no more addresses than Azure gives away: five of each are its own.
func TestSubnetIsFull(t *testing.T) {
	f := armtest.New(t)
	for _, r := range []armtest.Request{armtest.CreateGroup, armtest.CreateNetwork, {http.MethodPut, armtest.Subnet, `{"properties":{"addressPrefix":"10.1.0.0/29"}}`}} {
		f.Make(r)
	}
	for i := range 3 {
		f.Settle(http.MethodPut, fmt.Sprintf("%s%d", armtest.Interface, i), armtest.InterfaceBody(""))
	}
	if w := f.Send(http.MethodPut, armtest.Interface, armtest.InterfaceBody("")); armtest.ErrorCodeOf(w) != "SubnetIsFull" {
		t.Errorf("a fourth address of eight: %d %s, want SubnetIsFull", w.Code, armtest.ErrorCodeOf(w))
	}
}

// BenchmarkListInterfaces measures what the simulated Azure needs for a list of network interfaces, as provider-capz asks for.
func BenchmarkListInterfaces(b *testing.B) {
	for _, size := range []int{100, 1000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			f := armtest.New(b)
			for _, r := range []armtest.Request{armtest.CreateGroup, armtest.CreateNetwork, {http.MethodPut, armtest.Subnet, `{"properties":{"addressPrefix":"10.1.0.0/16"}}`}} {
				f.Make(r)
			}
			for i := range size {
				f.Settle(http.MethodPut, fmt.Sprintf("%s%d", armtest.Interface, i), armtest.InterfaceBody(""))
			}
			for b.Loop() {
				f.Send(http.MethodGet, path.Dir(armtest.Interface), "")
			}
		})
	}
}

// TestGroupCascade checks that a resource group takes everything in it along, in whatever order.
func TestGroupCascade(t *testing.T) {
	f := armtest.New(t)
	for _, r := range append(append([]armtest.Request{}, armtest.Running...), armtest.CreateZone, armtest.CreateLink, armtest.CreateSet, armtest.CreateEndpoint) {
		f.Make(r)
	}
	f.Settle(http.MethodDelete, armtest.Group, "")
	if left := f.Resources(armtest.Group); len(left) != 0 {
		t.Errorf("left: %d resources, the first is %s", len(left), left[0].ID)
	}
}
