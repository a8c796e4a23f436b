package e2e

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// fleet is what the cluster of typedFeatures becomes a member of.
const fleet = "/resourceGroups/fleets/providers/Microsoft.ContainerService/fleets/fleet"

// companyFleet makes it.
var companyFleet = all(
	writeAzure("/resourceGroups/fleets", "2020-06-01", `{"location":"westeurope"}`),
	writeAzure(fleet, "2025-03-01", `{"location":"westeurope"}`),
)

// everyFeature are fields of an AzureManagedControlPlane that stand for resources and settings of their own.
const everyFeature = `
enablePreviewFeatures: true
identity:
  type: UserAssigned
  userAssignedIdentityResourceID: /subscriptions/00000000-0000-0000-0000-000000000009/resourceGroups/ids/providers/Microsoft.ManagedIdentity/userAssignedIdentities/aks
virtualNetwork:
  name: features
  cidrBlock: 10.224.0.0/12
  subnet:
    name: nodes
    cidrBlock: 10.224.0.0/16
    serviceEndpoints:
    - service: Microsoft.Storage
      locations: ["*"]
    privateEndpoints:
    - name: vault
      privateLinkServiceConnections:
      - privateLinkServiceID: /subscriptions/00000000-0000-0000-0000-000000000009/resourceGroups/vaults/providers/Microsoft.KeyVault/vaults/vault
        groupIDs: [vault]
fleetsMember:
  managerName: fleet
  managerResourceGroup: fleets
extensions:
- name: flux
  extensionType: microsoft.flux
  configurationSettings: {"helm-controller.enabled": "false"}
securityProfile:
  workloadIdentity: {enabled: true}
  imageCleaner: {enabled: true, intervalHours: 48}
  azureKeyVaultKms: {enabled: true, keyID: "https://vault.vault.azure.net/keys/key/0"}
autoscalerProfile:
  expander: least-waste
apiServerAccessProfile:
  authorizedIPRanges: [203.0.113.0/24]
loadBalancerProfile:
  managedOutboundIPs: 2
autoUpgradeProfile:
  upgradeChannel: rapid
sku: {tier: Standard}
asoManagedClusterPatches:
- '{"spec": {"azureMonitorProfile": {"metrics": {"enabled": true}}}}'
- |
  spec:
    autoUpgradeProfile:
      nodeOSUpgradeChannel: SecurityPatch
`

// everyPoolFeature are the same of an AzureManagedMachinePool. Only the preview version of AKS's API has an upgradeStrategy.
const everyPoolFeature = `
availabilityZones: ["1", "2"]
taints:
- {key: dedicated, value: work, effect: NoSchedule}
maxPods: 60
kubeletConfig: {cpuManagerPolicy: static, failSwapOn: false}
linuxOSConfig: {swapFileSizeMB: 1500, sysctls: {vmMaxMapCount: 262144}}
asoManagedClustersAgentPoolPatches:
- '{"spec": {"upgradeStrategy": "BlueGreen"}}'
`

// pooled is a change for the second pool only.
func pooled(alter change) change {
	return func(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
		for i, u := range objects {
			if u.GetKind() != typedPoolKind.Kind || u.GetName() != userPool {
				continue
			}
			altered, err := alter(objects[i : i+1 : i+1])
			if err != nil {
				return nil, err
			}
			objects[i] = altered[0]
		}
		return objects, nil
	}
}

// addPatch adds a patch to a list of patches that an object has in its spec.
func addPatch(gvk schema.GroupVersionKind, name, list, patch string) func(*world) error {
	return func(w *world) error {
		return w.edit(gvk, name, func(u *unstructured.Unstructured) error {
			patches, _, err := unstructured.NestedStringSlice(u.Object, "spec", list)
			if err != nil {
				return err
			}
			if len(patches) == 0 || patches[len(patches)-1] != patch {
				patches = append(patches, patch)
			}
			return unstructured.SetNestedStringSlice(u.Object, patches, "spec", list)
		})
	}
}

