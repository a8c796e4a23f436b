package main

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/remedy"
)

// troubleshootingFile is the page with what to do about each reason, below the root of the checkout.
const troubleshootingFile = "docs/troubleshooting.md"

//go:embed troubleshooting.md
var troubleshootingIntroduction string

// troubleshooting returns the page: what is written by hand in troubleshooting.md, then a table of the reasons of each origin.
func troubleshooting(origins []remedy.Origin) []byte {
	var b strings.Builder
	b.WriteString("<!-- Generated from internal/remedy and package/generate/troubleshooting.md by `go run ./package/generate`. Do not edit. -->\n")
	b.WriteString(troubleshootingIntroduction)
	for _, origin := range origins {
		fmt.Fprintf(&b, "\n### %s\n\n| reason | next step | you have to act |\n|---|---|---|\n", origin.Name)
		for _, reason := range slices.Sorted(maps.Keys(origin.Remedies)) {
			r, act := origin.Remedies[reason], "yes"
			if r.Waiting {
				act = "no"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", reason, cell(r.Step), act)
		}
	}
	return []byte(b.String())
}
