package cri

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// sandbox is a pod: an address and a folder for logs.
type sandbox struct {
	id      string
	config  *runtimeapi.PodSandboxConfig
	created int64
	stopped bool
	// ip is the pod's own address, empty if it has the machine's.
	ip string
}

func (p *sandbox) state() runtimeapi.PodSandboxState {
	if p.stopped {
		return runtimeapi.PodSandboxState_SANDBOX_NOTREADY
	}
	return runtimeapi.PodSandboxState_SANDBOX_READY
}

// RunPodSandbox implements RuntimeServiceServer.
func (s *Server) RunPodSandbox(_ context.Context, r *runtimeapi.RunPodSandboxRequest) (*runtimeapi.RunPodSandboxResponse, error) {
	p := &sandbox{id: newID(), config: r.GetConfig(), created: now()}
	if dir := p.config.GetLogDirectory(); dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	network := p.config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork()
	if network != runtimeapi.NamespaceMode_NODE && s.options.Addresses != nil {
		ip, err := s.options.Addresses.Take()
		if err != nil {
			return nil, fmt.Errorf("address of the pod: %w", err)
		}
		p.ip = ip
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sandboxes[p.id] = p
	return &runtimeapi.RunPodSandboxResponse{PodSandboxId: p.id}, nil
}

// StopPodSandbox implements RuntimeServiceServer: it ends what runs in the pod and takes its address.
func (s *Server) StopPodSandbox(_ context.Context, r *runtimeapi.StopPodSandboxRequest) (*runtimeapi.StopPodSandboxResponse, error) {
	return &runtimeapi.StopPodSandboxResponse{}, s.stopSandbox(r.GetPodSandboxId())
}

func (s *Server) stopSandbox(id string) error {
	s.mu.Lock()
	p := s.sandboxes[id]
	var inside []*container
	for _, c := range s.containers {
		if c.sandbox.id == id {
			inside = append(inside, c)
		}
	}
	var ip string
	if p != nil {
		p.stopped = true
		ip, p.ip = p.ip, ""
	}
	s.mu.Unlock()
	for _, c := range inside {
		c.stop(0)
	}
	if ip == "" {
		return nil
	}
	return s.options.Addresses.Give(ip)
}

// RemovePodSandbox implements RuntimeServiceServer.
func (s *Server) RemovePodSandbox(_ context.Context, r *runtimeapi.RemovePodSandboxRequest) (*runtimeapi.RemovePodSandboxResponse, error) {
	if err := s.stopSandbox(r.GetPodSandboxId()); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.containers, func(_ string, c *container) bool { return c.sandbox.id == r.GetPodSandboxId() })
	delete(s.sandboxes, r.GetPodSandboxId())
	return &runtimeapi.RemovePodSandboxResponse{}, nil
}

// PodSandboxStatus implements RuntimeServiceServer.
func (s *Server) PodSandboxStatus(_ context.Context, r *runtimeapi.PodSandboxStatusRequest) (*runtimeapi.PodSandboxStatusResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.sandboxes[r.GetPodSandboxId()]
	if p == nil {
		return nil, notFound("pod sandbox", r.GetPodSandboxId())
	}
	return &runtimeapi.PodSandboxStatusResponse{Status: &runtimeapi.PodSandboxStatus{
		Id: p.id, Metadata: p.config.GetMetadata(), State: p.state(), CreatedAt: p.created,
		Network:        &runtimeapi.PodSandboxNetworkStatus{Ip: p.ip},
		Linux:          &runtimeapi.LinuxPodSandboxStatus{Namespaces: &runtimeapi.Namespace{Options: p.config.GetLinux().GetSecurityContext().GetNamespaceOptions()}},
		Labels:         p.config.GetLabels(),
		Annotations:    p.config.GetAnnotations(),
		RuntimeHandler: "",
	}}, nil
}

// ListPodSandbox implements RuntimeServiceServer, the newest first.
func (s *Server) ListPodSandbox(_ context.Context, r *runtimeapi.ListPodSandboxRequest) (*runtimeapi.ListPodSandboxResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := r.GetFilter()
	answer := &runtimeapi.ListPodSandboxResponse{}
	for _, p := range s.sandboxes {
		if f.GetId() != "" && f.GetId() != p.id || f.GetState() != nil && f.GetState().State != p.state() ||
			!matches(p.config.GetLabels(), f.GetLabelSelector()) {
			continue
		}
		answer.Items = append(answer.Items, &runtimeapi.PodSandbox{
			Id: p.id, Metadata: p.config.GetMetadata(), State: p.state(), CreatedAt: p.created,
			Labels: p.config.GetLabels(), Annotations: p.config.GetAnnotations(),
		})
	}
	slices.SortFunc(answer.Items, func(a, b *runtimeapi.PodSandbox) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	return answer, nil
}