// dropPatch takes the last one away.
func dropPatch(gvk schema.GroupVersionKind, name, list, patch string) func(*world) error {
	return func(w *world) error {
		return w.edit(gvk, name, func(u *unstructured.Unstructured) error {
			patches, _, err := unstructured.NestedStringSlice(u.Object, "spec", list)
			if err != nil || len(patches) == 0 || patches[len(patches)-1] != patch {
				return err
			}
			return unstructured.SetNestedStringSlice(u.Object, patches[:len(patches)-1], "spec", list)
		})
	}
}

const (
	wrongPatch     = `{"spec": {"tier": "Premium"}}`
	wrongPoolPatch = `{"spec": {"nodes": 3}}`
	clusterPatches = "asoManagedClusterPatches"
	poolPatches    = "asoManagedClustersAgentPoolPatches"
	customHeader   = "infrastructure.cluster.x-k8s.io/custom-header-UseGPUDedicatedVHD"
)

// upgradedByAKS has AKS upgrade the cluster by itself.
func upgradedByAKS(to string) func(*world) error {
	return func(w *world) error {
		cluster, err := w.resource("/managedClusters/" + clusterName)
		if err != nil || cluster == nil {
			return fmt.Errorf("the AKS cluster in Azure: %w", err)
		}
		return w.azure.AutoUpgrade(w.ctx, cluster.ID, strings.TrimPrefix(to, "v"))
	}
}

// autoUpgraded is that, and ASO looks at once.
func autoUpgraded(to string) func(*world) error {
	return all(upgradedByAKS(to), func(w *world) error { return w.annotateNamespace(asoPolicy, "skip") })
}

