package contract

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// TestNothingIsReadOfAHeldManagedCluster says that a ManagedCluster of which nothing has been sent to Azure counts as absent,
// whatever ASO finds in its place.
func TestNothingIsReadOfAHeldManagedCluster(t *testing.T) {
	tests := map[string]struct {
		annotations []string
		want        []string
	}{
		"held":     {annotations: []string{reconcilePolicyAnnotation, policySkip, aso.AnnotationHeld, "true"}},
		"released": {want: []string{"create Secret my-cluster-kubeconfig"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			managedCluster := with(managedClusterWith(t, destination("adminCredentials", "aso", "value"), false), annotated(tc.annotations...))
			m := newManagement(t, myCluster(), with(parse(t, controlPlaneYAML), ofCluster), managedCluster, asoSecret("aso", "value", adminKubeconfig))
			m.reconcile(m.controlPlane(&entra{now: start}), "my-cluster")
			if diff := cmp.Diff(tc.want, m.takeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
