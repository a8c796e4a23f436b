package main

import (
	"context"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

// keeper keeps the last request for each composite resource.
type keeper struct {
	Function

	last map[string]*fnv1.RunFunctionRequest
}

// RunFunction implements fnv1.FunctionRunnerServiceServer.
func (k *keeper) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	xr := req.GetObserved().GetComposite().GetResource().GetFields()
	k.last[xr["kind"].GetStringValue()+"/"+xr["metadata"].GetStructValue().GetFields()["name"].GetStringValue()] = proto.CloneOf(req)
	return k.Function.RunFunction(ctx, req)
}

// BenchmarkRunFunction composes each composite resource of the examples once more, when all of it is up.
func BenchmarkRunFunction(b *testing.B) {
	for _, example := range []string{"aks-aso", "aks"} {
		objects, err := kubeyaml.Read("../../examples/" + example)
		if err != nil {
			b.Fatal(err)
		}
		k := &keeper{Function: Function{log: logging.NewNopLogger()}, last: map[string]*fnv1.RunFunctionRequest{}}
		if _, err := preview.Make(b.Context(), k, objects); err != nil {
			b.Fatal(err)
		}
		for name, req := range k.last {
			b.Run(example+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := k.Function.RunFunction(b.Context(), req); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
