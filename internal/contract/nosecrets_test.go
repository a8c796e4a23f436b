package contract

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
)

// TestKubeconfigIsNotQuoted has something secret in kubeconfigs that cannot be used: nothing of them is said.
func TestKubeconfigIsNotQuoted(t *testing.T) {
	const planted = "pl4nted-7f3a9c"
	kubeconfigs := map[string]string{
		"no YAML":           "users: [{name: a, user: {token: " + planted,
		"a text":            planted,
		"a list":            "[" + planted + "]",
		"the wrong type":    "{apiVersion: v1, kind: Config, users: " + planted + "}",
		"another type":      "{apiVersion: v1, kind: Config, users: [{name: a, user: {token: {" + planted + ": x}}}]}",
		"a broken key":      "{apiVersion: v1, kind: Config, users: [{name: a, user: {client-key-data: " + planted + "}}]}",
		"another kind":      "{apiVersion: v1, kind: " + planted + "}",
		"another version":   "{apiVersion: " + planted + ", kind: Config}",
		"a duplicate key":   "{apiVersion: v1, kind: Config, " + planted + ": 1, " + planted + ": 2}",
		"a control letter":  "apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user:\n    token: " + planted + "\x01",
		"an unknown anchor": "apiVersion: v1\nkind: Config\nusers: *" + planted,
	}
	failed := 0
	for name, kubeconfig := range kubeconfigs {
		for kind, withToken := range map[string]bool{"adminCredentials": false, "userCredentials": true} {
			t.Run(name+" in "+kind, func(t *testing.T) {
				m := newManagement(t, myCluster(), with(parse(t, controlPlaneYAML), ofCluster), asoSecret("aso", "value", kubeconfig),
					managedClusterWith(t, destination(kind, "aso", "value"), withToken))
				r := m.controlPlane(&entra{now: start, life: time.Hour})
				_, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: "my-cluster"}})
				said := m.takeEvents()
				if err != nil {
					failed++
					said = append(said, err.Error())
				}
				if all := strings.Join(said, "\n"); strings.Contains(all, planted) {
					t.Errorf("something secret was said: %s", all)
				}
			})
		}
	}
	if failed < len(kubeconfigs)/2 {
		t.Errorf("only %d of the kubeconfigs were refused", failed)
	}
}
