package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
)

const (
	// exitPatience is how long a process that has been killed may take to leave the process table.
	exitPatience = 2 * time.Second
	// stopPatience is how long a process may take to end when it is asked to.
	stopPatience = 3 * time.Second
	// readyPatience is how long a component may take until it is ready, on a machine that has much else to do.
	readyPatience = 5 * time.Minute
)

// Kill ends a component with SIGKILL and returns when it is gone.
func (s *Stack) Kill(name string) error {
	p, err := s.process(name)
	if err != nil {
		return err
	}
	return p.Kill()
}

// Stop has a component end as a cluster has it, so that it gives back what it holds, and returns when it has.
func (s *Stack) Stop(name string) error {
	p, err := s.process(name)
	if err != nil {
		return err
	}
	return p.Stop(stopPatience)
}

// Start starts a component that has ended, exactly as before, and returns when it is ready.
func (s *Stack) Start(ctx context.Context, name string) error {
	p, err := s.process(name)
	if err != nil {
		return err
	}
	// The threads of a process that was killed may show for a moment more.
	if !p.Gone(exitPatience) {
		return fmt.Errorf("%s runs already (pid %d)", name, p.PID)
	}
	if err := s.launch(p); err != nil {
		return err
	}
	return p.Ready(ctx, readyPatience)
}

// Check returns an error that names the components which have ended, with their last log lines; nil when all run.
func (s *Stack) Check() error {
	_, dead, err := s.census()
	errs := []error{err}
	for _, name := range dead {
		p, err := s.process(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, p.Failure("has ended"))
	}
	return errors.Join(errs...)
}

// Dead returns the names of the components which have ended by themselves, or by Kill.
func (s *Stack) Dead() []string {
	_, dead, err := s.census()
	if err != nil {
		s.logf("%v", err)
	}
	return dead
}

// census returns the names of the processes that run and of those that have ended though they should not.
func (s *Stack) census() (running, dead []string, err error) {
	all, err := s.records().All()
	for _, p := range all {
		switch {
		case p.Alive():
			running = append(running, p.Name)
		case !p.Ending:
			dead = append(dead, p.Name)
		}
	}
	return running, dead, err
}

// PID returns the process ID of a component.
func (s *Stack) PID(name string) (int, error) {
	p, err := s.process(name)
	if err != nil {
		return 0, err
	}
	return p.PID, nil
}

func (s *Stack) records() process.Records { return process.Records(s.path("processes")) }

func (s *Stack) process(name string) (*process.Process, error) {
	p, err := s.records().Read(name)
	if err == nil && p == nil {
		err = fmt.Errorf("the stack has no component %q", name)
	}
	return p, err
}

// run starts a component for the first time and waits until it is ready.
func (s *Stack) run(ctx context.Context, name string) error {
	if s.without(name) {
		return nil
	}
	l, err := s.launchOf(name)
	if err != nil {
		return err
	}
	for _, port := range l.ports {
		s.reserved.release(s.state.Ports[port])
	}
	p := &process.Process{
		Name: name, Path: s.Bin(l.binary), Args: l.args, Env: append(s.baseEnv(), l.env...),
		Log: s.LogFile(name), Probe: l.probe,
	}
	if err := s.launch(p); err != nil {
		return err
	}
	return p.Ready(ctx, readyPatience)
}

// launch starts a process and notes it before anything else happens.
func (s *Stack) launch(p *process.Process) error {
	if err := p.Start(); err != nil {
		return err
	}
	return s.records().Write(p)
}

// endProcesses ends every process: first the node, which would start others, then controllers, then the API server, etcd
// last.
func (s *Stack) endProcesses() error {
	var errs []error
	for _, wave := range [][]string{{Node}, nil, {APIServer}, {Etcd}} {
		all, err := s.records().All()
		errs = append(errs, err)
		var members []*process.Process
		for _, p := range all {
			isBase := p.Name == APIServer || p.Name == Etcd
			if (wave == nil && !isBase) || slices.Contains(wave, p.Name) {
				members = append(members, p)
			}
		}
		errs = append(errs, process.StopAll(members, stopPatience))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := os.RemoveAll(string(s.records())); err != nil {
		return err
	}
	if err := os.Remove(stateFile(s.dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Signal sends a signal to a component, such as the one that stops it for a while; it is no error when it has ended.
func (s *Stack) Signal(name string, signal syscall.Signal) error {
	p, err := s.process(name)
	if err != nil {
		return err
	}
	return p.Signal(signal)
}
