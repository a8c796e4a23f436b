package adopt

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const (
	subscription = "/subscriptions/00000000-0000-0000-0000-000000000001"
	group        = subscription + "/resourceGroups/My_Group"
	managed      = group + "/providers/Microsoft.ContainerService/managedClusters/My_Cluster"
	vnet         = group + "/providers/Microsoft.Network/virtualNetworks/vnet"
	identity     = group + "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/id"
	fleet        = group + "/providers/Microsoft.ContainerService/fleets/fleet"
)

// clusterBody is an AKS cluster as Azure answers with it: with what only Azure says, enumerations in other letters, and references.
const clusterBody = `{
  "id": "` + managed + `", "name": "My_Cluster", "type": "Microsoft.ContainerService/ManagedClusters", "location": "westeurope", "eTag": "1",
  "tags": {"team": "blue"}, "sku": {"name": "Base", "tier": "Free"},
  "identity": {"type": "UserAssigned", "userAssignedIdentities": {"` + identity + `": {"clientId": "c", "principalId": "p"}}},
  "properties": {
    "provisioningState": "Succeeded", "powerState": {"code": "Running"}, "kubernetesVersion": "1.33.6", "currentKubernetesVersion": "1.33.6",
    "dnsPrefix": "mine", "fqdn": "mine-1.hcp.westeurope.azmk8s.io", "nodeResourceGroup": "MC_x", "enableRBAC": true, "disableLocalAccounts": false,
    "agentPoolProfiles": [{"name": "pool0", "count": 2}], "maxAgentPools": 100, "supportPlan": "KubernetesOfficial",
    "windowsProfile": {"adminUsername": "azureuser", "enableCSIProxy": true}, "servicePrincipalProfile": {"clientId": "msi"},
    "identityProfile": {"kubeletidentity": {"resourceId": "` + identity + `", "clientId": "c", "objectId": "o"}},
    "networkProfile": {"networkPlugin": "azure", "networkPluginMode": "overlay", "loadBalancerSku": "Standard", "podCidr": "10.244.0.0/16", "podCidrs": ["10.244.0.0/16"],
      "serviceCidr": "10.0.0.0/16", "serviceCidrs": ["10.0.0.0/16"], "dnsServiceIP": "10.0.0.10", "outboundType": "loadBalancer", "ipFamilies": ["IPv4"],
      "loadBalancerProfile": {"managedOutboundIPs": {"count": 1}, "effectiveOutboundIPs": [{"id": "` + group + `/providers/Microsoft.Network/publicIPAddresses/ip"}], "backendPoolType": "nodeIPConfiguration"}},
    "apiServerAccessProfile": {"enablePrivateCluster": false, "subnetId": "` + vnet + `/subnets/api"},
    "addonProfiles": {"azurepolicy": {"enabled": true, "config": null, "identity": {"clientId": "c"}}},
    "securityProfile": {"azureKeyVaultKms": {"enabled": true, "keyId": "https://k", "keyVaultResourceId": "` + group + `/providers/Microsoft.KeyVault/vaults/v"}},
    "autoScalerProfile": {"max-graceful-termination-sec": "600"}, "oidcIssuerProfile": {"enabled": true, "issuerURL": "https://i"}
  }}`

const poolBody = `{
  "id": "` + managed + `/agentPools/pool0", "name": "pool0", "type": "Microsoft.ContainerService/managedClusters/agentPools",
  "properties": {"count": 2, "vmSize": "Standard_D2s_v5", "mode": "System", "osType": "Linux", "osSKU": "ubuntu", "type": "VirtualMachineScaleSets", "maxPods": 250,
    "orchestratorVersion": "1.33.6", "currentOrchestratorVersion": "1.33.6", "nodeImageVersion": "AKSUbuntu", "provisioningState": "Succeeded",
    "availabilityZones": ["1", "2"], "enableAutoScaling": false, "enableFIPS": false, "nodeTaints": ["a=b:NoSchedule"], "nodeLabels": {"x": "y"},
    "vnetSubnetID": "` + vnet + `/subnets/nodes", "podSubnetID": "` + vnet + `/subnets/pods",
    "networkProfile": {"applicationSecurityGroups": ["` + group + `/providers/Microsoft.Network/applicationSecurityGroups/a"]},
    "upgradeSettings": {"maxSurge": "10%"}, "kubeletConfig": {"cpuManagerPolicy": "static", "failSwapOn": false}}}`

