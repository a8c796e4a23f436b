// Command fidelity replays the Azure traffic recorded in Azure Service Operator's Go module against the simulator and prints
// how much of it the simulator answers as Azure did.
package main

import (
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"github.com/crossplane-capz/crossplane-capz/cluster/fidelity/replay"
)

// arguments are the command line.
type arguments struct {
	Verbose   bool    `short:"v" help:"List every difference."`
	Others    bool    `help:"List differences of other resource types too."`
	Recording string  `help:"Replay only recordings whose name contains this."`
	Module    string  `default:"cluster/local/parts/aso" help:"Folder of the Go module that requires Azure Service Operator."`
	Minimum   float64 `default:"90" help:"Percentage to reach, else the exit code is 1."`
}

func main() {
	var args arguments
	kong.Parse(&args, kong.Name("fidelity"), kong.Description("Compares the simulated Azure with recorded traffic."))
	reached, err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fidelity:", err)
		os.Exit(2)
	}
	if !reached {
		os.Exit(1)
	}
}

// run prints the comparison and tells whether the minimum is reached.
func run(args arguments) (bool, error) {
	dir, err := replay.ModuleDir(args.Module)
	if err != nil {
		return false, err
	}
	recordings, err := replay.Select(dir, args.Recording)
	if err != nil {
		return false, err
	}
	var results []replay.Result
	for _, recording := range recordings {
		more, err := replay.Replay(recording)
		if err != nil {
			return false, err
		}
		results = append(results, more...)
	}
	if args.Verbose {
		list(results, args.Others)
	}
	s := replay.Summarize(results)
	fmt.Printf("fidelity: %s\n", s.All)
	fmt.Printf("fidelity without polls: %s\n", s.WithoutPolls)
	for _, family := range replay.Families {
		fmt.Printf("  %s: %s; without polls: %s\n", family, s.Families[family], s.FamiliesWithoutPolls[family])
	}
	fmt.Printf("  the first three, which clusters of AKS need: %s; without polls: %s\n", s.Managed, s.ManagedWithoutPolls)
	fmt.Printf("other resource types in the same %d recordings, not counted above: %s\n", len(recordings), s.Others)
	return s.All.Percent() >= args.Minimum && s.WithoutPolls.Percent() >= args.Minimum, nil
}

func list(results []replay.Result, others bool) {
	for _, r := range results {
		if len(r.Differences) == 0 || r.Family == replay.Other && !others {
			continue
		}
		fmt.Printf("%s #%d %s %s\n", r.Recording, r.Index, r.Method, r.Path)
		for _, difference := range r.Differences {
			fmt.Printf("    %s\n", difference)
		}
	}
}
