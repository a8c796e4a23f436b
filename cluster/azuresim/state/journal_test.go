package state

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func contents(t *testing.T, j *Journal) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := j.Each("", func(key string, raw json.RawMessage) error {
		found[key] = string(raw)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func put(t *testing.T, j *Journal, key string, value any) {
	t.Helper()
	if err := j.Put(key, value); err != nil {
		t.Fatal(err)
	}
}

// TestCrash checks that a journal that was never closed, and whose last line was cut short, has all but that line.
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	j, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	put(t, j, "a/1", 1)
	put(t, j, "a/2", "two")
	put(t, j, "b", map[string]int{"x": 1})
	put(t, j, "a/1", 11)
	if err := j.Delete("a/2"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "state.jsonl")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"k":"c","v":{"cut`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a/1": "11", "b": `{"x":1}`}
	if diff := cmp.Diff(want, contents(t, again)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	put(t, again, "c", true)
	third, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want["c"] = "true"
	if diff := cmp.Diff(want, contents(t, third)); diff != "" {
		t.Errorf("after another write: -want +got\n%s", diff)
	}
}

// TestCorrupt checks that an unreadable line in the middle is an error and not a silent loss.
func TestCorrupt(t *testing.T) {
	dir := t.TempDir()
	content := `{"k":"a","v":1}` + "\n" + `garbage` + "\n" + `{"k":"b","v":2}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "state.jsonl"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("Open: %v, want an error that names line 2", err)
	}
}

// TestCompaction checks that a value written over and over does not let the file grow without end.
func TestCompaction(t *testing.T) {
	dir := t.TempDir()
	j, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3*compactAfter + 10 {
		put(t, j, "counter", i)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "state.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(raw), "\n"); lines > compactAfter+2 {
		t.Errorf("journal has %d lines, want at most %d", lines, compactAfter+2)
	}
	var last int
	if found, err := j.Get("counter", &last); err != nil || !found || last != 3*compactAfter+9 {
		t.Errorf("counter is %d, found %t, %v", last, found, err)
	}
}
