package e2e

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// What there is in Azure, made by another tool, below the subscription.
const (
	adoptedGroup   = "/resourceGroups/by-hand"
	adoptedCluster = adoptedGroup + "/providers/Microsoft.ContainerService/managedClusters/" + clusterName
	adoptedBody    = `{"location": "westeurope", "tags": {"made": "by-hand"}, "identity": {"type": "SystemAssigned"}, "properties": {
		"dnsPrefix": "by-hand", "kubernetesVersion": "1.33.6", "enableRBAC": true, "oidcIssuerProfile": {"enabled": true},
		"networkProfile": {"networkPlugin": "azure", "networkPluginMode": "overlay", "podCidr": "10.100.0.0/16", "serviceCidr": "10.200.0.0/16", "dnsServiceIP": "10.200.0.10"},
		"agentPoolProfiles": [
			{"name": "pool0", "mode": "System", "type": "VirtualMachineScaleSets", "vmSize": "Standard_D2s_v5", "count": 2, "osType": "Linux", "nodeLabels": {"made": "by-hand"}},
			{"name": "pool1", "mode": "User", "type": "VirtualMachineScaleSets", "vmSize": "Standard_D2s_v5", "count": 2, "osType": "Linux", "nodeTaints": ["made=by-hand:PreferNoSchedule"]}]}}`
	adoptedMaintenance = `{"properties": {"timeInWeek": [{"day": "Sunday", "hourSlots": [0, 1]}]}}`
	adoptedExtension   = `{"properties": {"extensionType": "microsoft.flux", "autoUpgradeMinorVersion": true, "configurationSettings": {"a": "b"}}}`
)

// notedAdopted is when Azure had everything that is adopted.
const notedAdopted = "adopted"

// adoptedScenario brings in an AKS cluster that exists in Azure and in no Kubernetes. Azure is not changed by that.
var adoptedScenario = &scenario{
	name: "adopted", calmOnly: true, rights: []string{"provider-capz: delete extensions.kubernetesconfiguration.azure.com"},
	steps: []step{
		{
			name: "somebody makes a cluster in Azure", lasts: 10 * time.Second,
			act: func(w *world) error {
				for _, r := range [][3]string{
					{adoptedGroup, "2020-06-01", `{"location": "westeurope"}`},
					{adoptedCluster, "2025-08-01", adoptedBody},
					{adoptedCluster + "/maintenanceConfigurations/default", "2025-08-01", adoptedMaintenance},
					{adoptedCluster + "/providers/Microsoft.KubernetesConfiguration/extensions/flux", "2023-05-01", adoptedExtension},
				} {
					if err := w.stack.PutInAzure(w.ctx, "/subscriptions/"+w.subscription+r[0], r[1], r[2]); err != nil {
						return err
					}
				}
				w.noted[notedAdopted] = time.Now()
				return nil
			},
		},
		{name: "print its manifests", act: printAdopted, expect: []expectation{nothingSentSince(notedAdopted)}},
		{
			name: "adopt it", lasts: 25 * time.Second,
			act: func(w *world) error {
				_, err := w.adopt("--apply", "--timeout", "5m")
				return err
			},
			expect: []expectation{
				available, replicas(systemPool, 2), replicas(userPool, 2), kubeconfigWorks,
				managed("ManagedCluster"), managed("ManagedClustersAgentPool"), managed("MaintenanceConfiguration"), managed("Extension"),
			},
			never: []expectation{nothingChangedSince(notedAdopted, ofAzure...)},
			stays: []expectation{nothingChangedSince(notedAdopted, ofAzure...)}, staysFor: 5 * time.Second,
		},
		{name: "scale it", act: func(w *world) error { return w.set(poolKind, userPool, "spec.replicas", int64(3)) }, expect: []expectation{replicas(userPool, 3)}},
		{
			name: "delete it", deletes: true, lasts: 10 * time.Second,
			act:    func(w *world) error { return w.remove(clusterKind, clusterName) },
			expect: []expectation{nothingLeft, notInAzure("/managedClusters/" + clusterName), inAzure(adoptedGroup, "", nil)},
		},
	},
}

// adopt runs kubectl capz adopt for the cluster in Azure.
func (w *world) adopt(args ...string) (string, error) {
	out, _, err := w.kubectlCapz(nil, "adopt", append([]string{"/subscriptions/" + w.subscription + adoptedCluster}, args...)...)
	if err != nil {
		return "", err
	}
	w.logf("kubectl capz adopt %s:\n%s", strings.Join(args, " "), out)
	return string(out), nil
}

// printAdopted prints the manifests, and returns an error if they are not those of everything that there is.
func printAdopted(w *world) error {
	out, err := w.adopt()
	if err != nil {
		return err
	}
	objects, err := kubeyaml.Parse([]byte(out))
	if err != nil {
		return err
	}
	found := map[string]int{}
	for _, o := range objects {
		found[o.GetKind()]++
		entries, _, _ := unstructured.NestedSlice(o.Object, "spec", "resources")
		for _, entry := range entries {
			if m, ok := entry.(map[string]any); ok {
				found[fmt.Sprint(m["kind"])]++
			}
		}
	}
	for kind, count := range map[string]int{
		"Cluster": 1, "AzureASOManagedCluster": 1, "AzureASOManagedControlPlane": 1, "MachinePool": 2, "AzureASOManagedMachinePool": 2,
		"ManagedCluster": 1, "ManagedClustersAgentPool": 2, "MaintenanceConfiguration": 1, "Extension": 1, "ResourceGroup": 0,
	} {
		if found[kind] != count {
			return fmt.Errorf("%d of kind %s are printed, want %d", found[kind], kind, count)
		}
	}
	return nil
}

// managed expects that ASO manages every object of the kind, and not only reads it.
func managed(kind string) expectation {
	return func(w *world) []string {
		objects, err := w.asoObjects()
		if err != nil {
			return []string{err.Error()}
		}
		var missing []string
		found := false
		for key, o := range objects {
			if key.kind != kind {
				continue
			}
			found = true
			if policy := o.GetAnnotations()[aso.AnnotationReconcilePolicy]; policy != "" {
				missing = append(missing, fmt.Sprintf("%s has the policy %s", key, policy))
			}
		}
		if !found {
			return []string{"there is no " + kind}
		}
		return missing
	}
}

// nothingSentSince expects that Azure has only been read since the noted time.
func nothingSentSince(note string) expectation { return quietSince(note, ".*") }

// ofAzure are the fields that Azure writes with any write of the resource: what a pool has by default, and the letters of an enumeration, which
// it does not tell from others.
var ofAzure = []string{".properties.upgradeStrategy", ".loadBalancerProfile.backendPoolType"}
