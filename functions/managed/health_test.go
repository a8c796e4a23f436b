package managed

import "testing"

// TestHealthDecidesNothing shows what Azure Resource Health says, beside conditions and objects that stay as they are.
func TestHealthDecidesNothing(t *testing.T) {
	without := composers.Settle(t, aksWorld(t, infrastructure(t)).WithFacts(cluster(t)), request(t, controlPlane(t)))
	if got := condition(without, "AzureResourceAvailable"); got != "" {
		t.Errorf("nobody asks, but the condition is %q", got)
	}
	ill := map[string]any{"state": "Unavailable", "reason": "Unplanned", "message": "Nobody answers."}
	with := composers.Settle(t, aksWorld(t, infrastructure(t)).WithFacts(cluster(t), set(ill, "spec", "resourceHealth")), request(t, controlPlane(t)))
	if got, want := condition(with, "AzureResourceAvailable"), "False Unplanned: Unavailable: Nobody answers."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, of := range []string{"Ready", "Available", "ResourcesReady", "ManagedClusterRunning"} {
		if was, is := condition(without, of), condition(with, of); was != is {
			t.Errorf("%s was %q and is %q", of, was, is)
		}
	}
	if was, is := len(without.GetDesired().GetResources()), len(with.GetDesired().GetResources()); was != is || was == 0 {
		t.Errorf("%d objects were desired, and %d are", was, is)
	}
}
