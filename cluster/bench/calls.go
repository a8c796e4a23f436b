package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

// calledPools is how many pools the AKS cluster has for which functions are called.
const calledPools = 10

// calls measures what function-capz takes to compose an AKS cluster of ten pools that is up: the sum of the calls for its composite
// resources, each with what it asks for where there are no ClusterFacts. Beside it function-patch-and-transform composes the same
// ASO objects in one call. The floor is what the same calls take of a server that has the answers.
func calls(ctx context.Context, a *arena) (err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	own, metrics, err := serveOwn(ctx, a.root, dir)
	if err != nil {
		return err
	}
	defer own.end()
	peer, err := serve(ctx, a.root, dir, parts.PatchTransform, runFunctionOld)
	if err != nil {
		return err
	}
	defer peer.end()
	objects, err := cluster(a.root)
	if err != nil {
		return err
	}
	made, err := preview.Make(ctx, own, objects)
	if err != nil {
		return err
	}
	if len(made.Problems) > 0 {
		return fmt.Errorf("%s", made.Problems[0])
	}
	if err := a.takeOwnCalls(ctx, own, metrics); err != nil {
		return err
	}
	floor, err := serveRecording(dir, own)
	if err != nil {
		return err
	}
	defer floor.end()
	if err := a.takeCalls(ctx, floor, product, "floor", own.requests()...); err != nil {
		return err
	}
	req, err := transformed(made, own.controlPlane().GetObserved().GetComposite())
	if err != nil {
		return err
	}
	return a.takeCalls(ctx, peer, parts.PatchTransform, "calls", req)
}

func (a *arena) takeOwnCalls(ctx context.Context, own *server, metrics int) error {
	url := fmt.Sprintf("http://127.0.0.1:%d/metrics", metrics)
	before, err := allocations(ctx, url)
	if err != nil {
		return err
	}
	if err := a.takeCalls(ctx, own, product, "calls", own.requests()...); err != nil {
		return err
	}
	after, err := allocations(ctx, url)
	if err != nil {
		return err
	}
	a.takeFor(product, "allocations", (after-before)/(warmCalls+timedCalls), "allocations")
	return a.takeCalls(ctx, own, product, "control plane", own.controlPlane())
}

// allocations returns how many a process has made.
func allocations(ctx context.Context, url string) (float64, error) {
	counted, err := counters(ctx, url, "go_memstats_mallocs_total")
	if err != nil {
		return 0, err
	}
	return counted[0].GetCounter().GetValue(), nil
}

// requests returns the last request for each composite resource.
func (s *server) requests() []*fnv1.RunFunctionRequest {
	var all []*fnv1.RunFunctionRequest
	for _, made := range s.last {
		all = append(all, made.req)
	}
	return all
}

// controlPlane returns the request for the control plane, which is the largest one.
func (s *server) controlPlane() *fnv1.RunFunctionRequest {
	return s.last["AzureManagedControlPlane my-cluster"].req
}

// takeCalls notes how long requests take, one after the other.
func (a *arena) takeCalls(ctx context.Context, s *server, side, name string, requests ...*fnv1.RunFunctionRequest) error {
	took, err := s.time(ctx, requests...)
	if err != nil {
		return err
	}
	a.takeFor(side, name+" p50", milliseconds(took[len(took)/2]), "ms")
	a.takeFor(side, name+" p99", milliseconds(took[len(took)*99/100]), "ms")
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port, nil //nolint:forcetypeassert // Of a TCP listener.
}

// cluster returns the objects of an AKS cluster of ten pools: the example with its last pool again and again.
func cluster(root string) ([]*unstructured.Unstructured, error) {
	objects, err := kubeyaml.Read(filepath.Join(root, "examples", "aks"))
	if err != nil {
		return nil, err
	}
	return withPools(objects, calledPools)
}

// transformed is the request by which function-patch-and-transform composes the same ASO objects for one composite resource.
func transformed(made *preview.Preview, xr *fnv1.Resource) (*fnv1.RunFunctionRequest, error) {
	var resources []any
	observed := map[string]*fnv1.Resource{}
	for i, o := range made.Resources {
		name := fmt.Sprintf("resource-%d", i)
		there, err := structpb.NewStruct(o.Object)
		if err != nil {
			return nil, err
		}
		observed[name] = &fnv1.Resource{Resource: there}
		base := o.DeepCopy()
		unstructured.RemoveNestedField(base.Object, "status")
		resources = append(resources, map[string]any{
			"name": name, "base": base.Object, "readinessChecks": []any{map[string]any{"type": "MatchCondition", "matchCondition": map[string]any{"type": "Ready", "status": "True"}}},
			"patches": []any{
				patch("FromCompositeFieldPath", "metadata.namespace", "metadata.namespace"),
				patch("FromCompositeFieldPath", "spec.location", "spec.location"),
				patch("FromCompositeFieldPath", "spec.additionalTags", "spec.tags"),
				patch("FromCompositeFieldPath", "metadata.labels", "metadata.labels"),
				patch("ToCompositeFieldPath", "metadata.name", "status.names["+name+"]"),
				patch("ToCompositeFieldPath", "status.conditions", "status.composed["+name+"]"),
			},
		})
	}
	input, err := structpb.NewStruct(map[string]any{"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources", "resources": resources})
	if err != nil {
		return nil, err
	}
	return &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "bench"}, Input: input, Observed: &fnv1.State{Composite: xr, Resources: observed},
	}, nil
}

func patch(kind, from, to string) map[string]any {
	return map[string]any{"type": kind, "fromFieldPath": from, "toFieldPath": to}
}
