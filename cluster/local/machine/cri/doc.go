// Package cri is a container runtime of a simulated virtual machine: the CRI's services for a kubelet, over processes of the machine itself.
// It has no images and no containers proper. A container whose command is one of the machine's own programs, such as etcd or kube-apiserver, is a
// process that sees the machine's files, which suffices where host paths are mounted at the same paths, as kubeadm has it. Every other
// container is played: it runs until it is stopped, answers 200 by HTTP at its ports, and succeeds at whatever probe it executes.
package cri
