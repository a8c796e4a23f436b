// Package boot tests that machines of the fabric boot: user data from Cluster API's own generators, real kubeadm, a control plane and a worker
// whose Nodes become Ready. It needs the parts that `make parts` builds.
package boot
