package facts

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/cache"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

const (
	managedClusterID = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/my-cluster"
	healthInterval   = 10 * time.Minute
)

// A healthAzure is an Azure that answers about the health of a cluster.
type healthAzure struct {
	anAzure

	status     int
	body       string
	retryAfter string
	asked      int
	// unreachable is what does not answer, refused whom Entra gives no token.
	unreachable, refused bool
}

// Do answers a request.
func (a *healthAzure) Do(req *http.Request) (*http.Response, error) {
	if a.refused && strings.HasSuffix(req.URL.Path, "/token") {
		return &http.Response{StatusCode: http.StatusUnauthorized, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(`{"error": "invalid_client", "error_description": "AADSTS7000215: no"}`)), Request: req}, nil
	}
	if req.URL.Path != managedClusterID+"/providers/Microsoft.ResourceHealth/availabilityStatuses/current" {
		return a.anAzure.Do(req)
	}
	a.asked++
	if a.unreachable {
		return nil, errors.New("no route to host")
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if a.retryAfter != "" {
		header.Set("Retry-After", a.retryAfter)
	}
	return &http.Response{StatusCode: a.status, Header: header, Body: io.NopCloser(strings.NewReader(a.body)), Request: req}, nil
}

func (a *healthAzure) says(state, reason, summary string) {
	a.status, a.retryAfter = http.StatusOK, ""
	a.body = fmt.Sprintf(`{"properties": {"availabilityState": %q, "reasonType": %q, "summary": %q}}`, state, reason, summary)
}

func (a *healthAzure) refuses(status int, code, message string) {
	a.status, a.body = status, fmt.Sprintf(`{"error": {"code": %q, "message": %q}}`, code, message)
}

// A healthTest is a management cluster in which Azure is asked about the health of Cluster my-cluster.
type healthTest struct {
	*management

	azure  *healthAzure
	writer *healthWriter
}

func managedCluster(t testing.TB, changes ...fixture.Change) *unstructured.Unstructured {
	return fixture.With(fixture.Parse(t, "apiVersion: containerservice.azure.com/v1api20250801\nkind: ManagedCluster\nmetadata: {name: my-cluster}\n"+
		"spec: {}\nstatus: {id: "+managedClusterID+"}"), append(fixture.Changes(fixture.Controlled(composite.AzureASOManagedControlPlane.GroupVersionKind, "my-cluster")), changes...)...)
}

func signsIn() *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: azure.NamespaceSecret}, Data: map[string][]byte{
		"AZURE_SUBSCRIPTION_ID": []byte("s"), "AZURE_TENANT_ID": []byte("tenant"), "AZURE_CLIENT_ID": []byte("app"), "AZURE_CLIENT_SECRET": []byte("hush"),
	}}
}

// initializedControlPlane returns a control plane that Cluster API has seen come up.
func initializedControlPlane(t testing.TB, changes ...fixture.Change) client.Object {
	return fixture.With(controlPlane(t), append(fixture.Changes(fixture.OfCluster, fixture.InStatus("initialized", true)), changes...)...)
}

func newHealthTest(t *testing.T, objects ...client.Object) *healthTest {
	h := &healthTest{management: newManagement(t, append(objects, fixture.With(infrastructure(t), fixture.OfCluster))...), azure: &healthAzure{}}
	operators := azure.Operators{Secrets: h.Client, Namespaces: []string{"aso"}}
	w := writer{Client: h.Client, mapper: h.RESTMapper(), operators: newOperators(operators), asksHealth: true,
		azure: compute.New(azure.Credentials{Operators: operators, Transport: h.azure}, machines.NewClient(h.azure))}
	f := families()[slices.IndexFunc(families(), func(f family) bool { return f.controlPlane.Family == composite.ASOManaged })]
	h.writer = newHealthWriter(clusterWriter{writer: w, family: f}, access.New(h.Client, h.Client, h.Client, h.RESTMapper(), nil).Live, healthInterval)
	h.azure.says(v1alpha1.ResourceAvailable, "", "All is well.")
	return h
}

// facts has the ClusterFacts written that do not depend on Azure.
func (h *healthTest) facts() {
	h.t.Helper()
	if _, err := h.writer.clusterWriter.Reconcile(h.t.Context(), fixture.Request("my-cluster")); err != nil {
		h.t.Fatal(err)
	}
}

// look reconciles once, and returns what ClusterFacts say and the result.
func (h *healthTest) look() (*v1alpha1.ResourceHealthFacts, ctrl.Result) {
	h.t.Helper()
	h.writes = nil
	result, err := h.writer.Reconcile(h.t.Context(), fixture.Request("my-cluster"))
	if err != nil {
		h.t.Fatal(err)
	}
	return h.told(), result
}

