package main

import "time"

// The latencies of the simulated Azure, as its command line takes them.
const (
	noLatency   = "default=0s"
	someLatency = "default=0s,Microsoft.Resources/resourceGroups=2s,Microsoft.Network/virtualNetworks=4s," +
		"Microsoft.Network/virtualNetworks/subnets=4s,Microsoft.ContainerService/managedClusters=20s," +
		"Microsoft.ContainerService/managedClusters/agentPools=10s"
	machineLatency = "default=0s,Microsoft.Network/virtualNetworks=4s,Microsoft.Network/virtualNetworks/subnets=4s," +
		"Microsoft.Network/networkSecurityGroups=2s,Microsoft.Network/routeTables=2s,Microsoft.Network/natGateways=2s," +
		"Microsoft.Network/publicIPAddresses=2s,Microsoft.Network/loadBalancers=2s,Microsoft.Network/networkInterfaces=2s," +
		"Microsoft.Compute/virtualMachines=20s"
	// groupLatency is how long Azure takes to answer with a new resource group: its creation is no operation that clients look at.
	groupLatency = 2 * time.Second
)

// benchmarks returns all that there are.
func benchmarks() []benchmark {
	lifecycles := func(name, latency string, l lifecycle) benchmark {
		return benchmark{name: name, latency: latency, run: l.run}
	}
	fleets := func(name string, f fleet) benchmark { return benchmark{name: name, latency: noLatency, run: f.run} }
	return []benchmark{
		{name: "function", run: calls, alone: true},
		{name: "requests", latency: noLatency, run: requests, own: true},
		{name: "machine-requests", latency: noLatency, machines: true, run: machineRequests, own: true},
		{name: "binaries", latency: noLatency, run: binaries},
		lifecycles("aks-aso", noLatency, lifecycle{flavor: "aks-aso"}),
		lifecycles("aks", noLatency, lifecycle{flavor: "aks"}),
		// What Azure takes one after the other: resource group, managed cluster, and for aks the network and its subnet before that.
		lifecycles("aks-aso-latency", someLatency, lifecycle{flavor: "aks-aso", critical: 22 * time.Second, criticalPools: 32 * time.Second}),
		lifecycles("aks-latency", someLatency, lifecycle{flavor: "aks", critical: 30 * time.Second, criticalPools: 40 * time.Second}),
		fleets("fleet-50", fleet{size: 50}),
		fleets("fleet-200", fleet{size: 200, idle: 5 * time.Minute, changes: 50}),
		fleets("fleet-400", fleet{size: 400}),
		{name: "default-flavor", latency: machineLatency, run: defaultFlavor{workers: 2}.run, machines: true},
		{name: "machine-deployment", latency: noLatency, machines: true, run: scaling{
			flavor: deploymentFlavor, set: "MachineDeployment", suffix: "-md-0", size: 50, provisioned: deployed,
		}.run},
		{name: "machine-pool", latency: noLatency, machines: true, run: scaling{
			flavor: poolFlavor, set: "MachinePool", suffix: "-mp-0", size: 50, provisioned: pooled,
		}.run},
		{name: "breaker", latency: noLatency, run: breaker, own: true},
		{name: "breaker-default", latency: noLatency, crossplane: breakerDefaults, run: breaker, own: true},
		{name: "standing-100", latency: noLatency, run: standing{size: 100, idle: time.Minute}.run, own: true},
		{name: "standing-1000", latency: noLatency, run: standing{size: 1000, idle: 2 * time.Minute}.run, own: true},
	}
}
