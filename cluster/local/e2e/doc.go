// Package e2e tests the whole product on a real management cluster: kube-apiserver, Crossplane, Cluster API and Azure
// Service Operator as their projects build them, with the simulated Azure in Azure's place.
//
// A scenario is what a person does, step by step, and what has to come of it. It has a namespace and a subscription of
// its own, so that scenarios run side by side. Each one runs undisturbed, and then once for every component that is
// ours or that we depend on, with that component killed by SIGKILL at a moment chosen by a seed.
//
// docs/testing.md says how to run it, repeat a failure and add a scenario.
package e2e
