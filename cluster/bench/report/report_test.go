package report

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// measured returns measurements of a name and side, one for each value.
func measured(name, side string, values ...float64) []Measurement {
	var all []Measurement
	for i, v := range values {
		all = append(all, Measurement{Name: name, Side: side, Round: i + 1, Value: v, Unit: "s", Time: time.Unix(int64(i), 0).UTC(), Commit: "c" + strconv.Itoa(i)})
	}
	return all
}

// TestVerdict shows when a goal is met, and that nothing is met that was not measured.
func TestVerdict(t *testing.T) {
	ratio, limit := Goal{Name: "b/x", AtMost: 0.5}, Goal{Name: "b/x", Limit: 10}
	cases := map[string]struct {
		goal      Goal
		own, peer []float64
		ratio     float64
		want      string
	}{
		"met":                 {goal: ratio, own: []float64{5, 1, 2}, peer: []float64{4, 9, 3}, ratio: 0.5, want: Met},
		"missed":              {goal: ratio, own: []float64{3, 1, 2}, peer: []float64{3, 1, 2}, ratio: 1, want: Missed},
		"an even number":      {goal: ratio, own: []float64{1, 3}, peer: []float64{4, 4}, ratio: 0.5, want: Met},
		"no peer":             {goal: ratio, own: []float64{1}, want: Unknown},
		"nothing":             {goal: ratio, peer: []float64{1}, want: Unknown},
		"within the limit":    {goal: limit, own: []float64{10}, want: Met},
		"more than nothing":   {goal: ratio, own: []float64{2}, peer: []float64{0}, want: Missed},
		"nothing either":      {goal: ratio, own: []float64{0}, peer: []float64{0}, want: Met},
		"beyond the limit":    {goal: limit, own: []float64{10.1}, want: Missed},
		"nothing of a limit":  {goal: limit, want: Unknown},
		"reported":            {goal: Goal{Name: "b/x"}, own: []float64{1}, peer: []float64{2}, ratio: 0.5, want: Reported},
		"over its own":        {goal: Goal{Name: "b/x", Over: "a/x", AtMost: 1.15}, own: []float64{1.1}, ratio: 1.1, want: Met},
		"over its own, worse": {goal: Goal{Name: "b/x", Over: "a/x", AtMost: 1.15}, own: []float64{1.2}, ratio: 1.2, want: Missed},
		// The second round of b/x has no a/x.
		"a sum": {goal: Goal{Name: "b/x", Sum: []string{"a/x", "b/x"}, AtMost: 0.5}, own: []float64{2, 50}, peer: []float64{6, 6}, ratio: 0.5, want: Met},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all := append(measured("b/x", "us", tc.own...), measured("b/x", "them", tc.peer...)...)
			all = append(append(all, measured("a/x", "us", 1)...), measured("a/x", "them", 100)...)
			row := Compare(all, []Goal{tc.goal}, "us", "them", "").Rows[0]
			if row.Ratio() != tc.ratio || row.Verdict() != tc.want {
				t.Errorf("%v, %q; want %v, %q", row.Ratio(), row.Verdict(), tc.ratio, tc.want)
			}
		})
	}
}

// TestFiles shows that a folder gathers what several runs measure, and what is written of that.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "measurements.jsonl")
	first, second := measured("b/x", "us", 1, 2), append(measured("b/x", "them", 2, 40), measured("b/none", "us", 0)...)
	second = append(second, measured("b/x", "others", 4)...)
	second[1].Machine = "a fast one"
	for _, taken := range [][]Measurement{first, second} {
		if err := Append(path, taken); err != nil {
			t.Fatal(err)
		}
	}
	all, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(first, second...), all); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	c := Compare(all, []Goal{{Title: "Until it is there", Name: "b/x", AtMost: 0.05}, {Title: "Another", Name: "b/y", AtMost: 1},
		{Title: "Another's", Name: "b/x", Peer: "others"}, {Title: "Growth", Name: "b/x", Over: "b/none"}}, "us", "them", "- an environment\n")
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	details, err := os.ReadFile(filepath.Join(dir, "details.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "| | others | them | us |\n|---|---|---|---|\n| b/none |  |  | 0 s (0–0, 1) |\n| b/x | 4 s (4–4, 1) | 21.0 s (2–40.0, 2) | 1.5 s (1–2, 2) |\n"; !strings.Contains(string(details), want) {
		t.Errorf("details.md: want %q in\n%s", want, details)
	}
	table, err := os.ReadFile(filepath.Join(dir, "table.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| | us | them | ratio | goal | |", "| Until it is there | 1.5 s (1–2, 2) | 21.0 s (2–40.0, 2) | 0.0714 | ≤ 0.05 | missed |",
		"| Another |  |  |  | ≤ 1 | not measured |",
		"| Another's | 1.5 s (1–2, 2) | others: 4 s (4–4, 1) | 0.375 |  | reported |", "| Growth | 1.5 s (1–2, 2) | b/none: 0 s (0–0, 1) |  |  | reported |",
		"- an environment", "- b measured at c0; at c1; at c1 on a fast one",
	} {
		if !strings.Contains(string(table), want+"\n") {
			t.Errorf("no line %q in\n%s", want, table)
		}
	}
	drawn, err := os.ReadFile(filepath.Join(dir, "ratios.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(drawn), "Until it is there") || strings.Contains(string(drawn), "Another<") {
		t.Error("the plot does not show exactly what was measured")
	}
}

// TestReadDamaged shows that a file that is no list of measurements is an error with its name.
func TestReadDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.jsonl")
	if err := os.WriteFile(path, []byte("{\"name\":\"a\"}\n{\"na"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v, want an error with %s", err, path)
	}
}
