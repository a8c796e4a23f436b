package cri

import (
	"context"
	"slices"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// imageSize is what the kubelet is told; it leaves out images without a size.
const imageSize = 1 << 20

func image(name string) *runtimeapi.Image {
	return &runtimeapi.Image{Id: name, RepoTags: []string{name}, RepoDigests: []string{}, Size: imageSize, Spec: &runtimeapi.ImageSpec{Image: name}}
}

// ListImages implements ImageServiceServer with the images that were asked for.
func (s *Server) ListImages(_ context.Context, r *runtimeapi.ListImagesRequest) (*runtimeapi.ListImagesResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := &runtimeapi.ListImagesResponse{}
	wanted := r.GetFilter().GetImage().GetImage()
	for name := range s.images {
		if wanted == "" || wanted == name {
			answer.Images = append(answer.Images, image(name))
		}
	}
	slices.SortFunc(answer.Images, func(a, b *runtimeapi.Image) int {
		if a.Id < b.Id {
			return -1
		}
		return 1
	})
	return answer, nil
}

// ImageStatus implements ImageServiceServer. Every image is there: there is no registry to reach.
func (s *Server) ImageStatus(_ context.Context, r *runtimeapi.ImageStatusRequest) (*runtimeapi.ImageStatusResponse, error) {
	return &runtimeapi.ImageStatusResponse{Image: image(s.note(r.GetImage().GetImage()))}, nil
}

// PullImage implements ImageServiceServer.
func (s *Server) PullImage(_ context.Context, r *runtimeapi.PullImageRequest) (*runtimeapi.PullImageResponse, error) {
	return &runtimeapi.PullImageResponse{ImageRef: s.note(r.GetImage().GetImage())}, nil
}

// RemoveImage implements ImageServiceServer.
func (s *Server) RemoveImage(_ context.Context, r *runtimeapi.RemoveImageRequest) (*runtimeapi.RemoveImageResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.images, r.GetImage().GetImage())
	return &runtimeapi.RemoveImageResponse{}, nil
}

// ImageFsInfo implements ImageServiceServer: images take no room.
func (s *Server) ImageFsInfo(context.Context, *runtimeapi.ImageFsInfoRequest) (*runtimeapi.ImageFsInfoResponse, error) {
	usage := []*runtimeapi.FilesystemUsage{{
		Timestamp: now(), FsId: &runtimeapi.FilesystemIdentifier{Mountpoint: "/var"},
		UsedBytes: &runtimeapi.UInt64Value{}, InodesUsed: &runtimeapi.UInt64Value{},
	}}
	return &runtimeapi.ImageFsInfoResponse{ImageFilesystems: usage, ContainerFilesystems: usage}, nil
}

func (s *Server) note(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.images[name] = true
	return name
}
