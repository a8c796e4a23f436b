package monitoring

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// ofScrape are the labels that Prometheus itself gives to what it reads by a PodMonitor.
var ofScrape = []string{"job", "namespace", "pod", "container", "instance", "endpoint"}

// beside are the metrics of others that are used, with their labels: those of the scrape, of controller-runtime, client-go and Go.
var beside = map[string][]string{
	"up":                                 {},
	"controller_runtime_reconcile_total": {"controller", "result"},
	"controller_runtime_reconcile_errors_total": {"controller"},
	"workqueue_depth":               {"name", "controller", "priority"},
	"rest_client_requests_total":    {"code", "host", "method"},
	"process_cpu_seconds_total":     {},
	"process_resident_memory_bytes": {},
}

// expressions returns what rules and panels ask, by where it stands.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	rules, err := readRules()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		all["alert "+r.Alert] = r.Expr
	}
	panels, err := readPanels()
	if err != nil {
		t.Fatal(err)
	}
	macros := strings.NewReplacer("$__rate_interval", "5m", "$__range", "1h", "$__interval", "1m")
	for _, p := range panels {
		for i, target := range p.Targets {
			all[fmt.Sprintf("panel %q, query %d", p.Title, i)] = macros.Replace(target.Expr)
		}
	}
	return all
}

// TestNames has each expression name only metrics, labels and values that there are, and each metric be in one.
func TestNames(t *testing.T) {
	used := map[string]bool{}
	p := parser.NewParser(parser.Options{})
	for where, expression := range expressions(t) {
		parsed, err := p.ParseExpr(expression)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		for _, problem := range problems(parsed, used) {
			t.Errorf("%s: %s", where, problem)
		}
	}
	for _, m := range telemetry.Catalogue() {
		if !used[m.Name] {
			t.Errorf("%s is in no panel and no alert", m.Name)
		}
	}
}

// problems returns what is wrong with the names in an expression, and notes the metrics in it.
func problems(parsed parser.Expr, used map[string]bool) []string {
	var found, known []string
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		values, series := labelsOf(selector.Name)
		if !series {
			found = append(found, "there is no metric "+selector.Name)
			return nil
		}
		used[baseOf(selector.Name)] = true
		for label := range values {
			known = append(known, label)
		}
		for _, m := range selector.LabelMatchers {
			if m.Name != model.MetricNameLabel {
				found = append(found, unmatched(selector.Name, values, m)...)
			}
		}
		return nil
	})
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if aggregate, ok := node.(*parser.AggregateExpr); ok {
			for _, label := range aggregate.Grouping {
				if !slices.Contains(known, label) {
					found = append(found, "no metric in it has label "+label)
				}
			}
		}
		return nil
	})
	return found
}

// baseOf returns the name of the metric that a series is of: a histogram has several.
func baseOf(series string) string {
	if _, ok := telemetry.Find(series); ok {
		return series
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		base := strings.TrimSuffix(series, suffix)
		if m, ok := telemetry.Find(base); ok && base != series && m.Type == telemetry.Histogram {
			return base
		}
	}
	return series
}

// labelsOf returns the labels of a series with their values, nil for any; not ok when there is no such series.
func labelsOf(series string) (values map[string][]string, ok bool) {
	values = map[string][]string{}
	for _, label := range ofScrape {
		values[label] = nil
	}
	if others, ok := beside[series]; ok {
		for _, label := range others {
			values[label] = nil
		}
		return values, true
	}
	m, ok := telemetry.Find(baseOf(series))
	if !ok || m.Type == telemetry.Histogram && m.Name == series {
		return nil, false
	}
	for _, l := range m.Labels {
		values[l.Name] = l.Values
	}
	if strings.HasSuffix(series, "_bucket") {
		values["le"] = nil
	}
	return values, true
}

