package stack

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestSharedAzure(t *testing.T) {
	first, dir := t.TempDir(), t.TempDir()
	ports := map[string]int{portAzure: 1001, portAzureAdmin: 1002}
	if err := (&state{Phase: phaseUp, Ports: ports}).write(first); err != nil {
		t.Fatal(err)
	}
	own := &Stack{dir: t.TempDir(), state: &state{Ports: map[string]int{portAzure: 2001, portAzureAdmin: 2002}}}
	if err := own.shareAzure(""); err != nil || own.ProxyURL() != "http://127.0.0.1:2001" || own.state.Azure != "" {
		t.Errorf("its own Azure is at %s (%v, %q)", own.ProxyURL(), err, own.state.Azure)
	}
	second := &Stack{dir: dir, state: &state{Phase: phaseUp, Ports: map[string]int{portAzure: 3001, portAzureAdmin: 3002}}}
	if err := second.shareAzure(first); err != nil {
		t.Fatal(err)
	}
	if err := second.state.write(dir); err != nil {
		t.Fatal(err)
	}
	// What was shared is known to whoever opens the stack later.
	opened, err := Open("", dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*Stack{"second": second, "opened": opened} {
		if s.ProxyURL() != "http://127.0.0.1:1001" || s.AdminURL() != "http://127.0.0.1:1002" || s.AzureCA() != filepath.Join(first, "azure", "ca.crt") {
			t.Errorf("%s: %s, %s, %s; want the first one's", name, s.ProxyURL(), s.AdminURL(), s.AzureCA())
		}
		if s.state.Azure != first {
			t.Errorf("%s remembers %q, want %q", name, s.state.Azure, first)
		}
	}
	if err := own.shareAzure(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no stack is up") {
		t.Errorf("the Azure of no stack: %v", err)
	}
}
