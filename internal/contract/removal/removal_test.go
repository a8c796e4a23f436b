package removal

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// group is the ID of the resource group that everything lies in.
const group = "/subscriptions/s/resourceGroups/rg"

// removed are the kinds of which ASO may only read resources.
func removed() []aso.Kind {
	var kinds []aso.Kind
	for _, kind := range aso.Catalogue() {
		if kind.Lifecycle != aso.Managed {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// idOf returns the ID of the resource of a kind.
func idOf(kind aso.Kind) string { return group + "/providers/" + kind.ARM() + "/r" }

// leaving returns an object of the kind that is being deleted, and that ASO has let go.
func leaving(kind aso.Kind, changes ...fixture.Change) *unstructured.Unstructured {
	now := metav1.Now()
	obj := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
	obj.SetGroupVersionKind(kind.GroupVersionKind())
	obj.SetNamespace("default")
	obj.SetName("r")
	obj.SetDeletionTimestamp(&now)
	obj.SetFinalizers([]string{aso.RemovalFinalizer})
	obj.SetLabels(map[string]string{clusterv1.ClusterNameLabel: "my-cluster"})
	obj.SetAnnotations(map[string]string{
		aso.AnnotationLifecycle: string(kind.Lifecycle), aso.AnnotationReconcilePolicy: aso.PolicySkip, aso.AnnotationResourceID: idOf(kind),
		aso.AnnotationCredentialFrom: "credential", v1beta1.AnnotationOwnership: v1beta1.OwnershipOwned,
	})
	return fixture.With(obj, changes...)
}

func credential() *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "credential"}, Data: map[string][]byte{
		"AZURE_SUBSCRIPTION_ID": []byte("s"), "AZURE_TENANT_ID": []byte("tenant"), "AZURE_CLIENT_ID": []byte("app"), "AZURE_CLIENT_SECRET": []byte("hush"),
	}}
}

// An answers is an Azure that answers as it is told, the last answer again and again, and notes what it was asked.
type answers struct {
	all   map[string][]string
	asked []string
}

const (
	absent   = `404 {"error": {"code": "ResourceNotFound", "message": "none"}}`
	made     = `200 {"tags": {"sigs.k8s.io_cluster-api-provider-azure_cluster_my-cluster": "owned"}, "properties": {"provisioningState": "Succeeded"}}`
	going    = `200 {"tags": {"sigs.k8s.io_cluster-api-provider-azure_cluster_my-cluster": "owned"}, "properties": {"provisioningState": "Deleting"}}`
	others   = `200 {"tags": {"sigs.k8s.io_cluster-api-provider-azure_cluster_another": "owned"}}`
	accepted = `202 `
	inUse    = `400 {"error": {"code": "NicInUse", "message": "in use by m0"}}`
)

// Do answers a request, to Entra with a token.
func (a *answers) Do(req *http.Request) (*http.Response, error) {
	answer := `200 {"access_token": "t", "token_type": "Bearer", "expires_in": 3600}`
	const entra = "https://login.microsoftonline.com"
	switch {
	case req.URL.Host != "login.microsoftonline.com":
		a.asked = append(a.asked, req.Method+" "+req.URL.Path+" "+req.URL.Query().Get("api-version"))
		all := a.all[req.Method]
		if len(all) == 0 {
			all = []string{"500 "}
		}
		answer = all[0]
		if len(all) > 1 {
			a.all[req.Method] = all[1:]
		}
	case strings.Contains(req.URL.Path, "/discovery/instance"):
		answer = `200 {"tenant_discovery_endpoint": "` + entra + `/tenant/v2.0/.well-known/openid-configuration", "metadata": []}`
	case strings.HasSuffix(req.URL.Path, "/openid-configuration"):
		answer = `200 {"token_endpoint": "` + entra + `/tenant/oauth2/v2.0/token", "authorization_endpoint": "` + entra + `/tenant/authorize", "issuer": "` + entra + `/tenant/v2.0"}`
	}
	status := map[string]int{"200": 200, "202": 202, "400": 400, "404": 404, "500": 500}[answer[:3]]
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer[4:])), Request: req}, nil
}

func reconciler(m *fixture.Management, kind aso.Kind, a *answers) *Reconciler {
	own := compute.New(azure.Credentials{Operators: azure.Operators{Secrets: m}, Transport: a}, machines.NewClient(a))
	return &Reconciler{API: m.API(), Azure: own, Kind: kind, Watched: func(metav1.Object) bool { return true }}
}

