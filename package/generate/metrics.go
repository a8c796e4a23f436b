package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// metricsFile is the page with every metric, below the root of the checkout.
const metricsFile = "docs/metrics.md"

//go:embed metrics.md
var metricsIntroduction string

// mostListed is how many values of a label are listed one by one.
const mostListed = 14

// metricsPage returns the page: what is written by hand in metrics.md, then the metrics of each component.
func metricsPage(metrics []*telemetry.Metric) []byte {
	var b strings.Builder
	b.WriteString("<!-- Generated from internal/telemetry and package/generate/metrics.md by `go run ./package/generate`. Do not edit. -->\n")
	b.WriteString(metricsIntroduction)
	for _, component := range []telemetry.Component{telemetry.Provider, telemetry.Function} {
		fmt.Fprintf(&b, "\n## %s\n", component)
		for _, m := range metrics {
			if m.Of == component {
				writeMetric(&b, m)
			}
		}
	}
	return []byte(b.String())
}

func writeMetric(b *strings.Builder, m *telemetry.Metric) {
	fmt.Fprintf(b, "\n### `%s`\n\n%s\n\n| type | unit | series, at most |\n|---|---|---|\n| %s | %s | %d |\n", m.Name, m.Help, m.Type, m.Unit, m.Series())
	if len(m.Buckets) > 0 {
		bounds := make([]string, 0, len(m.Buckets))
		for _, bound := range m.Buckets {
			bounds = append(bounds, fmt.Sprint(bound))
		}
		fmt.Fprintf(b, "\nBuckets: %s. Each bucket is a series, and so are the sum and the count.\n", strings.Join(bounds, ", "))
	}
	if len(m.Labels) == 0 {
		return
	}
	b.WriteString("\n| label | meaning | values |\n|---|---|---|\n")
	for _, l := range m.Labels {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", l.Name, cell(l.Help), valuesOf(l))
	}
}

// valuesOf lists the values of a label, or says how many there are.
func valuesOf(l telemetry.Label) string {
	switch {
	case l.Values == nil:
		return "any name"
	case len(l.Values) > mostListed:
		return fmt.Sprintf("one of %d, such as `%s`; else `%s`", len(l.Values), l.Values[0], telemetry.Other)
	}
	return "`" + strings.Join(l.Values, "`, `") + "`; else `" + telemetry.Other + "`"
}
