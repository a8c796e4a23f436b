// Package export sends spans to a collector, where one is configured by the environment variables of OpenTelemetry's specification ("OpenTelemetry
// Protocol Exporter", "Environment Variable Specification").
package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/crossplane-capz/crossplane-capz/internal/traces"
	"github.com/crossplane-capz/crossplane-capz/internal/version"
)

// Environment variables that say whether and how spans are sent. The exporter and the SDK read further ones by themselves: headers, certificates,
// timeouts, sampler and attributes of the resource.
const (
	variableEndpoint       = "OTEL_EXPORTER_OTLP_ENDPOINT"
	variableTracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	variableProtocol       = "OTEL_EXPORTER_OTLP_PROTOCOL"
	variableTracesProtocol = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	variableExporter       = "OTEL_TRACES_EXPORTER"
	variableDisabled       = "OTEL_SDK_DISABLED"
)

// endPatience is how long the last spans may take to the collector.
const endPatience = 5 * time.Second

// Start sends the spans of package traces to the collector that the environment names, and returns what sends the last ones. Without a collector
// nothing is done. failed is told what goes wrong later, as with a collector that does not answer; spans are lost then, and nothing waits for them. The
// error says which variable is wrong.
func Start(ctx context.Context, service string, failed func(error)) (end func(), err error) {
	wanted, err := configured()
	if err != nil {
		return nil, err
	}
	if !wanted {
		return func() {}, nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(failed))
	exporter, err := otlptracegrpc.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot set up the exporter of traces: %w", err)
	}
	of, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", service), attribute.String("service.version", version.Version)),
		resource.WithFromEnv()) // What the environment says comes last, and so counts.
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("cannot set up the exporter of traces: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(of), sdktrace.WithRawSpanLimits(limits()))
	traces.Use(provider)
	return func() {
		traces.Use(nil)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			failed(err)
		}
	}, nil
}

// limits are those of the environment, and OpenTelemetry's own else; but no text is without end.
func limits() sdktrace.SpanLimits {
	l := sdktrace.NewSpanLimits()
	if l.AttributeValueLengthLimit < 0 || l.AttributeValueLengthLimit > traces.LongestText {
		l.AttributeValueLengthLimit = traces.LongestText
	}
	return l
}

// configured reports whether spans are to be sent.
func configured() (bool, error) {
	if os.Getenv(variableEndpoint) == "" && os.Getenv(variableTracesEndpoint) == "" || strings.EqualFold(os.Getenv(variableDisabled), "true") {
		return false, nil
	}
	switch exporter := os.Getenv(variableExporter); exporter {
	case "", "otlp":
	case "none":
		return false, nil
	default:
		return false, fmt.Errorf("%s is %q, but must be otlp, none or absent: there is no other exporter here", variableExporter, exporter)
	}
	for _, name := range []string{variableTracesProtocol, variableProtocol} { // That of traces alone counts more.
		switch protocol := os.Getenv(name); protocol {
		case "":
			continue
		case "grpc":
			return true, nil
		default:
			return false, fmt.Errorf("%s is %q, but must be grpc or absent: spans are sent by gRPC only, which collectors take on port 4317", name, protocol)
		}
	}
	return true, nil
}