// typedFeatures has one of everything that an AzureManagedControlPlane can be told.
var typedFeatures = &scenario{
	name: "typed-features", family: typedFamily, calmOnly: true,
	rights: []string{"provider-capz: delete fleetsmembers.containerservice.azure.com", "provider-capz: delete privateendpoints.network.azure.com"},
	steps: []step{
		{
			name: "create", lasts: 20 * time.Second,
			act: all(once("fleet", companyFleet), applyTyped("aks", withSpec(typedControlPlaneKind, everyFeature), pooled(withSpec(typedPoolKind, everyPoolFeature)))),
			expect: []expectation{
				available, contractKept, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 2),
				inAzure("/virtualNetworks/features/subnets/nodes", "properties.addressPrefix", "10.224.0.0/16"), serviceEndpoint,
				inAzure("/privateEndpoints/vault", "properties.provisioningState", "Succeeded"),
				inAzure("/fleets/fleet/members/my-cluster", "properties.provisioningState", "Succeeded"),
				inAzure("/managedClusters/my-cluster/providers/Microsoft.KubernetesConfiguration/extensions/flux", "properties.extensionType", "microsoft.flux"),
				inAzure("/managedClusters/my-cluster", "properties.securityProfile.workloadIdentity.enabled", true),
				inAzure("/managedClusters/my-cluster", "properties.securityProfile.azureKeyVaultKms.enabled", true),
				inAzure("/managedClusters/my-cluster", "properties.autoScalerProfile.expander", "least-waste"),
				inAzure("/managedClusters/my-cluster", "properties.apiServerAccessProfile.authorizedIPRanges", "[203.0.113.0/24]"),
				inAzure("/managedClusters/my-cluster", "properties.networkProfile.loadBalancerProfile.managedOutboundIPs.count", 2),
				inAzure("/managedClusters/my-cluster", "properties.azureMonitorProfile.metrics.enabled", true),
				inAzure("/managedClusters/my-cluster", "properties.autoUpgradeProfile.nodeOSUpgradeChannel", "SecurityPatch"),
				inAzure("/managedClusters/my-cluster", "sku.tier", "Standard"),
				inAzure("/agentPools/pool1", "properties.upgradeStrategy", "BlueGreen"),
				inAzure("/agentPools/pool1", "properties.nodeTaints", "[dedicated=work:NoSchedule]"),
				inAzure("/agentPools/pool1", "properties.linuxOSConfig.sysctls.vmMaxMapCount", 262144),
				condition(typedControlPlaneKind, clusterName, "PrivateEndpointsReady", "True", ""),
				condition(typedControlPlaneKind, clusterName, "FleetReady", "True", ""),
				condition(typedControlPlaneKind, clusterName, "AKSExtensionsReady", "True", ""),
			},
		},
		{
			name: "patches that do not fit, and a header that nobody sends",
			act: all(
				addPatch(typedControlPlaneKind, clusterName, clusterPatches, wrongPatch), addPatch(typedPoolKind, userPool, poolPatches, wrongPoolPatch),
				func(w *world) error {
					return w.annotate(typedControlPlaneKind, clusterName, customHeader, pointer("true"))
				},
			),
			expect: []expectation{
				says(typedControlPlaneKind, clusterName, "spec."+clusterPatches+"[2]"), says(typedControlPlaneKind, clusterName, "tier"),
				says(typedPoolKind, userPool, "spec."+poolPatches+"[1]"), says(typedControlPlaneKind, clusterName, "custom-header-UseGPUDedicatedVHD"),
			},
			stays: []expectation{inAzure("/managedClusters/my-cluster", "sku.tier", "Standard"), replicas(userPool, 2)}, staysFor: 3 * time.Second,
		},
		{
			name: "taken back",
			act: all(
				dropPatch(typedControlPlaneKind, clusterName, clusterPatches, wrongPatch), dropPatch(typedPoolKind, userPool, poolPatches, wrongPoolPatch),
				func(w *world) error { return w.annotate(typedControlPlaneKind, clusterName, customHeader, nil) },
			),
			expect: []expectation{
				silent(typedControlPlaneKind, clusterName, "spec."+clusterPatches), silent(typedPoolKind, userPool, "spec."+poolPatches),
				silent(typedControlPlaneKind, clusterName, "custom-header"), available, contractKept,
			},
		},
		{
			name: "take out what Azure keeps",
			act: all(
				func(w *world) error { return w.set(typedControlPlaneKind, clusterName, "spec.autoscalerProfile", nil) },
				func(w *world) error {
					return w.set(typedControlPlaneKind, clusterName, "spec.apiServerAccessProfile", nil)
				},
				func(w *world) error {
					return w.set(typedControlPlaneKind, clusterName, "spec.loadBalancerProfile", nil)
				},
				func(w *world) error { return w.set(typedPoolKind, userPool, "spec.taints", nil) },
			),
			expect: []expectation{
				inAzure("/managedClusters/my-cluster", "properties.autoScalerProfile.expander", "random"),
				inAzure("/managedClusters/my-cluster", "properties.apiServerAccessProfile.authorizedIPRanges", "[0.0.0.0/0]"),
				inAzure("/managedClusters/my-cluster", "properties.networkProfile.loadBalancerProfile.managedOutboundIPs.count", 1),
				inAzure("/agentPools/pool1", "properties.nodeTaints", nil), available,
			},
		},
		{
			name: "AKS upgrades the cluster by itself",
			act:  autoUpgraded(newer),
			expect: []expectation{
				field(typedControlPlaneKind, clusterName, "status.autoUpgradeVersion", newer), field(typedControlPlaneKind, clusterName, "status.version", newer),
				inAzure("/managedClusters/my-cluster", "properties.currentKubernetesVersion", newer[1:]), kubelets(newer), available,
			},
		},
		{
			name: "take the extension away",
			act: all(
				func(w *world) error { return w.annotateNamespace(asoPolicy, "manage") },
				func(w *world) error { return w.set(typedControlPlaneKind, clusterName, "spec.extensions", nil) },
			),
			goes:   []removal{{"Extension/flux", "/extensions/flux"}},
			expect: []expectation{notInAzure("/extensions/flux"), available, inAzure("/privateEndpoints/vault", "", nil)},
		},
		{
			name:    "delete",
			act:     downTyped.act,
			expect:  []expectation{nothingLeft, onlyFleetLeft, acceptedDeletes},
			never:   down.never,
			deletes: true, lasts: downTyped.lasts,
		},
	},
}

