// Package azuremachine is what an AzureMachine stands for in Azure, as far as both its composer and provider-capz have to know it: names,
// the availability set that it is in, the extensions that it has. It is pure. Names and rules are CAPZ's (azure/defaults.go,
// azure/scope/machine.go), so that the machines of either project are machines of the other.
package azuremachine
