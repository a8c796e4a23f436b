// Compat compares what this project makes of the typed AKS kinds with what CAPZ makes of them, by CAPZ's own packages.
//
//	go run . [-specs 2000] [-requests 3000] [-seed 1]
//
// It prints each field that differs and is not documented, and then `compat: N specs, D differences, K documented`. The same
// goes for requests that only one of them refuses: `rules: N requests, D differences, K documented`, and for what both send to Azure for
// self-managed clusters: `self-managed: N specs, D differences, K documented`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

func main() {
	count := flag.Int("specs", 2000, "how many random specs are compared")
	requests := flag.Int("requests", 3000, "how many random requests, with mistakes, are compared")
	objects := flag.Int("objects", 3000, "how many random objects are compared after defaulting")
	selfManaged := flag.Int("self-managed", 400, "how many random specs of self-managed clusters are compared")
	seed := flag.Uint64("seed", 1, "the seed of the first random spec")
	flag.Parse()
	log.SetLogger(logr.Discard())
	// CAPZ takes the subscription from here where a spec has none; provider-capz does the same.
	if err := os.Setenv("AZURE_SUBSCRIPTION_ID", specs.Subscription); err != nil {
		panic(err)
	}
	same, err := run(context.Background(), os.Stdout, *count, *seed)
	alike, rulesErr := runRules(context.Background(), os.Stdout, *requests, *seed)
	filled, defaultsErr := runDefaults(context.Background(), os.Stdout, *objects, *seed)
	sent, sentErr := runSelfManaged(context.Background(), os.Stdout, *selfManaged, *seed)
	if err = errors.Join(err, rulesErr, defaultsErr, sentErr); err != nil {
		fmt.Fprintln(os.Stderr, "compat:", err)
	}
	if err != nil || !same || !alike || !filled || !sent {
		os.Exit(1)
	}
}
