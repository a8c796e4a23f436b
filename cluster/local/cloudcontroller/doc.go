// Package cloudcontroller stands in for Azure's cloud-controller-manager
// (https://github.com/kubernetes-sigs/cloud-provider-azure), which users of self-managed clusters install as an add-on. Nothing of
// the product depends on it, and the product does none of its work.
//
// It does what that one does, with the azure.json that the product writes for the control plane: it gives each Node its provider ID,
// addresses, and labels, takes away the taint of a Node that is not initialized, and deletes the Node of a virtual machine that is gone.
// For a Service of type LoadBalancer it writes in Azure what that one writes: a frontend with rules of the nodes' load balancer, the
// pools of network interfaces, a security rule. It changes and deletes none of that later, and makes no routes and no disks.
// It runs beside the machines, not in a pod of theirs, and finds the clusters in the management cluster.
package cloudcontroller
