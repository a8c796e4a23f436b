package templates

import (
	"fmt"
	"slices"
	"strings"
)

// begin and finish are around the table in the document.
const (
	begin  = "<!-- The table is written by `make templates`. -->\n"
	finish = "<!-- The end of the table. -->\n"
)

// Document returns a document with the table of results in the place of the one that it has.
func Document(document string, all []Template, results []Result) (string, error) {
	before, rest, found := strings.Cut(document, begin)
	_, after, ended := strings.Cut(rest, finish)
	if !found || !ended {
		return "", fmt.Errorf("the document has no lines %q and %q", strings.TrimSpace(begin), strings.TrimSpace(finish))
	}
	return before + begin + "\n" + table(all, results) + "\n" + finish + after, nil
}

// table has a row for each template.
func table(all []Template, results []Result) string {
	var text strings.Builder
	reached := 0
	rows := ""
	for _, t := range all {
		r := Result{NotRun: "not tried yet"}
		if i := slices.IndexFunc(results, func(r Result) bool { return r.Template == t.Path }); i >= 0 {
			r = results[i]
		}
		if r.Passed() {
			reached++
		}
		rows += row(t, r)
	}
	fmt.Fprintf(&text, "%d of %d templates have reached the result that the table names.\n\n", reached, len(all))
	text.WriteString("| template | kinds | reached | machines, Nodes | seconds up, down |\n|---|---|---|---|---|\n")
	text.WriteString(rows)
	return text.String()
}

func row(t Template, r Result) string {
	what := r.Reached
	switch {
	case r.NotRun != "":
		what = "not run: " + r.NotRun
	case r.Failure != "":
		what = "**failed**: " + oneLine(r.Failure)
	case len(r.LeftOut) > 0:
		what += "; left out: " + strings.Join(r.LeftOut, ", ")
		if len(r.NotApplied) > 0 {
			what += ", awaited by: " + strings.Join(r.NotApplied, ", ")
		}
	}
	machines, took := "", ""
	if r.Reached != "" {
		machines, took = fmt.Sprintf("%d, %d", r.Machines, r.Nodes), fmt.Sprintf("%d, %d", r.UpSeconds, r.DownSeconds)
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", t.Path, t.KindsInWords(), strings.ReplaceAll(what, "|", `\|`), machines, took)
}
