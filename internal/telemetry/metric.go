// Package telemetry declares the metrics of provider-capz and function-capz: name, type, unit, labels, and the values that a label
// takes. What is measured elsewhere goes through these declarations, so that docs/metrics.md, which is generated from them, says all, and
// no series has a label value that is not declared.
package telemetry

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// A Component is a program that serves metrics.
type Component string

// The components.
const (
	Provider Component = "provider-capz"
	Function Component = "function-capz"
)

// A Type is one of the types of metrics of Prometheus.
type Type string

// The types.
const (
	Counter   Type = "counter"
	Gauge     Type = "gauge"
	Histogram Type = "histogram"
)

// Other stands for a value that is not among those of a label.
const Other = "other"

// A Label is one of a metric.
type Label struct {
	Name string
	// Help says what the label means.
	Help string
	// Values are all that there are, Other beside them; nil where they are names of objects, see Metric.Most.
	Values []string
}

// bounded returns the value if the label may have it, else Other.
func (l Label) bounded(value string) string {
	if l.Values == nil || slices.Contains(l.Values, value) {
		return value
	}
	return Other
}

// objects is the unit of counts of objects.
const objects = "objects"

// A Metric is what is declared of a metric.
type Metric struct {
	Name string
	Type Type
	// Unit is what a value counts, such as seconds or objects.
	Unit string
	// Help says what is measured, in one or two sentences.
	Help   string
	Of     Component
	Labels []Label
	// Most is how many series there are at most where a label has names of objects as values.
	Most int
	// Buckets are the upper bounds of a histogram.
	Buckets []float64

	// collector is what a process registers; nil for what is collected when the metric is read.
	collector prometheus.Collector
}

// Series returns how many series of labels there are at most. A histogram has one for each bucket and two more for each of them.
func (m *Metric) Series() int {
	if m.Most > 0 {
		return m.Most
	}
	all := 1
	for _, l := range m.Labels {
		all *= len(l.Values) + 1
	}
	return all
}

func (m *Metric) labelNames() []string {
	names := make([]string, 0, len(m.Labels))
	for _, l := range m.Labels {
		names = append(names, l.Name)
	}
	return names
}

// bounded returns the values as the labels may have them.
func (m *Metric) bounded(values []string) []string {
	bounded := slices.Clone(values)
	for i, l := range m.Labels {
		bounded[i] = l.bounded(values[i])
	}
	return bounded
}

// catalogue has the metrics in the order of their declarations.
var catalogue []*Metric

// Catalogue returns every metric.
func Catalogue() []*Metric { return slices.Clone(catalogue) }

// Find returns the metric of a name; not ok when there is none.
func Find(name string) (m *Metric, ok bool) {
	i := slices.IndexFunc(catalogue, func(m *Metric) bool { return m.Name == name })
	if i < 0 {
		return nil, false
	}
	return catalogue[i], true
}

// Register adds to a registry what a component counts by itself.
func Register(registry prometheus.Registerer, of Component) error {
	for _, m := range catalogue {
		if m.Of != of || m.collector == nil {
			continue
		}
		if err := registry.Register(m.collector); err != nil {
			return err
		}
	}
	return nil
}

// A CounterMetric counts.
type CounterMetric struct {
	*Metric

	vec *prometheus.CounterVec
}

func counter(m Metric) CounterMetric {
	m.Type = Counter
	c := CounterMetric{&m, prometheus.NewCounterVec(prometheus.CounterOpts{Name: m.Name, Help: m.Help}, m.labelNames())}
	m.collector = c.vec
	catalogue = append(catalogue, c.Metric)
	return c
}

// from0 has a series of these values be there before it counts anything. Prometheus sees no increase in a series that begins at 1, so that
// what seldom happens would not be seen at all.
func (c CounterMetric) from0(series ...[]string) CounterMetric {
	for _, values := range series {
		c.vec.WithLabelValues(values...)
	}
	return c
}

// Inc adds one to the series of the values of the labels, in their order.
func (c CounterMetric) Inc(values ...string) { c.vec.WithLabelValues(c.bounded(values)...).Inc() }

// A HistogramMetric counts by size.
type HistogramMetric struct {
	*Metric

	vec *prometheus.HistogramVec
}

func histogram(m Metric) HistogramMetric {
	m.Type = Histogram
	h := HistogramMetric{&m, prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: m.Name, Help: m.Help, Buckets: m.Buckets}, m.labelNames())}
	m.collector = h.vec
	catalogue = append(catalogue, h.Metric)
	return h
}

// from0 does what it does for counters.
func (h HistogramMetric) from0(series ...[]string) HistogramMetric {
	for _, values := range series {
		h.vec.WithLabelValues(values...)
	}
	return h
}

// Observe adds a value to the series of the values of the labels, in their order.
func (h HistogramMetric) Observe(value float64, values ...string) {
	h.vec.WithLabelValues(h.bounded(values)...).Observe(value)
}

// A GaugeMetric is worked out when it is read.
type GaugeMetric struct {
	*Metric

	description *prometheus.Desc
}

func gauge(m Metric) GaugeMetric {
	m.Type = Gauge
	g := GaugeMetric{&m, prometheus.NewDesc(m.Name, m.Help, m.labelNames(), nil)}
	catalogue = append(catalogue, g.Metric)
	return g
}

// Describe sends what registries check collectors by.
func (g GaugeMetric) Describe(to chan<- *prometheus.Desc) { to <- g.description }

// Values are the values of a gauge by those of its labels.
type Values struct {
	of     GaugeMetric
	series map[string]*value
}

type value struct {
	labels []string
	value  float64
}

// Values returns a set without values.
func (g GaugeMetric) Values() *Values { return &Values{of: g, series: map[string]*value{}} }

// Add adds to the value of the labels.
func (v *Values) Add(amount float64, labels ...string) {
	s := v.at(labels)
	s.value += amount
}

// Raise has the value of the labels be at least the one that is given.
func (v *Values) Raise(to float64, labels ...string) {
	s := v.at(labels)
	s.value = max(s.value, to)
}

func (v *Values) at(labels []string) *value {
	bounded := v.of.bounded(labels)
	key := strings.Join(bounded, "\x00")
	s := v.series[key]
	if s == nil {
		s = &value{labels: bounded}
		v.series[key] = s
	}
	return s
}

// Collect sends the values.
func (v *Values) Collect(to chan<- prometheus.Metric) {
	for _, s := range v.series {
		to <- prometheus.MustNewConstMetric(v.of.description, prometheus.GaugeValue, s.value, s.labels...)
	}
}
