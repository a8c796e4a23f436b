// Package contract keeps the part of Cluster API's provider contract that a composition function cannot: finalizers and
// the order of deletion, the fields of spec that a provider writes, the kubeconfig Secret, and pausing.
//
// It never writes status, which is the function's, nor anything on an Azure Service Operator (ASO) object but what
// deleting needs, and what a user lets Cluster API decide. See docs/contract.md.
//
// The reconcilers are here; what they do is in the packages below: deletion, kubeconfig and mirror.
package contract
