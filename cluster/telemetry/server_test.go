package telemetry

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	clientprometheus "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// TestServer has Prometheus scrape what serves the metrics of both components, without a management cluster: targets get the labels that
// they are to have, the first cluster that becomes ready is seen, and a component that goes is told of.
func TestServer(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	provider, function := serve(t, telemetry.Provider), serve(t, telemetry.Function)
	p := startPrometheus(t, root, []appsv1.Deployment{
		deployment(t, "provider-capz-1234", "pkg.crossplane.io/provider", "crossplane-capz-provider-capz", provider),
		deployment(t, "function-capz-5678", "pkg.crossplane.io/function", "crossplane-capz-function-capz", function),
		deployment(t, "stranger", "pkg.crossplane.io/provider", "stranger", function),
	})
	begun := time.Now()
	found, err := p.api.Targets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range found.Active {
		component := map[string]string{"crossplane-system/provider-capz": "provider-capz-1234-0", "crossplane-system/function-capz": "function-capz-5678-0"}[string(target.Labels["job"])]
		want := fmt.Sprintf(`{container="package-runtime", endpoint="metrics", instance=%q, job=%q, namespace="crossplane-system", pod=%q}`, target.Labels["instance"], target.Labels["job"], component)
		if got := target.Labels.String(); got != want {
			t.Errorf("labels of a target\ngot  %s\nwant %s", got, want)
		}
	}
	telemetry.FunctionRequests.Inc("AzureCluster", telemetry.ResultComposed)
	for _, server := range []*httptest.Server{provider, function} {
		p.checkMetrics(t, server.URL+"/metrics")
	}
	time.Sleep(3 * interval)
	telemetry.TimeToReady.Observe(90, "Azure", telemetry.ClusterKind)
	const query = `histogram_quantile(0.5, sum by (family, le) (increase(capz_time_to_ready_seconds_bucket{kind="Cluster"}[6h]))) > 0`
	await(t, time.Minute, "the first cluster that becomes ready is seen", func() (string, error) {
		seen, err := p.hasData(t.Context(), query, begun, time.Now())
		if !seen {
			return "no data", err
		}
		return "", err
	})
	if active, err := p.active(t.Context()); err != nil || len(active) > 0 {
		t.Errorf("all is well, but %s, error %v", describe(active), err)
	}
	provider.Close()
	await(t, time.Minute, "the alert", func() (string, error) {
		return p.lacks(t.Context(), expected{"CapzProviderDown", "severity", "critical"})
	})
}

// serve serves the metrics of a component, and the depth of a work queue, by which it is known to work.
func serve(t *testing.T, component telemetry.Component) *httptest.Server {
	t.Helper()
	registry := clientprometheus.NewRegistry()
	if err := telemetry.Register(registry, component); err != nil {
		t.Fatal(err)
	}
	depth := clientprometheus.NewGaugeVec(clientprometheus.GaugeOpts{Name: "workqueue_depth", Help: "Depth."}, []string{"name"})
	depth.WithLabelValues("azureasomanagedcontrolplane")
	registry.MustRegister(depth)
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// deployment returns one as Crossplane makes of a package, whose metrics are at the server.
func deployment(t *testing.T, name, label, value string, server *httptest.Server) appsv1.Deployment {
	t.Helper()
	_, text, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	d := appsv1.Deployment{}
	d.Name, d.Namespace = name, packages
	d.Spec.Template.Labels = map[string]string{label: value}
	d.Spec.Template.Spec.Containers = []corev1.Container{{
		Name: "package-runtime", Ports: []corev1.ContainerPort{{Name: "metrics", ContainerPort: int32(port)}, {Name: "health", ContainerPort: 1}},
	}}
	return d
}
