package main

import "time"

// The latencies of the simulated Azure, as its command line takes them.
const (
	noLatency   = "default=0s"
	someLatency = "default=0s,Microsoft.Resources/resourceGroups=2s,Microsoft.Network/virtualNetworks=4s," +
		"Microsoft.Network/virtualNetworks/subnets=4s,Microsoft.ContainerService/managedClusters=20s," +
		"Microsoft.ContainerService/managedClusters/agentPools=10s"
	// tenthLatency is a tenth of what Azure takes.
	tenthLatency = "default=0s,Microsoft.Resources/resourceGroups=500ms,Microsoft.Network/virtualNetworks=1s," +
		"Microsoft.Network/virtualNetworks/subnets=1s,Microsoft.ContainerService/managedClusters=24s," +
		"Microsoft.ContainerService/managedClusters/agentPools=12s"
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
	fleets := func(name, latency string, f fleet) benchmark {
		return benchmark{name: name, latency: latency, run: f.run}
	}
	scalings := func(name string, size int, f scaling) benchmark {
		f.size = size
		return benchmark{name: name, latency: noLatency, machines: true, run: f.run}
	}
	deployment := scaling{flavor: deploymentFlavor, kind: "MachineDeployment", set: firstDeployment, provisioned: deployed}
	standingDeployment := deployment
	standingDeployment.stand = 5 * time.Minute
	// A look of Cluster API at a MachineSet ends after a minute. With 430 machines that change, it makes no new ones within that minute here.
	standingDeployments := standingDeployment
	standingDeployments.copies = []string{"md-1", "md-2", "md-3", "md-4"}
	pool := scaling{flavor: poolFlavor, kind: "MachinePool", set: "mp-0", provisioned: pooled}
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
		fleets("fleet-50", noLatency, fleet{size: 50}),
		fleets("fleet-200", noLatency, fleet{size: 200, idle: 5 * time.Minute, changes: 50}),
		fleets("fleet-200-latency", tenthLatency, fleet{size: 200}),
		fleets("fleet-400", noLatency, fleet{size: 400}),
		{name: "default-flavor", latency: machineLatency, run: defaultFlavor{workers: 2}.run, machines: true},
		scalings("machine-deployment", 50, deployment),
		scalings("machine-deployment-200", 200, deployment),
		scalings("machines-200", 200, standingDeployment),
		scalings("machines-1000", 200, standingDeployments),
		scalings("machine-pool", 50, pool),
		scalings("machine-pool-1000", 1000, pool),
		{name: "breaker", latency: noLatency, run: breaker, own: true},
		{name: "breaker-default", latency: noLatency, crossplane: breakerDefaults, run: breaker, own: true},
		{name: "standing-100", latency: noLatency, run: standing{size: 100, idle: time.Minute}.run, own: true},
		{name: "standing-1000", latency: noLatency, run: standing{size: 1000, idle: 2 * time.Minute}.run, own: true},
	}
}
