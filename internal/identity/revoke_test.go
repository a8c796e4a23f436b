package identity

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// TestRevoke takes the right away from a control plane that has its Secret, by each way there is, and gives it back.
func TestRevoke(t *testing.T) {
	const (
		selected = "allowedNamespaces: {selector: {matchLabels: {azure: allowed}}}"
		stranger = "allowedNamespaces: {list: [other]}"
		lost     = "IdentityNotAllowed: spec.allowedNamespaces of AzureClusterIdentity "
	)
	theASO := replaced(theControlPlane, "kind: AzureManagedControlPlane", "kind: AzureASOManagedControlPlane")
	pausedCluster := replaced(theCluster, "uid: cluster}", "uid: cluster}, spec: {paused: true}")
	cases := map[string]struct {
		// before is there beside the others, change is made when the Secret is there.
		before, change []string
		// failed begins what the control plane says then.
		failed string
		kept   bool
		// silent is set when the control plane says nothing.
		silent bool
	}{
		"another list":                         {change: []string{replaced(theIdentity, "list: [team]", "list: [other]")}, failed: lost + "ids/id does not have namespace team"},
		"no list":                              {change: []string{replaced(theIdentity, ", allowedNamespaces: {list: [team]}", "")}, failed: lost},
		"another selector":                     {change: []string{replaced(theIdentity, "allowedNamespaces: {list: [team]}", "allowedNamespaces: {selector: {matchLabels: {azure: other}}}")}, failed: lost},
		"no label":                             {before: []string{replaced(theIdentity, "allowedNamespaces: {list: [team]}", selected)}, change: []string{replaced(theTeam, ", labels: {azure: allowed}", "")}, failed: lost},
		"another identity":                     {before: []string{replaced(theIdentity, "name: id}", "name: strange}", "allowedNamespaces: {list: [team]}", stranger)}, change: []string{replaced(theControlPlane, "name: id,", "name: strange,")}, failed: lost + "ids/strange"},
		"no more, for one that does not exist": {change: []string{replaced(theIdentity, "list: [team]", "list: [other]"), replaced(theControlPlane, "name: id,", "name: none,")}, failed: lost + "ids/id"},
		"no more, with a mistake in the reference": {change: []string{replaced(theIdentity, "list: [team]", "list: [other]"), replaced(theControlPlane, "kind: AzureClusterIdentity", "kind: Other")}, failed: lost + "ids/id"},
		"no more, while the Cluster is paused":     {change: []string{pausedCluster, replaced(theIdentity, "list: [team]", "list: [other]")}, failed: lost},
		"no more, while paused":                    {change: []string{replaced(theControlPlane, "uid: cp,", `uid: cp, annotations: {crossplane.io/paused: "true"},`), replaced(theIdentity, "list: [team]", "list: [other]")}, failed: lost},

		"one that does not exist": {change: []string{replaced(theControlPlane, "name: id,", "name: none,")}, failed: "CredentialFailed: AzureClusterIdentity ids/none", kept: true},
		"a wrong selector":        {change: []string{replaced(theIdentity, "list: [team]", "selector: {matchExpressions: [{key: a, operator: Guess}]}")}, failed: "CredentialFailed: spec.allowedNamespaces.selector", kept: true},
		"an incomplete source":    {change: []string{replaced(theSource, "clientSecret: aHVzaA==", "other: aHVzaA==")}, failed: "CredentialFailed: Secret ids/s", kept: true},
		"a pause":                 {change: []string{pausedCluster}, kept: true, silent: true},
		"a mistake in a pause":    {change: []string{pausedCluster, replaced(theSource, "clientSecret: aHVzaA==", "other: aHVzaA==")}, kept: true, silent: true},
	}
	for name, tc := range cases {
		for _, controlPlane := range []string{theControlPlane, theASO} {
			kind := object(t, controlPlane).GetKind()
			t.Run(name+", "+kind, func(t *testing.T) {
				objects := append([]string{theCluster, controlPlane, theTeam, theIdentity, theSource}, tc.before...)
				m := manage(t)
				m.kind, _ = composite.Lookup(v1beta1.GroupVersion.WithKind(kind).GroupKind())
				m.apply(objects...)
				m.reconcile()
				if m.credential() == nil {
					t.Fatal("there is no Secret to lose")
				}
				annotations := m.annotations()
				for _, change := range tc.change {
					m.apply(replaced(change, "kind: AzureManagedControlPlane", "kind: "+kind))
				}
				m.reconcile()
				if kept := m.credential() != nil; kept != tc.kept {
					t.Errorf("the Secret is there: %v", kept)
				}
				if failed, says := m.annotations()[v1beta1.AnnotationCredentialFailed]; says == tc.silent || !strings.HasPrefix(failed, tc.failed) {
					t.Errorf("the control plane says %q, want %q", failed, tc.failed)
				}
				m.reconcile() // Without a Secret there may be something else to say.
				if writes, _ := m.reconcile(); len(writes) > 0 {
					t.Errorf("wrote again: %v", writes)
				}
				m.apply(objects...)
				m.reconcile()
				if diff := cmp.Diff(annotations, m.annotations()); diff != "" || m.credential() == nil {
					t.Errorf("when the right is back, it says: -want +got:\n%s", diff)
				}
			})
		}
	}
}

// TestRevokeOwn shows that a Secret which a person has made stays, whatever the identity allows.
func TestRevokeOwn(t *testing.T) {
	m := manage(t, theCluster, theControlPlane, theTeam, replaced(theIdentity, "list: [team]", "list: [other]"), theSource,
		`{apiVersion: v1, kind: Secret, metadata: {namespace: team, name: c-aso-secret}}`)
	m.reconcile()
	if m.credential() == nil {
		t.Error("a person's own Secret is gone")
	}
}

// apply makes the objects be as they are written; what the reconciler has noted on a control plane stays.
func (m *management) apply(objects ...string) {
	m.t.Helper()
	ctx := context.Background()
	for _, text := range objects {
		wanted, there := object(m.t, text), object(m.t, text)
		if err := m.Get(ctx, client.ObjectKeyFromObject(wanted), there); err != nil {
			if err := m.Create(ctx, wanted); err != nil {
				m.t.Fatal(err)
			}
			continue
		}
		annotations := there.GetAnnotations()
		delete(annotations, "crossplane.io/paused")
		if wanted.GetKind() == m.kind.Kind {
			for key, value := range wanted.GetAnnotations() {
				annotations[key] = value
			}
			wanted.SetAnnotations(annotations)
		}
		wanted.SetResourceVersion(there.GetResourceVersion())
		if err := m.Update(ctx, wanted); err != nil {
			m.t.Fatal(err)
		}
	}
}
