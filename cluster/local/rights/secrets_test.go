package rights

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSecretsRead takes what one user has read, elsewhere than in its own namespace.
func TestSecretsRead(t *testing.T) {
	log := &strings.Builder{}
	for _, e := range []struct{ user, verb, resource, namespace, name string }{
		{"crossplane", "get", "secrets", "crossplane-system", "own"},
		{"crossplane", "get", "secrets", "team", "a"},
		{"crossplane", "get", "secrets", "team", "a"},
		{"crossplane", "list", "secrets", "", ""},
		{"crossplane", "patch", "secrets", "team", "b"},
		{"crossplane", "get", "configmaps", "team", "c"},
		{"provider", "get", "secrets", "team", "d"},
	} {
		fmt.Fprintf(log, `{"verb":%q,"user":{"username":%q},"objectRef":{"resource":%q,"namespace":%q,"name":%q}}`+"\n", e.verb, e.user, e.resource, e.namespace, e.name)
	}
	read, err := SecretsRead(strings.NewReader(log.String()), "crossplane", "crossplane-system")
	if diff := cmp.Diff([]string{"get Secret team/a", "list Secret /"}, read); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}
