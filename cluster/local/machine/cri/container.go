package cri

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// runner is what is behind a container while it runs.
type runner interface {
	// stop asks for an end and forces it when the grace is over; it returns at once when all has ended already.
	stop(grace time.Duration)
	// ended is closed when it is over; exit is the code from then on.
	ended() <-chan struct{}
	exit() int32
}

type container struct {
	id      string
	sandbox *sandbox
	config  *runtimeapi.ContainerConfig
	created int64
	log     *logFile
	// ip is the address that a played container listens at: the pod's own, or empty for all of the machine's.
	ip string

	mu                sync.Mutex
	runner            runner
	started, finished int64
	code              int32
}

// CreateContainer implements RuntimeServiceServer.
func (s *Server) CreateContainer(_ context.Context, r *runtimeapi.CreateContainerRequest) (*runtimeapi.CreateContainerResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.sandboxes[r.GetPodSandboxId()]
	if p == nil {
		return nil, notFound("pod sandbox", r.GetPodSandboxId())
	}
	if p.stopped {
		return nil, status.Errorf(codes.FailedPrecondition, "pod sandbox %q is stopped", p.id)
	}
	c := &container{id: newID(), sandbox: p, config: r.GetConfig(), created: now(), log: &logFile{}, ip: p.ip}
	if path := c.logPath(); path != "" {
		c.log.path = path
	}
	s.containers[c.id] = c
	return &runtimeapi.CreateContainerResponse{ContainerId: c.id}, nil
}

func (c *container) logPath() string {
	if c.config.GetLogPath() == "" || c.sandbox.config.GetLogDirectory() == "" {
		return ""
	}
	return filepath.Join(c.sandbox.config.GetLogDirectory(), c.config.GetLogPath())
}

// StartContainer implements RuntimeServiceServer.
func (s *Server) StartContainer(_ context.Context, r *runtimeapi.StartContainerRequest) (*runtimeapi.StartContainerResponse, error) {
	c, err := s.container(r.GetContainerId())
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.started != 0 {
		return nil, status.Errorf(codes.FailedPrecondition, "container %q was started before", c.id)
	}
	if err := c.log.open(); err != nil {
		return nil, err
	}
	if c.runner, err = s.run(c); err != nil {
		return nil, err
	}
	c.started = now()
	go c.await(c.runner)
	return &runtimeapi.StartContainerResponse{}, nil
}

// run starts what the container consists of.
func (s *Server) run(c *container) (runner, error) {
	if name, path := s.program(c.config); path != "" {
		return s.startProcess(c, name, path)
	}
	return play(c)
}

// program returns the machine's own program that a container runs, if it does.
func (s *Server) program(config *runtimeapi.ContainerConfig) (name, path string) {
	if len(config.GetCommand()) == 0 {
		return "", ""
	}
	name = filepath.Base(config.GetCommand()[0])
	return name, s.options.Programs[name]
}

func (c *container) await(r runner) {
	<-r.ended()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finished, c.code = now(), r.exit()
	c.log.close()
}

// StopContainer implements RuntimeServiceServer.
func (s *Server) StopContainer(_ context.Context, r *runtimeapi.StopContainerRequest) (*runtimeapi.StopContainerResponse, error) {
	c, err := s.container(r.GetContainerId())
	if err != nil {
		return nil, err
	}
	c.stop(time.Duration(r.GetTimeout()) * time.Second)
	return &runtimeapi.StopContainerResponse{}, nil
}

// stop returns when the container has ended, and that is noted.
func (c *container) stop(grace time.Duration) {
	c.mu.Lock()
	r := c.runner
	c.mu.Unlock()
	if r == nil {
		return
	}
	r.stop(grace)
	<-r.ended()
	for c.state() == runtimeapi.ContainerState_CONTAINER_RUNNING {
		time.Sleep(time.Millisecond)
	}
}

// RemoveContainer implements RuntimeServiceServer.
func (s *Server) RemoveContainer(_ context.Context, r *runtimeapi.RemoveContainerRequest) (*runtimeapi.RemoveContainerResponse, error) {
	c, err := s.container(r.GetContainerId())
	if err != nil {
		return &runtimeapi.RemoveContainerResponse{}, nil // The CRI wants no error for one that is gone.
	}
	c.stop(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.containers, c.id)
	return &runtimeapi.RemoveContainerResponse{}, nil
}

func (s *Server) container(id string) (*container, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.containers[id]; c != nil {
		return c, nil
	}
	return nil, notFound("container", id)
}

func (c *container) state() runtimeapi.ContainerState {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.started == 0:
		return runtimeapi.ContainerState_CONTAINER_CREATED
	case c.finished == 0:
		return runtimeapi.ContainerState_CONTAINER_RUNNING
	}
	return runtimeapi.ContainerState_CONTAINER_EXITED
}

// ContainerStatus implements RuntimeServiceServer.
func (s *Server) ContainerStatus(_ context.Context, r *runtimeapi.ContainerStatusRequest) (*runtimeapi.ContainerStatusResponse, error) {
	c, err := s.container(r.GetContainerId())
	if err != nil {
		return nil, err
	}
	state := c.state()
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := &runtimeapi.ContainerStatus{
		Id: c.id, Metadata: c.config.GetMetadata(), State: state, CreatedAt: c.created, StartedAt: c.started, FinishedAt: c.finished,
		ExitCode: c.code, Image: c.config.GetImage(), ImageRef: c.config.GetImage().GetImage(), ImageId: c.config.GetImage().GetImage(),
		Labels: c.config.GetLabels(), Annotations: c.config.GetAnnotations(), Mounts: c.config.GetMounts(), LogPath: c.log.path,
	}
	if state == runtimeapi.ContainerState_CONTAINER_EXITED {
		answer.Reason = "Completed"
		if c.code != 0 {
			answer.Reason = "Error"
		}
	}
	return &runtimeapi.ContainerStatusResponse{Status: answer}, nil
}

// ListContainers implements RuntimeServiceServer, the newest first.
func (s *Server) ListContainers(_ context.Context, r *runtimeapi.ListContainersRequest) (*runtimeapi.ListContainersResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := r.GetFilter()
	answer := &runtimeapi.ListContainersResponse{}
	for _, c := range s.containers {
		state := c.state()
		if f.GetId() != "" && f.GetId() != c.id || f.GetState() != nil && f.GetState().State != state ||
			f.GetPodSandboxId() != "" && f.GetPodSandboxId() != c.sandbox.id || !matches(c.config.GetLabels(), f.GetLabelSelector()) {
			continue
		}
		answer.Containers = append(answer.Containers, &runtimeapi.Container{
			Id: c.id, PodSandboxId: c.sandbox.id, Metadata: c.config.GetMetadata(), Image: c.config.GetImage(),
			ImageRef: c.config.GetImage().GetImage(), ImageId: c.config.GetImage().GetImage(), State: state, CreatedAt: c.created,
			Labels: c.config.GetLabels(), Annotations: c.config.GetAnnotations(),
		})
	}
	slices.SortFunc(answer.Containers, func(a, b *runtimeapi.Container) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	return answer, nil
}

// ReopenContainerLog implements RuntimeServiceServer: the kubelet has moved the file away.
func (s *Server) ReopenContainerLog(_ context.Context, r *runtimeapi.ReopenContainerLogRequest) (*runtimeapi.ReopenContainerLogResponse, error) {
	c, err := s.container(r.GetContainerId())
	if err != nil {
		return nil, err
	}
	return &runtimeapi.ReopenContainerLogResponse{}, c.log.open()
}
