package e2e

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	companyPool = "my-cluster-pool2"
	deniedSize  = "Standard_M128s"
	allowed     = `"Standard_M128s", but the company allows Standard_D2s_v5, Standard_D4s_v5`
	userEntry   = "ManagedClustersAgentPool/" + userPool
)

// companyTags expects the company's tags on every Azure resource of the example that can have tags.
func companyTags(w *world) []string {
	var missing []string
	for _, ending := range []string{"/resourceGroups/my-cluster", "/managedClusters/my-cluster"} {
		missing = append(missing, inAzure(ending, "tags.cost-center", "4711")(w)...)
		missing = append(missing, inAzure(ending, "tags.managed-by", "platform-team")(w)...)
	}
	for _, pool := range []string{"pool0", "pool1"} {
		missing = append(missing, inAzure("/agentPools/"+pool, "properties.tags.cost-center", "4711")(w)...)
	}
	return missing
}

// chosen expects a composite resource to be composed by the company's Composition.
func chosen(gvk schema.GroupVersionKind, name string) expectation {
	plural := strings.ToLower(gvk.Kind) + "s"
	return field(gvk, name, "spec.crossplane.compositionRef.name", "company-"+plural)
}

// chosenByAll expects that of all composite resources of the example.
func chosenByAll(w *world) []string {
	var missing []string
	for _, e := range []expectation{chosen(asoClusterKind, clusterName), chosen(controlPlaneKind, clusterName), chosen(asoPoolKind, systemPool), chosen(asoPoolKind, userPool)} {
		missing = append(missing, e(w)...)
	}
	return missing
}

// chosenInTopology expects the same of all that a topology makes: the objects of pools have names of their own.
func chosenInTopology(w *world) []string {
	missing := append(chosen(asoClusterKind, clusterName)(w), chosen(controlPlaneKind, clusterName)(w)...)
	for _, pool := range []string{"pool0", "pool1"} {
		u, err := w.ofPool(asoPoolKind, pool)
		if err != nil || u == nil {
			missing = append(missing, fmt.Sprintf("pool %s has no AzureASOManagedMachinePool (%v)", pool, err))
			continue
		}
		missing = append(missing, chosen(asoPoolKind, u.GetName())(w)...)
	}
	return missing
}

// answers expects a composite resource to say what the company's policy does not allow.
func answers(gvk schema.GroupVersionKind, name, text string) expectation {
	return on(gvk, name, func(u *unstructured.Unstructured) []string {
		for _, c := range mapsAt(u, "status", "conditions") {
			if c["type"] == "Synced" && c["status"] == "False" && strings.Contains(fmt.Sprint(c["message"]), text) {
				return nil
			}
		}
		return []string{fmt.Sprintf("%s %s is not Synced=False with %q: %v", gvk.Kind, name, text, mapsAt(u, "status", "conditions"))}
	})
}

// synced expects that Crossplane could carry out what a composite resource asks for.
func synced(gvk schema.GroupVersionKind, name string) expectation {
	return on(gvk, name, func(u *unstructured.Unstructured) []string {
		for _, c := range mapsAt(u, "status", "conditions") {
			if c["type"] == "Synced" && c["status"] == "True" {
				return nil
			}
		}
		return []string{fmt.Sprintf("%s %s is not Synced: %v", gvk.Kind, name, mapsAt(u, "status", "conditions"))}
	})
}

// choose has every composite resource select its Composition by label, and gives the second pool a size.
func choose(size string) change {
	return each(func(u *unstructured.Unstructured) error {
		if u.GroupVersionKind().Group != infrastructureGroup {
			return nil
		}
		if u.GetName() == userPool {
			err := editEntry(u, userEntry, func(e map[string]any) error { return setField(e, "spec.vmSize", size) })
			if err != nil {
				return err
			}
		}
		return unstructured.SetNestedMap(u.Object, map[string]any{"compositionSelector": companySelector()}, "spec", "crossplane")
	})
}

func companySelector() map[string]any {
	return map[string]any{"matchLabels": map[string]any{"example.org/composition": "company"}}
}

// addDeniedPool adds a pool of a size that the company does not allow.
func addDeniedPool(w *world) error {
	objects, err := pool(companyPool, 1)
	if err != nil {
		return err
	}
	for _, u := range objects {
		if u.GetKind() != asoPoolKind.Kind {
			continue
		}
		err := editEntry(u, "ManagedClustersAgentPool/"+companyPool, func(e map[string]any) error { return setField(e, "spec.vmSize", deniedSize) })
		if err != nil {
			return err
		}
		if err := unstructured.SetNestedMap(u.Object, map[string]any{"compositionSelector": companySelector()}, "spec", "crossplane"); err != nil {
			return err
		}
	}
	return w.apply(objects...)
}

