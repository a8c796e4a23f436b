package written

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
)

// TestSpool keeps objects, and says in which field a value is.
func TestSpool(t *testing.T) {
	path := filepath.Join(t.TempDir(), "objects")
	spool, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	objects := []string{
		`{"kind":"Cluster","spec":{"list":["a",{"b":"c"}]}}`,
		`{"kind":"Cluster","spec":{"list":["a",{"b":"c"}],"n":1},"status":{"conditions":[{"type":"Ready"},{"message":"it said Pl4nted~7f3a9c0e2"}]}}`,
		"no JSON Pl4nted~7f3a9c0e2",
	}
	for i, object := range objects {
		spool.Add("clusters/a/b", fmt.Sprintf("revision %d", i), []byte(object))
	}
	if err := spool.Close(); err != nil {
		t.Fatal(err)
	}
	haul := &leaks.Haul{}
	haul.Add("Secret a/b", "password", []byte("Pl4nted~7f3a9c0e2"))
	s := leaks.NewSearch(haul.Values())
	n, err := Search(s, path)
	if err != nil || n != len(objects) {
		t.Fatalf("%d texts, %v", n, err)
	}
	want := []string{"clusters/a/b, revision 1, field status.conditions.1.message: password of Secret a/b, as it is (2 times)"}
	var findings []string
	for _, f := range s.Findings() {
		findings = append(findings, f.String())
	}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Error(diff)
	}
}
