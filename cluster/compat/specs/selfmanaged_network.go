package specs

import (
	"fmt"
	"math/rand/v2"
)

// Roles of subnets.
const (
	controlPlaneRole = "control-plane"
	nodeRole         = "node"
	clusterRole      = "cluster"
)

// mendAzureCluster makes fields agree that depend on each other.
func mendAzureCluster(r *rand.Rand, spec map[string]any) {
	spec["subscriptionID"], spec["identityRef"] = Subscription, azureClusterValues["identityRef"](r)
	delete(spec, "cloudProviderConfigOverrides") // CAPZ refuses them.
	if r.IntN(20) > 0 {
		delete(spec, "extendedLocation")
	}
	delete(spec, "controlPlaneEnabled")
	if r.IntN(20) == 0 {
		spec["controlPlaneEnabled"] = r.IntN(4) == 0
	}
	if r.IntN(9) == 0 {
		spec["controlPlaneEndpoint"] = map[string]any{"host": "", "port": int64(8443)}
	}
	if bastion := inner(spec, "bastionSpec", "azureBastion"); bastion != nil {
		mendBastion(bastion)
	}
	network := inner(spec, "networkSpec")
	if network == nil {
		return
	}
	v6 := r.IntN(6) == 0
	if vnet := inner(network, "vnet"); vnet != nil || v6 {
		if vnet == nil {
			vnet = map[string]any{"name": "dual"}
			network["vnet"] = vnet
		}
		mendVnet(vnet, v6)
	}
	mendSubnets(r, network, v6)
	mendPorts(network)
	mendBalancers(r, network)
	balancer := inner(network, "apiServerLB")
	if balancer["type"] != "Internal" {
		delete(network, "privateDNSZoneName")
		delete(network, "controlPlaneOutboundLB")
	}
	if network["privateDNSZoneName"] == nil {
		delete(network, "privateDNSZoneResourceGroup")
	}
}

// ownNetwork decides whether the network is the user's own: then it is named, with its subnets.
func ownNetwork(r *rand.Rand, spec map[string]any) bool {
	network := inner(spec, "networkSpec")
	vnet := inner(network, "vnet")
	if vnet == nil || len(items(network["subnets"])) == 0 || r.IntN(3) > 0 {
		return false
	}
	vnet["name"] = "own-network"
	delete(vnet, "tags")
	return true
}

func mendBastion(bastion map[string]any) {
	if bastion["sku"] != "Standard" {
		delete(bastion, "enableTunneling")
	}
	if subnet := inner(bastion, "subnet"); subnet != nil {
		subnet["role"] = "bastion"
		subnet["cidrBlocks"] = []any{"10.255.255.224/27"}
		mendRules(subnet)
		mendEndpoints(subnet, []any{"10.255.255.230"})
	}
}

// mendVnet gives a network the ranges that all subnets lie in.
func mendVnet(vnet map[string]any, v6 bool) {
	vnet["cidrBlocks"] = []any{"10.0.0.0/8"}
	if v6 {
		vnet["cidrBlocks"] = []any{"10.0.0.0/8", "2001:1234:5678:9a00::/56"}
	}
	for i, peering := range items(vnet["peerings"]) {
		peering["remoteVnetName"] = fmt.Sprintf("%v-%d", peering["remoteVnetName"], i)
	}
}

// mendSubnets keeps subnets that a cluster can have: one of each role that is needed, in ranges of their own.
func mendSubnets(r *rand.Rand, network map[string]any, v6 bool) {
	subnets := items(network["subnets"])
	if len(subnets) == 0 && !v6 {
		delete(network, "subnets")
		return
	}
	roles := pick(r, []string{controlPlaneRole, nodeRole}, []string{nodeRole, controlPlaneRole, nodeRole}, []string{clusterRole}, []string{clusterRole, nodeRole})
	list := []any{}
	for i, role := range roles {
		subnet := map[string]any{}
		if i < len(subnets) {
			subnet = subnets[i]
		}
		subnet["role"], subnet["name"] = role, fmt.Sprintf("%s-%d", pick(r, "subnet", "My_Subnet"), i)
		subnet["cidrBlocks"] = []any{fmt.Sprintf("10.%d.0.0/16", i)}
		if v6 {
			subnet["cidrBlocks"] = []any{fmt.Sprintf("10.%d.0.0/16", i), fmt.Sprintf("2001:1234:5678:9abc::%x:0/112", i)}
		}
		mendRules(subnet)
		mendEndpoints(subnet, pick(r, nil, []any{fmt.Sprintf("10.%d.0.9", i), fmt.Sprintf("10.%d.0.8", i)}))
		if gateway := inner(subnet, "natGateway"); gateway != nil && (role == controlPlaneRole || v6) {
			delete(subnet, "natGateway")
		}
		list = append(list, subnet)
	}
	network["subnets"] = list
}

func mendRules(subnet map[string]any) {
	for i, rule := range items(inner(subnet, "securityGroup")["securityRules"]) {
		rule["name"], rule["priority"] = fmt.Sprintf("%v_%d", rule["name"], i), int64(300+10*i)
		if rule["sources"] != nil {
			delete(rule, "source")
		}
	}
}

