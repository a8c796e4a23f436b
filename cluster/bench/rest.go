package main

import (
	"context"
	"fmt"
	"time"
)

const (
	// restRequests is how many requests those that are measured send to the management cluster in stillFor, at most, when they are at rest:
	// Leases, settings and watches begun anew are about ten.
	restRequests = 30
	// restPatience is how long each of many clusters or machines may go on being composed when all are there, one with another, and
	// leastRestPatience how long a few may.
	restPatience      = 3 * time.Second
	leastRestPatience = 5 * time.Minute
)

// atRest returns what has been taken when those that are measured ask the management cluster for next to nothing, with so many clusters or
// machines. What Crossplane composes last changes nothing, so that no watch tells of it.
func (a *arena) atRest(ctx context.Context, count int) (map[string]usage, error) {
	patience := max(leastRestPatience, time.Duration(count)*restPatience)
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	settled, err := a.still(limited, func(taken map[string]usage) bool {
		var own usage
		for _, name := range a.side.components {
			own = own.add(taken[name])
		}
		return own.managing <= restRequests
	}, a.everything()...)
	if err != nil {
		return nil, fmt.Errorf("waited %v at most for %v to be at rest: %w", patience, a.side.components, err)
	}
	return settled, nil
}

// takeAtRest notes what is taken while nothing changes for so long. The names of the measurements begin with the stage.
func (a *arena) takeAtRest(ctx context.Context, lasts time.Duration, stage string) error {
	taken, err := a.spent(ctx)
	if err != nil {
		return err
	}
	if err := sleep(ctx, lasts); err != nil {
		return err
	}
	return taken.take(ctx, stage)
}
