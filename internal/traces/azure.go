package traces

import (
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"
)

// Headers of requests to Azure Resource Manager and of its answers (Azure documentation, "REST API common request and response headers").
const (
	HeaderCorrelation = "x-ms-correlation-request-id"
	headerRequest     = "x-ms-request-id"
)

// Azure is the policy that has a span for each request to Azure Resource Manager. Azure is given the ID of the trace to correlate the request by,
// so that its activity log and the trace are found from each other.
type Azure struct {
	// Type returns the type of the resource at a path of Azure Resource Manager, one of few.
	Type func(path string) string
	// Code returns Azure's error code, or a word for what there is instead of an answer; empty for what is no failure.
	Code func(method string, resp *http.Response, err error) string
}

// Do implements policy.Policy.
func (a Azure) Do(req *policy.Request) (*http.Response, error) {
	t := tracer.Load()
	if t == nil {
		return req.Next()
	}
	raw := req.Raw()
	of := a.Type(raw.URL.Path)
	ctx, span := (*t).Start(raw.Context(), raw.Method+" "+of, trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	if !span.IsRecording() {
		return req.Next()
	}
	correlation := uuid.UUID(trace.SpanContextFromContext(ctx).TraceID()).String()
	raw.Header.Set(HeaderCorrelation, correlation)
	span.SetAttributes(AttributeMethod.String(raw.Method), AttributeServer.String(raw.URL.Hostname()), AttributePath.String(raw.URL.Path),
		AttributeType.String(of), AttributeCorrelation.String(correlation))
	resp, err := req.Next()
	if resp != nil {
		if answered := resp.Header.Get(HeaderCorrelation); answered != "" {
			span.SetAttributes(AttributeCorrelation.String(answered)) // A proxy may have set another: this is what the activity log has.
		}
		span.SetAttributes(AttributeStatus.Int(resp.StatusCode), AttributeRequest.String(resp.Header.Get(headerRequest)))
	}
	if code := a.Code(raw.Method, resp, err); code != "" {
		span.SetAttributes(AttributeError.String(code))
		fail(span, code) // The error itself may have the whole address.
	}
	return resp, err
}
