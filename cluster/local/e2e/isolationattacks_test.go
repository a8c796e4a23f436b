package e2e

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The accounts of team-b. Both may edit what an application team edits in its namespace: Cluster API's and CAPZ's kinds and
// claims. The owner may edit Secrets, ConfigMaps and ASO objects there as well.
const (
	teamEditor = "editor"
	teamOwner  = "owner"
)

// An attack is a manifest by which team-b would reach what is team-a's, and the answer that it gets.
type attack struct {
	// name is that of the objects, too, where there are several.
	name string
	by   string
	// manifest is in YAML with the words of words in it.
	manifest string
	// refused is what the API server says; empty when it takes the manifest.
	refused string
	// answered is where else the answer is. What it says has words in it, too.
	answered func(say func(string) string, name string) expectation
}

// words are what a manifest has in place of names and IDs.
func (i *isolation) words(name string) *strings.Replacer {
	return strings.NewReplacer("NAME", name, "TEAM_A", i.a.namespace, "TEAM_B", i.b.namespace, "SUBSCRIPTION_A", i.a.subscription,
		"SUBSCRIPTION_B", i.b.subscription, "TENANT_A", i.a.tenant(), "TENANT_B", i.b.tenant(), "CLIENT_A", i.a.application(), "CLIENT_B", i.b.application(),
		"XR_OF_A", i.xrOfA)
}

// aCluster is a Cluster of the given kinds, to be continued with the objects that it refers to.
func aCluster(infrastructure, controlPlane schema.GroupVersionKind) string {
	return fmt.Sprintf(`
{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: NAME}, spec: {
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: %s, name: NAME},
  controlPlaneRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: %s, name: NAME}}}
---
`, infrastructure.Kind, controlPlane.Kind)
}

// typedWith is a cluster of the typed kinds, with these fields of the control plane's metadata and spec.
func typedWith(metadata, spec string) string {
	return aCluster(typedClusterKind, typedControlPlaneKind) + fmt.Sprintf(`
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedCluster, metadata: {name: NAME}, spec: {}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane, metadata: {name: NAME, %s}, spec: {
  version: v1.33.6, location: westeurope, resourceGroupName: NAME, networkPlugin: azure, %s}}
`, metadata, spec)
}

// inlineWith is a cluster of ASO resources, with a resource beside its resource group, and these fields of the control plane and of
// its ManagedCluster.
func inlineWith(resource, controlPlane, managedCluster string) string {
	return aCluster(asoClusterKind, controlPlaneKind) + fmt.Sprintf(`
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedCluster, metadata: {name: NAME}, spec: {resources: [
  {apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: NAME}, spec: {location: westeurope}}, %s]}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedControlPlane, metadata: {name: NAME}, spec: {version: v1.33.6, %s resources: [
  {apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: NAME}, spec: {
    location: westeurope, owner: {name: NAME}, dnsPrefix: NAME, identity: {type: SystemAssigned}, %s}}]}}
`, resource, controlPlane, managedCluster)
}

// inlineResource is a resource group with these fields of its metadata.
func inlineResource(metadata string) string {
	return inlineWith("{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: NAME-other, "+metadata+"}, spec: {location: westeurope}}", "", "")
}

const onePoolOfIt = `
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, metadata: {name: NAME}, spec: {clusterName: NAME, replicas: 1, template: {spec: {
  clusterName: NAME, bootstrap: {dataSecretName: ""}, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedMachinePool, name: NAME}}}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedMachinePool, metadata: {name: NAME}, spec: {resources: [
  {apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedClustersAgentPool, metadata: {name: NAME}, spec: {
    azureName: pool0, owner: {name: NAME}, mode: System, type: VirtualMachineScaleSets, vmSize: Standard_D2s_v5}}]}}
`

func identity(name, spec string) string {
	return fmt.Sprintf("{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, metadata: {name: %s}, spec: {%s}}", name, spec)
}

// saysOf and warnedOf say where an answer is: in a condition of the object that has the attack's name, or in a Warning about it.
func saysOf(gvk schema.GroupVersionKind, text string) func(func(string) string, string) expectation {
	return func(say func(string) string, name string) expectation { return says(gvk, name, say(text)) }
}

