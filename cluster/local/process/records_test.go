package process

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "processes")
	r := Records(dir)
	if all, err := r.All(); err != nil || len(all) != 0 {
		t.Fatalf("All() = %v, %v of a folder that is not there", all, err)
	}
	b, a := &Process{Name: "b", PID: 7, Started: "9"}, &Process{Name: "a", Args: []string{"-x"}, For: "d 1"}
	for _, p := range []*Process{b, a, b} {
		if err := r.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	// What another is just writing is no record yet.
	if err := os.WriteFile(filepath.Join(dir, ".unfinished-1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := r.All()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*Process{a, b}, all); diff != "" {
		t.Errorf("All(): -want, +got:\n%s", diff)
	}
	for range 2 {
		if err := r.Remove("a"); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := r.Read("a"); p != nil || err != nil {
		t.Errorf("Read() = %v, %v of a process that was removed", p, err)
	}
	info, err := os.Stat(filepath.Join(dir, "b.json"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("a record has mode %s", info.Mode())
	}
}
