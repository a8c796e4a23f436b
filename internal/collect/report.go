package collect

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Report says what was collected.
type Report struct {
	// Version is that of kubectl-capz, Server that of Kubernetes.
	Version string    `json:"version"`
	Server  string    `json:"server"`
	Taken   time.Time `json:"taken"`
	// Namespace, Cluster and Since are what was asked for.
	Namespace string `json:"namespace,omitempty"`
	Cluster   string `json:"cluster,omitempty"`
	Since     string `json:"since,omitempty"`

	Components []Component `json:"components,omitempty"`
	// Objects are counted by kind.
	Objects map[string]int `json:"objects"`
	Events  int            `json:"events"`
	Logs    int            `json:"logs"`
	Secrets int            `json:"secrets"`
	// Answers are the Clusters of which it is said why they are not ready.
	Answers int `json:"answers"`
	Files   int `json:"files"`
	// Redacted is how often something was redacted, Redactions where.
	Redacted   int         `json:"redacted"`
	Redactions []Redaction `json:"redactions,omitempty"`
	// Withheld is how many files were left out because there would have been a secret in them nonetheless.
	Withheld int      `json:"withheld,omitempty"`
	NotRead  []Unread `json:"notRead,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// A Component is what runs in a Deployment.
type Component struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Images    []string `json:"images"`
}

// A Redaction is what was redacted in a file.
type Redaction struct {
	File  string `json:"file"`
	Times int    `json:"times"`
	// What says what it was and where it was first, without the value.
	What string `json:"what"`
}

// Unread is what could not be read.
type Unread struct {
	What string `json:"what"`
	Why  string `json:"why"`

	of schema.GroupKind
}

// Whole reports whether all was read and written.
func (r *Report) Whole() bool { return len(r.NotRead) == 0 && r.Withheld == 0 }

func (r *Report) addComponents(deployments []*unstructured.Unstructured) {
	for _, d := range deployments {
		component := Component{Namespace: d.GetNamespace(), Name: d.GetName()}
		for _, container := range field.Maps(podContainers.Value(d)) {
			component.Images = append(component.Images, field.Text(container["image"]))
		}
		r.Components = append(r.Components, component)
	}
}

// The files with the report, for people and for programs.
const (
	summaryText = "summary.txt"
	summaryJSON = "summary.json"
)

// writeReport writes the report. What was redacted is known by then.
func (c *collector) writeReport(context.Context) error {
	r := &c.report
	for i := range r.NotRead { // Messages of others.
		r.NotRead[i].Why = string(c.search.Redact(summaryText, []byte(r.NotRead[i].Why), func(int) string { return "what was not read" }))
	}
	for _, f := range c.search.Findings() {
		r.Redacted += f.Count
		r.Redactions = append(r.Redactions, Redaction{File: f.Where, Times: f.Count, What: strings.TrimPrefix(f.String(), f.Where+", ")})
	}
	r.Files += 2
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	var text strings.Builder
	r.text(&text)
	r.Files -= 2 // As add counts them.
	if err := c.add(summaryJSON, append(content, '\n')); err != nil {
		return err
	}
	return c.add(summaryText, []byte(text.String()))
}

// text writes the report for people.
func (r *Report) text(b *strings.Builder) {
	fmt.Fprintf(b, "Collected by kubectl capz %s at %s, of Kubernetes %s\n", r.Version, r.Taken.Format(time.RFC3339), r.Server)
	for _, asked := range [][2]string{{"namespace", r.Namespace}, {"cluster", r.Cluster}, {"since", r.Since}} {
		if asked[1] != "" {
			fmt.Fprintf(b, "%s: %s\n", asked[0], asked[1])
		}
	}
	fmt.Fprintf(b, "\n%s\n", r)
	section := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(b, "\n%s\n  %s\n", title, strings.Join(lines, "\n  "))
		}
	}
	var components, objects, unread, redacted []string
	for _, c := range r.Components {
		components = append(components, c.Namespace+"/"+c.Name+": "+strings.Join(c.Images, ", "))
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Objects)) {
		objects = append(objects, fmt.Sprintf("%d %s", r.Objects[kind], kind))
	}
	for _, u := range r.NotRead {
		unread = append(unread, u.What+": "+u.Why)
	}
	for _, found := range r.Redactions {
		redacted = append(redacted, found.File+", "+found.What)
	}
	section("Components", components)
	section("Objects", objects)
	section("Not read", unread)
	section("Redacted", redacted)
	section("Notes", r.Notes)
}

// String says in some lines what was collected.
func (r *Report) String() string {
	objects := 0
	for _, n := range r.Objects {
		objects += n
	}
	lines := []string{
		fmt.Sprintf("Objects: %d of %d kinds; Events: %d; logs: %d; Secrets, by name, type and keys: %d; Clusters that are not available, and why: %d.",
			objects, len(r.Objects), r.Events, r.Logs, r.Secrets, r.Answers),
		fmt.Sprintf("Redacted: %d in %d files.", r.Redacted, r.redactedFiles()),
	}
	if len(r.NotRead) > 0 {
		lines = append(lines, fmt.Sprintf("Not read: %d, such as %s: %s", len(r.NotRead), r.NotRead[0].What, r.NotRead[0].Why))
	}
	if r.Withheld > 0 {
		lines = append(lines, fmt.Sprintf("Left out: %d files in which there would have been a secret. Please report that.", r.Withheld))
	}
	return strings.Join(lines, "\n")
}

func (r *Report) redactedFiles() int {
	files := map[string]bool{}
	for _, found := range r.Redactions {
		files[found.File] = true
	}
	return len(files)
}
