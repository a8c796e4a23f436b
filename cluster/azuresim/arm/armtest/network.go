package armtest

import (
	"net/http"
	"strings"
)

// A network, and the bodies of PUTs of what is in it.
const (
	NetworkProvider = Group + "/providers/Microsoft.Network"
	Address         = NetworkProvider + "/publicIPAddresses/ip"
	Balancer        = NetworkProvider + "/loadBalancers/lb"
	Interface       = NetworkProvider + "/networkInterfaces/nic"
	Rule            = Balancer + "/inboundNatRules/ssh"
	Zone            = NetworkProvider + "/privateDnsZones/capz.io"
	AddressBody     = `{"location":"eastus","sku":{"name":"Standard"},"zones":["1","2"],"properties":{"publicIPAllocationMethod":"Static","dnsSettings":{"domainNameLabel":"api"}}}`
	RuleBody        = `{"properties":{"protocol":"Tcp","frontendPort":2201,"backendPort":22,"frontendIPConfiguration":{"id":"` + Balancer + `/frontendIPConfigurations/front"}}}`
	zoneBody        = `{"location":"global"}`
	LinkBody        = `{"location":"global","properties":{"registrationEnabled":false,"virtualNetwork":{"id":"` + Network + `"}}}`
)

// BalancerBody is a public load balancer for an API server; more are fields to add to its properties.
func BalancerBody(more string) string {
	return `{"location":"eastus","sku":{"name":"Standard"},"properties":{
		"frontendIPConfigurations":[{"name":"front","properties":{"publicIPAddress":{"id":"` + Address + `"}}}],
		"backendAddressPools":[{"name":"pool"}],
		"probes":[{"name":"probe","properties":{"protocol":"Https","port":6443,"requestPath":"/readyz"}}],
		"loadBalancingRules":[{"name":"api","properties":{"protocol":"Tcp","frontendPort":6443,"backendPort":6443,
			"frontendIPConfiguration":{"id":"` + Balancer + `/frontendIPConfigurations/front"},
			"backendAddressPool":{"id":"` + Balancer + `/backendAddressPools/pool"},"probe":{"id":"` + Balancer + `/probes/probe"}}}]` + more + `}}`
}

// InterfaceBody is a network interface in the test's subnet; more are fields to add to its IP configuration.
func InterfaceBody(more string) string {
	return `{"location":"eastus","properties":{"ipConfigurations":[{"name":"config","properties":{"subnet":{"id":"` + Subnet + `"}` + more + `}}]}}`
}

// InPool has an IP configuration be in the pool of the load balancer, and its NAT rule lead to it.
const InPool = `,"loadBalancerBackendAddressPools":[{"id":"` + Balancer + `/backendAddressPools/pool"}],"loadBalancerInboundNatRules":[{"id":"` + Rule + `"}]`

// Requests that make what is in a network.
var (
	CreateAddress   = Request{http.MethodPut, Address, AddressBody}
	CreateBalancer  = Request{http.MethodPut, Balancer, BalancerBody("")}
	CreateNATRule   = Request{http.MethodPut, Rule, RuleBody}
	CreateInterface = Request{http.MethodPut, Interface, InterfaceBody("")}
	JoinPool        = Request{http.MethodPut, Interface, InterfaceBody(InPool)}
	CreateZone      = Request{http.MethodPut, Zone, zoneBody}
	CreateLink      = Request{http.MethodPut, Zone + "/virtualNetworkLinks/link", LinkBody}
	Balanced        = []Request{CreateGroup, CreateNetwork, CreateSubnet, CreateAddress, CreateBalancer, CreateNATRule, JoinPool}
)

// Another is a request for another resource of the same type.
func Another(r Request, name, body string) Request {
	return Request{r[0], r[1][:strings.LastIndex(r[1], "/")+1] + name, body}
}
