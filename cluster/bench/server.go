package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/crossplane/function-sdk-go"
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
	// last has the last call for each composite resource.
	last map[string]call
}

type call struct {
	req *fnv1.RunFunctionRequest
	rsp *fnv1.RunFunctionResponse
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
	connection, err := connect(address, certificates)
	return &server{process: p, connection: connection, method: method, last: map[string]call{}}, err
}

func connect(address, certificates string) (*grpc.ClientConn, error) {
	security, err := stack.ClientTLS(certificates)
	if err != nil {
		return nil, err
	}
	return grpc.NewClient(address, grpc.WithTransportCredentials(credentials.NewTLS(security)))
}

func (s *server) end() {
	_ = s.connection.Close()
	if s.process != nil {
		_ = s.process.Stop(startPatience)
	}
}

// RunFunction calls the process, and keeps what it was asked and what it answered.
func (s *server) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := &fnv1.RunFunctionResponse{}
	err := s.connection.Invoke(ctx, s.method, req, rsp)
	s.last[compositeOf(req)] = call{proto.CloneOf(req), proto.CloneOf(rsp)}
	return rsp, err
}

// compositeOf returns kind and name of the composite resource that a function is called for.
func compositeOf(req *fnv1.RunFunctionRequest) string {
	xr := req.GetObserved().GetComposite().GetResource().GetFields()
	return xr["kind"].GetStringValue() + " " + xr["metadata"].GetStructValue().GetFields()["name"].GetStringValue()
}

// A recording answers as a function has answered before, and composes nothing: what it takes is the floor of a call.
type recording struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	last map[string]call
}

func (r *recording) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return r.last[compositeOf(req)].rsp, nil
}

// serveRecording serves what a function has answered, in this process.
func serveRecording(dir string, of *server) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	certificates := filepath.Join(dir, "certs")
	address := fmt.Sprintf("127.0.0.1:%d", port)
	go func() {
		_ = function.Serve(&recording{last: of.last}, function.Listen("tcp", address), function.MTLSCertificates(certificates), function.WithMetricsServer(""))
	}()
	connection, err := connect(address, certificates)
	return &server{connection: connection, method: runFunction}, err
}

// time returns how long calls took, in order of size. A result that says that something went wrong is an error.
func (s *server) time(ctx context.Context, requests ...*fnv1.RunFunctionRequest) ([]time.Duration, error) {
	var took []time.Duration
	for i := range warmCalls + timedCalls {
		begun := time.Now()
		for _, req := range requests {
			rsp := &fnv1.RunFunctionResponse{}
			if err := s.connection.Invoke(ctx, s.method, req, rsp, grpc.WaitForReady(true)); err != nil {
				return nil, err
			}
			for _, r := range rsp.GetResults() {
				if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
					return nil, fmt.Errorf("%s: %s", compositeOf(req), r.GetMessage())
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
