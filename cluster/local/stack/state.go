package stack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Phases of a stack, as its state file has them.
const (
	phaseStarting = "starting"
	phaseUp       = "up"
)

// state is what a later `down`, or a test, has to know of a stack, beside the records of its processes. It holds no
// secrets.
type state struct {
	Phase string         `json:"phase"`
	Ports map[string]int `json:"ports"`
	// ServiceRange is what the addresses of Services are taken from.
	ServiceRange string `json:"serviceRange"`
	// Azure is the state folder of the stack whose simulated Azure this one uses, if not its own.
	Azure string `json:"azure,omitempty"`
}

func stateFile(dir string) string { return filepath.Join(dir, "state.json") }

// readState returns the state kept in dir; nil when there is none.
func readState(dir string) (*state, error) {
	raw, err := os.ReadFile(stateFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	st := &state{}
	if err := json.Unmarshal(raw, st); err != nil {
		return nil, fmt.Errorf("read %s: %w", stateFile(dir), err)
	}
	return st, nil
}

// write replaces the state file at once, so that no reader ever sees half of it.
func (st *state) write(dir string) error {
	raw, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return err
	}
	tmp := stateFile(dir) + ".new"
	if err := os.WriteFile(tmp, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, stateFile(dir))
}

// lock keeps a second `up` or `down` out of a state folder until the returned function is called.
func lock(dir string) (func(), error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("another up or down is at work in %s", dir)
	}
	return func() { _ = f.Close() }, nil
}
