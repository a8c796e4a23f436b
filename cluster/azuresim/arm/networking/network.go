// Package networking simulates the network resource provider.
package networking

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// Resource types of the network resource provider with behaviour of their own.
const (
	TypeVirtualNetwork = "Microsoft.Network/virtualNetworks"
	TypeSubnet         = "Microsoft.Network/virtualNetworks/subnets"
	TypePeering        = "Microsoft.Network/virtualNetworks/virtualNetworkPeerings"
)

// networkProtocol is what Microsoft.Network answers; createRetry is the Retry-After of a PUT.
func networkProtocol(createRetry int) arm.Protocol {
	first := createRetry
	if first > 2 {
		first = 10
	}
	var polls []int
	for _, factor := range []int{1, 2, 2, 4, 4, 8, 16, 10} {
		polls = append(polls, first*factor)
	}
	return arm.Protocol{
		Create:     arm.Answer{Status: 201, AsyncOperation: true, RetryAfter: createRetry, State: arm.StateUpdating},
		Update:     arm.Answer{Status: 200, AsyncOperation: true, RetryAfter: createRetry, State: arm.StateUpdating},
		Unchanged:  arm.Answer{Status: 200, AsyncOperation: true, State: arm.StatusSucceeded},
		Remove:     arm.Answer{Status: 202, AsyncOperation: true, Location: true, RetryAfter: 10, State: arm.StateDeleting, NoBody: true},
		Poll:       arm.PollStatusOnly,
		Polls:      map[arm.Change][]int{arm.Create: polls, arm.Update: polls, arm.Remove: polls},
		Operations: arm.OperationsSegment,
		Results:    "operationResults",
	}
}

// Types are the types of the network provider.
func Types() []*arm.ResourceType {
	types := []*arm.ResourceType{
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
func unusedNetwork(s *arm.Service, r *arm.Resource) *arm.Error {
	for _, other := range s.Store.All() {
		if strings.HasPrefix(strings.ToLower(other.Type), "microsoft.network/") && !strings.HasPrefix(other.Key(), r.Key()) && arm.RefersTo(other.Body, r.ID) {
			e := arm.BadRequest(inUse[r.Type], "Resource %s cannot be deleted because it is in use by %s.", r.ID, other.ID)
			e.Details = []arm.Detail{}
			return e
		}
	}
	return nil
}

func networkResourceType(name string, p arm.Protocol) *arm.ResourceType {
	t := &arm.ResourceType{
		Name:       name,
		Tracked:    strings.Count(name, "/") == 1,
		Protocol:   p,
		EtagHeader: true,
		Apply:      applyNetworkDefaults,
		Stored:     storeChildren,
		View:       viewNetwork,
		Missing:    networkMissing,
	}
	if inUse[name] != "" {
		t.Deletable = unusedNetwork
	}
	return t
}

// networkMissing is the provider's error for a child and ARM's for a resource.
func networkMissing(id arm.ID, _ *arm.Service, _ string) *arm.Error {
	if !id.Nested() {
		return arm.ResourceNotFound(id)
	}
	e := arm.NotFound("NotFound", "Resource %s not found.", id.Path)
	e.Details = []arm.Detail{}
	return e
}

// applyNetwork adds what every resource of the provider has.
func applyNetwork(p *arm.Put) *arm.Error {
	p.Result["etag"] = ""
	properties := fields.Child(p.Result, "properties")
	guid := uuid.NewString()
	if p.Existing != nil {
		if present := fields.Text(p.Existing.Body, "properties", "resourceGuid"); present != "" {
			guid = present
		}
	}
	if !p.ID.Nested() {
		properties["resourceGuid"] = guid
	}
	if p.Resource.Identity().Nested() {
		delete(p.Result, fields.Location)
	}
	return nil
}

// retryable is the answer of the network provider to a change of something that another operation is changing.
func retryable(op *arm.Operation, resource string) *arm.Error {
	return &arm.Error{
		Status: http.StatusTooManyRequests, Code: "RetryableError", Message: "A retryable error occurred.", RetryAfter: 10,
		Details: []arm.Detail{{Code: "RetryableErrorDueToAnotherOperation",
			Message: "Operation " + op.ID + " is updating resource " + resource + ". The call can be retried in 10 seconds."}},
	}
}

// anotherOperation is its answer if the other operation changes the parent.
func anotherOperation(url string) *arm.Error {
	e := arm.Conflict("AnotherOperationInProgress", "Another operation on this or dependent resource is in progress. To retrieve status of the operation use uri: %s.", url)
	e.Details = []arm.Detail{}
	return e
}

// ListConfigurations and ListFrontends are the lists of what has addresses.
const (
	ListConfigurations = "ipConfigurations"
	ListFrontends      = "frontendIPConfigurations"
)
