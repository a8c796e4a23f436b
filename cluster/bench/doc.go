// Command bench measures this project and CAPZ on the same parts of a management cluster: the same kube-apiserver, etcd, Azure
// Service Operator, Cluster API core and simulated Azure, each side with a management cluster of its own that is up while the
// other is not.
//
//	bench run --out folder                 # every benchmark, in alternating rounds
//	bench run --out folder --only aks-aso  # one of them; a folder gathers what several runs measure
//	bench report --out folder              # table.md and ratios.svg of what the folder has
//
// What was measured stands in measurements.jsonl, one measurement a line.
package main
