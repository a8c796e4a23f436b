package compute

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

const (
	subscription = "00000000-0000-0000-0000-00000000000a"
	groupID      = "/subscriptions/" + subscription + "/resourceGroups/rg"
	machineID    = groupID + "/providers/Microsoft.Compute/virtualMachines/m0"
	nicID        = groupID + "/providers/Microsoft.Network/networkInterfaces/m0-nic"
	identityID   = groupID + "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/nodes"

	getMachine  = "GET " + machineID
	putMachine  = "PUT " + machineID
	getSKUs     = "GET /subscriptions/" + subscription + "/providers/Microsoft.Compute/skus"
	getIdentity = "GET " + identityID

	// hush are what no object but Secrets may have.
	hushBootstrap = "#cloud-config for-nobody-to-see"
	hushPrincipal = "service-principals-secret"
	hushSetting   = "protected-setting"
)

const azureClusterYAML = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureCluster
metadata: {name: my-cluster, annotations: {infrastructure.cluster.x-k8s.io/credential-secret: my-cluster-aso-secret}}
spec:
  subscriptionID: ` + subscription + `
  resourceGroup: rg
  location: westeurope
  controlPlaneEnabled: true
  networkSpec:
    vnet: {name: my-cluster-vnet, resourceGroup: network}
    subnets: [{name: cp, role: control-plane}, {name: nodes, role: node, securityGroup: {name: node-nsg}, routeTable: {name: node-routetable}}]
    nodeOutboundLB: {name: my-cluster}
`

const azureMachineYAML = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureMachine
metadata:
  name: m0
  annotations: {cluster.x-k8s.io/cloned-from-groupkind: AzureMachineTemplate.infrastructure.cluster.x-k8s.io}
spec: {vmSize: Standard_D2s_v3, osDisk: {osType: Linux, diskSizeGB: 30}}
`

const virtualMachineYAML = `
apiVersion: compute.azure.com/v1api20220301
kind: VirtualMachine
metadata:
  name: m0
  finalizers: [` + aso.RemovalFinalizer + `]
  annotations: {serviceoperator.azure.com/credential-from: my-cluster-aso-secret, serviceoperator.azure.com/reconcile-policy: skip,
    infrastructure.cluster.x-k8s.io/lifecycle: provider-created, infrastructure.cluster.x-k8s.io/ownership: owned}
spec:
  azureName: m0
  owner: {name: rg}
  location: westeurope
  hardwareProfile: {vmSize: Standard_D2s_v3}
  networkProfile: {networkInterfaces: [{reference: {group: network.azure.com, kind: NetworkInterface, name: m0-nic}}]}
  osProfile: {computerName: m0, adminUsername: capi, linuxConfiguration: {disablePasswordAuthentication: true}}
`

// ofMachine makes an AzureMachine that of Machine m0, as Cluster API does.
func ofMachine(obj *unstructured.Unstructured) {
	obj.SetLabels(map[string]string{clusterv1.ClusterNameLabel: "my-cluster"})
	obj.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: "m0", UID: "machine"}})
}

// composing notes the virtual machine as composed.
func composing(obj *unstructured.Unstructured) {
	obj.Object["spec"].(map[string]any)["crossplane"] = map[string]any{"resourceRefs": []any{
		map[string]any{"apiVersion": "compute.azure.com/v1api20220301", "kind": "VirtualMachine", "name": "m0"},
	}}
}

func cluster() *clusterv1.Cluster {
	return fixture.Cluster(func(c *clusterv1.Cluster) {
		c.Spec.InfrastructureRef.Kind = composite.AzureCluster.Kind
		c.Spec.ControlPlaneRef.Kind = "KubeadmControlPlane"
	})
}

