package stack

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
)

func TestReserve(t *testing.T) {
	taken, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	cases := map[string]struct {
		given map[string]int
		fails string
	}{
		"Free":    {},
		"Taken":   {given: map[string]int{portAPIServer: taken.Addr().(*net.TCPAddr).Port}, fails: "port for kube-apiserver"},
		"Unknown": {given: map[string]int{"kubelet": 10250}, fails: `no port is called "kubelet"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ports, r, err := reserve(tc.given)
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Fatalf("reserve() error = %v, want one with %q", err, tc.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer r.releaseAll()
			distinct := map[int]bool{}
			for _, p := range ports {
				distinct[p] = true
			}
			if len(distinct) != len(PortNames()) {
				t.Errorf("%d ports for %d names: %v", len(distinct), len(PortNames()), ports)
			}
			r.release(ports[portEtcd])
			if _, _, err := reserve(map[string]int{portEtcd: ports[portEtcd]}); err != nil {
				t.Errorf("a released port cannot be bound: %v", err)
			}
		})
	}
}

// sleeper returns a process that runs until it is killed.
func sleeper(t *testing.T, name string) *process.Process {
	t.Helper()
	p := &process.Process{
		Name: name, Path: "/bin/sh", Args: []string{"-c", "exec sleep 600"}, Log: filepath.Join(t.TempDir(), "sleeper.log"),
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

func TestLockKeepsASecondUpOut(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock(dir); err == nil {
		t.Error("lock() = nil while it is held")
	}
	unlock()
	unlock, err = lock(dir)
	if err != nil {
		t.Fatalf("lock() after it was given back: %v", err)
	}
	unlock()
}

func TestClear(t *testing.T) {
	running, ended := "running", "ended"
	cases := map[string]struct {
		phase     string
		processes []string
		want      error
		fails     string
		killed    bool
	}{
		"Nothing":          {},
		"Up":               {phase: phaseUp, processes: []string{running, running}, want: ErrUp},
		"HalfUp":           {phase: phaseUp, processes: []string{running, ended}, fails: "up without [ended]"},
		"AfterReboot":      {phase: phaseUp, processes: []string{ended, ended}, killed: true},
		"InterruptedStart": {phase: phaseStarting, processes: []string{running, ended}, killed: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var all []*process.Process
			if tc.phase != "" {
				for i, what := range tc.processes {
					p := &process.Process{Name: ended, PID: os.Getpid(), Started: "1"}
					if what == running {
						p = sleeper(t, fmt.Sprint(running, i))
					}
					all = append(all, p)
					if err := process.Records(filepath.Join(dir, "processes")).Write(p); err != nil {
						t.Fatal(err)
					}
				}
				if err := (&state{Phase: tc.phase}).write(dir); err != nil {
					t.Fatal(err)
				}
			}
			err := clear(dir)
			switch {
			case tc.fails != "":
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("clear() = %v, want an error with %q", err, tc.fails)
				}
			case !errors.Is(err, tc.want):
				t.Errorf("clear() = %v, want %v", err, tc.want)
			}
			for _, p := range all {
				if p.Name != ended && p.Alive() == tc.killed {
					t.Errorf("a left-behind process is alive: %v, want killed: %v", p.Alive(), tc.killed)
				}
			}
		})
	}
}

func TestStateHoldsNoSecretAndSurvivesRereading(t *testing.T) {
	dir := t.TempDir()
	want := &state{Phase: phaseUp, Ports: map[string]int{portEtcd: 2379}, ServiceRange: "127.70.1.0/24"}
	if err := want.write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := readState(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("readState(): -want, +got:\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(dir, "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("state.json has mode %s", info.Mode())
	}
}

func TestEveryComponentCanBeLaunched(t *testing.T) {
	s := &Stack{dir: t.TempDir(), state: &state{Ports: map[string]int{}}}
	seen := map[string]string{}
	for _, name := range append(launched(), CAPZ) {
		l, err := s.launchOf(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, port := range l.ports {
			if other, ok := seen[port]; ok {
				t.Errorf("port %s is for %s and for %s", port, other, name)
			}
			seen[port] = name
		}
	}
	if len(seen) != len(PortNames()) {
		t.Errorf("%d ports are used of %d", len(seen), len(PortNames()))
	}
	if _, err := s.launchOf("kubelet"); err == nil {
		t.Error("launchOf() = nil for a component that is not there")
	}
}
