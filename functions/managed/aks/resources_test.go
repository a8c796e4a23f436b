package aks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

const namespace = "team"

var must = composertest.Must

var cluster = Cluster{Namespace: namespace, Name: "blue", ServiceCIDRs: []string{"10.10.0.0/16"}, PodCIDRs: []string{"10.20.0.0/16"}}

// controlPlane returns an AzureManagedControlPlane named cp with the spec, in YAML, over the least that one needs.
func controlPlane(t *testing.T, specs ...string) *v1beta1.AzureManagedControlPlane {
	t.Helper()
	cp := &v1beta1.AzureManagedControlPlane{ObjectMeta: metav1.ObjectMeta{Name: "cp", Namespace: namespace}}
	for _, spec := range append([]string{"{version: v1.33.2, location: westus, resourceGroupName: My_Group, subscriptionID: sub}"}, specs...) {
		must(t, yaml.UnmarshalStrict([]byte(spec), &cp.Spec))
	}
	return cp
}

// pool returns an AzureManagedMachinePool with the spec, in YAML, over the least that one needs.
func pool(t *testing.T, name string, specs ...string) *v1beta1.AzureManagedMachinePool {
	t.Helper()
	p := &v1beta1.AzureManagedMachinePool{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}}
	for _, spec := range append([]string{"{mode: System, sku: Standard_D2s_v3}"}, specs...) {
		must(t, yaml.UnmarshalStrict([]byte(spec), &p.Spec))
	}
	return p
}

// at returns the only object that stands for a field of the spec.
func at(t *testing.T, objects []*plan.Resource, path string) *plan.Resource {
	t.Helper()
	for _, o := range objects {
		if o.Source == path {
			return o
		}
	}
	t.Fatalf("no object stands for %s", path)
	return nil
}

// jsonOf returns a field as JSON, so that numbers of any type compare.
func jsonOf(obj *unstructured.Unstructured, path string) string {
	value, found, err := unstructured.NestedFieldNoCopy(obj.Object, strings.Split(path, ".")...)
	if !found || err != nil {
		return ""
	}
	written, _ := json.Marshal(value)
	return string(written)
}

