package e2e

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// The environment of a guard: the checkout, and the state folder of the stack that it guards.
const (
	guardRoot  = "E2E_GUARD_ROOT"
	guardState = "E2E_GUARD_STATE"
)

// only keeps a second run of the tests, which would end this one's components, out of this checkout until the process ends.
func only(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "run.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("another run of the end-to-end tests is at work in %s: %w", dir, err)
	}
	runLock = f
	return nil
}

// runLock is held until the process ends.
var runLock *os.File

// guardPipes end when this process does; nobody else may close them, nor the garbage collector.
var guardPipes []io.Closer

// startGuard starts this binary once more as a process that ends the stack when this one is gone, however it went: a
// panic in a test and the timeout of `go test` leave no time for it.
func startGuard(root, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), guardRoot+"="+root, guardState+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	guardPipes = append(guardPipes, pipe)
	return cmd.Start()
}

// guardIfAsked is the life of a guard; it returns only in a process that is none.
func guardIfAsked() {
	dir := os.Getenv(guardState)
	if dir == "" {
		return
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if _, err := stack.Down(os.Getenv(guardRoot), dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