// TestEveryKindLeavesAzure walks the catalogue: of no kind that ASO may only read is anything of the Cluster's left in Azure, whoever has deleted
// the object and though ASO has let it go, and nothing of anybody else is deleted.
func TestEveryKindLeavesAzure(t *testing.T) {
	const get, del = "GET", "DELETE"
	cases := map[string]struct {
		answers  map[string][]string
		asked    []string
		steps    int
		released bool
		told     int
	}{
		"it is there":            {answers: map[string][]string{get: {made, going, absent}, del: {accepted}}, asked: []string{get, del, get, get}, steps: 3, released: true},
		"it is going":            {answers: map[string][]string{get: {going}}, asked: []string{get}, steps: 1},
		"ASO has deleted it":     {answers: map[string][]string{get: {absent}}, asked: []string{get}, steps: 1, released: true},
		"it is somebody else's":  {answers: map[string][]string{get: {others}}, asked: []string{get}, steps: 1, released: true},
		"something stands on it": {answers: map[string][]string{get: {made, made, absent}, del: {inUse, accepted}}, asked: []string{get, del, get, del, get}, steps: 3, released: true, told: 1},
		"Azure does not answer":  {answers: map[string][]string{get: {"500 "}}, asked: []string{get}, steps: 1, told: 1},
	}
	if len(removed()) < 3 {
		t.Fatalf("the catalogue has %d kinds", len(removed()))
	}
	for _, kind := range removed() {
		for name, c := range cases {
			t.Run(kind.Name+", "+name, func(t *testing.T) {
				m := fixture.New(t, leaving(kind), credential())
				a := &answers{all: map[string][]string{}}
				for method, all := range c.answers {
					a.all[method] = all
				}
				r := reconciler(m, kind, a)
				for range c.steps {
					if result, err := r.Reconcile(t.Context(), fixture.Request("r")); err == nil && result.RequeueAfter == 0 && m.Find(kind.GroupVersionKind(), "r") != nil {
						t.Fatal("nobody looks again")
					}
				}
				var want []string
				for _, method := range c.asked {
					want = append(want, method+" "+idOf(kind)+" "+kind.APIVersion())
				}
				if diff := cmp.Diff(want, a.asked); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				if released := m.Find(kind.GroupVersionKind(), "r") == nil; released != c.released {
					t.Errorf("released: %v", released)
				}
				if events := m.TakeEvents(); len(events) != c.told {
					t.Errorf("it tells %q", events)
				}
			})
		}
	}
}

// TestWhoKeepsAResource shows when a resource stays in Azure, and when nothing is decided yet.
func TestWhoKeepsAResource(t *testing.T) {
	kind := aso.VirtualMachine
	ofMachine := fixture.Controlled(composite.AzureMachine.GroupVersionKind, "m0")
	machine := func(changes ...fixture.Change) *unstructured.Unstructured {
		return fixture.With(fixture.Parse(t, "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureMachine, metadata: {namespace: default, name: m0, labels: {cluster.x-k8s.io/cluster-name: my-cluster}}}"), changes...)
	}
	pausedCluster := fixture.Cluster(func(c *clusterv1.Cluster) { c.Spec.Paused = ptr.To(true) })
	drop := func(name string) fixture.Change {
		return func(o *unstructured.Unstructured) {
			has := o.GetAnnotations()
			delete(has, name)
			o.SetAnnotations(has)
		}
	}
	still := fixture.Annotated(aso.AnnotationComposedStill, "true")
	const stays, goes, waits = "stays", "goes", "waits"
	cases := map[string]struct {
		object  *unstructured.Unstructured
		objects []client.Object
		want    string
	}{
		"the spec no longer has it":                    {object: leaving(kind, ofMachine), objects: []client.Object{machine()}, want: goes},
		"its owner is deleted in the foreground":       {object: leaving(kind, ofMachine), objects: []client.Object{machine(fixture.Deleting("foregroundDeletion"))}, want: goes},
		"its owner is gone":                            {object: leaving(kind, ofMachine), want: goes},
		"nobody has ever owned it":                     {object: leaving(kind), want: goes},
		"ASO may write it again":                       {object: leaving(kind, drop(aso.AnnotationReconcilePolicy)), want: goes},
		"somebody deleted the object alone":            {object: leaving(kind, ofMachine, still), objects: []client.Object{machine()}, want: stays},
		"somebody did, and now its owner is deleted":   {object: leaving(kind, ofMachine, still), objects: []client.Object{machine(fixture.Deleting(names.Finalizer))}, want: goes},
		"it goes with its group":                       {object: leaving(kind, drop(aso.AnnotationLifecycle)), want: stays},
		"a person leaves it there":                     {object: leaving(kind, fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicyDetachOnDelete)), want: stays},
		"it was there before":                          {object: leaving(kind, fixture.Annotated(v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal)), want: stays},
		"clusterctl has moved it":                      {object: leaving(kind, ofMachine, fixture.Annotated(aso.AnnotationSkippedByPause, "true")), want: stays},
		"clusterctl has moved it, the Cluster is left": {object: leaving(kind, ofMachine), objects: []client.Object{pausedCluster}, want: stays},
		"paused":           {object: leaving(kind, ofMachine, fixture.Annotated(aso.AnnotationSkippedByPause, "true")), objects: []client.Object{pausedCluster, machine()}, want: waits},
		"paused until now": {object: leaving(kind, ofMachine, fixture.Annotated(aso.AnnotationSkippedByPause, "true")), objects: []client.Object{fixture.Cluster(), machine(fixture.Deleting(names.Finalizer))}, want: goes},
		"ASO has it": {object: leaving(kind, func(o *unstructured.Unstructured) {
			o.SetFinalizers(append(o.GetFinalizers(), "serviceoperator.azure.com/finalizer"))
		}), want: waits},
		"it is not deleted":         {object: leaving(kind, func(o *unstructured.Unstructured) { o.SetDeletionTimestamp(nil) }), want: waits},
		"somebody else's finalizer": {object: leaving(kind, func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"other"}) }), want: waits},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, append(c.objects, c.object, credential())...)
			a := &answers{all: map[string][]string{"GET": {made}, "DELETE": {accepted}}}
			result := m.Reconcile(reconciler(m, kind, a), "r")
			obj := m.Find(kind.GroupVersionKind(), "r")
			got := waits
			switch {
			case len(a.asked) == 2 && obj != nil && result.RequeueAfter == goingInterval:
				got = goes
			case len(a.asked) == 0 && obj == nil:
				got = stays
			}
			if got != c.want {
				t.Errorf("it %s, want it %s: %q", got, c.want, a.asked)
			}
		})
	}
}

