package arm

import (
	"slices"
	"strings"

	"github.com/google/uuid"
)

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
	networkState := network.provisioningState()
	if changing := p.service.operations.runningOn(p.id.Parent, true); changing != nil && strings.EqualFold(changing.ResourceType, TypeSubnet) {
		networkState = stateUpdating
	}
	if networkState != statusSucceeded {
		e := badRequest("ReferencedResourceNotProvisioned", "Cannot proceed with operation because resource %s used by resource %s is not in Succeeded state. Resource is in %s state and the last operation that updated/is updating the resource is PutVirtualNetworkOperation.", network.ID, p.id.Path, networkState)
		e.Details = []Detail{}
		return e
	}
	own := p.service.store.get(p.id.Parent)
	for _, prefix := range prefixesOf(own.Body) {
		if slices.ContainsFunc(prefixesOf(network.Body), prefix.Overlaps) {
			return detailed(badRequest("VnetAddressSpacesOverlap", "Cannot create or update peering %s. Virtual networks %s and %s cannot be peered because their address spaces overlap. Overlapping address prefixes: %s", p.id.Path, own.ID, network.ID, prefix))
		}
	}
	return networkBusy(p.service, p.id)
}

func applyPeering(p *put) *Error {
	p.result["etag"] = ""
	properties := child(p.result, "properties")
	remote := p.service.store.get(text(properties, "remoteVirtualNetwork", "id"))
	space := clone(child(clone(remote.Body), "properties"))["addressSpace"]
	fill(properties, connection(p.existing, remote.ID))
	fill(properties, map[string]any{
		"resourceGuid": uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.id.Key())).String(), "peeringState": "Initiated", "peeringSyncLevel": "RemoteNotInSync",
		"allowVirtualNetworkAccess": true, "allowForwardedTraffic": false, "allowGatewayTransit": false, "useRemoteGateways": false,
		"doNotVerifyRemoteGateways": false, "peerCompleteVnets": true, "remoteAddressSpace": space,
		"remoteVirtualNetworkAddressSpace": space, "routeServiceVips": map[string]any{},
	})
	return nil
}

// connection is what a peering with the remote network keeps while it is updated: a connected one stays connected.
func connection(existing *Resource, remote string) map[string]any {
	if existing == nil || text(existing.Body, "properties", "peeringState") != "Connected" ||
		!strings.EqualFold(text(existing.Body, "properties", "remoteVirtualNetwork", "id"), remote) {
		return nil
	}
	return map[string]any{
		"peeringState": "Connected", "peeringSyncLevel": text(existing.Body, "properties", "peeringSyncLevel"),
	}
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
