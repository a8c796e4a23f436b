package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/internal/compatibility"
)

func TestRunsAndOtherVersions(t *testing.T) {
	parts := []compatibility.Part{{Name: "Kubernetes", Version: "v1.36.3"}, {Name: "Crossplane", Version: "v2.4.0"}}
	others := []compatibility.Other{{Part: "Crossplane", Version: "v2.3.3"}, {Part: "Crossplane", Version: "v2.4.2"}, {Part: "Kubernetes", Version: "v1.35.4"}}
	versions := map[string]string{"Kubernetes": "v1.36.3", "Crossplane": "v2.3.3"}
	runs := []compatibility.Run{
		{Date: "2026-11-26", Commit: "aaaaaaa", Target: "compatibility", Go: "go1.26.8", Versions: versions, Seconds: 10, Other: "crossplane-v2.3.3", Result: compatibility.Passed},
		{Date: "2026-11-27", Commit: "bbbbbbb", Target: "e2e", Go: "go1.26.8", Versions: map[string]string{"Crossplane": "v2.4.0"}, Seconds: 20},
		{Date: "2026-11-28", Commit: "ccccccc", Target: "compatibility", Go: "go1.26.8", Versions: versions, Seconds: 30, Other: "crossplane-v2.3.3", Result: compatibility.Failed, Reason: "It says a|b."},
		{Date: "2026-11-28", Commit: "ccccccc", Target: "compatibility", Go: "go1.26.8", Versions: map[string]string{"Kubernetes": "v1.35.4", "Crossplane": "v2.4.0"}, Seconds: 40, Other: "kubernetes-v1.35.4", Result: compatibility.Passed},
	}
	want := `| other version | result | date | commit | with | Go | took |
|---|---|---|---|---|---|---|
| Crossplane v2.3.3 | failed: It says a\|b. | 2026-11-28 | ccccccc | Kubernetes v1.36.3 | 1.26.8 | 30 s |
| Crossplane v2.4.2 | not run yet | | | | | |
| Kubernetes v1.35.4 | passed | 2026-11-28 | ccccccc | Crossplane v2.4.0 | 1.26.8 | 40 s |
`
	if diff := cmp.Diff(want, othersTable(parts, others, runs)); diff != "" {
		t.Errorf("other versions: -want, +got:\n%s", diff)
	}
	want = "| date | command | commit | with | Go | took |\n|---|---|---|---|---|---|\n| 2026-11-27 | `make e2e` | bbbbbbb | Crossplane v2.4.0 | 1.26.8 | 20 s |\n"
	if diff := cmp.Diff(want, runsTable(parts, runs)); diff != "" {
		t.Errorf("runs: -want, +got:\n%s", diff)
	}
	if got := runsTable(parts, runs[:1]); got != "None has been recorded yet.\n" {
		t.Errorf("without runs of the usual versions: %q", got)
	}
}
