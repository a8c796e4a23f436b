package e2e

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

const (
	coreGroup           = "cluster.x-k8s.io"
	infrastructureGroup = "infrastructure.cluster.x-k8s.io"
	bootstrapGroup      = "bootstrap.cluster.x-k8s.io"
	asoGroups           = ".azure.com"
)

// The kinds that scenarios write and look at.
var (
	clusterKind      = schema.GroupVersionKind{Group: coreGroup, Version: "v1beta2", Kind: "Cluster"}
	poolKind         = schema.GroupVersionKind{Group: coreGroup, Version: "v1beta2", Kind: "MachinePool"}
	asoClusterKind   = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureASOManagedCluster"}
	controlPlaneKind = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureASOManagedControlPlane"}
	asoPoolKind      = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureASOManagedMachinePool"}

	typedClusterKind      = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureManagedCluster"}
	typedControlPlaneKind = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureManagedControlPlane"}
	typedPoolKind         = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureManagedMachinePool"}
	identityKind          = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureClusterIdentity"}

	factsKind = schema.GroupVersionKind{Group: "capz.crossplane.io", Version: "v1alpha1", Kind: "ClusterFacts"}

	classKind             = schema.GroupVersionKind{Group: coreGroup, Version: "v1beta2", Kind: "ClusterClass"}
	bootstrapTemplateKind = schema.GroupVersionKind{Group: bootstrapGroup, Version: "v1beta2", Kind: "KubeadmConfigTemplate"}

	managedClusterKind = schema.GroupVersionKind{Group: "containerservice.azure.com", Version: "v1api20250801", Kind: "ManagedCluster"}
	agentPoolKind      = schema.GroupVersionKind{Group: "containerservice.azure.com", Version: "v1api20250801", Kind: "ManagedClustersAgentPool"}
	resourceGroupKind  = schema.GroupVersionKind{Group: "resources.azure.com", Version: "v1api20200601", Kind: "ResourceGroup"}
	secretKind         = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
)

// templateKinds are those of the kinds that a ClusterClass refers to.
var templateKinds = func() []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	for _, gvk := range slices.Concat(asoFamily.kinds(), typedFamily.kinds(), machineFamily.kinds()) {
		gvk.Kind += "Template"
		all = append(all, gvk)
	}
	return all
}()

// A family is the composite kinds by which a cluster is written.
type family struct {
	cluster, controlPlane, pool schema.GroupVersionKind
	// class is the family's ClusterClass in examples/flavors, and what CAPZ's is called here.
	class string
	// down is the last step of its scenarios.
	down step
}

// The two families: made of ASO resources, and with a field for each thing.
var (
	asoFamily   = &family{asoClusterKind, controlPlaneKind, asoPoolKind, className, down}
	typedFamily = &family{typedClusterKind, typedControlPlaneKind, typedPoolKind, "aks", downTyped}
)

// kinds returns the family's kinds in the order in which they come up.
func (f *family) kinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{f.cluster, f.controlPlane, f.pool}
}

// composing returns the kinds that compose ASO objects in the family's scenarios: virtual machines have pools besides.
func (f *family) composing() []schema.GroupVersionKind {
	if f.pool == azureMachineKind {
		return append(f.kinds(), azurePoolKind)
	}
	return f.kinds()
}

// kinds are the kinds of which nothing may be left of a scenario.
type kinds struct {
	// ours are Cluster API's, those of its kubeadm providers and the composite ones.
	ours []schema.GroupVersionKind
	// aso are the kinds of Azure Service Operator that are installed.
	aso []schema.GroupVersionKind
}

// discoverKinds asks the API server what it serves. The error says when ASO's or our kinds are not there at all.
func discoverKinds(server discovery.DiscoveryInterface) (kinds, error) {
	lists, err := discovery.ServerPreferredNamespacedResources(server)
	if err != nil {
		return kinds{}, err
	}
	var k kinds
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return kinds{}, err
		}
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "list") {
				continue
			}
			switch {
			case strings.HasSuffix(gv.Group, asoGroups):
				k.aso = append(k.aso, gv.WithKind(r.Kind))
			case gv.Group == coreGroup, gv.Group == infrastructureGroup, gv.Group == bootstrapGroup, gv.Group == controlPlaneGroup, gv.Group == platformGroup:
				k.ours = append(k.ours, gv.WithKind(r.Kind))
			}
		}
	}
	if len(k.aso) == 0 || !slices.ContainsFunc(k.ours, func(gvk schema.GroupVersionKind) bool { return gvk.Kind == asoPoolKind.Kind }) {
		return kinds{}, fmt.Errorf("the management cluster serves %d kinds of ASO, and of ours %v", len(k.aso), k.ours)
	}
	return k, nil
}
