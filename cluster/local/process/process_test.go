package process

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func shell(t *testing.T, script string) *Process {
	t.Helper()
	p := &Process{
		Name: "shell", Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")},
		Log: filepath.Join(t.TempDir(), "shell.log"),
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestStop(t *testing.T) {
	cases := map[string]struct {
		script   string
		patience time.Duration
	}{
		"EndsWhenAsked":      {script: "echo up; exec sleep 600", patience: 5 * time.Second},
		"KilledWhenItWontGo": {script: "trap '' TERM; echo up; while :; do sleep 0.1; done", patience: 200 * time.Millisecond},
		"ChildrenEndToo":     {script: "echo up; sleep 600 & wait", patience: 5 * time.Second},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := shell(t, tc.script)
			waitFor(t, func() bool { return strings.Contains(Tail(p.Log, 1), "up") })
			if !p.Alive() {
				t.Fatal("alive() = false of a process that runs")
			}
			if err := p.Stop(tc.patience); err != nil {
				t.Fatal(err)
			}
			if p.Alive() {
				t.Error("alive() = true after stop()")
			}
			waitFor(t, func() bool { return syscall.Kill(-p.PID, 0) != nil })
		})
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen within 10 s")
		}
	}
}

func TestRecycledPIDIsLeftAlone(t *testing.T) {
	p := shell(t, "exec sleep 600")
	recycled := &Process{Name: "older", PID: p.PID, Started: "1"}
	if recycled.Alive() {
		t.Error("alive() = true for a process with another start time")
	}
	if err := recycled.Kill(); err != nil {
		t.Fatal(err)
	}
	if !p.Alive() {
		t.Error("the process that has the PID now was killed")
	}
}

func TestReadyNamesTheComponentThatFails(t *testing.T) {
	cases := map[string]struct {
		script   string
		patience time.Duration
		want     []string
	}{
		"Ends":          {script: "echo no such flag >&2; exit 1", patience: 10 * time.Second, want: []string{"shell ended", "no such flag"}},
		"NeverGetsWell": {script: "echo still trying; sleep 600", patience: 300 * time.Millisecond, want: []string{"shell is not ready after 300ms", "still trying"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := shell(t, tc.script)
			waitFor(t, func() bool { return Tail(p.Log, 1) != "" })
			// A port that nobody listens on: 0 is never one.
			p.Probe = Probe{Address: "127.0.0.1:0"}
			err := p.Ready(context.Background(), tc.patience)
			if err == nil {
				t.Fatal("ready() = nil")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("ready() = %q, which lacks %q", err, want)
				}
			}
		})
	}
}

func TestTail(t *testing.T) {
	cases := map[string]struct {
		content string
		lines   int
		want    string
	}{
		"Empty": {content: "", lines: 3, want: ""},
		"Short": {content: "a\nb\n", lines: 3, want: "a\nb"},
		"Long":  {content: "a\nb\nc\nd\n", lines: 2, want: "c\nd"},
		"Huge":  {content: strings.Repeat("x\n", 1<<17) + "end\n", lines: 1, want: "end"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(file, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, Tail(file, tc.lines)); diff != "" {
				t.Errorf("Tail(): -want, +got:\n%s", diff)
			}
		})
	}
}
