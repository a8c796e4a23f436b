package cri

import (
	"context"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// pauseImage is what kubeadm compares with its own list; it warns about another.
const pauseImage = "registry.k8s.io/pause:3.10.1"

// Version implements RuntimeServiceServer. Tools that ask are told containerd, which images for CAPZ have.
func (s *Server) Version(context.Context, *runtimeapi.VersionRequest) (*runtimeapi.VersionResponse, error) {
	return &runtimeapi.VersionResponse{Version: "0.1.0", RuntimeName: "containerd", RuntimeVersion: "2.1.0", RuntimeApiVersion: "v1"}, nil
}

// Status implements RuntimeServiceServer. The network counts as ready: pods need no plugin for it.
func (s *Server) Status(_ context.Context, r *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
	answer := &runtimeapi.StatusResponse{Status: &runtimeapi.RuntimeStatus{Conditions: []*runtimeapi.RuntimeCondition{
		{Type: runtimeapi.RuntimeReady, Status: true},
		{Type: runtimeapi.NetworkReady, Status: true},
	}}}
	if r.Verbose {
		answer.Info = map[string]string{"config": `{"sandboxImage":"` + pauseImage + `"}`}
	}
	return answer, nil
}

// RuntimeConfig implements RuntimeServiceServer. The kubelet heeds this driver rather than that in its file, and there is no systemd.
func (s *Server) RuntimeConfig(context.Context, *runtimeapi.RuntimeConfigRequest) (*runtimeapi.RuntimeConfigResponse, error) {
	return &runtimeapi.RuntimeConfigResponse{Linux: &runtimeapi.LinuxRuntimeConfiguration{CgroupDriver: runtimeapi.CgroupDriver_CGROUPFS}}, nil
}

// UpdateRuntimeConfig implements RuntimeServiceServer: the kubelet tells the node's range for pods.
func (s *Server) UpdateRuntimeConfig(_ context.Context, r *runtimeapi.UpdateRuntimeConfigRequest) (*runtimeapi.UpdateRuntimeConfigResponse, error) {
	answer := &runtimeapi.UpdateRuntimeConfigResponse{}
	cidr := r.GetRuntimeConfig().GetNetworkConfig().GetPodCidr()
	if cidr == "" || s.options.Addresses == nil {
		return answer, nil
	}
	return answer, s.options.Addresses.Use(cidr)
}

// ListContainerStats implements RuntimeServiceServer: nothing is measured.
func (s *Server) ListContainerStats(context.Context, *runtimeapi.ListContainerStatsRequest) (*runtimeapi.ListContainerStatsResponse, error) {
	return &runtimeapi.ListContainerStatsResponse{}, nil
}

// ListPodSandboxStats implements RuntimeServiceServer: nothing is measured.
func (s *Server) ListPodSandboxStats(context.Context, *runtimeapi.ListPodSandboxStatsRequest) (*runtimeapi.ListPodSandboxStatsResponse, error) {
	return &runtimeapi.ListPodSandboxStatsResponse{}, nil
}

// UpdateContainerResources implements RuntimeServiceServer: nothing is limited.
func (s *Server) UpdateContainerResources(context.Context, *runtimeapi.UpdateContainerResourcesRequest) (*runtimeapi.UpdateContainerResourcesResponse, error) {
	return &runtimeapi.UpdateContainerResourcesResponse{}, nil
}
