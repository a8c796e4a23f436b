// Package adoption has objects of Azure Service Operator (ASO) that people have made become parts of a Cluster of Cluster API, where they ask for it by
// CAPZ's annotation: a ManagedCluster becomes that of an AzureASOManagedControlPlane, and a ManagedClustersAgentPool that of an
// AzureASOManagedMachinePool. The objects of Cluster API are made, those of ASO stay as they are and where they are.
package adoption
