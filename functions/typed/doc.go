// Package typed makes resources of plans from typed objects of Azure Service Operator (ASO): what mapping files of all families of kinds
// have in common. It is pure.
package typed
