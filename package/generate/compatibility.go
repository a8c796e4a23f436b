package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/compatibility"
)

// compatibilityFile is the page with the versions that were run, below the root of the checkout.
const compatibilityFile = "docs/compatibility.md"

//go:embed compatibility.md
var compatibilityPage string

// addCompatibility adds the page: the versions that the modules name, and the runs that were recorded, the last one first.
func addCompatibility(files fileSet, root string) error {
	parts, err := compatibility.Parts(root)
	if err != nil {
		return err
	}
	runs, err := compatibility.Runs(root)
	if err != nil {
		return err
	}
	files[compatibilityFile] = []byte("<!-- Generated from go.mod files, docs/compatibility.jsonl and package/generate/compatibility.md by `go run ./package/generate`. Do not edit. -->\n" +
		strings.NewReplacer("<!-- PARTS -->\n", partsTable(parts), "<!-- COMMANDS -->\n", commandsTable(), "<!-- OTHERS -->\n", othersTable(parts, compatibility.Others(), runs),
			"<!-- SCENARIOS -->", "`"+strings.Join(compatibility.Scenarios(), "`, `")+"`", "<!-- RUNS -->\n", runsTable(parts, runs)).Replace(compatibilityPage))
	return nil
}

func partsTable(parts []compatibility.Part) string {
	var b strings.Builder
	b.WriteString("| part | version |\n|---|---|\n")
	for _, p := range parts {
		fmt.Fprintf(&b, "| %s | %s |\n", p.Name, p.Version)
	}
	return b.String()
}

func commandsTable() string {
	var b strings.Builder
	b.WriteString("| command | runs | shows |\n|---|---|---|\n")
	for _, c := range compatibility.Commands() {
		fmt.Fprintf(&b, "| `make %s` | %s | %s |\n", c.Target, strings.Join(c.Parts(), ", "), c.Shows)
	}
	return b.String()
}

// othersTable has a row for each other version, with what came of its last run.
func othersTable(parts []compatibility.Part, others []compatibility.Other, runs []compatibility.Run) string {
	last := compatibility.Last(runs)
	var b strings.Builder
	b.WriteString("| other version | result | date | commit | with | Go | took |\n|---|---|---|---|---|---|---|\n")
	for _, o := range others {
		r, ok := last[o.Name()]
		if !ok {
			fmt.Fprintf(&b, "| %s %s | not run yet | | | | | |\n", o.Part, o.Version)
			continue
		}
		result := string(r.Result)
		if r.Reason != "" {
			result += ": " + strings.ReplaceAll(r.Reason, "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s %s | %s | %s | %s | %s | %s | %d s |\n", o.Part, o.Version, result, r.Date, r.Commit, with(parts, r, o.Part), strings.TrimPrefix(r.Go, "go"), r.Seconds)
	}
	return b.String()
}

// with returns the versions of a run, but that of one part.
func with(parts []compatibility.Part, r compatibility.Run, but string) string {
	var all []string
	for _, p := range parts {
		if version := r.Versions[p.Name]; version != "" && p.Name != but {
			all = append(all, p.Name+" "+version)
		}
	}
	return strings.Join(all, ", ")
}

// runsTable has a row for each run of the versions that the modules name.
func runsTable(parts []compatibility.Part, runs []compatibility.Run) string {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r compatibility.Run) bool { return r.Other != "" })
	if len(runs) == 0 {
		return "None has been recorded yet.\n"
	}
	var b strings.Builder
	b.WriteString("| date | command | commit | with | Go | took |\n|---|---|---|---|---|---|\n")
	for _, r := range slices.Backward(runs) {
		fmt.Fprintf(&b, "| %s | `make %s` | %s | %s | %s | %d s |\n", r.Date, r.Target, r.Commit, with(parts, r, ""), strings.TrimPrefix(r.Go, "go"), r.Seconds)
	}
	return b.String()
}