func (h *healthTest) told() *v1alpha1.ResourceHealthFacts {
	h.t.Helper()
	facts := &v1alpha1.ClusterFacts{}
	if err := h.Get(h.t.Context(), client.ObjectKey{Namespace: "default", Name: "my-cluster"}, facts); err != nil {
		h.t.Fatal(err)
	}
	return facts.Spec.ResourceHealth
}

// later lets the time pass after which Azure is asked again.
func (h *healthTest) later() { h.writer.answers = cache.NewExpiring() }

// TestHealth has what Azure says, or why it says nothing, in the facts.
func TestHealth(t *testing.T) {
	const untold = "Azure Resource Health has not told the state of the cluster: "
	const noRight = "The client 'app' does not have authorization to perform action 'Microsoft.ResourceHealth/availabilityStatuses/read' over scope '" + managedClusterID + "'"
	cases := map[string]struct {
		azure    func(*healthAzure)
		noSecret bool
		want     v1alpha1.ResourceHealthFacts
		// wait is for how long Azure is not asked at least.
		wait time.Duration
	}{
		"available":   {want: v1alpha1.ResourceHealthFacts{State: "Available"}},
		"unavailable": {azure: func(a *healthAzure) { a.says("Unavailable", "Customer Initiated", "Stopped.") }, want: v1alpha1.ResourceHealthFacts{State: "Unavailable", Reason: "Customer Initiated", Message: "Stopped."}},
		"degraded":    {azure: func(a *healthAzure) { a.says("Degraded", "", "Slow.") }, want: v1alpha1.ResourceHealthFacts{State: "Degraded", Message: "Slow."}},
		"unknown":     {azure: func(a *healthAzure) { a.says("Unknown", "", "Nothing is known.") }, want: v1alpha1.ResourceHealthFacts{State: "Unknown", Message: "Nothing is known."}},
		"no state":    {azure: func(a *healthAzure) { a.body = "{}" }, want: v1alpha1.ResourceHealthFacts{State: "Unknown"}},
		"more than an object may have": {
			azure: func(a *healthAzure) {
				a.says(strings.Repeat("s", 100), strings.Repeat("r", 100), strings.Repeat("m", 10000))
			},
			want: v1alpha1.ResourceHealthFacts{State: strings.Repeat("s", 60) + "…", Reason: strings.Repeat("r", 60) + "…", Message: strings.Repeat("m", 2045) + "…"},
		},
		"right missing": {azure: func(a *healthAzure) { a.refuses(403, "AuthorizationFailed", noRight) }, want: v1alpha1.ResourceHealthFacts{Reason: "AuthorizationFailed", Message: untold + noRight}},
		"not in Azure":  {azure: func(a *healthAzure) { a.refuses(404, "ResourceNotFound", "no") }, want: v1alpha1.ResourceHealthFacts{Reason: "ResourceNotFound", Message: untold + "Azure has no resource " + managedClusterID}},
		"throttled": {
			azure: func(a *healthAzure) { a.refuses(429, "TooManyRequests", "Slow down."); a.retryAfter = "1800" },
			want:  v1alpha1.ResourceHealthFacts{Reason: "TooManyRequests", Message: untold + "Slow down."}, wait: 30 * time.Minute,
		},
		"throttled for less than the interval": {
			azure: func(a *healthAzure) { a.refuses(429, "TooManyRequests", "Slow down."); a.retryAfter = "1" },
			want:  v1alpha1.ResourceHealthFacts{Reason: "TooManyRequests", Message: untold + "Slow down."},
		},
		"throttled for days": {
			azure: func(a *healthAzure) { a.refuses(429, "TooManyRequests", "Slow down."); a.retryAfter = "999999" },
			want:  v1alpha1.ResourceHealthFacts{Reason: "TooManyRequests", Message: untold + "Slow down."}, wait: time.Hour,
		},
		"Azure not reached": {azure: func(a *healthAzure) { a.unreachable = true }, want: v1alpha1.ResourceHealthFacts{Reason: "AzureNotReached", Message: untold + "cannot reach Azure: no route to host"}},
		"not signed in":     {azure: func(a *healthAzure) { a.refused = true }, want: v1alpha1.ResourceHealthFacts{Reason: "SignInFailed", Message: untold + "cannot sign in to Azure: "}},
		"no credential":     {noSecret: true, want: v1alpha1.ResourceHealthFacts{Reason: "CredentialFailed", Message: untold + "no credential:"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			objects := []client.Object{fixture.Cluster(), initializedControlPlane(t), managedCluster(t)}
			if !c.noSecret {
				objects = append(objects, signsIn())
			}
			h := newHealthTest(t, objects...)
			if c.azure != nil {
				c.azure(h.azure)
			}
			h.facts()
			got, result := h.look()
			if got == nil {
				t.Fatal("nothing is told")
			}
			if c.want.State == "" && strings.Contains(got.Message, c.want.Message) {
				got.Message = c.want.Message // More may be said of why.
			}
			if diff := cmp.Diff(c.want, *got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			least := max(c.wait, healthInterval)
			if result.RequeueAfter < least-time.Second || result.RequeueAfter > least+least/5 {
				t.Errorf("it comes back after %s, want about %s", result.RequeueAfter, least)
			}
		})
	}
}

// TestHealthIsWrittenWhenItChanges shows that neither looks nor the texts of refusals write anything, and that others keep what is written.
func TestHealthIsWrittenWhenItChanges(t *testing.T) {
	h := newHealthTest(t, fixture.Cluster(), initializedControlPlane(t), managedCluster(t), signsIn())
	h.facts()
	steps := []struct {
		name   string
		act    func()
		asked  int
		writes int
		state  string
	}{
		{"the first look", func() {}, 1, 1, "Available"},
		{"at once again", func() {}, 0, 0, "Available"},
		{"another text of the same", func() { h.later(); h.azure.says("Available", "", "All is still well.") }, 1, 0, "Available"},
		{"unavailable", func() { h.later(); h.azure.says("Unavailable", "Unplanned", "Nobody answers.") }, 1, 1, "Unavailable"},
		{"the other facts are written", func() { h.facts() }, 0, 0, "Unavailable"},
		{"refused", func() { h.later(); h.azure.refuses(403, "AuthorizationFailed", "no, request 1") }, 1, 1, ""},
		{"refused again", func() { h.later(); h.azure.refuses(403, "AuthorizationFailed", "no, request 2") }, 1, 0, ""},
		{"available", func() { h.later(); h.azure.says("Available", "", "") }, 1, 1, "Available"},
	}
	for _, s := range steps {
		h.azure.asked = 0
		s.act()
		got, _ := h.look()
		if h.azure.asked != s.asked || len(h.writes) != s.writes || got == nil || got.State != s.state {
			t.Errorf("%s: asked %d times, writes %v, told %+v", s.name, h.azure.asked, h.writes, got)
		}
	}
	h.writer.asksHealth = false
	h.facts()
	if got := h.told(); got != nil {
		t.Errorf("Azure is not asked any more, but the facts say %+v", got)
	}
}

// TestHealthIsNotAsked shows when there is nothing to ask about.
func TestHealthIsNotAsked(t *testing.T) {
	typed := func(c *clusterv1.Cluster) { c.Spec.ControlPlaneRef.Kind = composite.AzureManagedControlPlane.Kind }
	held := fixture.Annotated("serviceoperator.azure.com/reconcile-policy", "skip", "infrastructure.cluster.x-k8s.io/held", "true")
	noID := func(o *unstructured.Unstructured) { unstructured.RemoveNestedField(o.Object, "status", "id") }
	cases := map[string]struct {
		objects []client.Object
		filter  string
		noFacts bool
	}{
		"not up yet":            {objects: []client.Object{fixture.Cluster(), fixture.With(controlPlane(t), fixture.OfCluster), managedCluster(t)}},
		"no ManagedCluster":     {objects: []client.Object{fixture.Cluster(), initializedControlPlane(t)}},
		"not in Azure":          {objects: []client.Object{fixture.Cluster(), initializedControlPlane(t), managedCluster(t, noID)}},
		"held":                  {objects: []client.Object{fixture.Cluster(), initializedControlPlane(t), managedCluster(t, held, noID)}},
		"of another family":     {objects: []client.Object{fixture.Cluster(typed), initializedControlPlane(t), managedCluster(t)}},
		"another's to act on":   {objects: []client.Object{fixture.Cluster(), initializedControlPlane(t), managedCluster(t)}, filter: "blue"},
		"control plane deleted": {objects: []client.Object{fixture.Cluster(), initializedControlPlane(t, fixture.Deleting("f")), managedCluster(t)}},
		"no facts yet":          {objects: []client.Object{fixture.Cluster(), initializedControlPlane(t), managedCluster(t)}, noFacts: true},
		"no Cluster":            {objects: []client.Object{initializedControlPlane(t), managedCluster(t)}, noFacts: true},
		"Cluster deleted":       {objects: []client.Object{fixture.Cluster(fixture.ClusterDeleting), initializedControlPlane(t), managedCluster(t)}, noFacts: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHealthTest(t, append(c.objects, signsIn())...)
			if !c.noFacts {
				h.facts()
			}
			h.writer.watchFilter, h.writes = c.filter, nil
			if _, err := h.writer.Reconcile(t.Context(), fixture.Request("my-cluster")); err != nil {
				t.Error(err)
			}
			if h.azure.asked > 0 || len(h.writes) > 0 {
				t.Errorf("asked %d times, writes %v", h.azure.asked, h.writes)
			}
		})
	}
}
