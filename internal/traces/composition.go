package traces

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// A Composition is the span of a request to compose a composite resource.
type Composition struct{ span trace.Span }

// BeginComposition returns the span of a request about a composite resource.
func BeginComposition(ctx context.Context, kind, namespace, name string) Composition {
	t := tracer.Load()
	if t == nil {
		return Composition{}
	}
	_, span := (*t).Start(ctx, "compose "+kind, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(object(kind, namespace, name)...))
	return Composition{span}
}

// End ends it. result is what came of the request, as the metrics have it, and objects is of how many the composite resource is to be composed.
// problem is why nothing came of it, and else empty.
func (c Composition) End(result string, objects int, problem string) {
	if c.span == nil {
		return
	}
	c.span.SetAttributes(AttributeResult.String(result), AttributeComposed.Int(objects))
	if problem != "" {
		fail(c.span, problem)
	}
	c.span.End()
}