// TestRemovalWithoutTag has a resource that has lost the tag of its Cluster, or never had it: it goes with its machine if ASO was given it to read.
func TestRemovalWithoutTag(t *testing.T) {
	kind := aso.VirtualMachine
	read := fixture.Annotated(aso.AnnotationOperator, "azureserviceoperator-system")
	cases := map[string]struct {
		object, machine fixture.Change
		want            int
	}{
		"the machine is being deleted":     {object: read, machine: fixture.Deleting(names.Finalizer), want: 2},
		"the spec no longer has it":        {object: read, machine: fixture.Annotated(), want: 1},
		"no ASO has looked":                {object: fixture.Annotated(), machine: fixture.Deleting(names.Finalizer), want: 1},
		"somebody else has made it before": {object: fixture.Annotated(aso.AnnotationOperator, aso.OperatorNone), machine: fixture.Deleting(names.Finalizer), want: 1},
		"it is not known whose it is":      {object: fixture.Annotated(aso.AnnotationOperator, "azureserviceoperator-system", v1beta1.AnnotationOwnership, ""), machine: fixture.Deleting(names.Finalizer), want: 1},
		"it is held":                       {object: fixture.Annotated(aso.AnnotationOperator, "azureserviceoperator-system", aso.AnnotationHeld, "true"), machine: fixture.Deleting(names.Finalizer), want: 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			machine := fixture.With(fixture.Parse(t, "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureMachine, metadata: {namespace: default, name: m0}}"), c.machine)
			m := fixture.New(t, leaving(kind, fixture.Controlled(composite.AzureMachine.GroupVersionKind, "m0"), c.object), machine, credential())
			a := &answers{all: map[string][]string{"GET": {others}, "DELETE": {accepted}}}
			m.Reconcile(reconciler(m, kind, a), "r")
			if len(a.asked) != c.want {
				t.Errorf("Azure is asked %q, want %d requests", a.asked, c.want)
			}
		})
	}
}

// TestRemovalWithoutCredential shows that an object stays, and what a person reads, when nobody can look in Azure.
func TestRemovalWithoutCredential(t *testing.T) {
	m := fixture.New(t, leaving(aso.NetworkInterface))
	r := reconciler(m, aso.NetworkInterface, &answers{})
	if _, err := r.Reconcile(t.Context(), fixture.Request("r")); err == nil || m.Find(aso.NetworkInterface.GroupVersionKind(), "r") == nil {
		t.Errorf("it is released: %v", err)
	}
	if events := m.TakeEvents(); len(events) != 1 || !strings.Contains(events[0], aso.PolicyDetachOnDelete) {
		t.Errorf("it tells %q", events)
	}
}

// TestRemovalOfAnotherKind shows that an object whose ID somebody has changed deletes nothing of another type.
func TestRemovalOfAnotherKind(t *testing.T) {
	m := fixture.New(t, leaving(aso.LoadBalancer, fixture.Annotated(aso.AnnotationResourceID, idOf(aso.VirtualMachine))), credential())
	a := &answers{}
	if _, err := reconciler(m, aso.LoadBalancer, a).Reconcile(t.Context(), fixture.Request("r")); err == nil || len(a.asked) > 0 {
		t.Errorf("%v: it asks %q", err, a.asked)
	}
}

// TestRemovalOfUnwatched shows that another provider-capz's objects are left to it.
func TestRemovalOfUnwatched(t *testing.T) {
	kind := aso.LoadBalancer
	xr := fixture.Parse(t, "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureCluster, metadata: {namespace: default, name: my-cluster}}")
	m := fixture.New(t, leaving(kind, fixture.Controlled(composite.AzureCluster.GroupVersionKind, "my-cluster")), xr, credential())
	a := &answers{}
	r := reconciler(m, kind, a)
	r.Watched = func(metav1.Object) bool { return false }
	m.Reconcile(r, "r")
	if m.Find(kind.GroupVersionKind(), "r") == nil || len(a.asked) > 0 {
		t.Errorf("it is touched: %q", a.asked)
	}
}
