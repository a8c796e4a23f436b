package endure

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Result is what came of one run, a line of the file of results.
type Result struct {
	Time string `json:"time"`
	Plan
	Commit  string `json:"commit"`
	Machine string `json:"machine"`
	Seconds int    `json:"seconds"`
	// Lives are how many came to their end, well or not, by family; Stages how many stages they had.
	Lives  map[string]int `json:"lives"`
	Stages int            `json:"stages"`
	// Moments are how often something was done to a component, as in "kill etcd"; Faults how many requests met a fault, by kind.
	Moments map[string]int `json:"moments"`
	Faults  map[string]int `json:"faults"`
	// Contended are how many times somebody else has written to objects of lives, so that others found them changed.
	Contended int `json:"contended,omitempty"`
	// Cut are how many connections of components were cut.
	Cut int `json:"cut,omitempty"`
	// TooMany are how many requests the API server has refused as its queue was full.
	TooMany int `json:"tooMany,omitempty"`
	// Restarts are the components that have ended by themselves, as some do whose API server is gone, and were started again.
	Restarts map[string]int `json:"restarts,omitempty"`
	// ConvergedP50 and ConvergedP99 are the seconds from the last that was broken until a stage was done.
	ConvergedP50 float64 `json:"convergedP50"`
	ConvergedP99 float64 `json:"convergedP99"`
	// IdleClusters are how many clusters were looked at while nothing happened, and IdleWrites how many writes of their objects there
	// were then, in an hour and of one cluster.
	IdleClusters int     `json:"idleClusters"`
	IdleWrites   float64 `json:"idleWrites"`
	// Secrets are how many were looked for, Texts in how many objects.
	Secrets int `json:"secrets"`
	Texts   int `json:"texts"`
	// Wrong is what was wrong, by life, and what was wrong with none of them.
	Wrong map[string][]string `json:"wrong,omitempty"`
	// Unfinished are the lives that the run had no time for any more.
	Unfinished int `json:"unfinished,omitempty"`
}

// noLife stands in Wrong for what was wrong with none of the lives.
const noLife = "no life"

// Again returns the command that repeats a life by its name in the Wrong of a Result: what it does, and what is done to it. It is that of the
// whole run for what was wrong with none of them.
func (p Plan) Again(life string) string {
	command := fmt.Sprintf(".local/make/local endure --seed %d", p.Seed)
	if p.Moves {
		command += " --moves"
	}
	if p.Between > 0 {
		command += fmt.Sprintf(" --between %d", p.Between)
	}
	if number, one := strings.CutPrefix(life, "life-"); one {
		command += " --only " + number
	}
	return command
}

// Append adds a result to a file.
func Append(file string, r Result) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) //nolint:gosec // Like any source.
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// Read returns the results in a file, oldest first; none if there is no such file.
func Read(file string) ([]Result, error) {
	raw, err := os.ReadFile(filepath.Clean(file))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var results []Result
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 16<<20)
	for number := 1; lines.Scan(); number++ {
		var r Result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", file, number, err)
		}
		results = append(results, r)
	}
	return results, lines.Err()
}

// Table returns the document with what all results come to.
func Table(results []Result) string {
	var text strings.Builder
	text.WriteString("<!-- Written by `make generate` from results.jsonl. -->\n\n# What clusters have endured\n\n")
	lives, stages, moments, faults, cut, wrong := 0, 0, map[string]int{}, map[string]int{}, 0, 0
	for _, r := range results {
		lives, stages, cut, wrong = lives+sum(r.Lives), stages+r.Stages, cut+r.Cut, wrong+len(r.Wrong)
		add(moments, r.Moments)
		add(faults, r.Faults)
	}
	fmt.Fprintf(&text, "%d runs, %d lives with %d stages, %d moments, %d requests that met a fault, %d connections cut, %d lives with something wrong.\n\n",
		len(results), lives, stages, sum(moments), sum(faults), cut, wrong)
	text.WriteString("| run | seed | commit | lives | stages | moments | faults | cuts | converged p50, p99 | writes when idle, an hour and cluster | wrong |\n")
	text.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		idle := "not looked at"
		if r.IdleClusters > 0 {
			idle = fmt.Sprintf("%.0f", r.IdleWrites)
		}
		fmt.Fprintf(&text, "| %s | %d | %.10s | %d | %d | %d | %d | %d | %.0f s, %.0f s | %s | %d |\n", r.Time, r.Seed, r.Commit, sum(r.Lives), r.Stages, sum(r.Moments),
			sum(r.Faults), r.Cut, r.ConvergedP50, r.ConvergedP99, idle, len(r.Wrong))
	}
	text.WriteString(counts("## Moments\n\n| what | times |", moments))
	text.WriteString(counts("## Faults\n\n| what | requests |", faults))
	return text.String()
}

func counts(head string, of map[string]int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "\n%s\n|---|---|\n", head)
	for _, name := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&text, "| %s | %d |\n", name, of[name])
	}
	return text.String()
}

func sum(of map[string]int) int {
	total := 0
	for _, n := range of {
		total += n
	}
	return total
}

func add(to, from map[string]int) {
	for key, n := range from {
		to[key] += n
	}
}
