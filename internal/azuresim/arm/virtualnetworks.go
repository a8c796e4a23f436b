package arm

import (
	"net/http"
	"sort"
	"strings"

	"github.com/google/uuid"
)

func virtualNetworkType() *resourceType {
	p := networkProtocol(3)
	p.update = p.unchanged
	return &resourceType{
		name:       TypeVirtualNetwork,
		tracked:    true,
		protocol:   p,
		etagHeader: true,
		validate:   validateVirtualNetwork,
		apply:      applyVirtualNetwork,
		stored:     storeSubnets,
		settle:     settleSubnets,
		view:       viewVirtualNetwork,
		deletable:  virtualNetworkDeletable,
		missing:    networkMissing,
	}
}

func validateVirtualNetwork(p *put) *Error {
	if p.existing == nil && len(texts(p.requested, "properties", "addressSpace", "addressPrefixes")) == 0 && at(p.requested, "properties", "addressSpace", "ipamPoolPrefixAllocations") == nil {
		return badRequest("InvalidRequestFormat", "Cannot parse the request: virtual network %s has no address space.", p.id.Name)
	}
	if _, given := child(p.requested, "properties")["subnets"]; !given || p.existing == nil {
		return nil
	}
	for _, subnet := range absentSubnets(p) {
		if e := subnetDeletable(p.service, subnet); e != nil {
			return e
		}
	}
	return nil
}

// absentSubnets are the subnets that exist and that the request's list does not have.
func absentSubnets(p *put) []*Resource {
	listed := map[string]bool{}
	for _, subnet := range objects(p.requested, "properties", "subnets") {
		listed[strings.ToLower(text(subnet, "name"))] = true
	}
	var absent []*Resource
	for _, subnet := range p.service.store.children(p.id.Path, TypeSubnet) {
		if !listed[strings.ToLower(subnet.Name)] {
			absent = append(absent, subnet)
		}
	}
	return absent
}

func applyVirtualNetwork(p *put) *Error {
	if e := applyNetwork(p); e != nil {
		return e
	}
	properties := child(p.result, "properties")
	delete(properties, "subnets")
	delete(properties, "virtualNetworkPeerings")
	fill(properties, map[string]any{"enableDdosProtection": false, "privateEndpointVNetPolicies": "Disabled"})
	return nil
}

// storeSubnets makes the subnets those of the request's list; a request without the list leaves them alone.
func storeSubnets(p *put) *Error {
	if _, given := child(p.requested, "properties")["subnets"]; !given {
		return nil
	}
	for _, subnet := range absentSubnets(p) {
		if err := p.service.erase(subnet); err != nil {
			return internalError(err)
		}
	}
	for _, listed := range objects(p.requested, "properties", "subnets") {
		path := p.resource.ID + "/subnets/" + text(listed, "name")
		subnet := p.service.store.get(path)
		if subnet == nil {
			subnet = &Resource{ID: path, Type: TypeSubnet, Name: text(listed, "name"), Created: p.now}
		}
		subnet.APIVersion = p.apiVersion
		subnet.Body = map[string]any{"id": subnet.ID, "name": subnet.Name, "type": TypeSubnet, "etag": "",
			"properties": subnetProperties(path, child(listed, "properties"))}
		subnet.properties()["provisioningState"] = p.resource.provisioningState()
		refreshETag(subnet)
		if err := p.service.store.put(subnet); err != nil {
			return internalError(err)
		}
	}
	return nil
}

func settleSubnets(s *Service, r *Resource) error {
	for _, subnet := range s.store.children(r.ID, TypeSubnet) {
		if subnet.provisioningState() == "Updating" && s.operations.runningOn(subnet.ID, false) == nil {
			if err := s.setState(subnet, statusSucceeded); err != nil {
				return err
			}
		}
	}
	return nil
}

func viewVirtualNetwork(s *Service, r *Resource, apiVersion string) map[string]any {
	body := clone(r.Body)
	subnets, peerings := []any{}, []any{}
	for _, subnet := range s.store.children(r.ID, TypeSubnet) {
		subnets = append(subnets, s.show(subnet, s.types.lookup(TypeSubnet), apiVersion))
	}
	for _, peering := range s.store.children(r.ID, TypePeering) {
		peerings = append(peerings, s.show(peering, s.types.lookup(TypePeering), apiVersion))
	}
	properties := child(body, "properties")
	properties["subnets"], properties["virtualNetworkPeerings"] = subnets, peerings
	hideFields(body, virtualNetworkFields, apiVersion)
	return body
}

