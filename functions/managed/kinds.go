// Package managed composes the typed AKS kinds: AzureManagedControlPlane, AzureManagedCluster and AzureManagedMachinePool. What
// Azure Service Operator (ASO) objects they stand for is worked out in package expansion; here it is decided when each of
// them is composed, whose the resource in Azure is, and what the user reads about it.
package managed

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// The kinds that composers of this package read.
var (
	controlPlaneKind = member.Infrastructure.WithKind("AzureManagedControlPlane")
	poolKind         = member.Infrastructure.WithKind("AzureManagedMachinePool")
	identityKind     = member.Infrastructure.WithKind("AzureClusterIdentity")
)

// The ASO kinds that are composed beside ManagedCluster and agent pools.
var (
	networkKind         = schema.GroupKind{Group: "network.azure.com", Kind: "VirtualNetwork"}
	subnetKind          = schema.GroupKind{Group: "network.azure.com", Kind: "VirtualNetworksSubnet"}
	privateEndpointKind = schema.GroupKind{Group: "network.azure.com", Kind: "PrivateEndpoint"}
	fleetsMemberKind    = schema.GroupKind{Group: "containerservice.azure.com", Kind: "FleetsMember"}
	extensionKind       = schema.GroupKind{Group: "kubernetesconfiguration.azure.com", Kind: "Extension"}
)

// read fills a typed object; the problem says why obj cannot be one. It goes by JSON, as numbers may be of any type.
func read(obj *unstructured.Unstructured, into any) *composer.Problem {
	content, err := json.Marshal(obj.Object)
	if err == nil {
		err = json.Unmarshal(content, into)
	}
	if err != nil {
		return &composer.Problem{Reason: composer.ReasonInvalidResource, Message: fmt.Sprintf("%s %s cannot be read: %v", obj.GetKind(), obj.GetName(), err)}
	}
	return nil
}
