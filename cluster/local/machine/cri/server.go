package cri

import (
	"crypto/rand"
	"encoding/hex"
	"net"
	"os/exec"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
)

// Options are what a Server needs of its machine.
type Options struct {
	// Programs are the machine's own programs by the name that a container's command calls them, with their paths.
	Programs map[string]string
	// Arguments are added to those of a program, by its name.
	Arguments map[string][]string
	// Environment of every process.
	Environment []string
	// Addresses gives pods addresses of their own. Without it they all have the machine's.
	Addresses Addresses
	// Start starts a process. The machine's PID 1 has to know its children; it is exec.Cmd.Start when nil.
	Start func(*exec.Cmd) error
}

// Addresses has addresses for pods.
type Addresses interface {
	// Take returns an address that can be listened at.
	Take() (string, error)
	// Give takes it back.
	Give(ip string) error
	// Use has later addresses come from the node's range for pods.
	Use(cidr string) error
}

// Server is the RuntimeService and the ImageService.
type Server struct {
	runtimeapi.UnimplementedRuntimeServiceServer
	runtimeapi.UnimplementedImageServiceServer

	options   Options
	streaming streaming.Server

	mu         sync.Mutex
	sandboxes  map[string]*sandbox
	containers map[string]*container
	images     map[string]bool
}

// New returns a runtime without any pod.
func New(o Options) (*Server, error) {
	if o.Start == nil {
		o.Start = (*exec.Cmd).Start
	}
	s := &Server{options: o, sandboxes: map[string]*sandbox{}, containers: map[string]*container{}, images: map[string]bool{}}
	config := streaming.DefaultConfig
	config.Addr = "127.0.0.1:0"
	var err error
	s.streaming, err = streaming.NewServer(config, streams{s})
	return s, err
}

// Serve answers on the listener, and streams on a port of the loopback interface, until the listener is closed.
func (s *Server) Serve(listener net.Listener) error {
	server := grpc.NewServer()
	runtimeapi.RegisterRuntimeServiceServer(server, s)
	runtimeapi.RegisterImageServiceServer(server, s)
	failed := make(chan error, 2)
	go func() { failed <- s.streaming.Start(true) }()
	go func() { failed <- server.Serve(listener) }()
	err := <-failed
	server.Stop()
	_ = s.streaming.Stop() // It may be what failed.
	return err
}

// newID returns an identifier of 64 hexadecimal digits, as other runtimes have.
func newID() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // It never fails.
	return hex.EncodeToString(raw[:])
}

func now() int64 { return time.Now().UnixNano() }

func notFound(kind, id string) error { return status.Errorf(codes.NotFound, "no %s %q", kind, id) }

// matches tells whether labels have everything that a selector asks for.
func matches(labels, selector map[string]string) bool {
	for k, v := range selector {
		if got, ok := labels[k]; !ok || got != v {
			return false
		}
	}
	return true
}