var virtualNetworkFields = []field{
	{path: "properties.privateEndpointVNetPolicies", since: "2023-09-01"},
}

func virtualNetworkDeletable(s *Service, r *Resource) *Error {
	for _, subnet := range s.store.children(r.ID, TypeSubnet) {
		if e := subnetDeletable(s, subnet); e != nil {
			return e
		}
	}
	return nil
}

func subnetType() *resourceType {
	return &resourceType{
		name:       TypeSubnet,
		protocol:   networkProtocol(3),
		etagHeader: true,
		validate:   validateSubnet,
		apply:      applySubnet,
		view:       viewSubnet,
		deletable:  subnetDeletable,
		missing:    networkMissing,
	}
}

func validateSubnet(p *put) *Error {
	return networkBusy(p.service, p.id)
}

// networkBusy refuses a change of a child while its virtual network or a sibling is changing.
func networkBusy(s *Service, id ID) *Error {
	if op := s.operations.runningOn(id.Parent, false); op != nil {
		return anotherOperation(s.operationURL(op, "operations"))
	}
	op := s.operations.runningOn(id.Parent, true)
	switch {
	case op == nil || strings.EqualFold(op.ResourceID, id.Path):
		return nil
	case strings.EqualFold(op.ResourceType, id.Type):
		return anotherOperation(s.operationURL(op, "operations"))
	}
	return retryable(op, id.Parent)
}

func applySubnet(p *put) *Error {
	if p.existing != nil {
		p.changed = differs(p.existing.Body, map[string]any{"properties": subnetProperties(p.id.Path, child(p.requested, "properties"))})
	}
	p.result["etag"] = ""
	p.result["properties"] = subnetProperties(p.id.Path, child(p.result, "properties"))
	delete(p.result, "location")
	delete(p.result, "tags")
	return nil
}

func subnetProperties(path string, requested map[string]any) map[string]any {
	properties := clone(requested)
	fill(properties, map[string]any{
		"delegations": []any{}, "privateEndpointNetworkPolicies": "Disabled", "privateLinkServiceNetworkPolicies": "Enabled",
	})
	for _, delegation := range objects(properties, "delegations") {
		inner := child(delegation, "properties")
		inner["provisioningState"] = statusSucceeded
		inner["actions"] = []any{"Microsoft.Network/virtualNetworks/subnets/join/action"}
		delegation["id"] = path + "/delegations/" + text(delegation, "name")
		delegation["type"] = TypeSubnet + "/delegations"
		delegation["etag"] = `W/"` + uuid.NewSHA1(uuid.NameSpaceURL, []byte(path)).String() + `"`
	}
	for _, endpoint := range objects(properties, "serviceEndpoints") {
		fill(endpoint, map[string]any{"provisioningState": statusSucceeded, "locations": []any{"*"}})
	}
	return properties
}

func viewSubnet(s *Service, r *Resource, _ string) map[string]any {
	body := clone(r.Body)
	if users := s.subnetUsers(r.ID); len(users) > 0 {
		var configurations []any
		for _, id := range users {
			configurations = append(configurations, map[string]any{"id": id})
		}
		child(body, "properties")["ipConfigurations"] = configurations
	}
	return body
}

// subnetUsers are the identifiers of what occupies addresses of the subnet.
func (s *Service) subnetUsers(subnet string) []string {
	var users []string
	for _, r := range s.store.all() {
		switch {
		case strings.EqualFold(r.Type, TypeAgentPool) && strings.EqualFold(text(r.Body, "properties", "vnetSubnetID"), subnet):
			cluster := s.store.get(r.id().Parent)
			if cluster != nil {
				users = append(users, nodeGroupPath(cluster)+"/providers/Microsoft.Compute/virtualMachineScaleSets/aks-"+r.Name+"-vmss/virtualMachines/0/networkInterfaces/aks-"+r.Name+"-vmss/ipConfigurations/ipconfig1")
			}
		case strings.HasPrefix(strings.ToLower(r.Type), "microsoft.network/") && !strings.EqualFold(r.Type, TypeVirtualNetwork):
			users = append(users, ipConfigurationsIn(r, subnet)...)
		}
	}
	sort.Strings(users)
	return users
}

