// Package clusters migrates running Clusters from AzureManaged* to AzureASOManaged*, and back until the last step.
//
// The objects of Azure Service Operator (ASO) stay as they are: they keep UID, spec and status, and only their owner becomes another. What is
// done is decided by what the management cluster has, so that a migration which was ended at any point goes on:
//
//   - annotation StateAnnotation of the Cluster says which way it is on, and whether the objects have changed hands;
//   - an AzureASOManaged* object has the name of the AzureManaged* object that it takes the place of, and its UID in an annotation;
//   - whose an ASO object is says its controller.
package clusters