// unmatched returns what a matcher looks for that there is not.
func unmatched(series string, known map[string][]string, m *labels.Matcher) []string {
	values, has := known[m.Name]
	switch {
	case !has:
		return []string{fmt.Sprintf("%s has no label %s", series, m.Name)}
	case values == nil:
		return nil
	}
	var found []string
	for _, value := range strings.Split(m.Value, "|") {
		if !slices.Contains(values, value) {
			found = append(found, fmt.Sprintf("label %s of %s is never %q", m.Name, series, value))
		}
	}
	return found
}

// TestProblems shows that TestNames finds what is wrong.
func TestProblems(t *testing.T) {
	cases := map[string]string{
		`capz_clusterz`:                         "there is no metric capz_clusterz",
		`capz_time_to_ready_seconds`:            "there is no metric capz_time_to_ready_seconds",
		`capz_clusters_bucket`:                  "there is no metric capz_clusters_bucket",
		`capz_clusters{fam="Azure"}`:            "capz_clusters has no label fam",
		`capz_clusters{phase="Broken"}`:         `label phase of capz_clusters is never "Broken"`,
		`capz_clusters{phase=~"Failed|Broken"}`: `label phase of capz_clusters is never "Broken"`,
		`sum by (kind) (capz_clusters)`:         "no metric in it has label kind",
		`sum by (le, family) (capz_time_to_ready_seconds_bucket{kind="Cluster"})`: "",
	}
	p := parser.NewParser(parser.Options{})
	for expression, want := range cases {
		parsed, err := p.ParseExpr(expression)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(problems(parsed, map[string]bool{}), "; "); got != want {
			t.Errorf("%s: got %q, want %q", expression, got, want)
		}
	}
}

// TestRunbooks has each alert link to an entry of docs/runbooks.md that is there, and each entry be of an alert.
func TestRunbooks(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "runbooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(string(page), -1) {
		entries[heading[1]] = true
	}
	rules, err := readRules()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		const at = "https://github.com/crossplane-capz/crossplane-capz/blob/main/docs/runbooks.md#"
		if want := at + strings.ToLower(r.Alert); r.Annotations["runbook_url"] != want {
			t.Errorf("runbook_url of %s is %q, want %q", r.Alert, r.Annotations["runbook_url"], want)
		}
		if !entries[r.Alert] {
			t.Errorf("docs/runbooks.md has no entry %s", r.Alert)
		}
		delete(entries, r.Alert)
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" || !slices.Contains([]string{"warning", "critical"}, r.Labels["severity"]) || r.For == 0 {
			t.Errorf("%s must have a summary, a description, a severity and a time that it lasts", r.Alert)
		}
	}
	for entry := range entries {
		t.Errorf("docs/runbooks.md has entry %s, and there is no such alert", entry)
	}
}

// TestDashboard has panels with a title, an explanation and a place of their own.
func TestDashboard(t *testing.T) {
	panels, err := readPanels()
	if err != nil || len(panels) == 0 {
		t.Fatalf("%d panels, error %v", len(panels), err)
	}
	titles, ids := map[string]bool{}, map[int]bool{}
	for i, p := range panels {
		if titles[p.Title] || ids[p.ID] || p.Title == "" {
			t.Errorf("panel %q with ID %d: both must be its own", p.Title, p.ID)
		}
		titles[p.Title], ids[p.ID] = true, true
		if p.Type != "row" && (p.Description == "" || len(p.Targets) == 0) {
			t.Errorf("panel %q must have a description and a query", p.Title)
		}
		if p.Grid.X+p.Grid.W > 24 {
			t.Errorf("panel %q is wider than the dashboard", p.Title)
		}
		for _, other := range panels[:i] {
			if p.Grid.X < other.Grid.X+other.Grid.W && other.Grid.X < p.Grid.X+p.Grid.W && p.Grid.Y < other.Grid.Y+other.Grid.H && other.Grid.Y < p.Grid.Y+p.Grid.H {
				t.Errorf("panels %q and %q lie one over the other", p.Title, other.Title)
			}
		}
	}
}
