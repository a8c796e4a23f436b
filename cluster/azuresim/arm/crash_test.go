package arm_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

// TestKilledWhileFinishing cuts the journal of a simulator that finishes an operation after each of its records. What is left is finished
// by the next one.
func TestKilledWhileFinishing(t *testing.T) {
	scaled := `{"properties":{"count":3,"mode":"System","vmSize":"x"}}`
	second := armtest.Cluster + "/agentPools/pool1"
	cases := map[string]struct {
		before []armtest.Request
		last   armtest.Request
	}{
		"create": {[]armtest.Request{armtest.CreateGroup}, armtest.CreateCluster},
		"scale":  {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Pool, scaled}},
		"delete a pool": {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster, {http.MethodPut, second, scaled}},
			armtest.Request{http.MethodDelete, second, ""}},
		"delete a cluster": {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodDelete, armtest.Cluster, ""}},
		"delete a group":   {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodDelete, armtest.Group, ""}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := restoreFrom(t, dir, armtest.New(t))
			for _, r := range append(c.before, c.last) {
				f.Make(r)
				if r != c.last {
					f.Resources("")
				}
			}
			begun := journalOf(t, dir)
			want := outcome(f)
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
				if diff := cmp.Diff(want, outcome(restoreFrom(t, left, f))); diff != "" {
					t.Errorf("killed after record %d of %d: -want +got:\n%s", i, len(records), diff)
				}
			}
		})
	}
}

func restoreFrom(t *testing.T, dir string, before *armtest.Fixture) *armtest.Fixture {
	t.Helper()
	journal, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return armtest.Restore(t, journal, nil, before.Clock)
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
func outcome(f *armtest.Fixture) []string {
	f.T.Helper()
	var all []string
	for _, r := range f.Resources("") {
		all = append(all, r.ID+" "+r.ProvisioningState())
	}
	for _, n := range f.Clusters.Nodes(armtest.Cluster) {
		all = append(all, n.Name)
	}
	return all
}
