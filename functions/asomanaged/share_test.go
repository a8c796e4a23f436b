package asomanaged

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-capz/crossplane-capz/internal/refusal"
)

// TestTwoClustersOfOneNamespace has another cluster with an object of the name of one of ours.
func TestTwoClustersOfOneNamespace(t *testing.T) {
	skipped := annotate(policy, "skip")
	theirs := func(edits ...edit) *unstr {
		o := edited(group("rg"), append(edits, succeeded, func(o *unstr) {
			o.SetNamespace(ns)
			o.SetGeneration(1)
			o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: capz, Kind: "AzureASOManagedCluster", Name: "other", UID: "uid-other", Controller: new(true)}})
		})...)
		return o
	}
	const another = "spec.resources[0]: ResourceGroup rg belongs to AzureASOManagedCluster other. To use it as it is, annotate this entry with serviceoperator.azure.com/reconcile-policy=skip; " +
		"to have another one here, give it another metadata.name (and spec.azureName, where the name in Azure is to be the same)"
	const shared = "is not composed here: AzureASOManagedCluster other has it, and it is only read"
	cases := map[string]struct {
		entry, theirs *unstr
		reason, says  string
		composed      bool
	}{
		"both read it":          {entry: edited(group("rg"), skipped), theirs: theirs(skipped), reason: "Succeeded", says: shared},
		"theirs, read here":     {entry: edited(group("rg"), skipped), theirs: theirs(), reason: "Succeeded", says: shared},
		"both write it":         {entry: group("rg"), theirs: theirs(), reason: "ControlledByOther", says: another},
		"read there":            {entry: group("rg"), theirs: theirs(skipped), reason: "ControlledByOther", says: another},
		"gone there":            {entry: edited(group("rg"), skipped), theirs: edited(theirs(skipped), condition("False", "Warning", "AzureResourceNotFound", "404")), reason: "AzureResourceNotFound", says: "404"},
		"nobody else has it":    {entry: edited(group("rg"), skipped), reason: "Creating", composed: true},
		"nobody's but a user's": {entry: group("rg"), theirs: edited(theirs(), remove("metadata", "ownerReferences")), reason: "Creating", composed: true},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			w := aksWorld()
			if c.theirs != nil {
				w = w.With(c.theirs)
			}
			xr := infraXR(c.entry)
			if c.reason == "ControlledByOther" { // Crossplane has tried to apply it.
				refused("Unsynced resources: ResourceGroup.resources.azure.com/rg")(xr)
			}
			rsp := composers.Settle(t, w, request(t, xr))
			isReady, reason, message := outcome(rsp, "rg")
			if reason != c.reason || !strings.HasPrefix(message, c.says) || isReady != (c.reason == "Succeeded") {
				t.Errorf("want %s: %s\ngot  %s: %s", c.reason, c.says, reason, message)
			}
			if composed := desired(t, rsp)["ResourceGroup.resources.azure.com/rg"] != nil; composed != c.composed {
				t.Errorf("composed: %v", composed)
			}
			if c.theirs == nil || !isReady && c.reason != "ControlledByOther" {
				return
			}
			if c.reason == "ControlledByOther" { // Crossplane forgets that, as it is asked to apply it no more, and the note of it ends.
				again := edited(xr, func(o *unstr) { o.Object["status"] = status(rsp) }, remove("metadata", "annotations", refusal.Annotation))
				if _, reason, message := outcome(composers.Settle(t, w, request(t, again)), "rg"); reason != c.reason || message != c.says {
					t.Errorf("the next time: %s: %s", reason, message)
				}
			}
			// The other cluster goes, and the note ends.
			again := edited(xr, func(o *unstr) { o.Object["status"] = status(rsp) }, remove("metadata", "annotations", refusal.Annotation))
			if rsp = composers.Settle(t, w.Without(c.theirs), request(t, again)); desired(t, rsp)["ResourceGroup.resources.azure.com/rg"] == nil {
				_, reason, message := outcome(rsp, "rg")
				t.Errorf("the other is gone, but it is not composed: %s: %s", reason, message)
			}
			// What is composed stays, whoever comes later.
			observed := exists(t, xr, c.entry)
			if rsp = composers.Settle(t, w, request(t, again, observed)); desired(t, rsp)["ResourceGroup.resources.azure.com/rg"] == nil {
				t.Errorf("dropped: %s", fatal(rsp))
			}
		})
	}
}
