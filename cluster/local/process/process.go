package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// pollInterval is how often a process is looked at while something is awaited of it.
	pollInterval = 50 * time.Millisecond
	// failureLines is how much of a failed component's log its error shows.
	failureLines = 15
)

// A Process is a command as it was started. It holds no secrets, as it is kept in a record.
type Process struct {
	Name string   `json:"name"`
	Path string   `json:"path"`
	Args []string `json:"args"`
	Env  []string `json:"env"`
	// Log is the file that standard output and standard error are appended to.
	Log   string `json:"log"`
	Probe Probe  `json:"probe"`
	PID   int    `json:"pid"`
	// Started is the kernel's start time of the process: with it a recycled PID is told from the process itself.
	Started string `json:"started"`
	// For is what the process was started for, in the words of who started it.
	For string `json:"for,omitempty"`
	// Ending says that the process is to end and not to be started again.
	Ending bool `json:"ending,omitempty"`
}

// Start runs the process in a session of its own, so that it outlives this one and gets none of its signals.
func (p *Process) Start() error {
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.Path, p.Args...)
	cmd.Dir = filepath.Dir(p.Log)
	cmd.Env = p.Env
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s does not start: %w", p.Name, err)
	}
	p.PID = cmd.Process.Pid
	p.Started, _ = startTime(p.PID)
	// A child that nobody waits for would stay as a zombie.
	go func() {
		_ = cmd.Wait()
		p.noteEnd(cmd.ProcessState)
	}()
	return nil
}

// noteEnd says at the end of the log how the process went: one that is killed has no last words.
func (p *Process) noteEnd(how *os.ProcessState) {
	log, err := os.OpenFile(p.Log, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return // The state folder is gone.
	}
	defer log.Close()
	fmt.Fprintf(log, "=== pid %d ended at %s: %v\n", how.Pid(), time.Now().Format(time.TimeOnly), how)
}

// Alive reports whether the very process that was started still runs.
func (p *Process) Alive() bool {
	if p.PID == 0 {
		return false
	}
	started, running := startTime(p.PID)
	return running && started == p.Started
}

// startTime returns when a process started, in clock ticks since boot, and whether it is there and no zombie.
// See proc_pid_stat(5).
func startTime(pid int) (string, bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	// The name, in parentheses, may hold anything; what follows it are fields 3 and up.
	stat := string(raw)
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return "", false
	}
	switch fields[0] {
	case "X":
		return fields[19], false
	case "Z":
		// Other threads may still be on their way out, and until then hold the ports.
		threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		return fields[19], err == nil && len(threads) > 1
	}
	return fields[19], true
}

// Signal sends a signal to the process and its children; it is no error when the process is gone.
func (p *Process) Signal(sig syscall.Signal) error {
	if !p.Alive() {
		return nil
	}
	if err := syscall.Kill(-p.PID, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal %s (pid %d): %w", p.Name, p.PID, err)
	}
	return nil
}

// Gone waits until the process has ended, at most for the given time, and reports whether it has.
func (p *Process) Gone(patience time.Duration) bool {
	for deadline := time.Now().Add(patience); p.Alive(); time.Sleep(pollInterval) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// Kill ends the process with SIGKILL and waits until it is gone.
func (p *Process) Kill() error {
	if err := p.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	if !p.Gone(10 * time.Second) {
		return fmt.Errorf("%s (pid %d) did not end", p.Name, p.PID)
	}
	return nil
}

// Stop asks the process to end, and kills it when it takes longer than patience.
func (p *Process) Stop(patience time.Duration) error {
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if p.Gone(patience) {
		return nil
	}
	return p.Kill()
}

// Ready waits until the probe succeeds. When the process ends before, the error shows its last log lines.
func (p *Process) Ready(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	check, err := p.Probe.client()
	if err != nil {
		return err
	}
	for {
		if !p.Alive() {
			return p.Failure("ended")
		}
		last := check(ctx)
		if last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return p.Failure(fmt.Sprintf("is not ready after %s (%v)", patience, last))
			}
			return ctx.Err()
		case <-time.After(pollInterval):
		}
	}
}

// Failure is an error about the process with the end of its log.
func (p *Process) Failure(what string) error {
	return fmt.Errorf("%s %s; the last lines of %s:\n%s", p.Name, what, p.Log, Tail(p.Log, failureLines))
}

// StopAll asks all the processes to end, and kills those that have not after patience.
func StopAll(processes []*Process, patience time.Duration) error {
	var errs []error
	for _, p := range processes {
		errs = append(errs, p.Signal(syscall.SIGTERM))
	}
	deadline := time.Now().Add(patience)
	for _, p := range processes {
		errs = append(errs, p.Stop(max(0, time.Until(deadline))))
	}
	return errors.Join(errs...)
}

// Tail returns the last lines of a file.
func Tail(path string, lines int) string {
	const most = 64 << 10
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err.Error()
	}
	buf := make([]byte, min(info.Size(), most))
	if _, err := f.ReadAt(buf, info.Size()-int64(len(buf))); err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(buf), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