func TestControlPlane(t *testing.T) {
	tests := map[string]struct {
		spec  string
		path  string
		field string
		want  string
	}{
		"resource group":                  {path: "spec.resourceGroupName", field: "spec", want: `{"azureName":"My_Group","location":"westus","tags":{"Name":"My_Group","sigs.k8s.io_cluster-api-provider-azure_cluster_blue":"owned","sigs.k8s.io_cluster-api-provider-azure_role":"common"}}`},
		"user's tags win":                 {spec: "additionalTags: {Name: other}", path: "spec.resourceGroupName", field: "spec.tags.Name", want: `"other"`},
		"group of the network":            {spec: "virtualNetwork: {resourceGroup: Nets}", path: "spec.virtualNetwork.resourceGroup", field: "spec.azureName", want: `"Nets"`},
		"network":                         {path: "spec.virtualNetwork", field: "spec.addressSpace.addressPrefixes", want: `["10.0.0.0/8"]`},
		"network of an overlay":           {spec: "{networkPluginMode: overlay, virtualNetwork: {name: net}}", path: "spec.virtualNetwork", field: "spec.addressSpace.addressPrefixes", want: `["10.224.0.0/12"]`},
		"subnet":                          {spec: "virtualNetwork: {subnet: {serviceEndpoints: [{service: Microsoft.Sql, locations: ['*']}]}}", path: "spec.virtualNetwork.subnet", field: "spec", want: `{"addressPrefix":"10.240.0.0/16","addressPrefixes":["10.240.0.0/16"],"azureName":"cp","owner":{"name":"cp"},"serviceEndpoints":[{"locations":["*"],"service":"Microsoft.Sql"}]}`},
		"DNS prefix":                      {path: "spec", field: "spec.dnsPrefix", want: `"cp"`},
		"node resource group":             {path: "spec", field: "spec.nodeResourceGroup", want: `"MC_My_Group_cp_westus"`},
		"owner":                           {path: "spec", field: "spec.owner", want: `{"name":"my-group"}`},
		"network profile":                 {spec: "{networkPlugin: azure, loadBalancerSKU: Standard}", path: "spec", field: "spec.networkProfile", want: `{"dnsServiceIP":"10.10.0.10","loadBalancerSku":"standard","networkPlugin":"azure","podCidr":"10.20.0.0/16","serviceCidr":"10.10.0.0/16"}`},
		"tier Paid is Standard":           {spec: "sku: {tier: Paid}", path: "spec", field: "spec.sku", want: `{"name":"Base","tier":"Standard"}`},
		"OIDC issuer off":                 {path: "spec", field: "spec.oidcIssuerProfile", want: `{"enabled":false}`},
		"OIDC issuer on":                  {spec: "oidcIssuerProfile: {enabled: true}", path: "spec", field: "spec.operatorSpec.configMaps", want: `{"oidcIssuerProfile":{"key":"oidc-issuer-profile-url","name":"blue-aso-oidc-issuer-profile"}}`},
		"kubeconfig":                      {path: "spec", field: "spec.operatorSpec.secrets", want: `{"adminCredentials":{"key":"value","name":"blue-aso-kubeconfig"}}`},
		"kubeconfig without local users":  {spec: "{disableLocalAccounts: true, aadProfile: {managed: true, adminGroupObjectIDs: [g]}}", path: "spec", field: "spec.operatorSpec.secrets", want: `{"userCredentials":{"key":"value","name":"blue-user-aso-kubeconfig"}}`},
		"SSH key":                         {spec: "sshPublicKey: c3NoLXJzYSBB", path: "spec", field: "spec.linuxProfile", want: `{"adminUsername":"azureuser","ssh":{"publicKeys":[{"keyData":"ssh-rsa A"}]}}`},
		"SSH key not yet generated":       {spec: "sshPublicKey: ''", path: "spec", field: "spec.linuxProfile", want: ``},
		"patches in order":                {spec: `asoManagedClusterPatches: ['{"spec":{"dnsPrefix":"a","supportPlan":"KubernetesOfficial"}}', "spec: {dnsPrefix: b, sku: null}"]`, path: "spec", field: "spec.dnsPrefix", want: `"b"`},
		"patch removes":                   {spec: `asoManagedClusterPatches: ["spec: {sku: null}"]`, path: "spec", field: "spec.sku", want: ``},
		"patch annotates":                 {spec: `asoManagedClusterPatches: ["metadata: {annotations: {a: b}}"]`, path: "spec", field: "metadata", want: `{"annotations":{"a":"b","serviceoperator.azure.com/credential-from":"blue-aso-secret"},"labels":{"cluster.x-k8s.io/cluster-name":"blue"},"name":"cp","namespace":"team"}`},
		"preview":                         {spec: `{enablePreviewFeatures: true, asoManagedClusterPatches: ["spec: {enableNamespaceResources: true}"]}`, path: "spec", field: "apiVersion", want: `"containerservice.azure.com/v20251002preview"`},
		"private endpoint's location":     {spec: "virtualNetwork: {subnet: {privateEndpoints: [{name: PE}]}}", path: "spec.virtualNetwork.subnet.privateEndpoints[0]", field: "spec.location", want: `"westus"`},
		"fleet":                           {spec: "fleetsMember: {managerName: m, managerResourceGroup: g}", path: "spec.fleetsMember", field: "spec", want: `{"azureName":"blue","clusterResourceReference":{"armId":"/subscriptions/sub/resourceGroups/My_Group/providers/Microsoft.ContainerService/managedClusters/cp"},"group":"default","owner":{"armId":"/subscriptions/sub/resourceGroups/g/providers/Microsoft.ContainerService/fleets/m"}}`},
		"extension's scope":               {spec: "extensions: [{name: e, extensionType: t, scope: {scopeType: Namespace, targetNamespace: ns}}]", path: "spec.extensions[0]", field: "spec.scope", want: `{"namespace":{"targetNamespace":"ns"}}`},
		"extension's plan":                {spec: "extensions: [{name: e, extensionType: t, plan: {product: p, promotionCode: c}}]", path: "spec.extensions[0]", field: "spec.plan", want: `{"name":"cp-p","product":"p","promotionCode":"c","publisher":"","version":""}`},
		"extension without subscription":  {spec: "{subscriptionID: '', extensions: [{name: e, extensionType: t}]}", path: "spec.extensions[0]", field: "spec.owner", want: `{"group":"containerservice.azure.com","kind":"ManagedCluster","name":"cp"}`},
		"Key Vault KMS":                   {spec: "securityProfile: {azureKeyVaultKms: {enabled: true, keyID: k, keyVaultResourceID: v}}", path: "spec", field: "spec.securityProfile", want: `{"azureKeyVaultKms":{"enabled":true,"keyId":"k","keyVaultResourceReference":{"armId":"v"}}}`},
		"version without the letter":      {path: "spec", field: "spec.kubernetesVersion", want: `"1.33.2"`},
		"what identifies the object":      {path: "spec", field: "metadata", want: `{"annotations":{"serviceoperator.azure.com/credential-from":"blue-aso-secret"},"labels":{"cluster.x-k8s.io/cluster-name":"blue"},"name":"cp","namespace":"team"}`},
		"private endpoint refers by ID":   {spec: "virtualNetwork: {subnet: {privateEndpoints: [{name: PE}]}}", path: "spec.virtualNetwork.subnet.privateEndpoints[0]", field: "spec.subnet.reference", want: `{"armId":"/subscriptions/sub/resourceGroups/My_Group/providers/Microsoft.Network/virtualNetworks/cp/subnets/cp"}`},
		"private endpoint refers by name": {spec: "{subscriptionID: '', virtualNetwork: {subnet: {privateEndpoints: [{name: PE}]}}}", path: "spec.virtualNetwork.subnet.privateEndpoints[0]", field: "spec.subnet.reference", want: `{"group":"network.azure.com","kind":"VirtualNetworksSubnet","name":"cp-cp"}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			objects := ControlPlane(controlPlane(t, tc.spec), cluster, nil, LiveCluster{})
			o := at(t, objects, tc.path)
			if o.Err != nil {
				t.Fatal(o.Err.Message)
			}
			if diff := cmp.Diff(tc.want, jsonOf(o.Object, tc.field)); diff != "" {
				t.Errorf("%s of %s (-want +got):\n%s", tc.field, tc.path, diff)
			}
		})
	}
}

func TestControlPlaneProblems(t *testing.T) {
	tests := map[string]struct {
		spec    string
		cluster Cluster
		path    string
		want    string
	}{
		"DNS service without range":      {spec: "dnsServiceIP: 10.0.0.10", path: "spec", want: `spec.dnsServiceIP is "10.0.0.10", but must be absent or within spec.clusterNetwork.services.cidrBlocks of Cluster "", which is empty`},
		"two ranges":                     {cluster: Cluster{PodCIDRs: []string{"a", "b"}}, path: "spec", want: `spec.clusterNetwork.pods.cidrBlocks has 2 entries, but must have one at most`},
		"range is none":                  {cluster: Cluster{ServiceCIDRs: []string{"ten"}}, path: "spec", want: `spec.clusterNetwork.services.cidrBlocks[0] is "ten", but must be an address range`},
		"SSH key is none":                {spec: "sshPublicKey: '%'", path: "spec", want: `spec.sshPublicKey is "%", but must be a public key in base64`},
		"identity missing":               {spec: "identity: {type: UserAssigned}", path: "spec", want: `spec.identity.userAssignedIdentityResourceID is empty, but must be set`},
		"second patch has unknown field": {spec: `asoManagedClusterPatches: ["spec: {dnsPrefix: b}", "spec: {dnsPreffix: b}"]`, path: "spec", want: `spec.asoManagedClusterPatches[1] cannot be applied: spec.dnsPreffix must be absent: ManagedCluster of containerservice.azure.com/v1api20250801 has no such field; did you mean dnsPrefix?`},
		"patch has a wrong type":         {spec: `asoManagedClusterPatches: ["spec: {dnsPrefix: [b]}"]`, path: "spec", want: `spec.asoManagedClusterPatches[0] cannot be applied: spec.dnsPrefix is ["b"], but must be a string`},
		"patch is no YAML":               {spec: `asoManagedClusterPatches: ["{"]`, path: "spec", want: `spec.asoManagedClusterPatches[0] cannot be applied`},
		"patch is no object":             {spec: `asoManagedClusterPatches: ["[1]"]`, path: "spec", want: `it must be an object with the fields to set or, by null, to remove`},
		"patch changes the kind":         {spec: `asoManagedClusterPatches: ["kind: Other"]`, path: "spec", want: `apiVersion and kind must stay`},
		"patch renames":                  {spec: `asoManagedClusterPatches: ["metadata: {name: x}"]`, path: "spec", want: `spec.asoManagedClusterPatches[0] cannot be applied: it makes metadata.name "x", but that must stay "cp"`},
		"patch takes other credentials":  {spec: `asoManagedClusterPatches: ["metadata: {annotations: {serviceoperator.azure.com/credential-from: other}}"]`, path: "spec", want: `it makes metadata.annotations.serviceoperator.azure.com/credential-from "other", but that must stay "-aso-secret"`},
		"patch moves":                    {cluster: Cluster{Namespace: "team"}, spec: `asoManagedClusterPatches: ["metadata: {namespace: x}"]`, path: "spec", want: `it makes metadata.namespace "x", but that must stay "team"`},
		"patch takes another resource":   {spec: `asoManagedClusterPatches: ["spec: {azureName: x}"]`, path: "spec", want: `it makes spec.azureName "x", but that must stay "cp"`},
		"patch takes no resource":        {spec: `asoManagedClusterPatches: ["spec: {azureName: null}"]`, path: "spec", want: `it makes spec.azureName null, but that must stay "cp"`},
		"patch takes another group":      {spec: `asoManagedClusterPatches: ["spec: {owner: {name: null, armId: /subscriptions/s/resourceGroups/g}}"]`, path: "spec", want: `it makes spec.owner {"armId":"/subscriptions/s/resourceGroups/g"}, but that must stay {"name":"my-group"}`},
		"patch sets an owner":            {spec: `asoManagedClusterPatches: ["metadata: {ownerReferences: [{name: x}]}"]`, path: "spec", want: `metadata.ownerReferences is [`},
		"patch sets a finalizer":         {spec: `asoManagedClusterPatches: ["metadata: {finalizers: [a/b]}"]`, path: "spec", want: `metadata.finalizers is ["a/b"], but must be absent`},
		"patch claims the resource":      {spec: `asoManagedClusterPatches: ["metadata: {annotations: {infrastructure.cluster.x-k8s.io/ownership: owned}}"]`, path: "spec", want: `metadata.annotations[infrastructure.cluster.x-k8s.io/ownership] is "owned", but must be absent because it records whose the resource is`},
		"patch sends ASO elsewhere":      {spec: `asoManagedClusterPatches: ["metadata: {annotations: {serviceoperator.azure.com/poller-resume-token: '{}'}}"]`, path: "spec", want: `must be absent because Azure Service Operator writes it`},
		"patch makes a credential":       {spec: `asoManagedClusterPatches: ["spec: {operatorSpec: {secretExpressions: [{name: aso-credential, key: AUTH_MODE, value: self.metadata.name}]}}"]`, path: "spec", want: `spec.operatorSpec.secretExpressions[0].name is "aso-credential", but must be another`},
		"patch of a wrong type": {spec: `asoManagedClusterPatches: ["spec: {diskEncryptionSetReference: /subscriptions/x}"]`, path: "spec",
			want: `cannot be applied: spec.diskEncryptionSetReference is "/subscriptions/x", but must be an object such as {armId: /subscriptions/...} or, for an object in Kubernetes, {group: ..., kind: ..., name: ...}`},
		"patch of an item of a wrong type": {spec: `asoManagedClusterPatches: ["spec: {agentPoolProfiles: [{count: many}]}"]`, path: "spec",
			want: `spec.agentPoolProfiles[0].count is "many", but must be a whole number`},
		"patch with a secret for a reference": {spec: `asoManagedClusterPatches: ["spec: {windowsProfile: {adminPassword: hunter2}}"]`, path: "spec",
			want: `spec.windowsProfile.adminPassword is a string, but must be an object such as {name: ..., key: ...} that names a Secret and a key of it`},
		"patch with a list for a key":   {spec: `asoManagedClusterPatches: ["? [a]\n: c"]`, path: "spec", want: `the name of a field in it is no text`},
		"patch with a map for a key":    {spec: `asoManagedClusterPatches: ["{a: b}: c"]`, path: "spec", want: `it must be an object with the fields to set`},
		"preview field without preview": {spec: `asoManagedClusterPatches: ["spec: {enableNamespaceResources: true}"]`, path: "spec", want: `spec.enableNamespaceResources must be absent: ManagedCluster of containerservice.azure.com/v1api20250801 has no such field`},
		"names collide":                 {spec: "extensions: [{name: a_b}, {name: a-b}]", path: "spec.extensions[1]", want: `spec.extensions[1]: Extension "a-b" is defined by spec.extensions[0] already`},
		"name without letters":          {spec: "resourceGroupName: ___", path: "spec.resourceGroupName", want: `must have a letter or a digit`},
		"fleet without subscription":    {spec: "{subscriptionID: '', fleetsMember: {managerName: m, managerResourceGroup: g}}", path: "spec.fleetsMember", want: `spec.subscriptionID is empty, but must be set`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := at(t, ControlPlane(controlPlane(t, tc.spec), tc.cluster, nil, LiveCluster{}), tc.path)
			if o.Err == nil || !strings.Contains(o.Err.Message, tc.want) {
				t.Errorf("want a problem with %q, got %+v", tc.want, o.Err)
			}
		})
	}
}
