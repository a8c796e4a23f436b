package kubeconfig

import (
	"strings"
	"testing"
	"time"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// TestKubeconfigIsNotQuoted puts something secret in kubeconfigs that cannot be used: no part of them is reported.
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
				m := fixture.New(t, fixture.Cluster(), fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster), fixture.ASOSecret("aso", "value", kubeconfig),
					fixture.ManagedClusterWith(t, fixture.Destination(kind, "aso", "value"), withToken))
				r := controlPlane(m, &entra{now: start, life: time.Hour})
				_, err := r.Reconcile(t.Context(), fixture.Request("my-cluster"))
				reported := m.TakeEvents()
				if err != nil {
					failed++
					reported = append(reported, err.Error())
				}
				if all := strings.Join(reported, "\n"); strings.Contains(all, planted) {
					t.Errorf("something secret was reported: %s", all)
				}
			})
		}
	}
	if failed < len(kubeconfigs)/2 {
		t.Errorf("only %d of the kubeconfigs were refused", failed)
	}
}
