package asomanaged

import "testing"

// TestHealthDecidesNothing shows what Azure Resource Health says, beside conditions and objects that stay as they are.
func TestHealthDecidesNothing(t *testing.T) {
	w := aksWorld("p0")
	xr := controlPlaneXR(aksCluster())
	without := composers.Settle(t, w.WithFacts(cluster()), request(t, xr))
	if got := contract(without, "AzureResourceAvailable"); got != nil {
		t.Errorf("nobody asks, but the condition is %v", got)
	}
	ill := map[string]any{"state": "Unavailable", "reason": "Unplanned", "message": "Nobody answers."}
	with := composers.Settle(t, w.WithFacts(cluster(), set(ill, "spec", "resourceHealth")), request(t, xr))
	got := contract(with, "AzureResourceAvailable")
	if got["status"] != "False" || got["reason"] != "Unplanned" || got["message"] != "Unavailable: Nobody answers." {
		t.Errorf("got %v", got)
	}
	for _, of := range []string{"Ready", "Available", "ResourcesReady"} {
		if was, is := contract(without, of), contract(with, of); was["status"] != is["status"] || was["reason"] != is["reason"] || was["message"] != is["message"] {
			t.Errorf("%s was %v and is %v", of, was, is)
		}
	}
	if was, is := len(without.GetDesired().GetResources()), len(with.GetDesired().GetResources()); was != is || was == 0 {
		t.Errorf("%d objects were desired, and %d are", was, is)
	}
}