// mendEndpoints gives what is in a list of a subnet names of its own, and endpoints addresses in it.
func mendEndpoints(subnet map[string]any, addresses []any) {
	services := map[any]bool{}
	kept := []any{}
	for _, endpoint := range items(subnet["serviceEndpoints"]) {
		if !services[endpoint["service"]] {
			kept = append(kept, endpoint)
		}
		services[endpoint["service"]] = true
	}
	if subnet["serviceEndpoints"] != nil {
		subnet["serviceEndpoints"] = kept
	}
	for i, e := range items(subnet["privateEndpoints"]) {
		e["name"] = fmt.Sprintf("%v_%v_%d", e["name"], subnet["name"], i)
		connections := items(e["privateLinkServiceConnections"])
		if len(connections) == 0 {
			connections = []map[string]any{{}}
			e["privateLinkServiceConnections"] = []any{connections[0]}
		}
		for j, connection := range connections {
			connection["privateLinkServiceID"] = fmt.Sprintf("%sMicrosoft.Network/privateLinkServices/s%d", armID, j)
		}
		if delete(e, "privateIPAddresses"); len(addresses) > 0 {
			e["privateIPAddresses"] = addresses
		}
	}
}

func mendPorts(network map[string]any) {
	for i, port := range items(network["additionalAPIServerLBPorts"]) {
		port["name"], port["port"] = fmt.Sprintf("port-%d", i), int64(9000+i)
	}
}

func mendBalancers(r *rand.Rand, network map[string]any) {
	for _, name := range []string{"apiServerLB", "nodeOutboundLB", "controlPlaneOutboundLB"} {
		balancer := inner(network, name)
		if balancer == nil {
			continue
		}
		delete(balancer, "privateLinks")
		delete(balancer, "frontendIPs")
		if name == "apiServerLB" {
			if balancer["frontendIPsCount"] != nil {
				balancer["frontendIPsCount"] = int64(1)
			}
			mendFrontends(r, network, balancer)
			continue
		}
		if balancer["type"] != nil {
			balancer["type"] = "Public" // CAPZ would make an internal one without an address.
		}
		if r.IntN(4) == 0 { // They follow from their number all the same.
			balancer["frontendIPs"] = []any{map[string]any{"name": "mine", "privateIP": "10.0.0.7", "publicIP": map[string]any{
				"name": "mine", "dnsName": "mine.westus.cloudapp.azure.com", "ipTags": []any{map[string]any{"type": "FirstPartyUsage", "tag": "/NonProd"}}}}}
		}
	}
}

// mendFrontends gives the load balancer of the API server frontends, and private links to them.
func mendFrontends(r *rand.Rand, network, balancer map[string]any) {
	private := map[string]any{"name": "private-frontend", "privateIP": "10.0.0.100"}
	public := map[string]any{"name": "public-frontend", "publicIP": map[string]any{"name": "api-ip"}}
	if r.IntN(2) == 0 {
		inner(public, "publicIP")["dnsName"] = "api.westus.cloudapp.azure.com"
	}
	if r.IntN(3) == 0 {
		inner(public, "publicIP")["ipTags"] = []any{map[string]any{"type": "FirstPartyUsage", "tag": "/NonProd"}}
	}
	firstRole := ""
	if subnets := items(network["subnets"]); len(subnets) > 0 {
		firstRole, _ = subnets[0]["role"].(string)
	}
	privateFits := firstRole != nodeRole
	switch {
	case balancer["type"] == "Internal" && !privateFits:
		private["privateIP"] = "10.1.0.100"
		balancer["frontendIPs"] = []any{private}
	case balancer["type"] == "Internal" && r.IntN(2) == 0:
		balancer["frontendIPs"] = []any{private}
	case balancer["type"] != "Internal" && r.IntN(4) == 0 && privateFits:
		balancer["frontendIPs"] = []any{public, private}
	case balancer["type"] != "Internal" && r.IntN(2) == 0:
		balancer["frontendIPs"] = []any{public}
	}
	if subnets := items(network["subnets"]); balancer["type"] == "Internal" && balancer["frontendIPs"] != nil && len(subnets) > 0 && r.IntN(3) > 0 {
		balancer["privateLinks"] = privateLinks(r, subnets)
	}
}

func privateLinks(r *rand.Rand, subnets []map[string]any) []any {
	links := []any{}
	for i := range 1 + r.IntN(2) {
		at := r.IntN(len(subnets))
		link := map[string]any{"name": fmt.Sprintf("link-%d", i), "lbFrontendIPConfigNames": []any{"private-frontend"}, "natIPConfigurations": []any{
			map[string]any{"subnet": subnets[at]["name"], "allocationMethod": "Dynamic"}}}
		if r.IntN(2) == 0 {
			link["natIPConfigurations"] = append(link["natIPConfigurations"].([]any),
				map[string]any{"subnet": subnets[at]["name"], "allocationMethod": "Static", "privateIPAddress": fmt.Sprintf("10.%d.0.50", at)})
		}
		if r.IntN(2) == 0 {
			link["allowedSubscriptions"] = []any{Subscription, "11111111-0000-0000-0000-000000000000"}
			link["autoApprovedSubscriptions"] = pick(r, []any{}, []any{Subscription})
		}
		if r.IntN(2) == 0 {
			link["enableProxyProtocol"] = r.IntN(2) == 0
		}
		links = append(links, link)
	}
	return links
}
