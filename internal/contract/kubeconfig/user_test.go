package kubeconfig

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// typedSecrets are where ASO is to write the kubeconfigs of a cluster with Entra.
func typedSecrets(admin bool) map[string]any {
	secrets := fixture.Destination("userCredentials", "my-cluster-user-aso-kubeconfig", "value")
	if admin {
		secrets["adminCredentials"] = map[string]any{"name": "my-cluster-aso-kubeconfig", "key": "value"}
	}
	return secrets
}

func TestTypedKubeconfigs(t *testing.T) {
	admin := fixture.ASOSecret("my-cluster-aso-kubeconfig", "value", fixture.AdminKubeconfig)
	user := fixture.ASOSecret("my-cluster-user-aso-kubeconfig", "value", fixture.UserKubeconfig)
	inTheWay := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "my-cluster-kubeconfig-user", UID: "way"}, Type: corev1.SecretTypeOpaque,
	}
	const both = "my-cluster-kubeconfig my-cluster-kubeconfig-user"
	withEntra := func(o *unstructured.Unstructured) {
		o.Object["status"] = map[string]any{"aadProfile": map[string]any{"managed": true}}
	}
	own := func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) }
	tests := map[string]struct {
		secrets   map[string]any
		noAccount bool
		live      []fixture.Change
		xr        []fixture.Change
		objects   []client.Object
		want      string
		token     bool
		event     string
	}{
		"local accounts only":                 {secrets: fixture.Destination("adminCredentials", "my-cluster-aso-kubeconfig", "value"), objects: []client.Object{admin}, want: "my-cluster-kubeconfig"},
		"Entra too":                           {secrets: typedSecrets(true), live: []fixture.Change{withEntra}, objects: []client.Object{admin, user}, want: both},
		"Entra too, ASO has one to write":     {secrets: typedSecrets(true), live: []fixture.Change{withEntra}, objects: []client.Object{admin}, want: "my-cluster-kubeconfig"},
		"Entra alone":                         {secrets: typedSecrets(false), noAccount: true, objects: []client.Object{user}, want: both, token: true},
		"the user's own":                      {secrets: typedSecrets(true), live: []fixture.Change{withEntra, own}, xr: []fixture.Change{fixture.ComposedNothing}, objects: []client.Object{admin, user}, want: both},
		"the user's own, which writes none":   {secrets: map[string]any{}, live: []fixture.Change{own}, xr: []fixture.Change{fixture.ComposedNothing}, event: "KubeconfigFailed ManagedCluster my-cluster has neither spec.operatorSpec.secrets.adminCredentials"},
		"a Secret in the way of the second":   {secrets: typedSecrets(true), live: []fixture.Change{withEntra}, objects: []client.Object{admin, user, inTheWay}, want: "my-cluster-kubeconfig", event: "UserKubeconfigFailed Secret my-cluster-kubeconfig-user has type Opaque"},
		"userCredentials but no Entra so far": {secrets: typedSecrets(true), objects: []client.Object{admin, user}, want: "my-cluster-kubeconfig"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			live := fixture.With(fixture.ManagedClusterWith(t, tc.secrets, tc.noAccount), append([]fixture.Change{fixture.Controlled(fixture.TypedControlPlane, "my-cluster")}, tc.live...)...)
			m := fixture.New(t, append(tc.objects, fixture.ClusterOfTyped(), live, fixture.With(fixture.With(fixture.Parse(t, fixture.TypedControlPlaneYAML), fixture.OfCluster), tc.xr...))...)
			r := typedControlPlane(m, &entra{now: start, life: time.Hour})
			for range 2 {
				_, err := r.Reconcile(t.Context(), fixture.Request("my-cluster"))
				if failed := tc.event != "" && tc.want == ""; (err != nil) != failed || err != nil && !errors.Is(err, reconcile.TerminalError(nil)) {
					t.Fatalf("Reconcile: %v", err)
				}
			}
			got := copies(t, m)
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("kubeconfigs: -want +got:\n%s", diff)
			}
			if writes := m.TakeWrites(); len(writes) != len(got) {
				t.Errorf("written %v for %v", writes, got)
			}
			if tc.token && tokenOf(t, m) != "t1" {
				t.Error("the kubeconfig for Cluster API has no token")
			}
			if strings.Contains(tc.want, "-user") {
				if diff := cmp.Diff(fixture.UserKubeconfig, string(secretOf(t, m, "my-cluster-kubeconfig-user").Data["value"])); diff != "" {
					t.Errorf("kubeconfig for people: -want +got:\n%s", diff)
				}
			}
			if events := strings.Join(m.TakeEvents(), "\n"); (events != "") != (tc.event != "") || !strings.Contains(events, tc.event) {
				t.Errorf("events %q, want one with %q", events, tc.event)
			}
		})
	}
}

// copies returns the names of the Secrets that the control plane controls, all of the contract's type.
func copies(t *testing.T, m *fixture.Management) []string {
	t.Helper()
	list := &corev1.SecretList{}
	if err := m.List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range list.Items {
		owner := metav1.GetControllerOf(&list.Items[i])
		if owner == nil || owner.Kind != fixture.TypedControlPlane.Kind {
			continue
		}
		if list.Items[i].Type != clusterv1.ClusterSecretType || list.Items[i].Labels[clusterv1.ClusterNameLabel] != "my-cluster" {
			t.Errorf("Secret %s is not the contract's: %v", list.Items[i].Name, list.Items[i].ObjectMeta)
		}
		names = append(names, list.Items[i].Name)
	}
	return names
}
