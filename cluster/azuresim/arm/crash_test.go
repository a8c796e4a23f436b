package arm

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

// TestKilledWhileFinishing cuts the journal of a simulator that finishes an operation after each of its records. What is left is finished
// by the next one.
func TestKilledWhileFinishing(t *testing.T) {
	scaled := `{"properties":{"count":3,"mode":"System","vmSize":"x"}}`
	second := testCluster + "/agentPools/pool1"
	cases := map[string]struct {
		before []request
		last   request
	}{
		"create": {[]request{createGroup}, createCluster},
		"scale":  {[]request{createGroup, createCluster}, request{http.MethodPut, testPool, scaled}},
		"delete a pool": {[]request{createGroup, createCluster, {http.MethodPut, second, scaled}},
			request{http.MethodDelete, second, ""}},
		"delete a cluster": {[]request{createGroup, createCluster}, request{http.MethodDelete, testCluster, ""}},
		"delete a group":   {[]request{createGroup, createCluster}, request{http.MethodDelete, testGroup, ""}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := restoreFrom(t, dir, newFixture(t))
			for _, r := range append(c.before, c.last) {
				f.settle(r.method, r.path, r.body)
				if r != c.last {
					f.resources("")
				}
			}
			begun := journalOf(t, dir)
			want := f.outcome()
			finished := journalOf(t, dir)
			records := bytes.SplitAfter(finished[len(begun):], []byte("\n"))
			if len(records) < 3 {
				t.Fatalf("want several records of what is finished, got %d", len(records))
			}
			for i := range records {
				left := t.TempDir()
				cut := append(bytes.Clone(begun), bytes.Join(records[:i], nil)...)
				if err := os.WriteFile(filepath.Join(left, "state.jsonl"), cut, 0o600); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, restoreFrom(t, left, f).outcome()); diff != "" {
					t.Errorf("killed after record %d of %d: -want +got:\n%s", i, len(records), diff)
				}
			}
		})
	}
}

func restoreFrom(t *testing.T, dir string, before *fixture) *fixture {
	t.Helper()
	journal, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return restore(t, journal, before.clock)
}

func journalOf(t *testing.T, dir string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "state.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// outcome returns each resource with its provisioning state, and the names of the cluster's Nodes.
func (f *fixture) outcome() []string {
	f.t.Helper()
	var all []string
	for _, r := range f.resources("") {
		all = append(all, r.ID+" "+r.provisioningState())
	}
	for _, n := range f.clusters.Nodes(testCluster) {
		all = append(all, n.Name)
	}
	return all
}
