package export

import (
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

func TestConfigured(t *testing.T) {
	cases := map[string]struct {
		environment map[string]string
		want        bool
		problem     string
	}{
		"nothing":               {nil, false, ""},
		"an endpoint":           {map[string]string{variableEndpoint: "http://collector:4317"}, true, ""},
		"one of traces":         {map[string]string{variableTracesEndpoint: "http://collector:4317"}, true, ""},
		"switched off":          {map[string]string{variableEndpoint: "http://collector:4317", variableDisabled: "TRUE"}, false, ""},
		"no traces":             {map[string]string{variableEndpoint: "http://collector:4317", variableExporter: "none"}, false, ""},
		"OTLP":                  {map[string]string{variableEndpoint: "http://collector:4317", variableExporter: "otlp", variableProtocol: "grpc"}, true, ""},
		"another exporter":      {map[string]string{variableEndpoint: "http://collector:4317", variableExporter: "zipkin"}, false, `OTEL_TRACES_EXPORTER is "zipkin", but must be otlp, none or absent`},
		"another protocol":      {map[string]string{variableEndpoint: "http://collector:4318", variableProtocol: "http/protobuf"}, false, `OTEL_EXPORTER_OTLP_PROTOCOL is "http/protobuf", but must be grpc or absent`},
		"another one of traces": {map[string]string{variableEndpoint: "http://collector:4318", variableProtocol: "grpc", variableTracesProtocol: "http/json"}, false, `OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "http/json", but must be grpc or absent`},
		"gRPC for traces alone": {map[string]string{variableEndpoint: "http://collector:4317", variableProtocol: "http/protobuf", variableTracesProtocol: "grpc"}, true, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{variableEndpoint, variableTracesEndpoint, variableProtocol, variableTracesProtocol, variableExporter, variableDisabled} {
				t.Setenv(variable, c.environment[variable])
			}
			got, err := configured()
			if got != c.want || (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
				t.Errorf("got %v and %v, want %v and %q", got, err, c.want, c.problem)
			}
		})
	}
}

// TestStart fails by what is wrong with the environment, and ends what it began.
func TestStart(t *testing.T) {
	failed := func(err error) { t.Errorf("told of %v", err) }
	for name, c := range map[string]struct{ endpoint, protocol, problem string }{
		"off":   {},
		"on":    {endpoint: "http://127.0.0.1:1"}, // Nobody is asked before there is a span.
		"wrong": {endpoint: "http://127.0.0.1:1", protocol: "carrier pigeon", problem: variableProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(variableEndpoint, c.endpoint)
			t.Setenv(variableProtocol, c.protocol)
			end, err := Start(t.Context(), "provider-capz", failed)
			if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
				t.Fatalf("got %v, want %q", err, c.problem)
			}
			if err == nil {
				end()
			}
		})
	}
}

// TestUnreachable tells of a collector that does not answer, and holds nothing up for it.
func TestUnreachable(t *testing.T) {
	t.Setenv(variableEndpoint, "http://127.0.0.1:1")
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "100") // Milliseconds.
	var told []error
	end, err := Start(t.Context(), "function-capz", func(err error) { told = append(told, err) })
	if err != nil {
		t.Fatal(err)
	}
	traces.BeginComposition(t.Context(), "AzureMachine", "team", "m").End("composed", 1, "")
	end()
	if len(told) == 0 {
		t.Error("nobody is told")
	}
}

// TestLimits lets no text be longer than those of package traces, and shorter if somebody wants that.
func TestLimits(t *testing.T) {
	for value, want := range map[string]int{"": traces.LongestText, "100": 100, "100000": traces.LongestText} {
		t.Setenv("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", value)
		if got := limits().AttributeValueLengthLimit; got != want {
			t.Errorf("limit %q has texts of %d bytes, want %d", value, got, want)
		}
	}
}