// withProperties returns a body with properties in place of those that it has, or beside them.
func withProperties(t *testing.T, body string, properties map[string]any) Resource {
	t.Helper()
	content := map[string]any{}
	if err := json.Unmarshal([]byte(body), &content); err != nil {
		t.Fatal(err)
	}
	for name, value := range properties {
		content["properties"].(map[string]any)[name] = value //nolint:forcetypeassert // It is a test's.
		if value == nil {
			delete(content["properties"].(map[string]any), name) //nolint:forcetypeassert // It is a test's.
		}
	}
	raw, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return Resource{ID: content["id"].(string), Body: raw} //nolint:forcetypeassert // It is a test's.
}

func azureHas(t *testing.T) AKSCluster {
	t.Helper()
	return AKSCluster{ManagedCluster: withProperties(t, clusterBody, nil), AgentPools: []Resource{withProperties(t, poolBody, nil)}}
}

// at returns what stands at a path of an object, such as spec.resources.0.spec.location.
func at(o *unstructured.Unstructured, path string) any {
	var value any = o.Object
	for _, name := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			index := int(name[0] - '0')
			if index >= len(v) {
				return nil
			}
			value = v[index]
		default:
			return nil
		}
	}
	return value
}

func object(t *testing.T, m *Manifests, kind string) *unstructured.Unstructured {
	t.Helper()
	i := slices.IndexFunc(m.Objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == kind })
	if i < 0 {
		t.Fatalf("there is no %s", kind)
	}
	return m.Objects[i]
}

