package templates

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Result is what became of a template.
type Result struct {
	// Template is its path below CAPZ's folder "templates".
	Template string `json:"template"`
	// Reached is the end that it came to, LeftOut the kinds whose objects the API server does not know.
	Reached string   `json:"reached,omitempty"`
	LeftOut []string `json:"leftOut,omitempty"`
	// NotApplied are the ClusterResourceSets that wait for what a chart installs that has been left out.
	NotApplied []string `json:"notApplied,omitempty"`
	// Machines are how many there were at that end, Nodes how many of them were Nodes.
	Machines int `json:"machines,omitempty"`
	Nodes    int `json:"nodes,omitempty"`
	// UpSeconds is how long it took from apply to that end, DownSeconds from delete until nothing was left.
	UpSeconds   int `json:"upSeconds,omitempty"`
	DownSeconds int `json:"downSeconds,omitempty"`
	// NotRun is why it was not tried, Failure what went wrong.
	NotRun  string `json:"notRun,omitempty"`
	Failure string `json:"failure,omitempty"`
}

// NodesInWords says how many machines and Nodes there were.
func (r Result) NodesInWords() string {
	return fmt.Sprintf("%d machines, %d Nodes, after %ds", r.Machines, r.Nodes, r.UpSeconds)
}

// Passed reports whether the template has come to its end, and was gone afterwards.
func (r Result) Passed() bool { return r.Reached != "" && r.Failure == "" }

// Read returns the results in a file; none if there is no such file.
func Read(file string) ([]Result, error) {
	raw, err := os.ReadFile(filepath.Clean(file))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var results []Result
	return results, json.Unmarshal(raw, &results)
}

// Write puts results into a file, in the place of older ones of the same templates.
func Write(file string, results []Result) error {
	old, err := Read(file)
	if err != nil {
		return err
	}
	all := slices.DeleteFunc(append([]Result{}, old...), func(o Result) bool {
		return slices.ContainsFunc(results, func(r Result) bool { return r.Template == o.Template })
	})
	all = append(all, results...)
	slices.SortFunc(all, func(a, b Result) int {
		return cmp.Or(cmp.Compare(strings.Count(a.Template, "/"), strings.Count(b.Template, "/")), cmp.Compare(a.Template, b.Template))
	})
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(raw, '\n'), 0o644)
}
