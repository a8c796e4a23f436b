package kubeconfig

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// TestNothingIsReadOfAHeldManagedCluster shows that a ManagedCluster of which nothing has been sent to Azure counts as absent,
// whatever ASO finds in its place.
func TestNothingIsReadOfAHeldManagedCluster(t *testing.T) {
	tests := map[string]struct {
		annotations []string
		want        []string
	}{
		"held":     {annotations: []string{aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationHeld, "true"}},
		"released": {want: []string{"create Secret my-cluster-kubeconfig"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			managedCluster := fixture.With(fixture.ManagedClusterWith(t, fixture.Destination("adminCredentials", "aso", "value"), false), fixture.Annotated(tc.annotations...))
			m := fixture.New(t, fixture.Cluster(), fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster), managedCluster, fixture.ASOSecret("aso", "value", fixture.AdminKubeconfig))
			m.Reconcile(controlPlane(m, &entra{now: start}), "my-cluster")
			if diff := cmp.Diff(tc.want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