// companyComposition has a platform team's own Compositions, chosen by name and by label, hold through all that a person does.
var companyComposition = &scenario{
	name: "company-composition", calmOnly: true,
	steps: []step{
		{
			name:   "create with the company's Compositions",
			act:    all(installCompany, applyExample(companyExample+"/cluster")),
			expect: []expectation{available, contractKept, kubeconfigWorks, companyTags, chosenByAll, inAzure("/managedClusters/my-cluster", "tags.team", "shop")},
			lasts:  15 * time.Second,
		},
		{
			name:   "scale",
			act:    scaleTo(userPool, 3),
			expect: []expectation{replicas(userPool, 3), available, companyTags, chosenByAll},
		},
		{
			name:   "upgrade",
			act:    func(w *world) error { return w.set(controlPlaneKind, clusterName, "spec.version", newer) },
			expect: []expectation{field(controlPlaneKind, clusterName, "status.version", newer), available, companyTags, chosenByAll},
		},
		{
			name: "change the tags of the AKS cluster, the company's as well",
			act: func(w *world) error {
				return w.setResource(controlPlaneKind, clusterName, "ManagedCluster/my-cluster", "spec.tags",
					map[string]any{"team": "payments", "cost-center": "0815"})
			},
			expect: []expectation{inAzure("/managedClusters/my-cluster", "tags.team", "payments"), companyTags, available},
			never:  []expectation{neverSent("0815")},
		},
		{
			name: "take a tag off the ASO object by hand",
			act: func(w *world) error {
				return w.edit(managedClusterKind, clusterName, func(u *unstructured.Unstructured) error { return setField(u.Object, "spec.tags.cost-center", nil) })
			},
			expect: []expectation{field(managedClusterKind, clusterName, "spec.tags.cost-center", "4711"), companyTags, available},
		},
		{
			name:   "add a pool of a size that is denied",
			act:    addDeniedPool,
			expect: []expectation{answers(asoPoolKind, companyPool, "ManagedClustersAgentPool "+companyPool+": spec.vmSize is "+allowed), notInAzure("/agentPools/pool2")},
			never:  []expectation{neverSent(deniedSize)},
		},
		{
			name: "ask for that size on a pool that exists",
			act: func(w *world) error {
				return w.setResource(asoPoolKind, userPool, userEntry, "spec.vmSize", deniedSize)
			},
			expect:   []expectation{answers(asoPoolKind, userPool, "ManagedClustersAgentPool "+userPool+": spec.vmSize is "+allowed)},
			never:    []expectation{neverSent(deniedSize)},
			stays:    []expectation{inAzure("/agentPools/pool1", "properties.vmSize", "Standard_D2s_v5"), inAzure("/agentPools/pool1", "properties.count", 3), companyTags},
			staysFor: 3 * time.Second,
		},
		{
			name: "ask for sizes that are allowed",
			act: all(func(w *world) error {
				return w.setResource(asoPoolKind, userPool, userEntry, "spec.vmSize", "Standard_D2s_v5")
			}, func(w *world) error {
				return w.setResource(asoPoolKind, companyPool, "ManagedClustersAgentPool/"+companyPool, "spec.vmSize", "Standard_D4s_v5")
			}),
			expect: []expectation{synced(asoPoolKind, userPool), replicas(companyPool, 1), available, kubeconfigWorks, companyTags,
				inAzure("/agentPools/pool2", "properties.tags.cost-center", "4711")},
		},
		down,
	},
}

// companyRefuses has a new cluster with a size that is denied: no part of AKS goes to Azure until that is fixed.
var companyRefuses = &scenario{
	name: "company-refuses", calmOnly: true,
	steps: []step{
		{
			name: "create with a size that is denied",
			act:  all(installCompany, applyExample("aks-aso", choose(deniedSize))),
			expect: []expectation{
				answers(controlPlaneKind, clusterName, "spec.agentPoolProfiles[1].vmSize is "+allowed),
				inAzure("/resourceGroups/my-cluster", "tags.cost-center", "4711"), notInAzure("/managedClusters/my-cluster"),
			},
			never:    []expectation{neverSent(deniedSize)},
			stays:    []expectation{notInAzure("/managedClusters/my-cluster")},
			staysFor: 3 * time.Second,
		},
		{
			name: "fix it",
			act: func(w *world) error {
				return w.setResource(asoPoolKind, userPool, userEntry, "spec.vmSize", "Standard_D2s_v5")
			},
			expect: []expectation{available, contractKept, kubeconfigWorks, companyTags, chosenByAll},
		},
		down,
	},
}

// chooseInTemplates has every object that a topology makes select its Composition by label.
var chooseInTemplates = each(func(u *unstructured.Unstructured) error {
	if u.GroupVersionKind().Group != infrastructureGroup {
		return nil
	}
	return unstructured.SetNestedMap(u.Object, map[string]any{"compositionSelector": companySelector()}, "spec", "template", "spec", "crossplane")
})

// companyTopology has the templates of a ClusterClass choose the company's Compositions.
var companyTopology = &scenario{
	name: "company-topology", calmOnly: true,
	steps: append([]step{
		{
			name:   "create the ClusterClass and the Cluster",
			act:    all(installCompany, applyTemplatesBut(chooseInTemplates, ourTopology...)),
			expect: []expectation{available, contractKept, kubeconfigWorks, size("pool0", 2), size("pool1", 2), companyTags, chosenInTopology},
			lasts:  20 * time.Second,
		},
		{
			name:   "scale a pool",
			act:    sizePool("pool1", 3),
			expect: []expectation{size("pool1", 3), available, companyTags, chosenInTopology},
		},
	}, downTopology...),
}
