// Package asomanaged composes the AzureASOManaged kinds: AKS clusters whose Azure resources a user writes inline as
// Azure Service Operator (ASO) objects.
package asomanaged

// reasonMissingResource says that spec.resources lacks the object that the kind is about.
const reasonMissingResource = "MissingResource"
