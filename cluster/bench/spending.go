package main

import (
	"context"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// azureHost is Azure Resource Manager's, as the simulated Azure logs it.
const azureHost = "management.azure.com"

// spending is what the components of a side had taken at a moment.
type spending struct {
	arena *arena
	then  map[string]usage
	at    time.Time
}

func (a *arena) spent(ctx context.Context) (spending, error) {
	at := time.Now()
	then, err := a.usages(ctx, a.side.components...)
	return spending{a, then, at}, err
}

// take notes what the components of a side have taken since, and how many requests Azure has had from whomever. The names of the measurements begin
// with the stage.
func (s spending) take(ctx context.Context, stage string) error {
	now, err := s.arena.spent(ctx)
	if err != nil {
		return err
	}
	s.arena.takeOwn(stage, s.then, now.then, 1, "")
	asked, err := s.arena.azure.Requests(ctx, admin.RequestFilter{Host: azureHost, Since: s.at})
	if err != nil {
		return err
	}
	s.arena.take(stage+"requests to Azure", float64(len(asked)), "requests")
	return nil
}

// takeOwn notes what the components of a side have taken between two moments, each and all, for each of count things: CPU, the peak of memory, requests
// to API servers, and those of them to the management cluster. The names of the measurements begin with the stage; their units end as each says.
func (a *arena) takeOwn(stage string, before, after map[string]usage, count float64, each string) {
	note := func(of string, u usage) {
		a.take(stage+"cpu"+of, u.cpu/count, "CPU s"+each)
		a.take(stage+"memory"+of, u.peak/(1<<20), "MiB")
		a.take(stage+"requests"+of, u.requests/count, "requests"+each)
		a.take(stage+"requests to the management cluster"+of, u.managing/count, "requests"+each)
	}
	var own usage
	for _, component := range a.side.components {
		u := after[component].since(before[component])
		note(" of "+component, u)
		own = own.add(u)
	}
	note("", own)
}
