package main

import (
	"context"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/crossplane-capz/crossplane-capz/functions/registry"
)

// Function answers Crossplane's requests.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log logging.Logger
}

// RunFunction composes the composite resource of the request. It never returns an error: what went wrong is a result,
// so that it is shown on the composite resource.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	xr := req.GetObserved().GetComposite().GetResource().GetFields()
	metadata := xr["metadata"].GetStructValue().GetFields()
	f.log.Debug("Composing", "kind", xr["kind"].GetStringValue(), "namespace", metadata["namespace"].GetStringValue(), "name", metadata["name"].GetStringValue())
	return registry.Run(req), nil
}