func machineOwner(changes ...func(*clusterv1.Machine)) *clusterv1.Machine {
	m := &clusterv1.Machine{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "m0", UID: "machine", Labels: map[string]string{clusterv1.ClusterNameLabel: "my-cluster", clusterv1.MachineDeploymentNameLabel: "md-0"}},
		Spec: clusterv1.MachineSpec{
			ClusterName: "my-cluster", Version: "v1.33.2", FailureDomain: "2", Bootstrap: clusterv1.Bootstrap{DataSecretName: ptr.To("bootstrap")},
			InfrastructureRef: clusterv1.ContractVersionedObjectReference{APIGroup: composite.InfrastructureGroup, Kind: "AzureMachine", Name: "m0"},
		},
	}
	for _, change := range changes {
		change(m)
	}
	return m
}

func secret(name string, data map[string]string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Data: map[string][]byte{}}
	for key, value := range data {
		s.Data[key] = []byte(value)
	}
	return s
}

func credentialSecret() *corev1.Secret {
	return secret("my-cluster-aso-secret", map[string]string{
		"AZURE_SUBSCRIPTION_ID": subscription, "AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "app", "AZURE_CLIENT_SECRET": hushPrincipal,
	})
}

// world are the objects of a machine that can be created.
func world(t *testing.T, machineChanges ...fixture.Change) []client.Object {
	t.Helper()
	return []client.Object{
		cluster(), fixture.With(fixture.Parse(t, azureClusterYAML), fixture.OfCluster),
		fixture.With(fixture.Parse(t, azureMachineYAML), append(fixture.Changes(ofMachine, composing), machineChanges...)...),
		fixture.With(fixture.Parse(t, virtualMachineYAML), fixture.Controlled(composite.AzureMachine.GroupVersionKind, "m0")),
		fixture.Parse(t, "{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: rg}, status: {id: "+groupID+"}}"),
		machineOwner(), secret("bootstrap", map[string]string{"value": hushBootstrap, "format": "cloud-config"}), credentialSecret(),
	}
}

// anAzure answers as it is told, Entra with a token, and notes what it was asked.
type anAzure struct {
	t       *testing.T
	lock    sync.Mutex
	answers map[string][]anAnswer
	asked   []string
	bodies  map[string]string
}

type anAnswer struct {
	status int
	body   string
}

var (
	absent  = anAnswer{404, `{"error": {"code": "ResourceNotFound", "message": "none"}}`}
	created = anAnswer{200, `{"tags": {"sigs.k8s.io_cluster-api-provider-azure_cluster_my-cluster": "owned"}, "identity": {"principalId": "p"}, "properties": {"provisioningState": "Succeeded"}}`}
	skus    = anAnswer{200, `{"value": [{"resourceType": "virtualMachines", "name": "Standard_D2s_v3", "capabilities": [{"name": "vCPUs", "value": "2"}, {"name": "MemoryGB", "value": "8"}, {"name": "CpuArchitectureType", "value": "x64"}],
		"locationInfo": [{"location": "westeurope", "zones": ["1", "2"]}]}]}`}
	noZones = anAnswer{200, `{"value": [{"resourceType": "virtualMachines", "name": "Standard_D2s_v3", "locationInfo": [{"location": "westeurope"}]},
		{"resourceType": "availabilitySets", "name": "Aligned", "capabilities": [{"name": "MaximumPlatformFaultDomainCount", "value": "3"}]}]}`}
)

// Do answers a request.
func (a *anAzure) Do(req *http.Request) (*http.Response, error) {
	reply := func(status int, body string) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
	}
	if req.URL.Host == "login.microsoftonline.com" {
		return reply(200, entra(req.URL.Path))
	}
	a.lock.Lock()
	defer a.lock.Unlock()
	key := req.Method + " " + req.URL.Path
	if req.Body != nil {
		content, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		a.bodies[key] = string(content)
	}
	a.asked = append(a.asked, key)
	all := a.answers[key]
	if len(all) == 0 {
		a.t.Errorf("Azure is asked %s", key)
		return reply(500, "")
	}
	if len(all) > 1 {
		a.answers[key] = all[1:]
	}
	return reply(all[0].status, all[0].body)
}

