package arm

import (
	"net/http"
	"strings"

	"github.com/google/uuid"
)

// Resource types of the network resource provider with behaviour of their own.
const (
	TypeVirtualNetwork = "Microsoft.Network/virtualNetworks"
	TypeSubnet         = "Microsoft.Network/virtualNetworks/subnets"
	TypePeering        = "Microsoft.Network/virtualNetworks/virtualNetworkPeerings"
)

// networkProtocol is what Microsoft.Network answers; createRetry is the Retry-After of a PUT.
func networkProtocol(createRetry int) protocol {
	first := createRetry
	if first > 2 {
		first = 10
	}
	var polls []int
	for _, factor := range []int{1, 2, 2, 4, 4, 8, 16, 10} {
		polls = append(polls, first*factor)
	}
	return protocol{
		create:     answer{status: 201, asyncOperation: true, retryAfter: createRetry, state: stateUpdating},
		update:     answer{status: 200, asyncOperation: true, retryAfter: createRetry, state: stateUpdating},
		unchanged:  answer{status: 200, asyncOperation: true, state: statusSucceeded},
		remove:     answer{status: 202, asyncOperation: true, location: true, retryAfter: 10, state: stateDeleting, noBody: true},
		poll:       pollStatusOnly,
		polls:      map[change][]int{create: polls, update: polls, remove: polls},
		operations: operationsSegment,
		results:    "operationResults",
	}
}

func networkTypes() []*resourceType {
	types := []*resourceType{
		virtualNetworkType(), subnetType(), peeringType(), securityGroupType(), securityRuleType(), routeTableType(), routeType(),
		publicIPAddressType(), natGatewayType(), loadBalancerType(), inboundNATRuleType(), networkInterfaceType(), privateEndpointType(),
		privateLinkServiceType(), bastionHostType(),
	}
	// The Retry-After of each other type's PUT.
	for name, retry := range map[string]int{
		"virtualNetworkGateways": 10,
	} {
		types = append(types, networkResourceType("Microsoft.Network/"+name, networkProtocol(retry)))
	}
	return append(append(types, privateDNSTypes()...), furtherNetworkTypes()...)
}

// inUse are the error codes for deleting what another network resource refers to.
var inUse = map[string]string{
	typeSecurityGroup:                    "InUseNetworkSecurityGroupCannotBeDeleted",
	typeRouteTable:                       "InUseRouteTableCannotBeDeleted",
	typeNATGateway:                       "InUseNatGatewayCannotBeDeleted",
	TypePublicIPAddress:                  "PublicIPAddressCannotBeDeleted",
	"Microsoft.Network/publicIPPrefixes": "InUsePublicIpPrefixCannotBeDeleted",
}

// unusedNetwork refuses to delete a resource that another one refers to.
func unusedNetwork(s *Service, r *Resource) *Error {
	for _, other := range s.store.all() {
		if strings.HasPrefix(strings.ToLower(other.Type), "microsoft.network/") && !strings.HasPrefix(other.key(), r.key()) && refersTo(other.Body, r.ID) {
			e := badRequest(inUse[r.Type], "Resource %s cannot be deleted because it is in use by %s.", r.ID, other.ID)
			e.Details = []Detail{}
			return e
		}
	}
	return nil
}

// refersTo tells whether value has an object whose id is that of another resource.
func refersTo(value any, id string) bool {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			if text, ok := field.(string); ok && name == "id" && strings.EqualFold(text, id) || refersTo(field, id) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if refersTo(item, id) {
				return true
			}
		}
	}
	return false
}

func networkResourceType(name string, p protocol) *resourceType {
	t := &resourceType{
		name:       name,
		tracked:    strings.Count(name, "/") == 1,
		protocol:   p,
		etagHeader: true,
		apply:      applyNetworkDefaults,
		stored:     storeChildren,
		view:       viewNetwork,
		missing:    networkMissing,
	}
	if inUse[name] != "" {
		t.deletable = unusedNetwork
	}
	return t
}

// networkMissing is the provider's error for a child and ARM's for a resource.
func networkMissing(id ID, _ *Service, _ string) *Error {
	if !id.nested() {
		return resourceNotFound(id)
	}
	e := notFound("NotFound", "Resource %s not found.", id.Path)
	e.Details = []Detail{}
	return e
}

// applyNetwork adds what every resource of the provider has.
func applyNetwork(p *put) *Error {
	p.result["etag"] = ""
	properties := child(p.result, "properties")
	guid := uuid.NewString()
	if p.existing != nil {
		if present := text(p.existing.Body, "properties", "resourceGuid"); present != "" {
			guid = present
		}
	}
	if !p.id.nested() {
		properties["resourceGuid"] = guid
	}
	if p.resource.id().nested() {
		delete(p.result, "location")
	}
	return nil
}

// retryable is the answer of the network provider to a change of something that another operation is changing.
func retryable(op *Operation, resource string) *Error {
	return &Error{
		Status: http.StatusTooManyRequests, Code: "RetryableError", Message: "A retryable error occurred.", RetryAfter: 10,
		Details: []Detail{{Code: "RetryableErrorDueToAnotherOperation",
			Message: "Operation " + op.ID + " is updating resource " + resource + ". The call can be retried in 10 seconds."}},
	}
}

// anotherOperation is its answer if the other operation changes the parent.
func anotherOperation(url string) *Error {
	e := conflict("AnotherOperationInProgress", "Another operation on this or dependent resource is in progress. To retrieve status of the operation use uri: %s.", url)
	e.Details = []Detail{}
	return e
}
