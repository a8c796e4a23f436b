package report

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Goal is what the ratio of two medians is to be: this project's over the peer's.
type Goal struct {
	// Title says what is compared.
	Title string
	// Name is that of the measurements.
	Name string
	// Sum has the sums of this project's measurements of these names in the place of those of Name.
	Sum []string
	// Peer is who it is compared with, where that is not the one for all.
	Peer string
	// Over has this project's own measurements of that name in the place of the peer's.
	Over string
	// AtMost is the largest ratio that is as wanted; 0 when the row is reported only.
	AtMost float64
	// Limit is the largest value that is as wanted, where there is nothing to compare with.
	Limit float64
}

// A Row is a goal and what was measured of it.
type Row struct {
	Goal
	Unit string
	// own and peer are in order of size.
	own, peer []float64
}

// Verdicts of rows.
const (
	Met      = "met"
	Missed   = "missed"
	Reported = "reported"
	Unknown  = "not measured"
)

// Ratio is this project's median over the peer's; 0 when one of them is missing, or the peer's is 0.
func (r Row) Ratio() float64 {
	if len(r.own) == 0 || len(r.peer) == 0 || median(r.peer) == 0 {
		return 0
	}
	return median(r.own) / median(r.peer)
}

// Verdict reports whether the goal was met.
func (r Row) Verdict() string {
	switch {
	case len(r.own) == 0, r.AtMost > 0 && len(r.peer) == 0:
		return Unknown
	case r.AtMost > 0 && median(r.own) > r.AtMost*median(r.peer), r.Limit > 0 && median(r.own) > r.Limit:
		return Missed
	case r.AtMost > 0 || r.Limit > 0:
		return Met
	}
	return Reported
}

// A Comparison has a row for every goal.
type Comparison struct {
	own, peer string
	Rows      []Row
	// all is what was measured, also what no goal is about.
	all []Measurement
	// environment is what it was measured with, in Markdown.
	environment string
}

// Compare compares what was measured of this project and of its peer.
func Compare(all []Measurement, goals []Goal, own, peer, environment string) *Comparison {
	c := &Comparison{own: own, peer: peer, all: all, environment: environment}
	for _, g := range goals {
		row := Row{Goal: g, own: values(all, g.Name, own), peer: values(all, g.Name, peer)}
		if g.Peer != "" {
			row.peer = values(all, g.Name, g.Peer)
		}
		if g.Over != "" {
			row.peer = values(all, g.Over, own)
		}
		if len(g.Sum) > 0 {
			row.own = sums(all, g.Sum, own)
		}
		for _, m := range all {
			if m.Name == g.Name {
				row.Unit = m.Unit
			}
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// Table returns the rows in Markdown.
func (c *Comparison) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s | %s | ratio | goal | |\n|---|---|---|---|---|---|\n", c.own, c.peer)
	for _, r := range c.Rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.Title, spread(r.own, r.Unit), r.against(), r.ratio(), r.goal(), r.Verdict())
	}
	return b.String()
}

// against says what this project is compared with, and by name where that is not the peer of the column.
func (r Row) against() string {
	measured := spread(r.peer, r.Unit)
	if named := cmp.Or(r.Over, r.Peer); named != "" && measured != "" {
		return named + ": " + measured
	}
	return measured
}

// Details returns everything that was measured in Markdown, by name.
func (c *Comparison) Details() string {
	units := map[string]string{}
	sides := map[string]bool{}
	for _, m := range c.all {
		units[m.Name], sides[m.Side] = m.Unit, true
	}
	order := slices.Sorted(maps.Keys(sides))
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(order, " | "), strings.Repeat("---|", len(order)))
	for _, name := range slices.Sorted(maps.Keys(units)) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, side := range order {
			fmt.Fprintf(&b, " %s |", spread(values(c.all, name, side), units[name]))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// goal says in words what is wanted.
func (r Row) goal() string {
	switch {
	case r.AtMost > 0:
		return fmt.Sprintf("≤ %g", r.AtMost)
	case r.Limit > 0:
		return fmt.Sprintf("≤ %g %s", r.Limit, r.Unit)
	}
	return ""
}

// spread says the median, the least and the most, and how many there were.
func spread(sorted []float64, unit string) string {
	if len(sorted) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s (%s–%s, %d)", number(median(sorted)), unit, number(sorted[0]), number(sorted[len(sorted)-1]), len(sorted))
}

func number(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.3g", v)
	}
	return fmt.Sprintf("%.1f", v)
}

// ratio says what Ratio returns, and nothing where it knows none.
func (r Row) ratio() string {
	if r.Ratio() == 0 {
		return ""
	}
	return number(r.Ratio())
}

// origins says which commits of this project each benchmark was run at, and on what machines.
func (c *Comparison) origins() string {
	of := map[string][]string{}
	for _, m := range c.all {
		name, _, _ := strings.Cut(m.Name, "/")
		origin := m.Commit
		if m.Machine != "" {
			origin += " on " + m.Machine
		}
		if !slices.Contains(of[name], origin) {
			of[name] = append(of[name], origin)
		}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&b, "- %s measured at %s\n", name, strings.Join(of[name], "; at "))
	}
	return b.String()
}

// Write writes table.md, details.md and ratios.svg into a folder.
func (c *Comparison) Write(dir string) error {
	for name, table := range map[string]string{"table.md": c.Table(), "details.md": c.Details()} {
		text := "Medians (least to most, number of rounds).\n\n" + table + "\n" + c.environment + c.origins()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return c.plot(filepath.Join(dir, "ratios.svg"))
}
