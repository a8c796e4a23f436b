package traces

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// recorded has spans be kept in memory for a test.
func recorded(t *testing.T, options ...sdktrace.TracerProviderOption) *tracetest.InMemoryExporter {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	Use(sdktrace.NewTracerProvider(append(options, sdktrace.WithSyncer(exporter))...))
	t.Cleanup(func() { Use(nil) })
	return exporter
}

// lines returns each span as a line: kind, name, status and attributes, but for IDs that differ each time.
func lines(spans tracetest.SpanStubs) []string {
	var all []string
	for _, span := range spans {
		line := fmt.Sprintf("%s %q %s %q", span.SpanKind, span.Name, span.Status.Code, span.Status.Description)
		for _, a := range span.Attributes {
			if a.Key != AttributeCorrelation && a.Key != AttributeReconcileID {
				line += fmt.Sprintf(" %s=%v", a.Key, a.Value.AsInterface())
			}
		}
		all = append(all, line)
	}
	return all
}

func valueOf(span tracetest.SpanStub, key attribute.Key) string {
	i := slices.IndexFunc(span.Attributes, func(a attribute.KeyValue) bool { return a.Key == key })
	if i < 0 {
		return ""
	}
	return span.Attributes[i].Value.AsString()
}

var machine = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "m"}}

func TestReconciler(t *testing.T) {
	token := "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ0ZWFtIn0." + strings.Repeat("s", 40)
	const object = " k8s.object.kind=AzureMachine k8s.object.name=m k8s.namespace.name=team k8s.controller.name=machine "
	cases := map[string]struct {
		result reconcile.Result
		err    error
		want   string
	}{
		"done":           {want: `internal "reconcile machine" Unset ""` + object + `capz.result=success`},
		"to come again":  {result: reconcile.Result{RequeueAfter: time.Second}, want: `internal "reconcile machine" Unset ""` + object + `capz.result=requeue_after`},
		"failed":         {err: errors.New("no"), want: `internal "reconcile machine" Error "no"` + object + `capz.result=error`},
		"long":           {err: errors.New(strings.Repeat("n", 2*LongestText)), want: `internal "reconcile machine" Error "` + strings.Repeat("n", LongestText-len("…")) + `…"` + object + `capz.result=error`},
		"with a secret":  {err: errors.New("refused " + token), want: `internal "reconcile machine" Error "refused <redacted: a signed token>"` + object + `capz.result=error`},
		"to end at once": {err: reconcile.TerminalError(errors.New("no")), want: `internal "reconcile machine" Error "terminal error: no"` + object + `capz.result=error`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			exporter := recorded(t)
			result, err := Reconciler("machine", "AzureMachine", reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
				return c.result, c.err
			})).Reconcile(t.Context(), machine)
			if result != c.result || !errors.Is(err, c.err) {
				t.Errorf("got %v and %v", result, err)
			}
			if diff := cmp.Diff([]string{c.want}, lines(exporter.GetSpans())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// transport answers for Azure, with nothing if it has no answer.
type transport struct {
	answer *http.Response
	asked  http.Header
}

func (t *transport) Do(req *http.Request) (*http.Response, error) {
	t.asked = req.Header
	if t.answer == nil {
		return nil, fmt.Errorf("%s: no route to host", req.URL)
	}
	t.answer.Request = req
	return t.answer, nil
}

func answer(status int, header ...string) *http.Response {
	resp := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}
	for i := 0; i < len(header); i += 2 {
		resp.Header.Set(header[i], header[i+1])
	}
	return resp
}

const machinePath = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/m"

// ask has a reconcile send a request to Azure.
func ask(t *testing.T, azure *transport) {
	t.Helper()
	traced := Azure{
		Type: func(path string) string {
			if path != machinePath {
				t.Errorf("asked for the type of %q", path)
			}
			return "machines"
		},
		Code: func(method string, resp *http.Response, err error) string {
			switch {
			case method != http.MethodGet:
				t.Errorf("asked for the code of a %s", method)
			case err != nil:
				return "Unreachable"
			case resp.StatusCode >= http.StatusBadRequest:
				return "Conflict"
			}
			return ""
		},
	}
	pipeline := runtime.NewPipeline("m", "v", runtime.PipelineOptions{},
		&policy.ClientOptions{Transport: azure, Retry: policy.RetryOptions{MaxRetries: -1}, PerCallPolicies: []policy.Policy{traced}})
	_, err := Reconciler("machine", "AzureMachine", reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		req, err := runtime.NewRequest(ctx, http.MethodGet, "https://management.azure.com"+machinePath+"?api-version=1&sig=hush")
		if err != nil {
			return reconcile.Result{}, err
		}
		req.Raw().Header.Set("Authorization", "Bearer hush")
		resp, err := pipeline.Do(req)
		if (err == nil) != (azure.answer != nil) {
			t.Errorf("the answer is %v, %v", resp, err)
		}
		if err == nil {
			return reconcile.Result{}, resp.Body.Close()
		}
		return reconcile.Result{}, nil
	})).Reconcile(t.Context(), machine)
	if err != nil {
		t.Fatal(err)
	}
}

