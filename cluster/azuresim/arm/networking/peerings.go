package networking

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

func peeringType() *arm.ResourceType {
	return &arm.ResourceType{
		Name:       TypePeering,
		Protocol:   networkProtocol(10),
		EtagHeader: true,
		Validate:   validatePeering,
		Apply:      applyPeering,
		Settle:     settlePeering,
		Removed:    peeringRemoved,
		Missing:    networkMissing,
	}
}

func validatePeering(p *arm.Put) *arm.Error {
	remote := fields.Text(p.Requested, "properties", "remoteVirtualNetwork", "id")
	network := p.Service.Store.Get(remote)
	if network == nil {
		return arm.BadRequest("InvalidResourceReference", "Resource %s referenced by resource %s was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.", remote, p.ID.Path)
	}
	networkState := network.ProvisioningState()
	if changing := p.Service.Operations.RunningOn(p.ID.Parent, true); changing != nil && strings.EqualFold(changing.ResourceType, TypeSubnet) {
		networkState = arm.StateUpdating
	}
	if networkState != arm.StatusSucceeded {
		e := arm.BadRequest("ReferencedResourceNotProvisioned", "Cannot proceed with operation because resource %s used by resource %s is not in Succeeded state. Resource is in %s state and the last operation that updated/is updating the resource is PutVirtualNetworkOperation.", network.ID, p.ID.Path, networkState)
		e.Details = []arm.Detail{}
		return e
	}
	own := p.Service.Store.Get(p.ID.Parent)
	for _, prefix := range PrefixesOf(own.Body) {
		if slices.ContainsFunc(PrefixesOf(network.Body), prefix.Overlaps) {
			return arm.Detailed(arm.BadRequest("VnetAddressSpacesOverlap", "Cannot create or update peering %s. Virtual networks %s and %s cannot be peered because their address spaces overlap. Overlapping address prefixes: %s", p.ID.Path, own.ID, network.ID, prefix))
		}
	}
	return networkBusy(p.Service, p.ID)
}

func applyPeering(p *arm.Put) *arm.Error {
	p.Result["etag"] = ""
	properties := fields.Child(p.Result, "properties")
	remote := p.Service.Store.Get(fields.Text(properties, "remoteVirtualNetwork", "id"))
	space := fields.Clone(fields.Child(fields.Clone(remote.Body), "properties"))["addressSpace"]
	fields.Fill(properties, connection(p.Existing, remote.ID))
	fields.Fill(properties, map[string]any{
		"resourceGuid": uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.ID.Key())).String(), "peeringState": "Initiated", "peeringSyncLevel": "RemoteNotInSync",
		"allowVirtualNetworkAccess": true, "allowForwardedTraffic": false, "allowGatewayTransit": false, "useRemoteGateways": false,
		"doNotVerifyRemoteGateways": false, "peerCompleteVnets": true, "remoteAddressSpace": space,
		"remoteVirtualNetworkAddressSpace": space, "routeServiceVips": map[string]any{},
	})
	return nil
}

// connection is what a peering with the remote network keeps while it is updated: a connected one stays connected.
func connection(existing *arm.Resource, remote string) map[string]any {
	if existing == nil || fields.Text(existing.Body, "properties", "peeringState") != "Connected" ||
		!strings.EqualFold(fields.Text(existing.Body, "properties", "remoteVirtualNetwork", "id"), remote) {
		return nil
	}
	return map[string]any{
		"peeringState": "Connected", "peeringSyncLevel": fields.Text(existing.Body, "properties", "peeringSyncLevel"),
	}
}

// reversePeering is the peering from the remote virtual network back to this one, or nil.
func reversePeering(s *arm.Service, r *arm.Resource) *arm.Resource {
	for _, other := range s.Store.Children(fields.Text(r.Body, "properties", "remoteVirtualNetwork", "id"), TypePeering) {
		if strings.EqualFold(fields.Text(other.Body, "properties", "remoteVirtualNetwork", "id"), r.Identity().Parent) {
			return other
		}
	}
	return nil
}

func settlePeering(s *arm.Service, r *arm.Resource) error {
	reverse := reversePeering(s, r)
	if reverse == nil {
		return nil
	}
	for _, one := range []*arm.Resource{r, reverse} {
		one.Properties()["peeringState"], one.Properties()["peeringSyncLevel"] = "Connected", "FullyInSync"
		if err := s.Store.Put(one); err != nil {
			return err
		}
	}
	return nil
}

func peeringRemoved(s *arm.Service, r *arm.Resource) error {
	reverse := reversePeering(s, r)
	if reverse == nil {
		return nil
	}
	reverse.Properties()["peeringState"] = "Disconnected"
	return s.Store.Put(reverse)
}
