package arm

import (
	"strings"

	"github.com/google/uuid"
)

// TypePrivateEndpoint is the type of a private endpoint, which brings another resource into a subnet.
const TypePrivateEndpoint = "Microsoft.Network/privateEndpoints"

func privateEndpointType() *resourceType {
	t := networkResourceType(TypePrivateEndpoint, networkProtocol(10))
	t.validate = validatePrivateEndpoint
	t.apply = applyPrivateEndpoint
	return t
}

func validatePrivateEndpoint(p *put) *Error {
	subnet := text(p.requested, "properties", "subnet", "id")
	if p.service.store.get(subnet) == nil {
		return badRequest("InvalidResourceReference", "Resource %s referenced by resource %s was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.", subnet, p.id.Path)
	}
	return nil
}

// applyPrivateEndpoint approves the connections, as Azure does where the person may write what is connected to, and adds the
// network interface.
func applyPrivateEndpoint(p *put) *Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	all, err := decode(networkDefaults)
	if err != nil {
		return internalError(err)
	}
	properties := child(p.result, "properties")
	fill(properties, map[string]any{"networkInterfaces": []any{map[string]any{"id": endpointInterface(p.id)}}})
	for _, list := range []string{"privateLinkServiceConnections", "manualPrivateLinkServiceConnections"} {
		connectionType := TypePrivateEndpoint + "/" + list
		for _, connection := range objects(properties, list) {
			connection["id"] = p.id.Path + "/" + list + "/" + text(connection, "name")
			connection["type"] = connectionType
			connection["etag"] = `W/"` + uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.id.Path)).String() + `"`
			fill(connection, clone(child(all, connectionType)))
		}
	}
	return nil
}

// endpointInterface is the identifier of an endpoint's network interface.
func endpointInterface(id ID) string {
	guid := uuid.NewSHA1(uuid.NameSpaceURL, []byte(id.Key())).String()
	return id.groupPath() + "/providers/Microsoft.Network/networkInterfaces/" + id.Name + ".nic." + guid
}

// endpointsIn are the private endpoints in a subnet.
func (s *Service) endpointsIn(subnet string) []*Resource {
	var found []*Resource
	for _, r := range s.store.all() {
		if strings.EqualFold(r.Type, TypePrivateEndpoint) && strings.EqualFold(text(r.Body, "properties", "subnet", "id"), subnet) {
			found = append(found, r)
		}
	}
	return found
}
