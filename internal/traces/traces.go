// Package traces makes the OpenTelemetry spans of provider-capz and function-capz. There are none, and they cost nothing, until Use names who takes
// them, as package export does. A span has kind, namespace and name of an object, and method, path and answer of a request to Azure: no body, no query,
// in which Azure has signatures, and no value of a Secret.
package traces

import (
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
	"github.com/crossplane-capz/crossplane-capz/internal/version"
)

const (
	// scope is who makes the spans.
	scope = "github.com/crossplane-capz/crossplane-capz"
	// LongestText is how many bytes a text in a span has at most.
	LongestText = 1 << 10
)

// The attributes of spans. Those that OpenTelemetry's semantic conventions have are called as there.
const (
	AttributeKind      = attribute.Key("k8s.object.kind")
	AttributeNamespace = attribute.Key("k8s.namespace.name")
	AttributeName      = attribute.Key("k8s.object.name")
	AttributeResult    = attribute.Key("capz.result")
	// AttributeReconcileID is in the lines of the log, too.
	AttributeReconcileID = attribute.Key("reconcileID")
	AttributeController  = attribute.Key("k8s.controller.name")
	AttributeComposed    = attribute.Key("capz.composed")
	AttributeMethod      = attribute.Key("http.request.method")
	AttributeStatus      = attribute.Key("http.response.status_code")
	AttributeServer      = attribute.Key("server.address")
	AttributePath        = attribute.Key("url.path")
	AttributeError       = attribute.Key("error.type")
	AttributeType        = attribute.Key("azure.resource.type")
	// AttributeCorrelation is the ID by which Azure's activity log has a request.
	AttributeCorrelation = attribute.Key("x-ms-correlation-request-id")
	AttributeRequest     = attribute.Key("x-ms-request-id")
)

// tracer makes the spans; nil while nobody takes them. It is not OpenTelemetry's global one, as libraries would send there what nobody has read for secrets.
var tracer atomic.Pointer[trace.Tracer]

// Use gives all further spans to a provider; to nobody when it is nil.
func Use(provider trace.TracerProvider) {
	if provider == nil {
		tracer.Store(nil)
		return
	}
	t := provider.Tracer(scope, trace.WithInstrumentationVersion(version.Version))
	tracer.Store(&t)
}

// object returns the attributes that tell which object it is about.
func object(kind, namespace, name string) []attribute.KeyValue {
	all := []attribute.KeyValue{AttributeKind.String(kind), AttributeName.String(name)}
	if namespace != "" {
		all = append(all, AttributeNamespace.String(namespace))
	}
	return all
}

// fail says that a span has come to nothing, and why, without what looks like a secret.
func fail(span trace.Span, why string) {
	why = string(leaks.NewSearch(nil).Redact("", []byte(why), func(int) string { return "" }))
	span.SetStatus(codes.Error, field.Cut(why, LongestText))
}
