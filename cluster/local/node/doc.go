// Package node runs the pods of Crossplane's package manager as processes of this machine. There is no kubelet, no
// kube-proxy and no DNS in a cluster of processes: for the Deployments and Services that the package manager makes, this
// package plays all three.
package node
