package cri

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// lastWords is how long output is read when a process has ended.
const lastWords = time.Second

// process is a container that is one of the machine's own programs.
type process struct {
	pid  int
	done chan struct{}
	code int32
}

func (s *Server) startProcess(c *container, name, path string) (runner, error) {
	args := append(append([]string{}, c.config.GetCommand()[1:]...), c.config.GetArgs()...)
	cmd := exec.Command(path, append(args, s.options.Arguments[name]...)...)
	cmd.Dir = "/"
	if dir := c.config.GetWorkingDir(); dir != "" {
		cmd.Dir = dir
	}
	cmd.Env = append(environment(c.config), s.options.Environment...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, outRead, err := c.log.stream("stdout")
	if err != nil {
		return nil, err
	}
	defer stdout.Close()
	stderr, errRead, err := c.log.stream("stderr")
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := s.options.Start(cmd); err != nil {
		return nil, err
	}
	p := &process{pid: cmd.Process.Pid, done: make(chan struct{})}
	go func() {
		err := cmd.Wait()
		p.code = exitCode(cmd.ProcessState, err)
		// Its last words count, but not those of what it has left behind.
		patience := time.After(lastWords)
		for _, read := range []<-chan struct{}{outRead, errRead} {
			select {
			case <-read:
			case <-patience:
			}
		}
		close(p.done)
	}()
	return p, nil
}

func environment(config *runtimeapi.ContainerConfig) []string {
	var env []string
	for _, kv := range config.GetEnvs() {
		env = append(env, kv.GetKey()+"="+string(kv.GetValue()))
	}
	return env
}

// exitCode is that of a process, as a shell gives it: 128 and the signal of one that a signal ended.
func exitCode(state *os.ProcessState, err error) int32 {
	if state == nil {
		return 128
	}
	if wait, ok := state.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
		return 128 + int32(wait.Signal()) //nolint:gosec // Signals are small.
	}
	code := state.ExitCode()
	if code < 0 || code == 0 && err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return 1
	}
	return int32(code) //nolint:gosec // Eight bits.
}

func (p *process) ended() <-chan struct{} { return p.done }
func (p *process) exit() int32            { return p.code }

func (p *process) stop(grace time.Duration) {
	if grace > 0 {
		_ = syscall.Kill(-p.pid, syscall.SIGTERM) // It may have ended.
		select {
		case <-p.done:
		case <-time.After(grace):
		}
	}
	select {
	case <-p.done:
	default:
		_ = syscall.Kill(-p.pid, syscall.SIGKILL) // As above.
		<-p.done
	}
}
