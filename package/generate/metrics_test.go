package main

import (
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// TestMetricsPage has an entry for each metric, with its type, unit and labels, and names no metric that there is not.
func TestMetricsPage(t *testing.T) {
	page := string(metricsPage(telemetry.Catalogue()))
	for _, m := range telemetry.Catalogue() {
		_, entry, found := strings.Cut(page, "\n### `"+m.Name+"`\n")
		if !found {
			t.Errorf("%s has no entry", m.Name)
			continue
		}
		entry, _, _ = strings.Cut(entry, "\n### ")
		wanted := []string{m.Help, string(m.Type), m.Unit}
		for _, l := range m.Labels {
			wanted = append(wanted, "| `"+l.Name+"` | "+l.Help)
		}
		for _, text := range wanted {
			if !strings.Contains(entry, text) {
				t.Errorf("the entry of %s does not have %q", m.Name, text)
			}
		}
	}
	for _, word := range strings.FieldsFunc(page, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		if strings.HasPrefix(word, "capz_") {
			if _, known := telemetry.Find(word); !known {
				t.Errorf("the page names %s, which is no metric", word)
			}
		}
	}
}
