package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/internal/compatibility"
)

func TestSelected(t *testing.T) {
	all, err := selected(nil)
	if err != nil || len(all) != len(compatibility.Others()) {
		t.Errorf("selected(nil) = %v, %v", all, err)
	}
	last := all[len(all)-1].Name()
	if some, err := selected([]string{last}); err != nil || len(some) != 1 || some[0].Name() != last {
		t.Errorf("selected(%s) = %v, %v", last, some, err)
	}
	if _, err := selected([]string{"crossplane"}); err == nil || !strings.Contains(err.Error(), last) {
		t.Errorf("a name that there is not: %v, which does not say those that there are", err)
	}
}

func TestFailure(t *testing.T) {
	exit := errors.New("exit status 1")
	cases := map[string]struct{ printed, want string }{
		"Scenarios": {
			printed: "05:12:33  TestCalm/typed: step create: my-cluster is not there\n05:12:33  TestCalm/scale: step up\n05:14:33  TestCalm/typed: step create: my-cluster is not there\n",
			want:    "Scenario typed, scale fails: step create: my-cluster is not there",
		},
		"ManagementCluster": {printed: "05:12:33  etcd answers\n05:12:34  FAIL: CRDs are refused\nFAIL\tm/e2e\t3.1s\n", want: "CRDs are refused"},
		"Compiler":          {printed: "# m/e2e\n./a.go:1:  undefined: x\n\n", want: "./a.go:1: undefined: x"},
		"Proxy":             {printed: "go: m@v1.0.0: reading m.mod: 403 Forbidden\n\tserver response: This module version is not available.\n", want: "go: m@v1.0.0: reading m.mod: 403 Forbidden"},
		"ProxyAlone":        {printed: "server response: no\n", want: "exit status 1"},
		"Nothing":           {want: "exit status 1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := failure(tc.printed, exit); got != tc.want {
				t.Errorf("failure() = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestUnbuilt(t *testing.T) {
	cases := map[string]struct{ printed, want string }{
		"Compiler": {
			printed: "build 1 of 16: kubernetes (10s)\n05:12:33  FAIL: build 1 of 16: kubernetes: go build . : exit status 1\n# m\n./a.go:1:  undefined: x\nFAIL\tm/e2e\t3.1s\nFAIL\n",
			want:    "kubernetes: go build . : exit status 1: ./a.go:1: undefined: x",
		},
		"ManagementCluster": {printed: "build 1 of 16: kubernetes: cached\n05:12:34  FAIL: CRDs are refused\nFAIL\tm/e2e\t3.1s\n"},
		"Scenario":          {printed: "05:12:33  TestCalm/typed: step create: my-cluster is not there\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := unbuilt(tc.printed); got != tc.want {
				t.Errorf("unbuilt() = %q, want %q", got, tc.want)
			}
		})
	}
}

// TestClone has a clone have what is committed and what was built, and not what is neither.
func TestClone(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(file, content string) {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("main.go", "package main")
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "main.go"},
		{"-c", "user.name=me", "-c", "user.email=me@example.org", "commit", "--quiet", "--message=first"},
	} {
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write("main.go", "package changed")
	write(".local/bin/kubernetes", "binary")
	write(".local/endure/log", "log")
	if err := os.Symlink("kubernetes", ".local/bin/etcd"); err != nil {
		t.Fatal(err)
	}
	c := &clone{dir: filepath.Join(clones, "a"), out: io.Discard}
	write(filepath.Join(c.dir, "left"), "by a run before")
	if err := c.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"left": "", "main.go": "package main", ".local/bin/kubernetes": "binary", ".local/bin/etcd": "binary", ".local/endure/log": ""} {
		got, err := os.ReadFile(filepath.Join(c.dir, file))
		if string(got) != want {
			t.Errorf("%s has %q, %v, want %q", file, got, err, want)
		}
	}
	if info, err := os.Stat(filepath.Join(c.dir, ".local/bin/kubernetes")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("the binary cannot be run: %v, %v", info, err)
	}
	write(filepath.Join(c.dir, "main.go"), "package other")
	if err := c.hide(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, err := exec.CommandContext(t.Context(), "git", "-C", c.dir, "status", "--porcelain", "--untracked-files=no").Output(); err != nil || len(status) > 0 {
		t.Errorf("git says that the clone is changed: %s%v", status, err)
	}
	if target, err := os.Readlink(filepath.Join(c.dir, ".local/bin/etcd")); err != nil || target != "kubernetes" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
}