func ipConfigurationsIn(r *Resource, subnet string) []string {
	var users []string
	for _, list := range []string{"ipConfigurations", "frontendIPConfigurations", "gatewayIPConfigurations"} {
		for _, configuration := range objects(r.Body, "properties", list) {
			if strings.EqualFold(text(configuration, "properties", "subnet", "id"), subnet) {
				users = append(users, r.ID+"/"+list+"/"+text(configuration, "name"))
			}
		}
	}
	return users
}

// subnetDeletable refuses while something is in the subnet, https://aka.ms/deletesubnet.
func subnetDeletable(s *Service, r *Resource) *Error {
	users := s.subnetUsers(r.ID)
	if len(users) == 0 {
		return nil
	}
	e := badRequest("InUseSubnetCannotBeDeleted",
		"Subnet %s is in use by %s and cannot be deleted. In order to delete the subnet, delete all the resources within the subnet. See aka.ms/deletesubnet.", r.Name, users[0])
	e.Status = http.StatusBadRequest
	e.Details = []Detail{}
	return e
}

func peeringType() *resourceType {
	return &resourceType{
		name:       TypePeering,
		protocol:   networkProtocol(10),
		etagHeader: true,
		validate:   validatePeering,
		apply:      applyPeering,
		settle:     settlePeering,
		removed:    peeringRemoved,
		missing:    networkMissing,
	}
}

func validatePeering(p *put) *Error {
	remote := text(p.requested, "properties", "remoteVirtualNetwork", "id")
	network := p.service.store.get(remote)
	if network == nil {
		return badRequest("InvalidResourceReference", "Resource %s referenced by resource %s was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.", remote, p.id.Path)
	}
	if network.provisioningState() != statusSucceeded {
		e := badRequest("ReferencedResourceNotProvisioned", "Cannot proceed with operation because resource %s used by resource %s is not in Succeeded state. Resource is in %s state and the last operation that updated/is updating the resource is PutVirtualNetworkOperation.", network.ID, p.id.Path, network.provisioningState())
		e.Details = []Detail{}
		return e
	}
	return networkBusy(p.service, p.id)
}

func applyPeering(p *put) *Error {
	p.result["etag"] = ""
	properties := child(p.result, "properties")
	remote := p.service.store.get(text(properties, "remoteVirtualNetwork", "id"))
	space := clone(child(clone(remote.Body), "properties"))["addressSpace"]
	fill(properties, map[string]any{
		"resourceGuid": uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.id.Key())).String(), "peeringState": "Initiated", "peeringSyncLevel": "RemoteNotInSync",
		"allowVirtualNetworkAccess": true, "allowForwardedTraffic": false, "allowGatewayTransit": false, "useRemoteGateways": false,
		"doNotVerifyRemoteGateways": false, "peerCompleteVnets": true, "remoteAddressSpace": space,
		"remoteVirtualNetworkAddressSpace": space, "routeServiceVips": map[string]any{},
	})
	return nil
}

// reversePeering is the peering from the remote virtual network back to this one, or nil.
func (s *Service) reversePeering(r *Resource) *Resource {
	for _, other := range s.store.children(text(r.Body, "properties", "remoteVirtualNetwork", "id"), TypePeering) {
		if strings.EqualFold(text(other.Body, "properties", "remoteVirtualNetwork", "id"), r.id().Parent) {
			return other
		}
	}
	return nil
}

func settlePeering(s *Service, r *Resource) error {
	reverse := s.reversePeering(r)
	if reverse == nil {
		return nil
	}
	for _, one := range []*Resource{r, reverse} {
		one.properties()["peeringState"], one.properties()["peeringSyncLevel"] = "Connected", "FullyInSync"
		if err := s.store.put(one); err != nil {
			return err
		}
	}
	return nil
}

func peeringRemoved(s *Service, r *Resource) error {
	reverse := s.reversePeering(r)
	if reverse == nil {
		return nil
	}
	reverse.properties()["peeringState"] = "Disconnected"
	return s.store.put(reverse)
}
