package kubeconfig

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// An entra is a fake of the credential that ASO uses: it gives tokens t1, t2 … of the given life.
type entra struct {
	now   time.Time
	life  time.Duration
	err   error
	given int
}

func (e *entra) credential(context.Context, client.Object) (azcore.TokenCredential, error) {
	return e, nil
}

// GetToken implements azcore.TokenCredential.
func (e *entra) GetToken(_ context.Context, options policy.TokenRequestOptions) (azcore.AccessToken, error) {
	if e.err != nil {
		return azcore.AccessToken{}, e.err
	}
	if len(options.Scopes) != 1 || options.Scopes[0] != azure.KubernetesScope {
		return azcore.AccessToken{}, errors.New("asked for the wrong scope")
	}
	e.given++
	return azcore.AccessToken{Token: "t" + string(rune('0'+e.given)), ExpiresOn: e.now.Add(e.life)}, nil
}

// controlPlane writes the kubeconfigs of control planes whose users write ASO objects. It gets its tokens and its time from e.
func controlPlane(m *fixture.Management, e *entra) reconcile.Func {
	return writer(m, e, composite.AzureASOManagedControlPlane)
}

// typedControlPlane is controlPlane for those with typed fields.
func typedControlPlane(m *fixture.Management, e *entra) reconcile.Func {
	return writer(m, e, composite.AzureManagedControlPlane)
}

func writer(m *fixture.Management, e *entra, kind composite.Kind) reconcile.Func {
	w := &Writer{API: m.API(), Tokens: e.credential, Now: func() time.Time { return e.now }}
	return func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		s := m.Scope(kind, req.Name)
		managedCluster, err := mirror.ManagedCluster(ctx, w.Live, s.XR)
		if err != nil || managedCluster == nil {
			return reconcile.Result{}, err
		}
		return w.Reconcile(ctx, s, managedCluster)
	}
}

