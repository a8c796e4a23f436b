package identity

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

const (
	gone      = `deletionTimestamp: "2026-11-20T00:00:00Z", finalizers: [a/b],`
	theSecret = `{apiVersion: v1, kind: Secret, metadata: {namespace: team, name: c-aso-secret, uid: s, deletionTimestamp: "2026-11-20T00:00:00Z",
  finalizers: [credential.infrastructure.cluster.x-k8s.io/in-use], annotations: {infrastructure.cluster.x-k8s.io/made-from-identity: ids/id},
  ownerReferences: [{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane, name: cp, uid: cp, controller: true}]}}`
	ownSecret = `{apiVersion: v1, kind: Secret, metadata: {namespace: team, name: c-aso-secret, uid: s, deletionTimestamp: "2026-11-20T00:00:00Z",
  finalizers: [credential.infrastructure.cluster.x-k8s.io/in-use]}}`
)

// TestDeletedSecret shows when a Secret that somebody deletes is let go, to be made anew, and when it stays for what needs it.
func TestDeletedSecret(t *testing.T) {
	cases := map[string]struct {
		secret, cluster, controlPlane, team, source string

		goes bool
	}{
		"all lives":                   {goes: true},
		"a person's":                  {secret: ownSecret, goes: true},
		"a person's, no source":       {secret: ownSecret, source: replaced(theSource, "name: s", "name: other")},
		"the namespace goes":          {team: replaced(theTeam, "name: team,", "name: team, "+gone)},
		"a person's, namespace goes":  {secret: ownSecret, team: replaced(theTeam, "name: team,", "name: team, "+gone)},
		"the Cluster goes":            {cluster: replaced(theCluster, "name: c,", "name: c, "+gone)},
		"the control plane goes":      {controlPlane: replaced(theControlPlane, "uid: cp,", "uid: cp, "+gone)},
		"the source is gone":          {source: replaced(theSource, "name: s", "name: other")},
		"the Cluster is paused":       {cluster: replaced(theCluster, "uid: cluster}", "uid: cluster}, spec: {paused: true}")},
		"a person's, Cluster paused ": {secret: ownSecret, cluster: replaced(theCluster, "uid: cluster}", "uid: cluster}, spec: {paused: true}")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			or := func(text, otherwise string) string {
				if text == "" {
					return otherwise
				}
				return text
			}
			m := manage(t, or(tc.secret, theSecret), or(tc.cluster, theCluster), or(tc.controlPlane, theControlPlane), or(tc.team, theTeam), or(tc.source, theSource),
				replaced(theIdentity, "name: id}", "name: id, finalizers: ["+finalizerOf(composite.AzureManagedControlPlane.GroupKind(), client.ObjectKey{Namespace: "team", Name: "cp"})+"]}"))
			m.reconcile()
			left := m.credential()
			if (left == nil) != tc.goes {
				t.Fatalf("the Secret is there: %v", left != nil)
			}
			if !tc.goes {
				return
			}
			m.reconcile()
			if made := m.credential(); made == nil || made.UID == "s" || !slices.Contains(made.Finalizers, names.CredentialFinalizer) || string(made.Data["AZURE_CLIENT_SECRET"]) != hush {
				t.Error("it is not made anew")
			}
		})
	}
}

// TestNamespaceTakesNoSecret shows what is said when the Secret has gone with its namespace all the same, and that nothing is of a source that went.
func TestNamespaceTakesNoSecret(t *testing.T) {
	ending := replaced(theTeam, "name: team,", "name: team, "+gone)
	going := replaced(theControlPlane, "uid: cp,", "uid: cp, "+gone)
	m := manage(t, theCluster, going, ending, theIdentity, theSource)
	m.api.Client = interceptor.NewClient(m.Client.(client.WithWatch), interceptor.Funcs{
		Create: func(_ context.Context, _ client.WithWatch, obj client.Object, _ ...client.CreateOption) error {
			err := apierrors.NewForbidden(corev1.Resource("secrets"), obj.GetName(), nil)
			err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
			return err
		},
	})
	m.Client = m.api.Client
	for range 3 {
		_, event := m.reconcile()
		if want := "Warning CredentialFailed AzureManagedControlPlane cp: Secret c-aso-secret is gone"; event != "" && !strings.HasPrefix(event, want) {
			t.Errorf("event %q, want %q", event, want)
		}
	}
	if failed := m.annotations()[v1beta1.AnnotationCredentialFailed]; !strings.HasPrefix(failed, "CredentialMissing: Secret c-aso-secret is gone") {
		t.Errorf("the control plane says %q", failed)
	}
	m = manage(t, theCluster, going, ending, theIdentity, theSecret)
	if writes, event := m.reconcile(); len(writes) > 0 || event != "" {
		t.Errorf("without the source: event %q, writes %v", event, writes)
	}
}

// TestToldOnce shows that a mistake is told once for as long as it stays, and again when it comes back.
func TestToldOnce(t *testing.T) {
	m := manage(t, theCluster, theControlPlane, theTeam, theIdentity)
	count := func(times int) int {
		told := 0
		for range times {
			if _, event := m.reconcile(); event != "" {
				told++
			}
		}
		return told
	}
	got := []int{count(5)}
	m.apply(theSource)
	got = append(got, count(2))
	m.apply(replaced(theSource, "clientSecret: aHVzaA==", "other: aHVzaA=="))
	got = append(got, count(5))
	if diff := cmp.Diff([]int{1, 0, 1}, got); diff != "" {
		t.Errorf("Events: -want +got:\n%s", diff)
	}
}
