package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A panel is one of the dashboard's.
type panel struct {
	Title   string `json:"title"`
	Targets []struct {
		Expr string `json:"expr"`
	} `json:"targets"`
}

// aboutFaults are the panels that may have nothing to show while all is well.
var aboutFaults = []string{"To act on", "Drifted", "What is not as asked, by reason", "Held objects", "Age of held objects", "Errors by code"}

// rateInterval stands for the variable of Grafana, which is at least four times the interval of the scrapes.
const rateInterval = "1m"

func readPanels(root string) ([]panel, error) {
	content, err := os.ReadFile(filepath.Join(root, "examples", "monitoring", "dashboard.json"))
	if err != nil {
		return nil, err
	}
	dashboard := struct {
		Panels []panel `json:"panels"`
	}{}
	return dashboard.Panels, json.Unmarshal(content, &dashboard)
}

// checkPanels has each query of the dashboard have data: while all was well, or those about faults while something was wrong.
func checkPanels(ctx context.Context, t *testing.T, p *prometheus, root string, begun, broken, ended time.Time) {
	t.Helper()
	panels, err := readPanels(root)
	if err != nil {
		t.Fatal(err)
	}
	unknown := slices.Clone(aboutFaults)
	rows, queries := []string{"panel | while all was well | while something was wrong"}, 0
	word := map[bool]string{true: "data", false: "-"}
	for _, panel := range panels {
		unknown = slices.DeleteFunc(unknown, func(title string) bool { return title == panel.Title })
		for i, target := range panel.Targets {
			query := strings.ReplaceAll(target.Expr, "$__rate_interval", rateInterval)
			well, err := p.hasData(ctx, query, begun, broken)
			if err != nil {
				t.Error(err)
			}
			wrong, err := p.hasData(ctx, query, broken, ended)
			if err != nil {
				t.Error(err)
			}
			queries++
			rows = append(rows, fmt.Sprintf("%s | %s | %s", panel.Title, word[well], word[wrong]))
			if !well && (!wrong || !slices.Contains(aboutFaults, panel.Title)) {
				t.Errorf("panel %q, query %d has data while all is well: %v, while something is wrong: %v", panel.Title, i, well, wrong)
			}
		}
	}
	for _, title := range unknown {
		t.Errorf("there is no panel %q", title)
	}
	t.Logf("%d queries of the dashboard\n%s", queries, strings.Join(rows, "\n"))
}
