package main

import (
	"github.com/crossplane-capz/crossplane-capz/cluster/bench/report"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// Titles of what many rows have in common.
const (
	withoutLatency = ", Azure without latency"
	withLatency    = ", Azure with latencies"
)

// packages are the measurements of this project's own two, which a team adds that runs Crossplane already.
func packages(measurement string) []string {
	return []string{measurement + stack.Provider, measurement + stack.Function}
}

// goals are the rows of the table.
var goals = []report.Goal{
	{Title: "aks-aso: until every ASO object exists" + withoutLatency, Name: "aks-aso/objects", AtMost: 0.35},
	{Title: "aks-aso: until the Cluster is Available" + withoutLatency, Name: "aks-aso/available", AtMost: 0.6},
	{Title: "aks-aso: until the MachinePools have their nodes" + withoutLatency, Name: "aks-aso/nodes", AtMost: 0.6},
	{Title: "aks-aso: delete until nothing is left" + withoutLatency, Name: "aks-aso/deleted", AtMost: 0.7},
	{Title: "aks: until every ASO object exists" + withoutLatency, Name: "aks/objects", AtMost: 0.02},
	{Title: "aks: until the Cluster is Available" + withoutLatency, Name: "aks/available", AtMost: 0.06},
	{Title: "aks: until the MachinePools have their nodes" + withoutLatency, Name: "aks/nodes"},
	{Title: "aks: delete until nothing is left" + withoutLatency, Name: "aks/deleted", AtMost: 0.15},
	{Title: "aks-aso: Available, beyond what Azure takes" + withLatency, Name: "aks-aso-latency/available", AtMost: 0.5},
	{Title: "aks-aso: nodes, beyond what Azure takes" + withLatency, Name: "aks-aso-latency/nodes"},
	{Title: "aks-aso: delete at rest until nothing is left" + withLatency, Name: "aks-aso-latency/deleted at rest", AtMost: 1},
	{Title: "aks: Available, beyond what Azure takes" + withLatency, Name: "aks-latency/available", AtMost: 0.12},
	{Title: "aks: nodes, beyond what Azure takes" + withLatency, Name: "aks-latency/nodes"},
	{Title: "aks: delete at rest until nothing is left" + withLatency, Name: "aks-latency/deleted at rest"},
	{Title: "Default flavor: until all three Nodes are Ready" + withLatency, Name: "default-flavor/nodes", AtMost: 0.8},
	{Title: "Default flavor: delete until nothing is left" + withLatency, Name: "default-flavor/deleted", AtMost: 0.8},
	{Title: "Default flavor: CPU of what replaces CAPZ until the Nodes are Ready", Name: "default-flavor/cpu"},
	{Title: "MachineDeployment from 0 to 50 machines that do not boot: until all have provider IDs", Name: "machine-deployment/provisioned", AtMost: 0.8},
	{Title: "MachineDeployment of 50: delete until nothing is left of it", Name: "machine-deployment/deleted", AtMost: 0.8},
	{Title: "MachineDeployment from 0 to 50: CPU of what replaces CAPZ", Name: "machine-deployment/cpu"},
	{Title: "AzureMachinePool from 0 to 50 instances that do not boot: until there are a provider ID and a Machine for each", Name: "machine-pool/provisioned", AtMost: 0.8},
	{Title: "AzureMachinePool of 50: delete until nothing is left of it", Name: "machine-pool/deleted", AtMost: 0.8},
	{Title: "AzureMachinePool from 0 to 50: CPU of what replaces CAPZ", Name: "machine-pool/cpu"},
	{Title: "MachineDeployment from 0 to 200 machines that do not boot: until all have provider IDs", Name: "machine-deployment-200/provisioned", AtMost: 1},
	{Title: "MachineDeployment from 0 to 200: CPU of what replaces CAPZ", Name: "machine-deployment-200/cpu", AtMost: 1},
	{Title: "MachineDeployment from 0 to 200: peak memory of what replaces CAPZ", Name: "machine-deployment-200/memory", AtMost: 1},
	{Title: "MachineDeployment from 0 to 200: API requests of what replaces CAPZ", Name: "machine-deployment-200/requests", AtMost: 1},
	{Title: "MachineDeployment from 0 to 200: requests to Azure", Name: "machine-deployment-200/requests to Azure", AtMost: 1},
	{Title: "AzureMachinePool from 0 to 1,000 instances that do not boot: until there are a provider ID and a Machine for each", Name: "machine-pool-1000/provisioned", AtMost: 1},
	{Title: "AzureMachinePool from 0 to 1,000: CPU of what replaces CAPZ", Name: "machine-pool-1000/cpu", AtMost: 1},
	{Title: "AzureMachinePool from 0 to 1,000: peak memory of what replaces CAPZ", Name: "machine-pool-1000/memory", AtMost: 1},
	{Title: "AzureMachinePool from 0 to 1,000: API requests of what replaces CAPZ", Name: "machine-pool-1000/requests", AtMost: 1},
	{Title: "AzureMachinePool from 0 to 1,000: requests to Azure", Name: "machine-pool-1000/requests to Azure", AtMost: 1},
	{Title: "200 AzureMachines, standing for five minutes: CPU of what replaces CAPZ", Name: "machines-200/standing cpu", AtMost: 1},
	{Title: "200 AzureMachines, standing for five minutes: peak memory of what replaces CAPZ", Name: "machines-200/standing memory", AtMost: 1},
	{Title: "200 AzureMachines, standing for five minutes: API requests of what replaces CAPZ", Name: "machines-200/standing requests", AtMost: 1},
	{Title: "200 AzureMachines, standing for five minutes: requests to Azure", Name: "machines-200/standing requests to Azure", AtMost: 1},
	{Title: "1,000 AzureMachines, standing for five minutes: CPU of what replaces CAPZ", Name: "machines-1000/standing cpu", AtMost: 1},
	{Title: "1,000 AzureMachines, standing for five minutes: peak memory of what replaces CAPZ", Name: "machines-1000/standing memory", AtMost: 1},
	{Title: "1,000 AzureMachines, standing for five minutes: API requests of what replaces CAPZ", Name: "machines-1000/standing requests", AtMost: 1},
	{Title: "1,000 AzureMachines, standing for five minutes: requests to Azure", Name: "machines-1000/standing requests to Azure", AtMost: 1},
	{Title: "200 clusters: until all MachinePools have their nodes, Azure with a tenth of its latencies", Name: "fleet-200-latency/nodes", AtMost: 0.9},
	{Title: "200 clusters: until all are Available", Name: "fleet-200/available", AtMost: 1.1},
	{Title: "200 clusters: until all MachinePools have their nodes", Name: "fleet-200/nodes"},
	{Title: "200 clusters: CPU of what replaces CAPZ", Name: "fleet-200/cpu", AtMost: 2},
	{Title: "200 clusters: CPU of provider-capz and function-capz alone", Name: "fleet-200/cpu", Sum: packages("fleet-200/cpu of "), AtMost: 0.8},
	{Title: "200 clusters: CPU of kube-apiserver and etcd", Name: "fleet-200/cpu of API server and etcd", AtMost: 1.2},
	{Title: "200 clusters: CPU while idle for five minutes", Name: "fleet-200/idle cpu", AtMost: 0.5},
	{Title: "200 clusters: API requests while idle for five minutes", Name: "fleet-200/idle requests", AtMost: 0.5},
	{Title: "200 clusters: those to the management cluster", Name: "fleet-200/idle requests to the management cluster"},
	{Title: "200 clusters: peak memory of what replaces CAPZ", Name: "fleet-200/memory", AtMost: 1},
	{Title: "200 clusters: peak memory of provider-capz and function-capz alone", Name: "fleet-200/memory", Sum: packages("fleet-200/memory of "), AtMost: 0.6},
	{Title: "CPU per cluster of 400 over that of 50", Name: "fleet-400/cpu", Over: "fleet-50/cpu", AtMost: 1.15},
	{Title: "RunFunction for all of an AKS cluster of ten pools, p50", Name: "function/calls p50", Peer: parts.PatchTransform, AtMost: 1},
	{Title: "RunFunction for all of an AKS cluster of ten pools, p99", Name: "function/calls p99", Peer: parts.PatchTransform},
	{Title: "RunFunction for its control plane, p50", Name: "function/control plane p50"},
	{Title: "RunFunction for its control plane, p99", Name: "function/control plane p99"},
	{Title: "RunFunction of a server that has all answers already, p50", Name: "function/floor p50"},
	{Title: "RunFunction for all of it: allocations", Name: "function/allocations"},
	{Title: "200 clusters: an ASO object's status until the XR shows it, p50", Name: "fleet-200/change p50", Limit: 150},
	{Title: "200 clusters: an ASO object's status until the XR shows it, p99", Name: "fleet-200/change p99"},
	{Title: "What replaces CAPZ: its executables", Name: "binaries/executables"},
	{Title: "What replaces CAPZ: its packages, compressed", Name: "binaries/packages"},
	{Title: "What replaces CAPZ: from start until ready", Name: "binaries/start"},
	{Title: "What replaces CAPZ: memory before there is a Cluster", Name: "binaries/memory"},
}
