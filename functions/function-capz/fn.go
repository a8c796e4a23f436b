package main

import (
	"context"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/crossplane-capz/crossplane-capz/functions/registry"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// Function answers Crossplane's requests.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log logging.Logger
}

// RunFunction composes the composite resource of the request. It never returns an error: what went wrong is a result,
// so that it is shown on the composite resource.
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	xr := req.GetObserved().GetComposite().GetResource().GetFields()
	metadata := xr["metadata"].GetStructValue().GetFields()
	kind, namespace, name := xr["kind"].GetStringValue(), metadata["namespace"].GetStringValue(), metadata["name"].GetStringValue()
	log := f.log.WithValues("kind", kind, "namespace", namespace, "name", name)
	composition, began := traces.BeginComposition(ctx, kind, namespace, name), time.Now()
	rsp := registry.Run(req)
	result, objects, why := count(kind, rsp, time.Since(began)), len(rsp.GetDesired().GetResources()), problem(rsp)
	composition.End(result, objects, why)
	if why != "" {
		log.Info("Nothing is composed", "reason", why)
	} else {
		log.Debug("Answered", "result", result, "objects", objects)
	}
	return rsp, nil
}

// count tells in metrics of a request about a kind, and of its answer, and returns what came of it.
func count(kind string, rsp *fnv1.RunFunctionResponse, took time.Duration) (result string) {
	result = telemetry.ResultComposed
	asked := rsp.GetRequirements()
	switch {
	case slices.ContainsFunc(rsp.GetResults(), fatal):
		result = telemetry.ResultFatal
	case rsp.GetDesired().GetComposite() == nil && len(asked.GetResources())+len(asked.GetSchemas()) > 0:
		result = telemetry.ResultAsked
	default:
		telemetry.FunctionObjects.Observe(float64(len(rsp.GetDesired().GetResources())), kind)
	}
	telemetry.FunctionRequests.Inc(kind, result)
	telemetry.FunctionSeconds.Observe(took.Seconds(), kind)
	return result
}

// problem returns why nothing is composed, if that is so.
func problem(rsp *fnv1.RunFunctionResponse) string {
	if i := slices.IndexFunc(rsp.GetResults(), fatal); i >= 0 {
		return rsp.GetResults()[i].GetMessage()
	}
	return ""
}

func fatal(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL }
