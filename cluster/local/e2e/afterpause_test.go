package e2e

import "time"

// afterPause takes away, while a Cluster is paused, first one resource and then everything. ASO forgets a paused object
// without deleting it in Azure, so this is how something could be left there.
var afterPause = &scenario{
	name: "after-pause",
	steps: []step{
		up("aks-aso", onePool),
		{
			name:   "add a network",
			act:    addResource(asoClusterKind, clusterName, extraNetwork),
			expect: []expectation{inAzure("/virtualNetworks/extra", "", nil), entry(asoClusterKind, clusterName, "VirtualNetwork/extra", true, "Succeeded", "")},
		},
		{
			name:   "pause the Cluster",
			act:    pauseCluster(true),
			expect: []expectation{paused(asoClusterKind, clusterName), paused(controlPlaneKind, clusterName), paused(asoPoolKind, systemPool)},
		},
		{
			name:     "take the network out of the spec",
			act:      all(now("paused"), removeResource(asoClusterKind, clusterName, "VirtualNetwork/extra")),
			stays:    []expectation{quietSince("paused", ""), inAzure("/virtualNetworks/extra", "", nil)},
			staysFor: 4 * time.Second,
		},
		{
			name:   "resume the Cluster",
			act:    resumeCluster,
			goes:   []removal{{"VirtualNetwork/extra", "/virtualNetworks/extra"}},
			expect: []expectation{notInAzure("/virtualNetworks/extra"), noEntry(asoClusterKind, clusterName, "VirtualNetwork/extra"), resumed(asoClusterKind, clusterName), available, contractKept},
		},
		{
			name:   "pause the Cluster again",
			act:    pauseCluster(true),
			expect: []expectation{paused(asoClusterKind, clusterName), paused(controlPlaneKind, clusterName), paused(asoPoolKind, systemPool)},
		},
		{
			name:     "delete the Cluster while it is paused",
			act:      all(now("deleted"), func(w *world) error { return w.remove(clusterKind, clusterName) }),
			stays:    []expectation{quietSince("deleted", ""), inAzure("/managedClusters/my-cluster", "", nil)},
			staysFor: 4 * time.Second,
		},
		{
			name:    "resume the deleted Cluster",
			act:     resumeCluster,
			expect:  down.expect,
			never:   down.never,
			deletes: true,
			lasts:   down.lasts,
		},
	},
}