func TestMake(t *testing.T) {
	extension := func(properties string) Child {
		id := managed + "/providers/Microsoft.KubernetesConfiguration/extensions/flux"
		return Child{Kind: Extension, Resource: Resource{ID: id, Body: []byte(`{"id":"` + id + `","name":"flux","properties":` + properties + `}`)}}
	}
	type says struct {
		kind, path string
		want       any
	}
	const mc, pool = "AzureASOManagedControlPlane", "AzureASOManagedMachinePool"
	cases := map[string]struct {
		change  func(t *testing.T, a *AKSCluster)
		options Options
		want    []says
		losses  []string
		err     string
	}{
		"all that Azure has is said": {
			want: []says{
				{"Cluster", "metadata.name", "my-cluster"},
				{"Cluster", "spec.clusterNetwork.pods.cidrBlocks.0", "10.244.0.0/16"},
				{mc, "spec.version", "v1.33.6"},
				{mc, "spec.resources.0.metadata.name", "my-cluster"},
				{mc, "spec.resources.0.spec.azureName", "My_Cluster"},
				{mc, "spec.resources.0.spec.owner.armId", group},
				{mc, "spec.resources.0.spec.kubernetesVersion", nil},
				{mc, "spec.resources.0.spec.agentPoolProfiles", nil},
				{mc, "spec.resources.0.spec.networkProfile.loadBalancerSku", "standard"},
				{mc, "spec.resources.0.spec.identity.userAssignedIdentities.0.reference.armId", identity},
				{mc, "spec.resources.0.spec.identityProfile.kubeletidentity.resourceReference.armId", identity},
				{mc, "spec.resources.0.spec.apiServerAccessProfile.subnetReference.armId", vnet + "/subnets/api"},
				{mc, "spec.resources.0.spec.securityProfile.azureKeyVaultKms.keyVaultResourceReference.armId", group + "/providers/Microsoft.KeyVault/vaults/v"},
				{"MachinePool", "spec.replicas", int64(2)},
				{"MachinePool", "spec.template.spec.version", "v1.33.6"},
				{pool, "metadata.name", "my-cluster-pool0"},
				{pool, "spec.resources.0.spec.osSKU", "Ubuntu"},
				{pool, "spec.resources.0.spec.owner.name", "my-cluster"},
				{pool, "spec.resources.0.spec.vnetSubnetReference.armId", vnet + "/subnets/nodes"},
				{pool, "spec.resources.0.spec.podSubnetReference.armId", vnet + "/subnets/pods"},
				{pool, "spec.resources.0.spec.networkProfile.applicationSecurityGroupsReferences.0.armId", group + "/providers/Microsoft.Network/applicationSecurityGroups/a"},
				{pool, "spec.resources.0.metadata.annotations", nil},
			},
		},
		"names can be chosen": {
			options: Options{Name: "c", PoolNames: map[string]string{"pool0": "workers"}, Namespace: "ns", CredentialFrom: "secret"},
			want: []says{
				{"Cluster", "metadata.name", "c"}, {"Cluster", "metadata.namespace", "ns"}, {"MachinePool", "metadata.name", "workers"},
				{mc, "spec.resources.0.metadata.annotations", map[string]any{"serviceoperator.azure.com/credential-from": "secret"}},
				{pool, "spec.resources.0.metadata.annotations", map[string]any{"serviceoperator.azure.com/credential-from": "secret"}},
			},
		},
		"an identity of CAPZ is referred to": {
			options: Options{Identity: "id"},
			want:    []says{{mc, "spec.identityRef.name", "id"}, {mc, "spec.subscriptionID", "00000000-0000-0000-0000-000000000001"}},
		},
		"only read": {
			options: Options{Observe: true},
			want:    []says{{mc, "spec.resources.0.metadata.annotations", map[string]any{"serviceoperator.azure.com/reconcile-policy": "skip"}}},
		},
		"a minor version stays AKS's to complete": {
			change: func(t *testing.T, a *AKSCluster) {
				a.ManagedCluster = withProperties(t, clusterBody, map[string]any{"kubernetesVersion": "1.33"})
			},
			want: []says{{mc, "spec.version", "v1.33"}},
		},
		"AKS scales a pool": {
			change: func(t *testing.T, a *AKSCluster) {
				a.AgentPools[0] = withProperties(t, poolBody, map[string]any{"enableAutoScaling": true, "minCount": 1, "maxCount": 3})
			},
			want: []says{
				{"MachinePool", "metadata.annotations", map[string]any{"cluster.x-k8s.io/replicas-managed-by": "aks"}},
				{pool, "spec.resources.0.spec.maxCount", int64(3)}, {pool, "spec.resources.0.spec.count", nil},
			},
		},
		"a pool has no single number of nodes": {
			change: func(t *testing.T, a *AKSCluster) {
				a.AgentPools[0] = withProperties(t, poolBody, map[string]any{"count": nil, "type": "VirtualMachines"})
			},
			want: []says{
				{"MachinePool", "metadata.annotations", map[string]any{"cluster.x-k8s.io/replicas-managed-by": "virtualMachinesProfile"}}, {"MachinePool", "spec.replicas", nil},
			},
		},
		"the resource group is brought in": {
			change: func(_ *testing.T, a *AKSCluster) {
				a.Group = Resource{ID: group, Body: []byte(`{"id":"` + group + `","name":"My_Group","location":"westeurope","tags":{"a":"b"},"properties":{"provisioningState":"Succeeded"}}`)}
			},
			want: []says{
				{"AzureASOManagedCluster", "spec.resources.0.spec.tags.a", "b"}, {"AzureASOManagedCluster", "spec.resources.0.metadata.name", "my-group"},
				{mc, "spec.resources.0.spec.owner", map[string]any{"name": "my-group"}},
			},
		},
		"the network is only read": {
			change: func(_ *testing.T, a *AKSCluster) {
				a.Networks = []Network{{
					Resource: Resource{ID: vnet, Body: []byte(`{"id":"` + vnet + `","location":"westeurope","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/8"]},"subnets":[{"name":"nodes"}]}}`)},
					Subnets: []Resource{{ID: vnet + "/subnets/nodes", Body: []byte(`{"id":"` + vnet + `/subnets/nodes","properties":{"addressPrefix":"10.1.0.0/16","routeTable":{"id":"` +
						group + `/providers/Microsoft.Network/routeTables/rt"}}}`)}},
				}}
			},
			want: []says{
				{"AzureASOManagedCluster", "spec.resources.0.metadata.annotations", map[string]any{"serviceoperator.azure.com/reconcile-policy": "skip"}},
				{"AzureASOManagedCluster", "spec.resources.1.spec.routeTable.reference.armId", group + "/providers/Microsoft.Network/routeTables/rt"},
				{"AzureASOManagedCluster", "spec.resources.1.spec.owner.name", "my-cluster-vnet"},
			},
		},
		"an extension": {
			change: func(_ *testing.T, a *AKSCluster) {
				a.Children = []Child{extension(`{"extensionType":"microsoft.flux","autoUpgradeMinorVersion":true,"scope":{"cluster":{"releaseNamespace":"flux"}},"configurationSettings":{"a":"b"}}`)}
			},
			want: []says{
				{mc, "spec.resources.1.spec.owner", map[string]any{"group": "containerservice.azure.com", "kind": "ManagedCluster", "name": "my-cluster"}},
				{mc, "spec.resources.1.spec.configurationSettings.a", "b"}, {mc, "spec.resources.1.metadata.annotations", nil},
			},
		},
		"an extension with secrets is not sent without them": {
			change: func(_ *testing.T, a *AKSCluster) {
				a.Children = []Child{extension(`{"extensionType":"microsoft.flux","configurationProtectedSettings":{"password":"***"}}`)}
			},
			want:   []says{{mc, "spec.resources.1.metadata.annotations", map[string]any{"serviceoperator.azure.com/reconcile-policy": "skip"}}},
			losses: []string{"properties.configurationProtectedSettings", ""},
		},
		"a membership in a fleet": {
			change: func(_ *testing.T, a *AKSCluster) {
				a.Children = []Child{{Kind: FleetsMember, Resource: Resource{ID: fleet + "/members/m", Body: []byte(`{"id":"` + fleet + `/members/m","properties":{"clusterResourceId":"` + managed + `","group":"g"}}`)}}}
			},
			want: []says{
				{mc, "spec.resources.1.spec.owner.armId", fleet}, {mc, "spec.resources.1.spec.clusterResourceReference.armId", managed}, {mc, "spec.resources.1.spec.group", "g"},
			},
		},
		"a field that ASO does not know": {
			change: func(t *testing.T, a *AKSCluster) {
				a.ManagedCluster = withProperties(t, clusterBody, map[string]any{"newProfile": map[string]any{"enabled": true}})
			},
			losses: []string{"properties.newProfile"},
		},
		"a body of another shape":     {change: func(_ *testing.T, a *AKSCluster) { a.ManagedCluster.Body = []byte(`{"properties": 3}`) }, err: managed + ": Azure's answer cannot be read as ManagedCluster"},
		"no ID":                       {change: func(_ *testing.T, a *AKSCluster) { a.ManagedCluster.ID = "x" }, err: `"x" is not the ID of an AKS cluster`},
		"two credentials":             {options: Options{Identity: "a", CredentialFrom: "b"}, err: "not of both"},
		"a name for no pool":          {options: Options{PoolNames: map[string]string{"nope": "a"}}, err: `pool "nope" is to be called "a"`},
		"a pool that is not a number": {change: func(_ *testing.T, a *AKSCluster) { a.AgentPools[0].Body = []byte(`{"properties":{"count":"two"}}`) }, err: "cannot be read as ManagedClustersAgentPool"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			azure := azureHas(t)
			if c.change != nil {
				c.change(t, &azure)
			}
			got, err := Make(azure, c.options)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range c.want {
				if diff := cmp.Diff(s.want, at(object(t, got, s.kind), s.path)); diff != "" {
					t.Errorf("%s %s: %s", s.kind, s.path, diff)
				}
			}
			var fields []string
			for _, l := range got.Losses {
				fields = append(fields, l.Field)
			}
			if diff := cmp.Diff(c.losses, fields); diff != "" {
				t.Errorf("losses: %s\n%v", diff, got.Losses)
			}
		})
	}
}

