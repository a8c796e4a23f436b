package main

import (
	"context"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/crossplane-capz/crossplane-capz/functions/registry"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
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
	began := time.Now()
	rsp := registry.Run(req)
	count(xr["kind"].GetStringValue(), rsp, time.Since(began))
	return rsp, nil
}

// count tells in metrics of a request about a kind, and of its answer.
func count(kind string, rsp *fnv1.RunFunctionResponse, took time.Duration) {
	result := telemetry.ResultComposed
	asked := rsp.GetRequirements()
	switch {
	case slices.ContainsFunc(rsp.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL }):
		result = telemetry.ResultFatal
	case rsp.GetDesired().GetComposite() == nil && len(asked.GetResources())+len(asked.GetExtraResources())+len(asked.GetSchemas()) > 0:
		result = telemetry.ResultAsked
	default:
		telemetry.FunctionObjects.Observe(float64(len(rsp.GetDesired().GetResources())), kind)
	}
	telemetry.FunctionRequests.Inc(kind, result)
	telemetry.FunctionSeconds.Observe(took.Seconds(), kind)
}