// serviceEndpoint expects the service endpoint of everyFeature.
func serviceEndpoint(w *world) []string {
	subnet, err := w.resource("/subnets/nodes")
	if err != nil || subnet == nil {
		return []string{fmt.Sprintf("Azure has no subnet nodes: %v", err)}
	}
	have, _, _ := unstructured.NestedFieldNoCopy(subnet.Body, "properties", "serviceEndpoints")
	if text, err := yaml.Marshal(have); err != nil || !strings.Contains(string(text), "Microsoft.Storage") {
		return []string{fmt.Sprintf("the subnet has the service endpoints %v (%v)", have, err)}
	}
	return nil
}

// onlyFleetLeft expects that of the cluster nothing is left in Azure, not even its membership, and the fleet still there.
func onlyFleetLeft(w *world) []string {
	left := inAzure(fleet, "", nil)(w)
	all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return append(left, err.Error())
	}
	for _, r := range all {
		if !strings.HasSuffix(r.ID, "/resourceGroups/fleets") && !strings.HasSuffix(r.ID, fleet) {
			left = append(left, "Azure still has "+r.ID)
		}
	}
	return left
}

// privateOnly are the fields of a cluster without a public address and without local accounts.
const privateOnly = `
apiServerAccessProfile:
  enablePrivateCluster: true
  enablePrivateClusterPublicFQDN: false
aadProfile:
  managed: true
  adminGroupObjectIDs: [00000000-0000-0000-0000-000000000007]
disableLocalAccounts: true
`

// typedPrivate is such a cluster, on which mistakes are made besides.
var typedPrivate = &scenario{
	name: "typed-private", family: typedFamily, calmOnly: true,
	steps: []step{
		{
			name:   "create without a credential",
			act:    applyTyped("aks", withSpec(typedControlPlaneKind, privateOnly), without(named(typedIdentity))),
			expect: []expectation{says(typedControlPlaneKind, clusterName, typedIdentity), says(typedControlPlaneKind, clusterName, "AzureClusterIdentity")},
		},
		{
			name: "add the credential", act: applyTyped("aks", withSpec(typedControlPlaneKind, privateOnly)), lasts: 15 * time.Second,
			expect: []expectation{
				available, contractKept, holdsToken, kubeconfigWorks, connected, privateName, silent(typedControlPlaneKind, clusterName, "AzureClusterIdentity"),
				inAzure("/managedClusters/my-cluster", "properties.disableLocalAccounts", true), exists(secretKind, clusterName+"-kubeconfig-user"),
			},
		},
		{
			name: "the token ends", lasts: tokenLifetime,
			act: note("kubeconfig", func(w *world) (any, error) {
				secret, err := w.kubeconfig()
				return secret.Data["value"], err
			}),
			expect: []expectation{oldKubeconfigRefused, holdsToken, kubeconfigWorks, connected, available},
			never:  []expectation{tokenEnded},
		},
		{
			name: "what the API server refuses", act: refusedOfTyped,
			expect: []expectation{available, contractKept, replicas(systemPool, 2), replicas(userPool, 2), kubelets(version)},
		},
		downTyped,
	},
}

// privateName expects the API server's private name everywhere.
func privateName(w *world) []string {
	return on(clusterKind, clusterName, func(u *unstructured.Unstructured) []string {
		host, _, _ := unstructured.NestedString(u.Object, "spec", "controlPlaneEndpoint", "host")
		if !strings.Contains(host, ".privatelink.westeurope.azmk8s.io") {
			return []string{fmt.Sprintf("the Cluster's API server is %q", host)}
		}
		return nil
	})(w)
}
