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

// take notes what the components of a side have taken since, each and all: CPU, the peak of memory, requests to API servers; and how many
// requests Azure has had from whomever. The names of the measurements begin with the stage.
func (s spending) take(ctx context.Context, stage string) error {
	now, err := s.arena.spent(ctx)
	if err != nil {
		return err
	}
	var own usage
	for _, component := range s.arena.side.components {
		u := now.then[component].since(s.then[component])
		s.arena.take(stage+"cpu of "+component, u.cpu, "CPU s")
		s.arena.take(stage+"memory of "+component, u.peak/(1<<20), "MiB")
		s.arena.take(stage+"requests of "+component, u.requests, "requests")
		own = own.add(u)
	}
	s.arena.take(stage+"cpu", own.cpu, "CPU s")
	s.arena.take(stage+"memory", own.peak/(1<<20), "MiB")
	s.arena.take(stage+"requests", own.requests, "requests")
	asked, err := s.arena.azure.Requests(ctx, admin.RequestFilter{Host: azureHost, Since: s.at})
	if err != nil {
		return err
	}
	s.arena.take(stage+"requests to Azure", float64(len(asked)), "requests")
	return nil
}
