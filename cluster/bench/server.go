package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

const (
	// warmCalls are not measured, timedCalls are.
	warmCalls, timedCalls = 200, 800
	// The services' names: functions of Crossplane v1 know the older one only; the messages are the same.
	runFunction    = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction"
	runFunctionOld = "/apiextensions.fn.proto.v1beta1.FunctionRunnerService/RunFunction"
	startPatience  = 30 * time.Second
)

// A server is a composition function that runs as a process of its own, called as Crossplane calls it: by gRPC with mutual TLS.
type server struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	process    *process.Process
	connection *grpc.ClientConn
	method     string
	// last has the last request of each composite resource.
	last map[string]*fnv1.RunFunctionRequest
}

// serveOwn starts function-capz, and returns the port of its metrics, too.
func serveOwn(ctx context.Context, root, dir string) (own *server, metrics int, err error) {
	metrics, err = freePort()
	if err != nil {
		return nil, 0, err
	}
	own, err = serve(ctx, root, dir, parts.Function, runFunction, "--metrics-address", fmt.Sprintf("127.0.0.1:%d", metrics))
	return own, metrics, err
}

// serve starts a function that is called by a method.
func serve(ctx context.Context, root, dir, part, method string, args ...string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	certificates := filepath.Join(dir, "certs")
	if err := stack.IssueCertificate(certificates); err != nil {
		return nil, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	p := &process.Process{
		Name: part, Path: filepath.Join(root, ".local", "bin", part), Log: filepath.Join(dir, part+".log"), Probe: process.Probe{Address: address},
		Args: append(args, "--address", address, "--tls-certs-dir", certificates),
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	if err := p.Ready(ctx, startPatience); err != nil {
		return nil, err
	}
	security, err := stack.ClientTLS(certificates)
	if err != nil {
		return nil, err
	}
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(credentials.NewTLS(security)))
	return &server{process: p, connection: connection, method: method, last: map[string]*fnv1.RunFunctionRequest{}}, err
}

func (s *server) end() {
	_ = s.connection.Close()
	_ = s.process.Stop(startPatience)
}

// RunFunction calls the process, and keeps what it was asked.
func (s *server) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	xr := req.GetObserved().GetComposite().GetResource().GetFields()
	s.last[xr["kind"].GetStringValue()+" "+xr["metadata"].GetStructValue().GetFields()["name"].GetStringValue()] = proto.CloneOf(req)
	rsp := &fnv1.RunFunctionResponse{}
	return rsp, s.connection.Invoke(ctx, s.method, req, rsp)
}

// time returns how long calls took, in order of size. A result that says that something went wrong is an error.
func (s *server) time(ctx context.Context, requests ...*fnv1.RunFunctionRequest) ([]time.Duration, error) {
	var took []time.Duration
	for i := range warmCalls + timedCalls {
		begun := time.Now()
		for _, req := range requests {
			rsp := &fnv1.RunFunctionResponse{}
			if err := s.connection.Invoke(ctx, s.method, req, rsp); err != nil {
				return nil, err
			}
			for _, r := range rsp.GetResults() {
				if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
					return nil, fmt.Errorf("%s: %s", s.process.Name, r.GetMessage())
				}
			}
		}
		if i >= warmCalls {
			took = append(took, time.Since(begun))
		}
	}
	slices.Sort(took)
	return took, nil
}
