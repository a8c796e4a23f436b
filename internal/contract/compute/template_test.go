package compute

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

const templateYAML = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureMachineTemplate
metadata: {name: md-0}
spec: {template: {spec: {vmSize: Standard_D2s_v3, osDisk: {osType: Linux}}}}
`

// template returns an AzureMachineTemplate with an identity.
func template(t *testing.T, identity map[string]any, changes ...fixture.Change) *unstructured.Unstructured {
	t.Helper()
	obj := fixture.With(fixture.Parse(t, templateYAML), append(fixture.Changes(fixture.OfCluster), changes...)...)
	for key, value := range identity {
		if err := unstructured.SetNestedField(obj.Object, value, "spec", "template", "spec", key); err != nil {
			t.Fatal(err)
		}
	}
	return obj
}

func (s *scene) stepTemplate() error {
	s.t.Helper()
	r := &Template{API: s.API(), AzureJSON: &AzureJSON{s.own}, Watched: func(metav1.Object) bool { return true }}
	_, err := r.Reconcile(s.t.Context(), fixture.Request("md-0"))
	return err
}

// settings returns the settings of the cloud provider in a Secret.
func (s *scene) settings(name string) map[string]any {
	s.t.Helper()
	data := s.secretData(name)
	if data == nil {
		return nil
	}
	if data["control-plane-azure.json"] != data["azure.json"] || data["worker-node-azure.json"] != data["azure.json"] || len(data) != 3 {
		s.t.Errorf("the keys differ: %v", data)
	}
	settings := map[string]any{}
	if err := json.Unmarshal([]byte(data["azure.json"]), &settings); err != nil {
		s.t.Fatal(err)
	}
	return settings
}

func TestTemplate(t *testing.T) {
	common := map[string]any{
		"cloud": "AzurePublicCloud", "tenantId": "tenant", "subscriptionId": subscription, "resourceGroup": "rg", "location": "westeurope",
		"securityGroupName": "node-nsg", "securityGroupResourceGroup": "network", "vmType": "vmss", "vnetName": "my-cluster-vnet",
		"vnetResourceGroup": "network", "subnetName": "nodes", "routeTableName": "node-routetable", "loadBalancerSku": "Standard",
		"loadBalancerName": "my-cluster", "maximumLoadBalancerRuleCount": 250.0, "useInstanceMetadata": true, "enableVmssFlexNodes": true,
	}
	cases := map[string]struct {
		identity map[string]any
		want     map[string]any
	}{
		"service principal":   {map[string]any{"identity": "None"}, map[string]any{"useManagedIdentityExtension": false, "aadClientId": "app", "aadClientSecret": hushPrincipal}},
		"identity of its own": {map[string]any{"identity": "SystemAssigned"}, map[string]any{"useManagedIdentityExtension": true}},
		"user-assigned identity": {
			map[string]any{"identity": "UserAssigned", "userAssignedIdentities": []any{map[string]any{"providerID": "azure://" + identityID}}},
			map[string]any{"useManagedIdentityExtension": true, "userAssignedIdentityID": "nodes"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, map[string][]anAnswer{getSKUs: {skus}, getIdentity: {{200, `{"properties": {"clientId": "nodes"}}`}}},
				cluster(), fixture.With(fixture.Parse(t, azureClusterYAML), fixture.OfCluster), template(t, c.identity), credentialSecret())
			if err := s.stepTemplate(); err != nil {
				t.Fatal(err)
			}
			for key, value := range common {
				c.want[key] = value
			}
			if diff := cmp.Diff(c.want, s.settings("md-0-azure-json")); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			found := &corev1.Secret{}
			if err := s.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "md-0-azure-json"}, found); err != nil {
				t.Fatal(err)
			}
			if found.Labels["my-cluster"] != "owned" || !metav1.IsControlledBy(found, s.Find(composite.AzureMachineTemplate.GroupVersionKind, "md-0")) {
				t.Errorf("labels %v, owners %v", found.Labels, found.OwnerReferences)
			}
			facts, err := v1alpha1.ReadMachineFacts(s.Find(composite.AzureMachineTemplate.GroupVersionKind, "md-0").GetAnnotations())
			want := v1alpha1.FactsOfSize{Name: "Standard_D2s_v3", Known: true, Offered: true, VCPUs: 2, MemoryGiB: 8, Zones: []string{"1", "2"}, Architecture: "x64"}
			if diff := cmp.Diff(want, facts.Size); err != nil || diff != "" {
				t.Errorf("%v; -want, +got:\n%s", err, diff)
			}
			s.tellNothing(composite.AzureMachineTemplate, composite.AzureCluster)
			s.TakeWrites()
			if err := s.stepTemplate(); err != nil || len(s.TakeWrites()) > 0 {
				t.Errorf("nothing has changed, but it writes, %v", err)
			}
		})
	}
}

// TestTemplateFollowsTheCredential has another secret of the service principal.
func TestTemplateFollowsTheCredential(t *testing.T) {
	s := newScene(t, map[string][]anAnswer{getSKUs: {skus}}, cluster(), fixture.With(fixture.Parse(t, azureClusterYAML), fixture.OfCluster), template(t, nil), credentialSecret())
	if err := s.stepTemplate(); err != nil {
		t.Fatal(err)
	}
	rotated := credentialSecret()
	rotated.Data["AZURE_CLIENT_SECRET"] = []byte("another")
	if err := s.Update(t.Context(), rotated); err != nil {
		t.Fatal(err)
	}
	if err := s.stepTemplate(); err != nil {
		t.Fatal(err)
	}
	if got := s.settings("md-0-azure-json")["aadClientSecret"]; got != "another" {
		t.Errorf("got %v", got)
	}
}

// TestTemplateThatIsLeftAlone writes nothing where it must not, or cannot yet.
func TestTemplateThatIsLeftAlone(t *testing.T) {
	users := secret("md-0-azure-json", map[string]string{"azure.json": "{}"})
	azureCluster := func(changes ...fixture.Change) *unstructured.Unstructured {
		return fixture.With(fixture.Parse(t, azureClusterYAML), append(fixture.Changes(fixture.OfCluster), changes...)...)
	}
	cases := map[string]struct {
		objects []client.Object
		fails   bool
		want    map[string]string
	}{
		"with a Secret of the user's": {objects: []client.Object{cluster(), azureCluster(), template(t, nil), credentialSecret(), users}, want: map[string]string{"azure.json": "{}"}},
		"of no Cluster":               {objects: []client.Object{azureCluster(), template(t, nil), credentialSecret()}},
		"of a Cluster of AKS":         {objects: []client.Object{fixture.Cluster(), azureCluster(), template(t, nil), credentialSecret()}},
		"without a credential":        {objects: []client.Object{cluster(), azureCluster(func(o *unstructured.Unstructured) { o.SetAnnotations(nil) }), template(t, nil)}},
		"paused":                      {objects: []client.Object{cluster(), azureCluster(), template(t, nil, fixture.Annotated("cluster.x-k8s.io/paused", "true")), credentialSecret()}},
		"being deleted":               {objects: []client.Object{cluster(), azureCluster(), template(t, nil, fixture.Deleting("x")), credentialSecret()}},
		"without its identity": {
			objects: []client.Object{cluster(), azureCluster(), template(t, map[string]any{"identity": "UserAssigned"}), credentialSecret()}, fails: true,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, map[string][]anAnswer{getSKUs: {skus}}, c.objects...)
			if err := s.stepTemplate(); (err != nil) != c.fails {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(c.want, s.secretData("md-0-azure-json")); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestTemplatesOf(t *testing.T) {
	s := newScene(t, nil, cluster(), fixture.With(fixture.Parse(t, azureClusterYAML), fixture.OfCluster), template(t, nil))
	r := &Template{API: s.API()}
	want := access.Request("default", "md-0")
	owned := secret("x", nil)
	owned.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(template(t, nil), composite.AzureMachineTemplate.GroupVersionKind)}
	got := map[string]any{
		"Cluster": r.FromCluster(t.Context(), cluster()), "AzureCluster": r.FromInfrastructure(t.Context(), s.Find(composite.AzureCluster.GroupVersionKind, "my-cluster")),
		"credential": r.FromSecret(t.Context(), credentialSecret()), "Secret of its own": r.FromSecret(t.Context(), owned),
	}
	for name, requests := range got {
		if diff := cmp.Diff(any(want), requests); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
	if requests := r.FromSecret(t.Context(), secret("other", nil)); len(requests) > 0 {
		t.Errorf("got %v", requests)
	}
}
