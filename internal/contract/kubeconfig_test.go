package contract

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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

// adminKubeconfig is what ASO gets from Azure for a cluster with local accounts; userKubeconfig for one without.
const (
	adminKubeconfig = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://api"}}]
users: [{name: clusterAdmin, user: {token: admin}}]
contexts: [{name: x, context: {cluster: c, user: clusterAdmin}}]
current-context: x
`
	userKubeconfig = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://api"}}]
users: [{name: clusterUser, user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: kubelogin}}}]
contexts: [{name: x, context: {cluster: c, user: clusterUser}}]
current-context: x
`
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

// controlPlane returns a reconciler of control planes that gets its tokens and its time from e.
func (m *management) controlPlane(e *entra) *Reconciler {
	r := m.reconciler(asoControlPlaneKind)
	r.mirror = &controlPlaneMirror{api: r.api, tokens: e.credential, now: func() time.Time { return e.now }}
	return r
}

// asoSecret returns a Secret as ASO writes it for the ManagedCluster.
func asoSecret(name, key, data string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID("secret-" + name),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "containerservice.azure.com/v1api20250801storage", Kind: "ManagedCluster", Name: "my-cluster",
				UID: uidOf("ManagedCluster", "my-cluster"),
			}},
		},
		Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{key: []byte(data)},
	}
}

func (m *management) secret(name string) *corev1.Secret {
	m.t.Helper()
	found := &corev1.Secret{}
	if err := m.Get(m.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, found); err != nil {
		m.t.Fatal(err)
	}
	return found
}

// managedClusterWith returns the live ManagedCluster with the secrets and, if so, no local accounts.
func managedClusterWith(t *testing.T, secrets map[string]any, noLocalAccounts bool) *unstructured.Unstructured {
	t.Helper()
	return with(parse(t, managedClusterYAML), controlled(asoControlPlaneKind, "my-cluster"), func(o *unstructured.Unstructured) {
		if err := unstructured.SetNestedMap(o.Object, secrets, "spec", "operatorSpec", "secrets"); err != nil {
			t.Fatal(err)
		}
		if noLocalAccounts {
			o.Object["status"] = map[string]any{"disableLocalAccounts": true, "aadProfile": map[string]any{"managed": true}}
		}
	})
}

func destination(kind, name, key string) map[string]any {
	return map[string]any{kind: map[string]any{"name": name, "key": key}}
}