func secretOf(t *testing.T, m *fixture.Management, name string) *corev1.Secret {
	t.Helper()
	found := &corev1.Secret{}
	if err := m.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: name}, found); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestKubeconfigIsCopied(t *testing.T) {
	source := fixture.ASOSecret("aso", "value", fixture.AdminKubeconfig)
	create := []string{"create Secret my-cluster-kubeconfig"}
	patch := []string{"patch Secret my-cluster-kubeconfig"}
	copyWith := func(change func(*corev1.Secret)) *corev1.Secret {
		yes := true
		s := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", Name: "my-cluster-kubeconfig", UID: "copy",
				Labels: map[string]string{clusterv1.ClusterNameLabel: "my-cluster"},
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: fixture.ASOControlPlane.GroupVersion().String(), Kind: fixture.ASOControlPlane.Kind, Name: "my-cluster",
					UID: fixture.UID(fixture.ASOControlPlane.Kind, "my-cluster"), Controller: &yes, BlockOwnerDeletion: &yes,
				}},
			},
			Type: clusterv1.ClusterSecretType,
			Data: map[string][]byte{"value": []byte(fixture.AdminKubeconfig)},
		}
		change(s)
		return s
	}
	admin := fixture.Destination("adminCredentials", "aso", "value")
	tests := map[string]struct {
		secrets map[string]any
		objects []client.Object
		want    []string
		event   string
	}{
		"ASO has not written it":     {secrets: admin},
		"copied":                     {secrets: admin, objects: []client.Object{source}, want: create},
		"copied before":              {secrets: admin, objects: []client.Object{source, copyWith(func(*corev1.Secret) {})}},
		"the user's, as no admin's":  {secrets: fixture.Destination("userCredentials", "aso", "value"), objects: []client.Object{source}, want: create},
		"of another key":             {secrets: fixture.Destination("adminCredentials", "aso", "config"), objects: []client.Object{fixture.ASOSecret("aso", "config", fixture.AdminKubeconfig)}, want: create},
		"altered":                    {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.Data["value"] = []byte("x") })}, want: patch},
		"its label taken away":       {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.Labels = nil })}, want: patch},
		"its owner lost in a move":   {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.OwnerReferences = nil })}, want: patch},
		"labels of others":           {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.Labels["a"] = "b" })}},
		"written by CAPZ, untyped":   {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.Type = corev1.SecretTypeOpaque })}, want: []string{"delete Secret my-cluster-kubeconfig"}},
		"someone else's, untyped":    {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.Type = corev1.SecretTypeOpaque; s.OwnerReferences = nil })}, event: "has type Opaque"},
		"someone else's":             {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.OwnerReferences[0].UID = "other" })}, event: "belongs to"},
		"ASO has no destination":     {secrets: map[string]any{}, event: "neither spec.operatorSpec.secrets.adminCredentials nor spec.operatorSpec.secrets.userCredentials"},
		"ASO writes another key":     {secrets: fixture.Destination("adminCredentials", "aso", "other"), objects: []client.Object{source}, event: "has no key other"},
		"ASO writes it itself":       {secrets: fixture.Destination("adminCredentials", "my-cluster-kubeconfig", "value"), objects: []client.Object{fixture.ASOSecret("my-cluster-kubeconfig", "value", fixture.AdminKubeconfig)}, want: patch},
		"ASO writes it, another key": {secrets: fixture.Destination("adminCredentials", "my-cluster-kubeconfig", "k"), objects: []client.Object{fixture.ASOSecret("my-cluster-kubeconfig", "k", fixture.AdminKubeconfig)}, event: "reads key value"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, append(tc.objects, fixture.Cluster(), fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster),
				fixture.ManagedClusterWith(t, tc.secrets, false))...)
			r := controlPlane(m, &entra{now: start})
			result, err := r.Reconcile(t.Context(), fixture.Request("my-cluster"))
			if (err != nil) != (tc.event != "") || result.RequeueAfter != 0 {
				t.Fatalf("Reconcile: %v, %v", result, err)
			}
			if diff := cmp.Diff(tc.want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			events := strings.Join(m.TakeEvents(), "\n")
			if (events != "") != (tc.event != "") || !strings.Contains(events, tc.event) {
				t.Errorf("event %q, want one with %q", events, tc.event)
			}
			if len(tc.want) == 0 || strings.HasPrefix(tc.want[0], "delete") {
				return
			}
			got := secretOf(t, m, "my-cluster-kubeconfig")
			if diff := cmp.Diff("my-cluster", got.Labels[clusterv1.ClusterNameLabel]); diff != "" {
				t.Errorf("label: -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(fixture.AdminKubeconfig, string(got.Data["value"])); diff != "" {
				t.Errorf("kubeconfig: -want +got:\n%s", diff)
			}
			m.Reconcile(r, "my-cluster")
			if writes := m.TakeWrites(); len(writes) > 0 {
				t.Errorf("written again though nothing changed: %v", writes)
			}
		})
	}
}

func TestCreatedKubeconfigIsTheContracts(t *testing.T) {
	m := fixture.New(t, fixture.Cluster(), fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster), fixture.ASOSecret("aso", "value", fixture.AdminKubeconfig),
		fixture.ManagedClusterWith(t, fixture.Destination("adminCredentials", "aso", "value"), false))
	m.Reconcile(controlPlane(m, &entra{now: start}), "my-cluster")
	got := secretOf(t, m, "my-cluster-kubeconfig")
	if got.Type != clusterv1.ClusterSecretType {
		t.Errorf("type %q, want %q", got.Type, clusterv1.ClusterSecretType)
	}
	owner := metav1.GetControllerOf(got)
	if owner == nil || owner.Kind != fixture.ASOControlPlane.Kind || owner.Name != "my-cluster" || owner.UID != fixture.UID(fixture.ASOControlPlane.Kind, "my-cluster") {
		t.Errorf("controller %v, want the control plane", owner)
	}
	if len(got.Annotations) > 0 {
		t.Errorf("annotations of a token on a kubeconfig without one: %v", got.Annotations)
	}
}

