package platform

import (
	"testing"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// FuzzObjects changes one of what a Cluster is made of: the application team's object, the platform team's policy, the
// Cluster that exists, or what is around it. A Cluster that exists must stay, whatever it is.
func FuzzObjects(f *testing.F) {
	w := fullWorld(f)
	for what := range 256 {
		f.Add([]byte{byte(what), byte(what / 3), byte(what * 7), byte(what)})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		xr, policy, cluster := unstructuredOf(object(t, xrText)), unstructuredOf(object(t, policyText)), unstructuredOf(object(t, clusterText))
		if data[0]&0x80 != 0 {
			xr = unstructuredOf(object(t, claimedText))
			cluster.SetNamespace("team-b")
			cluster.SetName("blog")
		}
		changes, around := data[1:], w
		switch n := int(data[0]&0x7f) % (3 + len(w.Objects)); n {
		case 0:
			claim := xr.Object["spec"].(map[string]any)["claimRef"]
			xr = composertest.Odd(xr, changes)
			if claim != nil { // It is Crossplane's to write.
				spec, ok := xr.Object["spec"].(map[string]any)
				if !ok {
					spec = map[string]any{}
					xr.Object["spec"] = spec
				}
				spec["claimRef"] = claim
			}
		case 1:
			policy = composertest.Odd(policy, changes)
		case 2:
			cluster = composertest.Odd(cluster, changes)
		default:
			around = w.With(composertest.Odd(w.Objects[n-3], changes))
		}
		req := request(t, xr.Object, policy.Object, cluster.Object)
		rsp := composers.Withstand(t, around, req)
		if lost := composertest.Dropped(req, rsp); len(lost) > 0 {
			t.Errorf("%v would be deleted", lost)
		}
	})
}
