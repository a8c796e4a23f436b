package facts

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// anAzure is an Azure with zones in a location, or one that cannot be reached.
type anAzure struct{ down bool }

// Do answers a request.
func (a *anAzure) Do(req *http.Request) (*http.Response, error) {
	if a.down {
		return nil, errors.New("down")
	}
	const entra = "https://login.microsoftonline.com/tenant"
	body := `{"access_token": "t", "token_type": "Bearer", "expires_in": 3600}`
	switch {
	case strings.HasSuffix(req.URL.Path, "/skus"):
		body = `{"value": [{"resourceType": "virtualMachines", "name": "a", "locationInfo": [{"location": "westeurope", "zones": ["3", "1"]}]},
			{"resourceType": "availabilitySets", "name": "Aligned", "capabilities": [{"name": "MaximumPlatformFaultDomainCount", "value": "2"}]}]}`
	case strings.Contains(req.URL.Path, "/discovery/instance"):
		body = `{"tenant_discovery_endpoint": "` + entra + `/v2.0/.well-known/openid-configuration", "metadata": []}`
	case strings.HasSuffix(req.URL.Path, "/openid-configuration"):
		body = `{"token_endpoint": "` + entra + `/oauth2/v2.0/token", "authorization_endpoint": "` + entra + `/authorize", "issuer": "` + entra + `/v2.0"}`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

// locations has the facts of Cluster my-cluster written by a process of its own, and returns them.
func (m *management) locations(a *anAzure) (v1alpha1.ClusterFactsSpec, error) {
	m.t.Helper()
	operators := azure.Operators{Secrets: m.Client, Namespaces: []string{"aso"}}
	w := writer{Client: m.Client, mapper: m.RESTMapper(), operators: newOperators(operators),
		azure: compute.New(azure.Credentials{Operators: operators, Transport: a}, machines.NewClient(a))}
	for _, f := range families() {
		if f.infrastructure.Family != composite.SelfManaged {
			continue
		}
		_, err := (&clusterWriter{writer: w, family: f}).Reconcile(m.t.Context(), fixture.Request("my-cluster"))
		facts := &v1alpha1.ClusterFacts{}
		if getErr := m.Get(m.t.Context(), client.ObjectKey{Namespace: "default", Name: "my-cluster"}, facts); getErr != nil {
			m.t.Fatal(getErr)
		}
		return facts.Spec, err
	}
	m.t.Fatal("no family has machines")
	return v1alpha1.ClusterFactsSpec{}, nil
}

func azureCluster(t *testing.T) *unstructured.Unstructured {
	return fixture.With(fixture.Parse(t, infra+"AzureCluster\nmetadata: {name: my-cluster}\nspec: {subscriptionID: s, location: westeurope}"), fixture.OfCluster)
}

func machineIn(t *testing.T, name, set string) *unstructured.Unstructured {
	t.Helper()
	text, err := v1alpha1.MachineFacts{Machine: v1alpha1.FactsOfMachine{AvailabilitySet: set}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return fixture.With(fixture.Parse(t, infra+"AzureMachine\nmetadata: {name: "+name+"}\nspec: {}"), fixture.OfCluster, fixture.Annotated(v1alpha1.AnnotationMachineFacts, text))
}

// TestLocation has what Azure tells of a location, before there is a credential, with one, and while Azure cannot be reached.
func TestLocation(t *testing.T) {
	selfManaged := func(c *clusterv1.Cluster) {
		c.Spec.InfrastructureRef.Kind, c.Spec.ControlPlaneRef.Kind = composite.AzureCluster.Kind, "KubeadmControlPlane"
	}
	m, a := newManagement(t, fixture.Cluster(selfManaged), azureCluster(t), machineIn(t, "m0", "c_md-as"), machineIn(t, "m1", "c_cp-as"), machineIn(t, "m2", "c_md-as"), machineIn(t, "m3", "")), &anAzure{}
	zones := func(spec v1alpha1.ClusterFactsSpec) v1alpha1.ClusterFactsSpec {
		return v1alpha1.ClusterFactsSpec{FailureDomains: spec.FailureDomains, FailureDomainsKnown: spec.FailureDomainsKnown, AvailabilitySets: spec.AvailabilitySets}
	}
	sets := func(domains int32) []v1alpha1.AvailabilitySetFacts {
		return []v1alpha1.AvailabilitySetFacts{{Name: "c_cp-as", FaultDomains: domains}, {Name: "c_md-as", FaultDomains: domains}}
	}
	spec, err := m.locations(a)
	if diff := cmp.Diff(v1alpha1.ClusterFactsSpec{AvailabilitySets: sets(0)}, zones(spec)); err != nil || diff != "" {
		t.Errorf("without a credential: %v; -want, +got:\n%s", err, diff)
	}
	if len(spec.Objects) != 2 {
		t.Errorf("facts have %d objects, want the Cluster and the AzureCluster", len(spec.Objects))
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "my-cluster-aso-secret"}, Data: map[string][]byte{
		"AZURE_SUBSCRIPTION_ID": []byte("s"), "AZURE_TENANT_ID": []byte("tenant"), "AZURE_CLIENT_ID": []byte("app"), "AZURE_CLIENT_SECRET": []byte("hush"),
	}}
	credential := fixture.With(azureCluster(t), fixture.Annotated("infrastructure.cluster.x-k8s.io/credential-secret", secret.Name))
	current := azureCluster(t)
	if err := errors.Join(m.Create(t.Context(), secret), m.Get(t.Context(), client.ObjectKeyFromObject(current), current)); err != nil {
		t.Fatal(err)
	}
	current.SetAnnotations(credential.GetAnnotations())
	if err := m.Update(t.Context(), current); err != nil {
		t.Fatal(err)
	}
	known := v1alpha1.ClusterFactsSpec{FailureDomains: []string{"1", "3"}, FailureDomainsKnown: true, AvailabilitySets: sets(2)}
	spec, err = m.locations(a)
	if diff := cmp.Diff(known, zones(spec)); err != nil || diff != "" {
		t.Errorf("with a credential: %v; -want, +got:\n%s", err, diff)
	}
	a.down, m.writes = true, nil
	spec, err = m.locations(a)
	if diff := cmp.Diff(known, zones(spec)); err == nil || diff != "" || len(m.writes) > 0 {
		t.Errorf("while Azure is down: %v, writes %v; -want, +got:\n%s", err, m.writes, diff)
	}
}

// TestMachinesConcernFactsBySetOnly shows that the facts of a Cluster are not looked at for each change of each machine.
func TestMachinesConcernFactsBySetOnly(t *testing.T) {
	version := func(o *unstructured.Unstructured, v string) *unstructured.Unstructured {
		o.SetResourceVersion(v)
		return o
	}
	cases := map[string]struct {
		before, after *unstructured.Unstructured
		want          bool
	}{
		"in no set":          {machineIn(t, "m", ""), machineIn(t, "m", ""), false},
		"in the same set":    {machineIn(t, "m", "a"), machineIn(t, "m", "a"), false},
		"in a set from then": {machineIn(t, "m", ""), machineIn(t, "m", "a"), true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := setsChanged().Update(event.UpdateEvent{ObjectOld: version(c.before, "1"), ObjectNew: version(c.after, "2")}); got != c.want {
				t.Errorf("passes: %v", got)
			}
		})
	}
	if setsChanged().Create(event.CreateEvent{Object: machineIn(t, "m", "")}) || !setsChanged().Delete(event.DeleteEvent{Object: machineIn(t, "m", "a")}) {
		t.Error("the beginning or the end of a machine is taken wrongly")
	}
}
