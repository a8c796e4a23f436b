package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/fabric"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/machine/host"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/machine/network"
)

// By these arguments the command knows itself in the namespaces that it has made.
const (
	insideName = "fabric-inside"
	tryName    = "fabric-try"
)

// own are the namespaces of the fabric. As the first process in its own PID namespace, its end is that of all machines.
const own = syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC

// outside starts the fabric in its namespaces and ends with it, or has it end.
func outside(args []string) error {
	if _, err := parse(args); err != nil {
		return err
	}
	// The signal at the parent's death is that of the thread that started the child.
	runtime.LockOSThread()
	attributes, err := isolation()
	if err != nil {
		return err
	}
	cmd := exec.Command("/proc/self/exe", append([]string{insideName}, args...)...) //nolint:gosec // Its own arguments.
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = attributes
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		<-signals
		_ = cmd.Process.Kill() // A power cut; the disks stay.
	}()
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		return nil // It was ended.
	}
	return err
}

// isolation returns how to start a process in namespaces of its own. A user namespace keeps machines from doing harm to the machine below,
// also when root runs this. Where there are none, root does without.
func isolation() (*syscall.SysProcAttr, error) {
	one := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
	group := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	if os.Geteuid() == 0 {
		all := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 65536}}
		one, group = all, all
	}
	withUsers := &syscall.SysProcAttr{Cloneflags: own | syscall.CLONE_NEWUSER, UidMappings: one, GidMappings: group, Pdeathsig: syscall.SIGKILL}
	err := attempt(withUsers)
	if err == nil {
		return withUsers, nil
	}
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("machines need user namespaces, which this system does not allow (see sysctl kernel.unprivileged_userns_clone, "+
			"kernel.apparmor_restrict_unprivileged_userns and user.max_user_namespaces): %w", err)
	}
	alone := &syscall.SysProcAttr{Cloneflags: own, Pdeathsig: syscall.SIGKILL}
	if err := attempt(alone); err != nil {
		return nil, fmt.Errorf("machines need namespaces of processes, mounts and networks, which this system does not allow: %w", err)
	}
	return alone, nil
}

// attempt does in such namespaces what machines need, and nothing else.
func attempt(attributes *syscall.SysProcAttr) error {
	cmd := exec.Command("/proc/self/exe", tryName)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	copied := *attributes
	cmd.SysProcAttr = &copied
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out.Bytes()))
	}
	return nil
}

func try() error {
	if err := mountProc(); err != nil {
		return err
	}
	n, err := network.New()
	if err != nil {
		return err
	}
	n.Close()
	return nil
}

// mountProc shows the processes of the new namespace, whose threads have links to their namespaces.
func mountProc() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("own mounts: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	return nil
}

// inside is the fabric itself, in its namespaces.
func inside(args []string) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if err := mountProc(); err != nil {
		return err
	}
	h, err := host.New(host.Options{Dir: s.dir, Kubernetes: filepath.Join(s.bin, "kubernetes"), Program: program, Log: os.Stderr})
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(s.bin, "kubernetes")); err != nil {
		return err
	}
	listener, err := fabric.Listen(s.socket)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: fabric.Handler(h), ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}