// A change of a value on its way from Azure's body to what ASO would send is a loss.
func TestLosses(t *testing.T) {
	obj, err := typedObject(AgentPool, withProperties(t, poolBody, nil))
	if err != nil {
		t.Fatal(err)
	}
	losses, err := compare(AgentPool, withProperties(t, poolBody, map[string]any{"vmSize": "other", "maxPods": 3, "nodeTaints": []string{}, "availabilityZones": []string{"1"}, "spotMaxPrice": 0.5}), obj, mustSend(t, poolBody))
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, l := range losses {
		fields = append(fields, l.Field)
	}
	want := []string{"properties.availabilityZones", "properties.maxPods", "properties.spotMaxPrice", "properties.vmSize"}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Error(diff, losses)
	}
}

func mustSend(t *testing.T, body string) map[string]any {
	t.Helper()
	obj, err := typedObject(AgentPool, withProperties(t, body, nil))
	if err != nil {
		t.Fatal(err)
	}
	sent, err := sentFor(obj)
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// A fakeReader has the bodies of resources by ID, and of lists by path.
type fakeReader struct {
	bodies map[string]string
	lists  map[string][]string
	asked  []string
}

func (f *fakeReader) Get(_ context.Context, id, _ string) (json.RawMessage, error) {
	f.asked = append(f.asked, id)
	if body, ok := f.bodies[id]; ok {
		return []byte(body), nil
	}
	return nil, nil
}

func (f *fakeReader) List(_ context.Context, path, _ string) ([]json.RawMessage, error) {
	if path == "forbidden" || f.lists[path] != nil && f.lists[path][0] == "forbidden" {
		return nil, errors.New("403")
	}
	var all []json.RawMessage
	for _, body := range f.lists[path] {
		all = append(all, []byte(body))
	}
	return all, nil
}

func TestRead(t *testing.T) {
	const fleets = subscription + "/providers/Microsoft.ContainerService/fleets"
	extensions := managed + "/providers/Microsoft.KubernetesConfiguration/extensions"
	cases := map[string]struct {
		id       string
		scope    Scope
		change   func(*fakeReader)
		children []string
		subnets  int
		losses   int
		err      string
	}{
		"a cluster with all it has": {id: managed, children: []string{managed + "/maintenanceConfigurations/default", extensions + "/flux", fleet + "/members/m"}, losses: 1},
		"with its networks":         {id: managed, scope: Scope{Networks: true}, children: []string{managed + "/maintenanceConfigurations/default", extensions + "/flux", fleet + "/members/m"}, losses: 1, subnets: 3},
		"a resource group":          {id: group, children: []string{managed + "/maintenanceConfigurations/default", extensions + "/flux", fleet + "/members/m"}, losses: 1},
		"fleets cannot be read": {
			id: managed, change: func(f *fakeReader) { f.lists[fleets] = []string{"forbidden"} },
			children: []string{managed + "/maintenanceConfigurations/default", extensions + "/flux"}, losses: 2,
		},
		"pools cannot be read":    {id: managed, change: func(f *fakeReader) { f.lists[managed+"/agentPools"] = []string{"forbidden"} }, err: "403"},
		"no such cluster":         {id: managed + "2", err: "Azure has no " + managed + "2"},
		"no cluster in the group": {id: group + "2", err: "has no AKS cluster"},
		"no ID":                   {id: "my-cluster", err: `"my-cluster" must be the ID of an AKS cluster`},
		"something else":          {id: vnet, err: "must be the ID of an AKS cluster"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			from := &fakeReader{
				bodies: map[string]string{managed: clusterBody, vnet: `{"id":"` + vnet + `"}`},
				lists: map[string][]string{
					group + "/providers/" + managedClusterType: {clusterBody}, managed + "/agentPools": {poolBody},
					managed + "/maintenanceConfigurations": {`{"id":"` + managed + `/maintenanceConfigurations/default"}`},
					extensions:                             {`{"id":"` + extensions + `/flux"}`, `{"id":"` + extensions + `/own","properties":{"isSystemExtension":true}}`},
					fleets:                                 {`{"id":"` + fleet + `"}`},
					fleet + "/members":                     {`{"id":"` + fleet + `/members/m","properties":{"clusterResourceId":"` + strings.ToLower(managed) + `"}}`, `{"id":"` + fleet + `/members/other","properties":{"clusterResourceId":"` + managed + `2"}}`},
				},
			}
			for _, subnet := range []string{"nodes", "pods", "api"} {
				from.bodies[vnet+"/subnets/"+subnet] = `{"id":"` + vnet + `/subnets/` + subnet + `"}`
			}
			if c.change != nil {
				c.change(from)
			}
			got, losses, err := Read(context.Background(), from, c.id, c.scope)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || len(got) != 1 {
				t.Fatal(got, err)
			}
			var children []string
			for _, child := range got[0].Children {
				children = append(children, child.ID)
			}
			subnets := 0
			for _, n := range got[0].Networks {
				subnets += len(n.Subnets)
			}
			if diff := cmp.Diff(c.children, children); diff != "" || len(losses) != c.losses || subnets != c.subnets || len(got[0].AgentPools) != 1 {
				t.Error(diff, losses, subnets)
			}
		})
	}
}

func FuzzMake(f *testing.F) {
	f.Add(clusterBody, poolBody)
	f.Add(`{"properties":null,"identity":{"userAssignedIdentities":{"":null}}}`, `{"properties":{"vnetSubnetID":"","networkProfile":null}}`)
	f.Fuzz(func(t *testing.T, cluster, pool string) {
		azure := AKSCluster{ManagedCluster: Resource{ID: managed, Body: []byte(cluster)}, AgentPools: []Resource{{ID: managed + "/agentPools/p", Body: []byte(pool)}}}
		got, err := Make(azure, Options{})
		if err != nil {
			return
		}
		for _, o := range got.Objects {
			if _, err := kubeyaml.Marshal(o.Object); err != nil {
				t.Error(err)
			}
		}
		again, err := Make(azure, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, again); diff != "" {
			t.Error("not deterministic:", diff)
		}
	})
}