func TestAzure(t *testing.T) {
	const known = " http.request.method=GET server.address=management.azure.com url.path=" + machinePath + " azure.resource.type=machines"
	cases := map[string]struct {
		answer *http.Response
		// correlation is what the span has, if it is not what was sent.
		correlation string
		want        string
	}{
		"answered": {answer: answer(200, headerRequest, "r"),
			want: `client "GET machines" Unset ""` + known + " http.response.status_code=200 x-ms-request-id=r"},
		"correlated otherwise": {answer: answer(200, headerRequest, "r", HeaderCorrelation, "of-azure"), correlation: "of-azure",
			want: `client "GET machines" Unset ""` + known + " http.response.status_code=200 x-ms-request-id=r"},
		"refused": {answer: answer(409, headerRequest, "r"),
			want: `client "GET machines" Error "Conflict"` + known + " http.response.status_code=409 x-ms-request-id=r error.type=Conflict"},
		"not answered": {want: `client "GET machines" Error "Unreachable"` + known + " error.type=Unreachable"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			exporter, azure := recorded(t), &transport{answer: c.answer}
			ask(t, azure)
			spans := exporter.GetSpans()
			if len(spans) != 2 {
				t.Fatalf("got %q, want the request and the reconcile", lines(spans))
			}
			request, outer := spans[0], spans[1]
			if diff := cmp.Diff(c.want, lines(spans)[0]); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if request.SpanContext.TraceID() != outer.SpanContext.TraceID() || request.Parent.SpanID() != outer.SpanContext.SpanID() {
				t.Error("the request is not within the reconcile that it was made in")
			}
			sent := azure.asked.Get(HeaderCorrelation)
			if id := outer.SpanContext.TraceID().String(); strings.ReplaceAll(sent, "-", "") != id || len(sent) != len("00000000-0000-0000-0000-000000000000") {
				t.Errorf("Azure was given %q to correlate by, want the trace %s as a GUID", sent, id)
			}
			if c.correlation == "" {
				c.correlation = sent
			}
			if got := valueOf(request, AttributeCorrelation); got != c.correlation {
				t.Errorf("the span is correlated by %q, want %q", got, c.correlation)
			}
			if strings.Contains(fmt.Sprintf("%+v", spans), "hush") {
				t.Errorf("a secret is in %+v", spans)
			}
		})
	}
}

// TestNothingIsTraced has requests and reconciles be as they are without traces where nobody takes any, and where this one was not sampled.
func TestNothingIsTraced(t *testing.T) {
	cases := map[string]func(*testing.T){
		"nobody":      func(*testing.T) { Use(nil) },
		"not sampled": func(t *testing.T) { recorded(t, sdktrace.WithSampler(sdktrace.NeverSample())) },
	}
	for name, begin := range cases {
		t.Run(name, func(t *testing.T) {
			begin(t)
			azure := &transport{answer: answer(200)}
			ask(t, azure)
			if azure.asked == nil {
				t.Fatal("Azure was not asked")
			}
			if sent := azure.asked.Values(HeaderCorrelation); len(sent) > 0 {
				t.Errorf("Azure was given %q", sent)
			}
			BeginComposition(t.Context(), "AzureMachine", "team", "m").End("composed", 1, "")
		})
	}
}

// TestOffCostsNothing allocates nothing where nobody takes spans.
func TestOffCostsNothing(t *testing.T) {
	Use(nil)
	ctx := t.Context()
	inner := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })
	outer := Reconciler("machine", "AzureMachine", inner)
	allocated := testing.AllocsPerRun(100, func() {
		_, _ = outer.Reconcile(ctx, machine)
		BeginComposition(ctx, "AzureMachine", "team", "m").End("composed", 1, "")
	})
	if allocated != 0 {
		t.Errorf("%v allocations, want none", allocated)
	}
}

func TestComposition(t *testing.T) {
	cases := map[string]struct {
		namespace, problem, want string
	}{
		"of a namespace": {namespace: "team",
			want: `server "compose AzureMachine" Unset "" k8s.object.kind=AzureMachine k8s.object.name=m k8s.namespace.name=team capz.result=r capz.composed=3`},
		"of none": {want: `server "compose AzureMachine" Unset "" k8s.object.kind=AzureMachine k8s.object.name=m capz.result=r capz.composed=3`},
		"failed": {problem: "spec.vmSize is missing",
			want: `server "compose AzureMachine" Error "spec.vmSize is missing" k8s.object.kind=AzureMachine k8s.object.name=m capz.result=r capz.composed=3`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			exporter := recorded(t)
			BeginComposition(t.Context(), "AzureMachine", c.namespace, "m").End("r", 3, c.problem)
			if diff := cmp.Diff([]string{c.want}, lines(exporter.GetSpans())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
