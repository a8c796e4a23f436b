// Package managed composes the typed AKS kinds: AzureManagedControlPlane, AzureManagedCluster and AzureManagedMachinePool. What
// Azure Service Operator (ASO) objects they stand for is worked out in package aks; here it is decided when each of
// them is composed, and what the user reads about it.
package managed
