package cri

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"strconv"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

// ExecSync implements RuntimeServiceServer. The kubelet executes probes and hooks with it; those of a played container succeed.
func (s *Server) ExecSync(ctx context.Context, r *runtimeapi.ExecSyncRequest) (*runtimeapi.ExecSyncResponse, error) {
	c, err := s.container(r.GetContainerId())
	if err != nil {
		return nil, err
	}
	if _, path := s.program(c.config); path == "" {
		return &runtimeapi.ExecSyncResponse{}, nil
	}
	if r.GetTimeout() > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(r.GetTimeout())*time.Second)
		defer cancel()
	}
	var stdout, stderr bytes.Buffer
	code, err := s.execute(ctx, c, r.GetCmd(), nil, &stdout, &stderr)
	if err != nil {
		return nil, err
	}
	return &runtimeapi.ExecSyncResponse{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), ExitCode: code}, nil
}

// execute runs a command on the machine and returns its exit code; its error says why it did not run.
func (s *Server) execute(ctx context.Context, c *container, command []string, in io.Reader, out, errs io.Writer) (int32, error) {
	if len(command) == 0 {
		return 0, errors.New("no command")
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = "/"
	cmd.Env = append(environment(c.config), s.options.Environment...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	cmd.WaitDelay = time.Second
	if err := s.options.Start(cmd); err != nil {
		return 0, err
	}
	err := cmd.Wait()
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return exitCode(cmd.ProcessState, err), nil
}

// Exec implements RuntimeServiceServer.
func (s *Server) Exec(_ context.Context, r *runtimeapi.ExecRequest) (*runtimeapi.ExecResponse, error) {
	if _, err := s.container(r.GetContainerId()); err != nil {
		return nil, err
	}
	return s.streaming.GetExec(r)
}

// Attach implements RuntimeServiceServer.
func (s *Server) Attach(_ context.Context, r *runtimeapi.AttachRequest) (*runtimeapi.AttachResponse, error) {
	if _, err := s.container(r.GetContainerId()); err != nil {
		return nil, err
	}
	return s.streaming.GetAttach(r)
}

// PortForward implements RuntimeServiceServer.
func (s *Server) PortForward(_ context.Context, r *runtimeapi.PortForwardRequest) (*runtimeapi.PortForwardResponse, error) {
	s.mu.Lock()
	p := s.sandboxes[r.GetPodSandboxId()]
	s.mu.Unlock()
	if p == nil {
		return nil, notFound("pod sandbox", r.GetPodSandboxId())
	}
	return s.streaming.GetPortForward(r)
}

// streams is what the streaming server asks of the runtime.
type streams struct{ server *Server }

// exitStatus tells the streaming server a command's exit code.
type exitStatus int32

func (e exitStatus) Error() string {
	return "command terminated with exit code " + strconv.Itoa(int(e))
}
func (e exitStatus) String() string  { return e.Error() }
func (e exitStatus) Exited() bool    { return true }
func (e exitStatus) ExitStatus() int { return int(e) }

// Exec implements streaming.Runtime. A terminal is not simulated.
func (s streams) Exec(ctx context.Context, id string, command []string, in io.Reader, out, errs io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize) error {
	c, err := s.server.container(id)
	if err != nil {
		return err
	}
	// A nil interface of the caller's type would be no nil writer.
	stdout, stderr := io.Discard, io.Discard
	if out != nil {
		stdout, stderr = out, out
	}
	if errs != nil {
		stderr = errs
	}
	code, err := s.server.execute(ctx, c, command, in, stdout, stderr)
	if err == nil && code != 0 {
		return exitStatus(code)
	}
	return err
}

// Attach implements streaming.Runtime: nothing is ever said there.
func (s streams) Attach(ctx context.Context, id string, _ io.Reader, _, _ io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize) error {
	c, err := s.server.container(id)
	if err != nil {
		return err
	}
	c.mu.Lock()
	r := c.runner
	c.mu.Unlock()
	if r == nil {
		return errors.New("the container does not run")
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-r.ended():
		return nil
	}
}

// PortForward implements streaming.Runtime.
func (s streams) PortForward(ctx context.Context, id string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	s.server.mu.Lock()
	p := s.server.sandboxes[id]
	ip := ""
	if p != nil {
		ip = p.ip
	}
	s.server.mu.Unlock()
	if p == nil {
		return notFound("pod sandbox", id)
	}
	if ip == "" {
		ip = "127.0.0.1"
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(ip, strconv.Itoa(int(port))))
	if err != nil {
		return err
	}
	defer conn.Close()
	inbound := make(chan struct{})
	go func() {
		defer close(inbound)
		_, _ = io.Copy(conn, stream) // The other direction tells of an end.
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(stream, conn)
	_ = stream.Close()
	<-inbound
	return err
}
