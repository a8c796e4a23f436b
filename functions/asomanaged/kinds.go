// Package asomanaged composes the AzureASOManaged kinds: AKS clusters whose Azure resources a user writes inline as
// Azure Service Operator (ASO) objects.
package asomanaged

import "github.com/crossplane-capz/crossplane-capz/functions/member"

var (
	asoClusterKind      = member.Infrastructure.WithKind("AzureASOManagedCluster")
	asoControlPlaneKind = member.Infrastructure.WithKind("AzureASOManagedControlPlane")
	asoMachinePoolKind  = member.Infrastructure.WithKind("AzureASOManagedMachinePool")
)

// reasonMissingResource says that spec.resources lacks the object that the kind is about.
const reasonMissingResource = "MissingResource"