func TestMirrorKubeconfig(t *testing.T) {
	source := asoSecret("aso", "value", adminKubeconfig)
	create := []string{"create Secret my-cluster-kubeconfig"}
	patch := []string{"patch Secret my-cluster-kubeconfig"}
	copyWith := func(change func(*corev1.Secret)) *corev1.Secret {
		yes := true
		s := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", Name: "my-cluster-kubeconfig", UID: "copy",
				Labels: map[string]string{clusterv1.ClusterNameLabel: "my-cluster"},
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: asoControlPlaneKind.GroupVersion().String(), Kind: asoControlPlaneKind.Kind, Name: "my-cluster",
					UID: uidOf(asoControlPlaneKind.Kind, "my-cluster"), Controller: &yes, BlockOwnerDeletion: &yes,
				}},
			},
			Type: clusterv1.ClusterSecretType,
			Data: map[string][]byte{"value": []byte(adminKubeconfig)},
		}
		change(s)
		return s
	}
	admin := destination("adminCredentials", "aso", "value")
	tests := map[string]struct {
		secrets map[string]any
		objects []client.Object
		want    []string
		event   string
	}{
		"ASO has not written it":     {secrets: admin},
		"copied":                     {secrets: admin, objects: []client.Object{source}, want: create},
		"copied before":              {secrets: admin, objects: []client.Object{source, copyWith(func(*corev1.Secret) {})}},
		"the user's, as no admin's":  {secrets: destination("userCredentials", "aso", "value"), objects: []client.Object{source}, want: create},
		"of another key":             {secrets: destination("adminCredentials", "aso", "config"), objects: []client.Object{asoSecret("aso", "config", adminKubeconfig)}, want: create},
		"altered":                    {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.Data["value"] = []byte("x") })}, want: patch},
		"its label taken away":       {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.Labels = nil })}, want: patch},
		"its owner lost in a move":   {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.OwnerReferences = nil })}, want: patch},
		"labels of others":           {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.Labels["a"] = "b" })}},
		"written by CAPZ, untyped":   {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.Type = corev1.SecretTypeOpaque })}, want: []string{"delete Secret my-cluster-kubeconfig"}},
		"someone else's, untyped":    {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.Type = corev1.SecretTypeOpaque; s.OwnerReferences = nil })}, event: "has type Opaque"},
		"someone else's":             {secrets: admin, objects: []client.Object{source, copyWith(func(s *corev1.Secret) { s.OwnerReferences[0].UID = "other" })}, event: "belongs to"},
		"ASO is told nothing":        {secrets: map[string]any{}, event: "neither spec.operatorSpec.secrets.adminCredentials nor spec.operatorSpec.secrets.userCredentials"},
		"ASO writes another key":     {secrets: destination("adminCredentials", "aso", "other"), objects: []client.Object{source}, event: "has no key other"},
		"ASO writes it itself":       {secrets: destination("adminCredentials", "my-cluster-kubeconfig", "value"), objects: []client.Object{asoSecret("my-cluster-kubeconfig", "value", adminKubeconfig)}, want: patch},
		"ASO writes it, another key": {secrets: destination("adminCredentials", "my-cluster-kubeconfig", "k"), objects: []client.Object{asoSecret("my-cluster-kubeconfig", "k", adminKubeconfig)}, event: "reads key value"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, append(tc.objects, myCluster(), with(parse(t, controlPlaneYAML), ofCluster),
				managedClusterWith(t, tc.secrets, false))...)
			r := m.controlPlane(&entra{now: start})
			result, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: "my-cluster"}})
			if (err != nil) != (tc.event != "") || result.RequeueAfter != 0 {
				t.Fatalf("Reconcile: %v, %v", result, err)
			}
			if diff := cmp.Diff(tc.want, m.takeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			told := strings.Join(m.takeEvents(), "\n")
			if (told != "") != (tc.event != "") || !strings.Contains(told, tc.event) {
				t.Errorf("event %q, want one with %q", told, tc.event)
			}
			if len(tc.want) == 0 || strings.HasPrefix(tc.want[0], "delete") {
				return
			}
			got := m.secret("my-cluster-kubeconfig")
			if diff := cmp.Diff("my-cluster", got.Labels[clusterv1.ClusterNameLabel]); diff != "" {
				t.Errorf("label: -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(adminKubeconfig, string(got.Data["value"])); diff != "" {
				t.Errorf("kubeconfig: -want +got:\n%s", diff)
			}
			m.reconcile(r, "my-cluster")
			if writes := m.takeWrites(); len(writes) > 0 {
				t.Errorf("written again though nothing changed: %v", writes)
			}
		})
	}
}

func TestCreatedKubeconfigIsTheContracts(t *testing.T) {
	m := newManagement(t, myCluster(), with(parse(t, controlPlaneYAML), ofCluster), asoSecret("aso", "value", adminKubeconfig),
		managedClusterWith(t, destination("adminCredentials", "aso", "value"), false))
	m.reconcile(m.controlPlane(&entra{now: start}), "my-cluster")
	got := m.secret("my-cluster-kubeconfig")
	if got.Type != clusterv1.ClusterSecretType {
		t.Errorf("type %q, want %q", got.Type, clusterv1.ClusterSecretType)
	}
	owner := metav1.GetControllerOf(got)
	if owner == nil || owner.Kind != asoControlPlaneKind.Kind || owner.Name != "my-cluster" || owner.UID != uidOf(asoControlPlaneKind.Kind, "my-cluster") {
		t.Errorf("controller %v, want the control plane", owner)
	}
	if len(got.Annotations) > 0 {
		t.Errorf("annotations of a token on a kubeconfig without one: %v", got.Annotations)
	}
}

// tokenCluster has no local accounts, and ASO has written the user's kubeconfig.
func tokenCluster(t *testing.T) *management {
	t.Helper()
	return newManagement(t, myCluster(), with(parse(t, controlPlaneYAML), ofCluster), asoSecret("user", "value", userKubeconfig),
		managedClusterWith(t, destination("userCredentials", "user", "value"), true))
}

