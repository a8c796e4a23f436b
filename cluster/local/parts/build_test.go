package parts

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestDigest(t *testing.T) {
	base := map[string]string{"go.mod": "module m", "go.sum": "", "main.go": "package main"}
	cases := map[string]struct {
		file, content string
		args          []string
		same          bool
	}{
		"Same":            {same: true},
		"OtherFlags":      {args: []string{"-s"}},
		"OtherDependency": {file: "go.sum", content: "x"},
		"OtherSource":     {file: "main.go", content: "package main // x"},
		"NewSource":       {file: "b.go", content: "package main"},
		"SourceBelow":     {file: "b/b.go", content: "package b"},
		"NoSource":        {file: "README.md", content: "x", same: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := t.TempDir(), t.TempDir()
			for file, content := range base {
				write(t, filepath.Join(a, file), content)
				write(t, filepath.Join(b, file), content)
			}
			if tc.file != "" {
				write(t, filepath.Join(b, tc.file), tc.content)
			}
			before, err := digest(a)
			if err != nil {
				t.Fatal(err)
			}
			after, err := digest(b, tc.args...)
			if err != nil {
				t.Fatal(err)
			}
			if (before == after) != tc.same {
				t.Errorf("digests are equal: %v, want %v", before == after, tc.same)
			}
		})
	}
}

func TestPartIsBuiltOnceUntilItsInputsChange(t *testing.T) {
	root := t.TempDir()
	module := filepath.Join(root, "m")
	write(t, filepath.Join(module, "go.mod"), "module m\n\ngo 1.26.0\n")
	write(t, filepath.Join(module, "go.sum"), "")
	write(t, filepath.Join(module, "main.go"), "package main\n\nfunc main() {}\n")
	p := Part{Name: "tool", Module: "m", Package: ".", Links: []string{"alias"}, Upstream: true}

	var log bytes.Buffer
	b := &Builder{Root: root, Log: &log}
	write(t, filepath.Join(b.Bin(), "keep"), "")
	builds := func() string {
		log.Reset()
		if err := b.run(t.Context(), "build 1 of 1: tool", b.partStep(p)); err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(strings.TrimPrefix(log.String(), "build 1 of 1: tool: "), " ")
		return strings.TrimSpace(line)
	}
	got := []string{builds(), builds()}
	write(t, filepath.Join(module, "main.go"), "package main\n\nfunc main() { println() }\n")
	got = append(got, builds(), builds())
	if err := os.Remove(filepath.Join(b.Bin(), "tool")); err != nil {
		t.Fatal(err)
	}
	got = append(got, builds())
	if diff := cmp.Diff([]string{"done", "cached", "done", "cached", "done"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if target, err := os.Readlink(filepath.Join(b.Bin(), "alias")); err != nil || target != "tool" {
		t.Errorf("alias links to %q, %v", target, err)
	}
}

func TestFailingBuildShowsWhy(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "m", "go.mod"), "module m\n\ngo 1.26.0\n")
	write(t, filepath.Join(root, "m", "main.go"), "package main\n\nfunc main() { undefinedName() }\n")
	b := &Builder{Root: root, Log: &bytes.Buffer{}}
	err := b.run(t.Context(), "build 1 of 1: tool", b.partStep(Part{Name: "tool", Module: "m", Package: "."}))
	if err == nil || !strings.Contains(err.Error(), "undefined: undefinedName") {
		t.Errorf("run() = %v, want the compiler's words", err)
	}
}

func TestInterruptedBuildEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	b := &Builder{Root: t.TempDir(), Log: &bytes.Buffer{}}
	begun := time.Now()
	err := b.command(ctx, ".", "/bin/sh", "-c", "sleep 600 & wait")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("command() = %v", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %s to end", took)
	}
}

func TestLastLines(t *testing.T) {
	cases := map[string]struct {
		in   string
		n    int
		want string
	}{
		"Empty": {n: 2},
		"Fewer": {in: "a\n", n: 2, want: "a"},
		"More":  {in: "a\nb\nc\n", n: 2, want: "b\nc"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, lastLines(tc.in, tc.n)); diff != "" {
				t.Errorf("lastLines(): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestFlagsSayVersions(t *testing.T) {
	b := &Builder{Root: t.TempDir()}
	write(t, filepath.Join(b.Root, "m", "go.mod"), "module m\n\nrequire k8s.io/kubernetes v1.35.4\n")
	p := Part{Name: "tool", Module: "m", Flags: []string{"-s", "version=${k8s.io/kubernetes} minor=${k8s.io/kubernetes minor}"}}
	got, err := b.flags(p)
	if diff := cmp.Diff([]string{"-s", "version=v1.35.4 minor=35"}, got); diff != "" || err != nil {
		t.Errorf("flags(): %v, -want, +got:\n%s", err, diff)
	}
	p.Flags = []string{"${example.org/none}"}
	if got, err := b.flags(p); err == nil {
		t.Errorf("flags() = %q of a module that is not required", got)
	}
}
