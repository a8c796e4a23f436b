package telemetry

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// TestDeclared holds each metric against the rules of this project and of Prometheus (documentation, "Metric and label naming").
func TestDeclared(t *testing.T) {
	endings := map[string]string{"seconds": "_seconds", "seconds since 1970": "_timestamp_seconds"}
	seen := map[string]bool{}
	for _, m := range Catalogue() {
		t.Run(m.Name, func(t *testing.T) {
			if seen[m.Name] {
				t.Error("it is declared twice")
			}
			seen[m.Name] = true
			if !strings.HasPrefix(m.Name, "capz_") || !strings.HasSuffix(m.Help, ".") || m.Unit == "" {
				t.Errorf("name %q, help %q and unit %q: the name must begin with capz_, the help be sentences, and the unit be there", m.Name, m.Help, m.Unit)
			}
			if ending := endings[m.Unit]; !strings.HasSuffix(m.Name, ending) {
				t.Errorf("its unit is %s, so its name must end with %s", m.Unit, ending)
			}
			if strings.HasSuffix(m.Name, "_total") != (m.Type == Counter) {
				t.Error("the name of a counter, and of nothing else, must end with _total")
			}
			for _, l := range m.Labels {
				switch {
				case l.Help == "":
					t.Errorf("label %s has no help", l.Name)
				case l.Values == nil && m.Most == 0:
					t.Errorf("label %s may have any value, and the metric does not say how many series there are at most", l.Name)
				case slices.Contains(l.Values, Other):
					t.Errorf("label %s has %s among its own values", l.Name, Other)
				case !regexp.MustCompile(`^[a-z_]+$`).MatchString(l.Name):
					t.Errorf("label %q is not spelled as labels are", l.Name)
				}
				if sorted := slices.Sorted(slices.Values(l.Values)); len(slices.Compact(sorted)) != len(l.Values) {
					t.Errorf("label %s has a value twice", l.Name)
				}
			}
			if m.Type == Histogram && len(m.Buckets) == 0 {
				t.Error("a histogram must have buckets")
			}
		})
	}
}

// TestLint sends each metric once and has Prometheus's own linter look at it.
func TestLint(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	for _, m := range Catalogue() {
		c := m.collector
		labels := make([]string, len(m.Labels))
		switch m.Type {
		case Counter:
			c.(*prometheus.CounterVec).WithLabelValues(labels...) //nolint:forcetypeassert // It is one.
		case Histogram:
			c.(*prometheus.HistogramVec).WithLabelValues(labels...) //nolint:forcetypeassert // It is one.
		case Gauge:
			c = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: m.Name, Help: m.Help}, m.labelNames())
			c.(*prometheus.GaugeVec).WithLabelValues(labels...) //nolint:forcetypeassert // It is one.
		}
		if err := registry.Register(c); err != nil {
			t.Fatal(err)
		}
	}
	gathered, err := registry.Gather()
	if err != nil || len(gathered) != len(Catalogue()) {
		t.Fatalf("%d metrics, error %v", len(gathered), err)
	}
	problems, err := promlint.NewWithMetricFamilies(gathered).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("problems %v, error %v", problems, err)
	}
}