// tokenCluster has no local accounts, and ASO has written the user's kubeconfig.
func tokenCluster(t *testing.T) *fixture.Management {
	t.Helper()
	return fixture.New(t, fixture.Cluster(), fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster), fixture.ASOSecret("user", "value", fixture.UserKubeconfig),
		fixture.ManagedClusterWith(t, fixture.Destination("userCredentials", "user", "value"), true))
}

// tokenOf returns the token in the kubeconfig Secret, and fails the test when something else could be used.
func tokenOf(t *testing.T, m *fixture.Management) string {
	t.Helper()
	config, err := clientcmd.Load(secretOf(t, m, "my-cluster-kubeconfig").Data["value"])
	if err != nil {
		t.Fatal(err)
	}
	user := config.AuthInfos["clusterUser"]
	if user == nil || user.Exec != nil {
		t.Fatalf("user %v, want one without an exec plugin", user)
	}
	return user.Token
}

func TestTokenIsRenewed(t *testing.T) {
	tests := map[string]struct {
		life  time.Duration
		renew time.Duration
	}{
		"an hour":     {life: time.Hour, renew: 55 * time.Minute},
		"ten minutes": {life: 10 * time.Minute, renew: 5 * time.Minute},
		"shorter":     {life: 8 * time.Minute, renew: 4 * time.Minute},
		"of a test":   {life: 20 * time.Second, renew: 10 * time.Second},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m, e := tokenCluster(t), &entra{now: start, life: tc.life}
			step := func(when time.Duration, wantToken string, wantAfter time.Duration) {
				t.Helper()
				e.now = start.Add(when)
				// A new reconciler each time, as after a restart.
				if after := m.Reconcile(controlPlane(m, e), "my-cluster").RequeueAfter; after != wantAfter {
					t.Errorf("at %v: RequeueAfter %v, want %v", when, after, wantAfter)
				}
				if got := tokenOf(t, m); got != wantToken {
					t.Errorf("at %v: token %q, want %q", when, got, wantToken)
				}
			}
			step(0, "t1", tc.renew)
			step(tc.renew-2*time.Second, "t1", 2*time.Second)
			step(tc.renew, "t2", tc.renew)
			step(tc.life+time.Hour, "t3", tc.renew)
		})
	}
}

