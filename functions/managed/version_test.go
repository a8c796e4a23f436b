package managed

import "testing"

// TestVersionsAreThoseOfAzure shows that the version of a pool and of a cluster is compared with what Azure runs, and not with what its ASO
// object was given once: that may have been refused, or have come by hand.
func TestVersionsAreThoseOfAzure(t *testing.T) {
	const poolObject, clusterObject = "ManagedClustersAgentPool.containerservice.azure.com/p0", "ManagedCluster.containerservice.azure.com/cp"
	for name, tc := range map[string]struct {
		object, specField, statusField string
		// given is what the ASO object was given, runs what Azure says; asked is v1.33.6.
		given, runs, want string
	}{
		"pool, an upgrade":               {poolObject, "orchestratorVersion", "currentOrchestratorVersion", "1.33.5", "1.33.5", "1.33.6"},
		"pool, upgraded by AKS":          {poolObject, "orchestratorVersion", "currentOrchestratorVersion", "1.33.6", "1.34.2", "1.34.2"},
		"pool, raised by hand":           {poolObject, "orchestratorVersion", "currentOrchestratorVersion", "1.34.2", "1.33.6", "1.33.6"},
		"pool, raised by hand, in Azure": {poolObject, "orchestratorVersion", "currentOrchestratorVersion", "1.34.2", "1.34.2", "1.34.2"},
		"pool, never made":               {poolObject, "orchestratorVersion", "currentOrchestratorVersion", "1.34.99", "", "1.33.6"},
		"cluster, an upgrade":            {clusterObject, "kubernetesVersion", "currentKubernetesVersion", "1.33.5", "1.33.5", "1.33.6"},
		"cluster, upgraded by AKS":       {clusterObject, "kubernetesVersion", "currentKubernetesVersion", "1.33.6", "1.34.2", "1.34.2"},
		"cluster, refused":               {clusterObject, "kubernetesVersion", "currentKubernetesVersion", "1.35.1", "1.33.6", "1.33.6"},
		"cluster, never made":            {clusterObject, "kubernetesVersion", "currentKubernetesVersion", "1.34.99", "", "1.33.6"},
	} {
		t.Run(name, func(t *testing.T) {
			made := newPlay(t, aksWorld(t), controlPlane(t)).rounds(8)
			p := made
			if tc.object == poolObject {
				p = newPlay(t, aksWorld(t, made.XR), poolXR(t, "p0", "System")).rounds(2)
			}
			p.Live.Edit(t, tc.object, set(tc.given, "spec", tc.specField))
			delete(p.Live[tc.object].Status, tc.statusField)
			if tc.runs != "" {
				p.Live[tc.object].Status[tc.statusField] = tc.runs
			}
			p.Compose()
			if got := p.Live.Object(tc.object).Object["spec"].(map[string]any)[tc.specField]; got != tc.want {
				t.Errorf("%s is %v, want %s", tc.specField, got, tc.want)
			}
		})
	}
}