// tokenOf returns the token in the kubeconfig Secret, and fails the test when something else could be used.
func (m *management) tokenOf() string {
	m.t.Helper()
	config, err := clientcmd.Load(m.secret("my-cluster-kubeconfig").Data["value"])
	if err != nil {
		m.t.Fatal(err)
	}
	user := config.AuthInfos["clusterUser"]
	if user == nil || user.Exec != nil {
		m.t.Fatalf("user %v, want one without an exec plugin", user)
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
				if after := m.reconcile(m.controlPlane(e), "my-cluster").RequeueAfter; after != wantAfter {
					t.Errorf("at %v: RequeueAfter %v, want %v", when, after, wantAfter)
				}
				if got := m.tokenOf(); got != wantToken {
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
		change func(*testing.T, *management)
		want   string
		writes []string
	}{
		"nothing": {change: func(*testing.T, *management) {}, want: "t1"},
		"the source changes": {change: func(t *testing.T, m *management) {
			s := m.secret("user")
			s.Data["value"] = []byte(strings.Replace(userKubeconfig, "https://api", "https://new", 1))
			if err := m.Update(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}, want: "t1", writes: []string{"patch Secret my-cluster-kubeconfig"}},
		"the copy is deleted": {change: func(t *testing.T, m *management) {
			if err := m.Delete(t.Context(), m.secret("my-cluster-kubeconfig")); err != nil {
				t.Fatal(err)
			}
		}, want: "t2", writes: []string{"create Secret my-cluster-kubeconfig"}},
		"the copy is altered": {change: func(t *testing.T, m *management) {
			s := m.secret("my-cluster-kubeconfig")
			s.Data["value"] = []byte(strings.Replace(string(s.Data["value"]), "t1", "stolen", 1))
			if err := m.Update(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}, want: "t2", writes: []string{"patch Secret my-cluster-kubeconfig"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m, e := tokenCluster(t), &entra{now: start, life: time.Hour}
			m.reconcile(m.controlPlane(e), "my-cluster")
			tc.change(t, m)
			m.takeWrites()
			m.reconcile(m.controlPlane(e), "my-cluster")
			if diff := cmp.Diff(tc.writes, m.takeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := m.tokenOf(); got != tc.want {
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
			source := asoSecret(tc.secret, "value", userKubeconfig)
			if tc.ours {
				source.OwnerReferences = nil
			}
			m := newManagement(t, myCluster(), with(parse(t, controlPlaneYAML), ofCluster), source,
				managedClusterWith(t, destination("userCredentials", tc.secret, "value"), true))
			tc.entra.now = start
			r := m.controlPlane(tc.entra)
			for range 2 {
				_, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: "my-cluster"}})
				if err == nil || errors.Is(err, terminal(nil)) != tc.terminal {
					t.Errorf("Reconcile: %v, want an error, terminal: %v", err, tc.terminal)
				}
			}
			events := m.takeEvents()
			if len(events) != 1 || !strings.HasPrefix(events[0], "Warning KubeconfigFailed ") || !strings.Contains(events[0], tc.event) {
				t.Errorf("events %q, want one with %q", events, tc.event)
			}
			if writes := m.takeWrites(); len(writes) > 0 {
				t.Errorf("written: %v", writes)
			}
		})
	}
}

// TestNothingIsReadWhileItComesUp says when a ManagedCluster is not looked at, however often ASO writes it.
func TestNothingIsReadWhileItComesUp(t *testing.T) {
	set := func(value any, fields ...string) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) {
			if err := unstructured.SetNestedField(o.Object, value, fields...); err != nil {
				t.Fatal(err)
			}
		}
	}
	ready := func(ready bool) func(*unstructured.Unstructured) {
		return set([]any{map[string]any{"resource": map[string]any{"group": managedClusterKind.Group, "kind": managedClusterKind.Kind, "name": "my-cluster"}, "ready": ready}}, "status", "resources")
	}
	named := func(o *unstructured.Unstructured) {
		resource, _ := specResources.value(o)[0].(map[string]any)
		set(map[string]any{"name": "mine", "key": "value"}, "spec", "operatorSpec", "secrets", "adminCredentials")(&unstructured.Unstructured{Object: resource})
	}
	cases := map[string]struct {
		changes []func(*unstructured.Unstructured)
		want    bool
	}{
		"not ready yet":              {[]func(*unstructured.Unstructured){ready(false)}, true},
		"ready":                      {[]func(*unstructured.Unstructured){ready(true)}, false},
		"not ready any more":         {[]func(*unstructured.Unstructured){ready(false), set(true, "status", "initialized")}, false},
		"nothing is known":           {nil, false},
		"nothing is composed":        {[]func(*unstructured.Unstructured){ready(false), set(map[string]any{}, "spec", "crossplane")}, false},
		"the user has named Secrets": {[]func(*unstructured.Unstructured){ready(false), named}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := comesUp(with(parse(t, controlPlaneYAML), c.changes...)); got != c.want {
				t.Errorf("want %v, got %v", c.want, got)
			}
		})
	}
}