func TestTokenFollowsWhatHappens(t *testing.T) {
	tests := map[string]struct {
		change func(*testing.T, *fixture.Management)
		want   string
		writes []string
	}{
		"nothing": {change: func(*testing.T, *fixture.Management) {}, want: "t1"},
		"the source changes": {change: func(t *testing.T, m *fixture.Management) {
			s := secretOf(t, m, "user")
			s.Data["value"] = []byte(strings.Replace(fixture.UserKubeconfig, "https://api", "https://new", 1))
			if err := m.Update(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}, want: "t1", writes: []string{"patch Secret my-cluster-kubeconfig"}},
		"the copy is deleted": {change: func(t *testing.T, m *fixture.Management) {
			if err := m.Delete(t.Context(), secretOf(t, m, "my-cluster-kubeconfig")); err != nil {
				t.Fatal(err)
			}
		}, want: "t2", writes: []string{"create Secret my-cluster-kubeconfig"}},
		"the copy is altered": {change: func(t *testing.T, m *fixture.Management) {
			s := secretOf(t, m, "my-cluster-kubeconfig")
			s.Data["value"] = []byte(strings.Replace(string(s.Data["value"]), "t1", "stolen", 1))
			if err := m.Update(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}, want: "t2", writes: []string{"patch Secret my-cluster-kubeconfig"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m, e := tokenCluster(t), &entra{now: start, life: time.Hour}
			m.Reconcile(controlPlane(m, e), "my-cluster")
			tc.change(t, m)
			m.TakeWrites()
			m.Reconcile(controlPlane(m, e), "my-cluster")
			if diff := cmp.Diff(tc.writes, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := tokenOf(t, m); got != tc.want {
				t.Errorf("token %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTokenFailures(t *testing.T) {
	tests := map[string]struct {
		secret   string
		ours     bool
		entra    *entra
		event    string
		terminal bool
	}{
		"the source has the copy's name": {secret: "my-cluster-kubeconfig", entra: &entra{life: time.Hour}, event: "must not write its credentials to Secret my-cluster-kubeconfig", terminal: true},
		"the source is the copy":         {secret: "my-cluster-kubeconfig", ours: true, entra: &entra{life: time.Hour}, event: "must not write its credentials to Secret my-cluster-kubeconfig", terminal: true},
		"Entra refuses":                  {secret: "user", entra: &entra{err: errors.New("AADSTS7000215")}, event: "AADSTS7000215"},
		"Entra gives an old token":       {secret: "user", entra: &entra{life: -time.Minute}, event: "ended at 2026-03-01T11:59:00Z"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			source := fixture.ASOSecret(tc.secret, "value", fixture.UserKubeconfig)
			if tc.ours {
				source.OwnerReferences = nil
			}
			m := fixture.New(t, fixture.Cluster(), fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster), source,
				fixture.ManagedClusterWith(t, fixture.Destination("userCredentials", tc.secret, "value"), true))
			tc.entra.now = start
			r := controlPlane(m, tc.entra)
			for range 2 {
				_, err := r.Reconcile(t.Context(), fixture.Request("my-cluster"))
				if err == nil || errors.Is(err, reconcile.TerminalError(nil)) != tc.terminal {
					t.Errorf("Reconcile: %v, want an error, terminal: %v", err, tc.terminal)
				}
			}
			events := m.TakeEvents()
			if len(events) != 1 || !strings.HasPrefix(events[0], "Warning KubeconfigFailed ") || !strings.Contains(events[0], tc.event) {
				t.Errorf("events %q, want one with %q", events, tc.event)
			}
			if writes := m.TakeWrites(); len(writes) > 0 {
				t.Errorf("written: %v", writes)
			}
		})
	}
}

// TestPending shows when a ManagedCluster is not read, however often ASO writes it.
func TestPending(t *testing.T) {
	set := func(value any, fields ...string) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) {
			if err := unstructured.SetNestedField(o.Object, value, fields...); err != nil {
				t.Fatal(err)
			}
		}
	}
	ready := func(ready bool) func(*unstructured.Unstructured) {
		return set([]any{map[string]any{"resource": map[string]any{"group": fixture.ManagedCluster.Group, "kind": fixture.ManagedCluster.Kind, "name": "my-cluster"}, "ready": ready}}, "status", "resources")
	}
	named := func(o *unstructured.Unstructured) {
		resource, _ := access.SpecResources.Value(o)[0].(map[string]any)
		set(map[string]any{"name": "mine", "key": "value"}, "spec", "operatorSpec", "secrets", "adminCredentials")(&unstructured.Unstructured{Object: resource})
	}
	cases := map[string]struct {
		changes []fixture.Change
		want    bool
	}{
		"not ready yet":              {[]fixture.Change{ready(false)}, true},
		"ready":                      {[]fixture.Change{ready(true)}, false},
		"not ready any more":         {[]fixture.Change{ready(false), set(true, "status", "initialized")}, false},
		"nothing is known":           {nil, false},
		"nothing is composed":        {[]fixture.Change{ready(false), set(map[string]any{}, "spec", "crossplane")}, false},
		"the user has named Secrets": {[]fixture.Change{ready(false), named}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Pending(fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), c.changes...)); got != c.want {
				t.Errorf("want %v, got %v", c.want, got)
			}
		})
	}
}