func warnedOf(gvk schema.GroupVersionKind, text string) func(func(string) string, string) expectation {
	return func(say func(string) string, name string) expectation { return warned(gvk, name, say(text)) }
}

const (
	ownIdentity = "identityRef: {kind: AzureClusterIdentity, name: my-identity}"
	notInList   = "spec.allowedNamespaces of AzureClusterIdentity TEAM_A/my-identity"
	idInA       = "/subscriptions/SUBSCRIPTION_A/resourceGroups/my-cluster"
	otherTenant = "The access token is from the wrong issuer"
)

// attacks are all that team-b tries at once.
var attacks = []attack{
	{name: "identity", by: teamEditor, answered: saysOf(typedControlPlaneKind, notInList),
		manifest: typedWith("", "subscriptionID: SUBSCRIPTION_A, identityRef: {kind: AzureClusterIdentity, name: my-identity, namespace: TEAM_A}")},
	{name: "identity-annotated", by: teamEditor, answered: warnedOf(typedControlPlaneKind, notInList),
		manifest: typedWith("annotations: {infrastructure.cluster.x-k8s.io/credential-secret: my-cluster-aso-secret}",
			"subscriptionID: SUBSCRIPTION_A, identityRef: {kind: AzureClusterIdentity, name: my-identity, namespace: TEAM_A}")},
	{name: "identity-inline", by: teamEditor, answered: warnedOf(controlPlaneKind, notInList),
		manifest: inlineWith("", "subscriptionID: SUBSCRIPTION_A, identityRef: {kind: AzureClusterIdentity, name: my-identity, namespace: TEAM_A},", "")},
	{name: "identity-secret", by: teamEditor, refused: "has no right to get secrets/my-identity in namespace TEAM_A",
		manifest: identity("NAME", "type: ServicePrincipal, tenantID: TENANT_A, clientID: CLIENT_A, clientSecret: {name: my-identity, namespace: TEAM_A}, allowedNamespaces: {}")},
	{name: "identity-of-aso", by: teamOwner, refused: "signs in with the identity of Azure Service Operator itself",
		manifest: identity("NAME", "type: WorkloadIdentity, tenantID: TENANT_A, clientID: CLIENT_A, allowedNamespaces: {}")},
	{name: "subscription", by: teamEditor, answered: saysOf(typedControlPlaneKind, otherTenant), manifest: typedWith("", "subscriptionID: SUBSCRIPTION_A, "+ownIdentity)},
	{name: "patch", by: teamEditor, answered: saysOf(typedControlPlaneKind, "it makes spec.owner"),
		manifest: typedWith("", "subscriptionID: SUBSCRIPTION_B, "+ownIdentity+`, asoManagedClusterPatches: ["spec: {owner: {name: null, armId: '`+idInA+`'}}"]`)},
	{name: "patch-name", by: teamEditor, answered: saysOf(typedControlPlaneKind, "it makes spec.azureName"),
		manifest: typedWith("", "subscriptionID: SUBSCRIPTION_B, "+ownIdentity+`, asoManagedClusterPatches: ["spec: {azureName: my-cluster}"]`)},

	{name: "namespace", by: teamEditor, answered: saysOf(asoClusterKind, `metadata.namespace is "TEAM_A", but must be "TEAM_B" or absent`), manifest: inlineResource("namespace: TEAM_A")},
	{name: "credential-from", by: teamEditor, answered: saysOf(asoClusterKind, "must be the name of a Secret in the same namespace"),
		manifest: inlineResource("annotations: {serviceoperator.azure.com/credential-from: TEAM_A/my-cluster-aso-secret}")},
	{name: "operator", by: teamEditor, answered: saysOf(asoClusterKind, "operator-namespace] is"), manifest: inlineResource("annotations: {serviceoperator.azure.com/operator-namespace: TEAM_A}")},
	{name: "operation", by: teamEditor, answered: saysOf(asoClusterKind, "poller-resume-id] is"),
		manifest: inlineResource("annotations: {serviceoperator.azure.com/poller-resume-token: '{}', serviceoperator.azure.com/poller-resume-id: GenericCreateOrUpdate}")},
	{name: "resource-id", by: teamEditor, answered: saysOf(asoClusterKind, "resource-id] is"), manifest: inlineResource("annotations: {serviceoperator.azure.com/resource-id: " + idInA + "}")},
	{name: "owner", by: teamEditor, answered: saysOf(asoClusterKind, "metadata.finalizers is"),
		manifest: inlineResource("ownerReferences: [{apiVersion: v1, kind: Namespace, name: TEAM_A, uid: x, blockOwnerDeletion: true}], finalizers: [example.org/never]")},
	{name: "secret", by: teamEditor, answered: saysOf(asoClusterKind, `apiVersion is "v1"`), manifest: inlineWith("{apiVersion: v1, kind: Secret, metadata: {name: my-cluster-aso-secret}}", "", "")},
	{name: "credential-made", by: teamEditor, answered: saysOf(asoClusterKind, "a Secret of that name is a credential for Azure"),
		manifest: inlineWith("{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: NAME-other}, spec: {location: westeurope, operatorSpec: {"+
			"secretExpressions: [{name: other-aso-secret, key: AZURE_CLIENT_ID, value: '\"CLIENT_A\"'}]}}}", "", "")},
	{name: "arm-id", by: teamEditor, answered: saysOf(asoClusterKind, `SubscriptionID "SUBSCRIPTION_A" for`),
		manifest: inlineWith("{apiVersion: network.azure.com/v20250301, kind: VirtualNetwork, metadata: {name: NAME}, spec: {azureName: my-cluster, location: westeurope, "+
			"owner: {armId: '"+idInA+"'}, addressSpace: {addressPrefixes: [10.0.0.0/8]}}}", "", "")},
	{name: "destination", by: teamEditor, answered: warnedOf(controlPlaneKind, "Secret hostage has no owner reference to ManagedCluster NAME"),
		manifest: inlineWith("", "", "operatorSpec: {secrets: {adminCredentials: {name: hostage, key: password}}}") + onePoolOfIt},

	{name: "claim", by: teamEditor, answered: saysOf(teamClaimKind, "bound"),
		manifest: `{apiVersion: platform.capz.crossplane.io/v1alpha1, kind: AKSClusterClaim, metadata: {name: NAME}, spec: {location: westeurope, version: v1.33.6,
  resourceRef: {apiVersion: platform.capz.crossplane.io/v1alpha1, kind: XAKSCluster, name: XR_OF_A}, writeConnectionSecretToRef: {name: NAME-connection}}}`},
	{name: "elsewhere", by: teamOwner, refused: "forbidden", manifest: "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedCluster, metadata: {name: NAME, namespace: TEAM_A}, spec: {}}"},
	{name: "cluster-scoped", by: teamOwner, refused: "forbidden",
		manifest: "{apiVersion: platform.capz.crossplane.io/v1alpha1, kind: XAKSCluster, metadata: {name: NAME}, spec: {claimRef: {apiVersion: platform.capz.crossplane.io/v1alpha1, kind: AKSClusterClaim, namespace: TEAM_A, name: NAME}}}"},
	// ASO alone: Entra and Azure answer.
	{name: "guess", by: teamOwner, answered: saysOf(resourceGroupKind, "AADSTS7000215"),
		manifest: `{apiVersion: v1, kind: Secret, metadata: {name: NAME}, stringData: {AZURE_SUBSCRIPTION_ID: SUBSCRIPTION_A, AZURE_TENANT_ID: TENANT_A, AZURE_CLIENT_ID: CLIENT_A, AZURE_CLIENT_SECRET: guessed}}
---
{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: NAME, annotations: {serviceoperator.azure.com/credential-from: NAME}}, spec: {azureName: my-cluster, location: westeurope}}`},
	{name: "name-in-azure", by: teamOwner, answered: saysOf(resourceGroupKind, otherTenant),
		manifest: `{apiVersion: v1, kind: Secret, metadata: {name: NAME}, stringData: {AZURE_SUBSCRIPTION_ID: SUBSCRIPTION_A, AZURE_TENANT_ID: TENANT_B, AZURE_CLIENT_ID: CLIENT_B, AZURE_CLIENT_SECRET: 'SECRET_B'}}
---
{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: NAME, annotations: {serviceoperator.azure.com/credential-from: NAME}}, spec: {azureName: my-cluster, location: westeurope}}`},
}
