// Package report keeps what benchmarks measure, and compares it with its goals: as a table, and as a plot.
package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// A Measurement is one value of one side in one round.
type Measurement struct {
	// Name is that of the benchmark, and what was measured in it.
	Name  string    `json:"name"`
	Side  string    `json:"side"`
	Round int       `json:"round"`
	Value float64   `json:"value"`
	Unit  string    `json:"unit"`
	Time  time.Time `json:"time"`
	// Commit is the product's, and whether it was changed.
	Commit string `json:"commit,omitempty"`
	// Machine is what it was measured on.
	Machine string `json:"machine,omitempty"`
}

// Append adds measurements to a file, one in JSON a line.
func Append(path string, taken []Measurement) (err error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	encoder := json.NewEncoder(file)
	for _, m := range taken {
		if err := encoder.Encode(m); err != nil {
			return err
		}
	}
	return nil
}

// Read returns the measurements of a file.
func Read(path string) ([]Measurement, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var all []Measurement
	for decoder := json.NewDecoder(bufio.NewReader(file)); ; {
		var m Measurement
		switch err := decoder.Decode(&m); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, m)
	}
}

// values returns what was measured of one side, in order of size.
func values(all []Measurement, name, side string) []float64 {
	var found []float64
	for _, m := range all {
		if m.Name == name && m.Side == side {
			found = append(found, m.Value)
		}
	}
	slices.Sort(found)
	return found
}

// sums returns the sum of what was measured of one side in each round that has all the names, in order of size.
func sums(all []Measurement, names []string, side string) []float64 {
	type round struct {
		number          int
		commit, machine string
	}
	of, has := map[round]float64{}, map[round]int{}
	for _, m := range all {
		if m.Side == side && slices.Contains(names, m.Name) {
			r := round{m.Round, m.Commit, m.Machine}
			of[r] += m.Value
			has[r]++
		}
	}
	var found []float64
	for r, value := range of {
		if has[r] == len(names) {
			found = append(found, value)
		}
	}
	slices.Sort(found)
	return found
}

// median of values in order of size; there has to be one.
func median(sorted []float64) float64 {
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}
