package e2e

import (
	"bytes"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// identityUse deletes an identity that a cluster uses, and writes a cluster that claims in Azure what that one has.
var identityUse = &scenario{
	name: "identity-use", family: typedFamily, calmOnly: true,
	steps: []step{
		upTyped("aks", onePool),
		{
			name: "delete the identity",
			act:  removeIdentity,
			expect: []expectation{
				warned(identityKind, typedIdentity, "waits until it is not used: AzureManagedControlPlane identity-use-calm/"+clusterName),
				exists(identityKind, typedIdentity), available, contractKept,
			},
		},
		{
			name: "a new client secret all the same", act: setSecret(typedIdentity, "clientSecret", "rotated"),
			expect: []expectation{available, credentialIs("AZURE_CLIENT_SECRET", "rotated")},
		},
		{
			name:   "another control plane of the identity",
			act:    applyTyped("aks", without(func(u *unstructured.Unstructured) bool { return slices.Contains(notInLate, u.GetKind()) }), renamed("late")),
			expect: []expectation{warned(typedControlPlaneKind, "late", "is being deleted, so it gives no credential to clusters that have none from it yet")},
			stays:  []expectation{gone(secretKind, "late-aso-secret")}, staysFor: 2 * time.Second,
		},
		{
			name: "the same cluster in another namespace",
			act: all(
				func(w *world) error { return w.remove(clusterKind, "late") },
				now("claimed"), inOther((*world).enter), inOther(applyTyped("aks", onePool)),
			),
			expect: []expectation{
				onOther(warned(typedControlPlaneKind, clusterName, "of subscription ")), onOther(gone(secretKind, asoSecret)), gone(typedControlPlaneKind, "late"), available,
			},
			stays: []expectation{quietSince("claimed", ""), onOther(gone(secretKind, asoSecret))}, staysFor: 3 * time.Second,
		},
		{
			name: "delete the first one", act: func(w *world) error { return w.remove(clusterKind, clusterName) }, deletes: true, lasts: 15 * time.Second,
			expect: []expectation{gone(clusterKind, clusterName), gone(identityKind, typedIdentity), onOther(exists(secretKind, asoSecret))},
		},
		{name: "delete the second one", act: inOther(downTyped.act), deletes: true, lasts: 15 * time.Second, expect: []expectation{onOther(nothingLeft), azureEmpty}},
	},
}

// notInLate are the kinds that the control plane which comes too late does without: it gets no credential.
var notInLate = []string{identityKind.Kind, poolKind.Kind, typedPoolKind.Kind}

// renamed gives everything of an example that has the cluster's name another one.
func renamed(name string) change {
	return each(func(u *unstructured.Unstructured) error {
		raw, err := u.MarshalJSON()
		if err != nil {
			return err
		}
		return u.UnmarshalJSON(bytes.ReplaceAll(raw, []byte(`"`+clusterName+`"`), []byte(`"`+name+`"`)))
	})
}

// other is the same world in another namespace.
func (w *world) other() *world {
	other := *w
	other.namespace = w.namespace + "-other"
	return &other
}

func inOther(act func(*world) error) func(*world) error {
	return func(w *world) error { return act(w.other()) }
}

func onOther(expected expectation) expectation {
	return func(w *world) []string { return expected(w.other()) }
}
