// Compat compares what this project makes of the typed AKS kinds with what CAPZ makes of them, by CAPZ's own packages.
//
//	go run . [-specs 2000] [-requests 5000] [-objects 4000] [-self-managed 2000] [-machine-pools 200] [-seed 1]
//
// It prints each field that differs and is not documented, and then `compat: N specs, D differences, K documented`. The same
// goes for requests that only one of them refuses: `rules: N requests, D differences, K documented`, for defaults: `defaults: N objects …`, for
// what both send to Azure for self-managed clusters: `self-managed: N specs, D differences, K documented`, for
// AzureMachinePools that are created and then changed: `machine pools: N pools …`, and for requests for objects of those kinds: `self-managed rules: N requests …`.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/pprof"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

func main() {
	count := flag.Int("specs", 2000, "how many random specs are compared")
	requests := flag.Int("requests", 5000, "how many random requests, with mistakes, are compared")
	objects := flag.Int("objects", 4000, "how many random objects are compared after defaulting")
	selfManaged := flag.Int("self-managed", 2000, "how many random specs of self-managed clusters are compared")
	pools := flag.Int("machine-pools", 200, "how many random AzureMachinePools are compared, created and changed")
	seed := flag.Uint64("seed", 1, "the seed of the first random spec")
	profile := flag.String("cpuprofile", "", "the file for a profile of the processor")
	flag.Parse()
	log.SetLogger(logr.Discard())
	// CAPZ takes the subscription from here where a spec has none; provider-capz does the same.
	if err := os.Setenv("AZURE_SUBSCRIPTION_ID", specs.Subscription); err != nil {
		panic(err)
	}
	stop := profiled(*profile)
	ok := compareAll(context.Background(), []comparisonOf{
		{run, *count}, {runRules, *requests}, {runDefaults, *objects}, {runSelfManaged, *selfManaged}, {runMachinePools, *pools}, {runObjectRules, *requests},
	}, *seed)
	stop()
	if !ok {
		os.Exit(1)
	}
}

// A comparisonOf compares a number of random specs, objects or requests from a seed on, and reports whether all differences are documented.
type comparisonOf struct {
	compare func(ctx context.Context, out io.Writer, count int, seed uint64) (bool, error)
	count   int
}

// compareAll makes the comparisons at once, and prints what each of them says in one piece.
func compareAll(ctx context.Context, all []comparisonOf, seed uint64) bool {
	reports := make([]chan func() bool, len(all))
	for i, c := range all {
		reports[i] = make(chan func() bool, 1)
		go func() {
			out := &bytes.Buffer{}
			same, err := c.compare(ctx, out, c.count, seed)
			reports[i] <- func() bool {
				_, _ = out.WriteTo(os.Stdout)
				if err != nil {
					fmt.Fprintln(os.Stderr, "compat:", err)
				}
				return same && err == nil
			}
		}()
	}
	ok := true
	for _, report := range reports {
		ok = (<-report)() && ok
	}
	return ok
}

// profiled writes a profile of the processor to a file until it is stopped; to none if there is no name.
func profiled(file string) (stop func()) {
	if file == "" {
		return func() {}
	}
	f, err := os.Create(file)
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		panic(err)
	}
	return pprof.StopCPUProfile
}