func entra(path string) string {
	const host = "https://login.microsoftonline.com"
	switch {
	case strings.Contains(path, "/discovery/instance"):
		return `{"tenant_discovery_endpoint": "` + host + `/tenant/v2.0/.well-known/openid-configuration", "metadata": []}`
	case strings.HasSuffix(path, "/openid-configuration"):
		return `{"token_endpoint": "` + host + `/tenant/oauth2/v2.0/token", "authorization_endpoint": "` + host + `/tenant/authorize", "issuer": "` + host + `/tenant/v2.0"}`
	}
	return `{"access_token": "t", "token_type": "Bearer", "expires_in": 3600}`
}

// take returns what was asked since it was last called.
func (a *anAzure) take() []string {
	a.lock.Lock()
	defer a.lock.Unlock()
	asked := a.asked
	a.asked = nil
	return asked
}

// A scene is a management cluster and an Azure.
type scene struct {
	*fixture.Management

	t     *testing.T
	azure *anAzure
	own   *Azure
}

func newScene(t *testing.T, answers map[string][]anAnswer, objects ...client.Object) *scene {
	t.Helper()
	template := fixture.Index{Object: access.NewObject(composite.AzureMachineTemplate.GroupVersionKind), Field: TemplateIndex, Value: IndexTemplate}
	s := &scene{Management: fixture.NewIndexed(t, []fixture.Index{template}, objects...), t: t, azure: &anAzure{t: t, answers: answers, bodies: map[string]string{}}}
	s.restart()
	return s
}

// restart has another process go on.
func (s *scene) restart() {
	s.own = New(azure.Credentials{Operators: azure.Operators{Secrets: s.Management}, Transport: s.azure}, machines.NewClient(s.azure))
}

// step takes the next step with the AzureMachine of the name.
func (s *scene) step(name string) reconcile.Result {
	s.t.Helper()
	result, err := s.try(name)
	if err != nil {
		s.t.Fatal(err)
	}
	return result
}

func (s *scene) try(name string) (reconcile.Result, error) {
	s.t.Helper()
	m := &Machine{API: s.API(), Azure: s.own, AzureJSON: &AzureJSON{s.own}}
	return m.Reconcile(context.Background(), s.Scope(composite.AzureMachine, name))
}

// facts returns what is noted of the AzureMachine of the name.
func (s *scene) facts(name string) v1alpha1.MachineFacts {
	s.t.Helper()
	facts, err := v1alpha1.ReadMachineFacts(s.Find(composite.AzureMachine.GroupVersionKind, name).GetAnnotations())
	if err != nil {
		s.t.Fatal(err)
	}
	return facts
}

// secretData returns what a Secret has; nil when there is none.
func (s *scene) secretData(name string) map[string]string {
	s.t.Helper()
	found := &corev1.Secret{}
	if err := s.Get(s.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, found); err != nil {
		return nil
	}
	data := map[string]string{}
	for key, value := range found.Data {
		data[key] = string(value)
	}
	return data
}

// tellNothing fails the test if any object but Secrets, or an Event, has a secret.
func (s *scene) tellNothing(kinds ...composite.Kind) {
	s.t.Helper()
	all := bytes.Buffer{}
	for _, kind := range kinds {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersionKind)
		if err := s.List(s.t.Context(), list); err != nil {
			s.t.Fatal(err)
		}
		for _, item := range list.Items {
			content, err := json.Marshal(item.Object)
			if err != nil {
				s.t.Fatal(err)
			}
			all.Write(content)
		}
	}
	all.WriteString(strings.Join(s.TakeEvents(), "\n"))
	for _, hush := range []string{hushBootstrap, hushPrincipal, "Zm9yLW5vYm9keS10by1zZWU"} {
		if strings.Contains(all.String(), hush) {
			s.t.Errorf("%q is told: %s", hush, all.String())
		}
	}
}