// TestBounded counts what nobody has declared as one series.
func TestBounded(t *testing.T) {
	AzureErrors.vec.Reset()
	for _, code := range []string{"Made", "Up", "ByAzure", "QuotaExceeded"} {
		AzureErrors.Inc("Microsoft.Compute/virtualMachines", code)
	}
	AzureErrors.Inc("Microsoft.Future/things", "QuotaExceeded")
	want := `
# HELP capz_azure_errors_total provider-capz's own requests to Azure Resource Manager that have failed. An answer that a resource does not exist does not count as a failure.
# TYPE capz_azure_errors_total counter
capz_azure_errors_total{code="QuotaExceeded",type="Microsoft.Compute/virtualMachines"} 1
capz_azure_errors_total{code="QuotaExceeded",type="other"} 1
capz_azure_errors_total{code="other",type="Microsoft.Compute/virtualMachines"} 3
`
	if err := testutil.CollectAndCompare(AzureErrors.vec, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}

// TestFrom0 has what seldom happens be there from the start: Prometheus sees no increase in a series that begins at 1.
func TestFrom0(t *testing.T) {
	registry := prometheus.NewRegistry()
	if err := Register(registry, Provider); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Metric{TimeToReady.Metric, TokenRequests.Metric} {
		n, err := testutil.GatherAndCount(registry, m.Name)
		if err != nil || n == 0 || n > m.Series() {
			t.Errorf("%s has %d series before anything has happened, of at most %d, error %v", m.Name, n, m.Series(), err)
		}
	}
	for _, values := range born() {
		if bounded := TimeToReady.bounded(values); !slices.Equal(bounded, values) {
			t.Errorf("%v become %v", values, bounded)
		}
	}
}

// TestRegister registers what a component counts, and nothing of the other's.
func TestRegister(t *testing.T) {
	for _, component := range []Component{Provider, Function} {
		registry := prometheus.NewRegistry()
		if err := Register(registry, component); err != nil {
			t.Fatal(err)
		}
		for _, m := range Catalogue() {
			if m.collector == nil {
				continue
			}
			registered := registry.Unregister(m.collector)
			if registered != (m.Of == component) {
				t.Errorf("%s of %s is registered for %s: %v", m.Name, m.Of, component, registered)
			}
		}
	}
}

func TestLeft(t *testing.T) {
	cases := map[string]struct {
		of   func(time.Duration) string
		left time.Duration
		want string
	}{
		"ended":               {CredentialLeft, -time.Second, LeftNothing},
		"ends now":            {CredentialLeft, 0, LeftNothing},
		"hours":               {CredentialLeft, 3 * time.Hour, "1d"},
		"a week less":         {CredentialLeft, 7*day - time.Second, "7d"},
		"a week":              {CredentialLeft, 7 * day, "30d"},
		"a year":              {CredentialLeft, 365 * day, "more"},
		"token overdue":       {TokenLeft, 3 * time.Minute, "4m"},
		"token to be renewed": {TokenLeft, 5 * time.Minute, "15m"},
		"token fresh":         {TokenLeft, 80 * time.Minute, "more"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := c.of(c.left); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestResourceType(t *testing.T) {
	const group = "/subscriptions/00000000-0000-0000-0000-00000000000a/resourceGroups/rg"
	cases := map[string]string{
		group + "/providers/Microsoft.Compute/virtualMachines/vm-0":                                                                       "Microsoft.Compute/virtualMachines",
		group + "/providers/microsoft.compute/virtualmachines":                                                                            "Microsoft.Compute/virtualMachines",
		group + "/providers/Microsoft.Compute/virtualMachineScaleSets/pool/virtualMachines/3":                                             "Microsoft.Compute/virtualMachineScaleSets/virtualMachines",
		group + "/providers/Microsoft.Compute/virtualMachineScaleSets/pool/virtualMachines":                                               "Microsoft.Compute/virtualMachineScaleSets/virtualMachines",
		group + "/providers/Microsoft.Network/loadBalancers/lb/inboundNatRules":                                                           "Microsoft.Network/loadBalancers/inboundNatRules",
		group + "/providers/Microsoft.Compute/virtualMachines/vm-0/providers/Microsoft.Resources/tags/default":                            "Microsoft.Resources/tags",
		group + "/providers/Microsoft.ContainerService/managedClusters/c/providers/Microsoft.ResourceHealth/availabilityStatuses/current": "Microsoft.ResourceHealth/availabilityStatuses",
		group: "Microsoft.Resources/resourceGroups",
		"/subscriptions/s/providers/Microsoft.Compute/skus": "Microsoft.Compute/skus",
		"https://management.azure.com/subscriptions/s/providers/Microsoft.Compute/locations/westeurope/operations/1?api-version=2022-03-01": "operations",
		group + "/providers/Microsoft.Future/things/a": Other,
		"/subscriptions/s": Other,
		"":                 Other,
	}
	for address, want := range cases {
		if got := ResourceType(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

// TestIdentityTypes compares the list with the type's own.
func TestIdentityTypes(t *testing.T) {
	var want []string
	for _, known := range []v1beta1.IdentityType{
		v1beta1.ServicePrincipal, v1beta1.ManualServicePrincipal, v1beta1.ServicePrincipalCertificate, v1beta1.UserAssignedMSI,
		v1beta1.WorkloadIdentity, v1beta1.UserAssignedIdentityCredential,
	} {
		want = append(want, string(known))
	}
	if diff := cmp.Diff(want, identityTypes); diff != "" {
		t.Error(diff)
	}
}

// TestSeries keeps the sum of all series within what one target may have: Prometheus's sample_limit is often set to 10,000 and more. Most that
// are possible never come together: a kind has few of the reasons.
func TestSeries(t *testing.T) {
	all := map[string]int{}
	for _, m := range Catalogue() {
		series := m.Series()
		if m.Type == Histogram {
			series *= len(m.Buckets) + 3
		}
		all[m.Name] = series
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] > 10000 {
			t.Errorf("%s may have %d series", name, all[name])
		}
	}
}
