// Package compute does for AzureClusters and AzureMachines what no function and not Azure Service Operator (ASO) can do: it finds out what
// Azure offers, creates virtual machines with their bootstrap data, and writes the Secrets that machines need. What function-capz has to know
// of that is in MachineFacts and ClusterFacts.
//
// Everything that it does in Azure is in package machines.
package compute
