package compute

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// TestFailureDomains shows that zones are what Azure has: what a spec says of zones that there are not, makes none.
func TestFailureDomains(t *testing.T) {
	said := v1beta1.FailureDomains{"1": {ControlPlane: true}}
	for name, c := range map[string]struct {
		status []v1beta1.FailureDomain
		zones  []string
		want   []string
	}{
		"of the status":            {[]v1beta1.FailureDomain{{Name: "2"}}, []string{"1", "2", "3"}, []string{"2"}},
		"of the location":          {nil, []string{"1", "3"}, []string{"1", "3"}},
		"a location without zones": {nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			azureCluster := &v1beta1.AzureCluster{}
			azureCluster.Spec.FailureDomains, azureCluster.Status.FailureDomains = said, c.status
			if diff := cmp.Diff(c.want, failureDomains(azureCluster, &machines.Offers{Zones: c.zones})); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
