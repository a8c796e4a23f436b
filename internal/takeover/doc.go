// Package takeover moves a management cluster from Cluster API Provider Azure (CAPZ) to this project, and back. The kinds keep their names,
// so that the same objects with the same UIDs become composite resources, and what CAPZ has made of them in Azure Service Operator (ASO)
// becomes what they are composed of.
//
// A way is a list of steps. Each looks at the cluster for what is still to be done, so that one that was killed in the middle goes on when it is
// started again, and a dry run is the same look without the doing.
package takeover
