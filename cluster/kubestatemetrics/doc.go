// Package kubestatemetrics tests the configuration of kube-state-metrics in examples/monitoring with kube-state-metrics' own code, on objects that
// were recorded in end-to-end runs. It has a go.mod of its own, without this project's, as kube-state-metrics needs older Kubernetes libraries.
package kubestatemetrics
