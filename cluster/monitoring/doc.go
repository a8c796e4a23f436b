// Package monitoring tests examples/monitoring with Prometheus's own engine: that each alert fires on the fault that it is for and on nothing
// else, and that rules and panels name only metrics, labels and values that there are. It has a go.mod of its own, as Prometheus brings many
// modules.
package monitoring

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

// examples is the folder of what is tested.
var examples = filepath.Join("..", "..", "examples", "monitoring")

// A prometheusRule is an object of the operator of Prometheus, as far as it is read.
type prometheusRule struct {
	Kind string `json:"kind"`
	Spec struct {
		Groups []map[string]any `json:"groups"`
	} `json:"spec"`
}

// ruleFile returns the rules as Prometheus itself reads them from a file, which the operator of Prometheus writes of the object.
func ruleFile() ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(examples, "prometheusrules.yaml"))
	if err != nil {
		return nil, err
	}
	object := prometheusRule{}
	if err := yaml.UnmarshalStrict(content, &struct {
		APIVersion *string `json:"apiVersion"`
		Metadata   *any    `json:"metadata"`
		*prometheusRule
	}{prometheusRule: &object}); err != nil {
		return nil, err
	}
	if object.Kind != "PrometheusRule" {
		return nil, fmt.Errorf("prometheusrules.yaml is a %s", object.Kind)
	}
	return yaml.Marshal(map[string]any{"groups": object.Spec.Groups})
}

// readRules returns the rules, which Prometheus has checked.
func readRules() ([]rulefmt.Rule, error) {
	content, err := ruleFile()
	if err != nil {
		return nil, err
	}
	groups, errs := rulefmt.Parse(content, false, model.LegacyValidation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		return nil, fmt.Errorf("prometheus refuses the rules: %v", errs)
	}
	var all []rulefmt.Rule
	for _, g := range groups.Groups {
		all = append(all, g.Rules...)
	}
	return all, nil
}

// A panel is one of the dashboard's, as far as it is read.
type panel struct {
	ID          int      `json:"id"`
	Title       string   `json:"title"`
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Targets     []target `json:"targets"`
	Grid        grid     `json:"gridPos"`
}

type target struct {
	Expr string `json:"expr"`
}

type grid struct {
	H int `json:"h"`
	W int `json:"w"`
	X int `json:"x"`
	Y int `json:"y"`
}

// readPanels returns the panels of the dashboard.
func readPanels() ([]panel, error) {
	content, err := os.ReadFile(filepath.Join(examples, "dashboard.json"))
	if err != nil {
		return nil, err
	}
	dashboard := struct {
		Panels []panel `json:"panels"`
	}{}
	return dashboard.Panels, json.Unmarshal(content, &dashboard)
}
