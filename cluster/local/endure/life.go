package endure

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// An Outcome is what became of a life.
type Outcome struct {
	Life   Life
	Stages int
	// Converged is how long each stage took from the last that was broken until the cluster was as it should be.
	Converged []time.Duration
	// Wrong is what was found, in words.
	Wrong []string
}

// live lives a life to its end, or until something is wrong.
func (w *world) live(ctx context.Context) Outcome {
	outcome := Outcome{Life: w.life}
	err := w.enter(ctx, w.management)
	for i := 0; err == nil && i < len(w.life.Stages); i++ {
		if w.life.Stages[i] == Delete {
			w.rest.arrive(ctx)
		}
		var took time.Duration
		var wrong []string
		if took, wrong, err = w.stage(ctx, i); err != nil {
			err = fmt.Errorf("stage %d, %s: %w", i, w.life.Stages[i], err)
			break
		}
		outcome.Converged = append(outcome.Converged, took)
		outcome.Wrong = append(outcome.Wrong, wrong...)
		outcome.Stages++
	}
	if err != nil && ctx.Err() == nil {
		outcome.Wrong = append(outcome.Wrong, err.Error())
	}
	w.rest.leave(w.life.Number)
	return outcome
}

// stage has a stage done while things break. It returns how long it took to converge, and what is wrong although it did.
func (w *world) stage(ctx context.Context, number int) (took time.Duration, wrong []string, err error) {
	stage := w.life.Stages[number]
	d := w.family.stages[stage]
	begun := time.Now()
	if d.deletes != nil {
		w.permitted = append(w.permitted, Permission{From: w.azureNow(begun), Path: d.deletes})
	}
	broken := make(chan error, 1)
	go func() { broken <- w.breakStage(ctx, number) }()
	acted := d.act(ctx, w)
	if acted != nil {
		acted = fmt.Errorf("act: %w", acted)
	}
	if err := errors.Join(acted, <-broken); err != nil {
		return 0, nil, err
	}
	end := whole
	if stage == Delete {
		end = gone
	}
	if d.reached != nil {
		end = both(end, d.reached)
	}
	if err := w.await(ctx, end); err != nil {
		return 0, nil, err
	}
	last := w.broken.get()
	if others := w.breaker.last.get(); others.After(last) && others.Before(time.Now()) {
		last = others
	}
	took = max(0, time.Since(last))
	wrong, err = w.judge(ctx, d)
	w.logf("%s: done after %s, %s after the last that was broken", stage, time.Since(begun).Round(time.Second), took.Round(time.Second))
	return took, wrong, err
}

// azureNow is a time by the clock of the simulated Azure, by which its log is. A second lies between what was asked and what was logged.
func (w *world) azureNow(at time.Time) time.Time {
	w.breaker.mu.Lock()
	defer w.breaker.mu.Unlock()
	return at.Add(w.breaker.offset - time.Second)
}

// judge says what is wrong with a cluster that looks whole.
func (w *world) judge(ctx context.Context, d deed) (wrong []string, err error) {
	err = w.persist(ctx, func(ctx context.Context) error {
		composed, uids, err := w.observe(ctx)
		if err != nil {
			return err
		}
		ids, err := w.idsInAzure(ctx)
		if err != nil {
			return err
		}
		requests, err := w.Azure.Requests(ctx, admin.RequestFilter{Path: "^/subscriptions/" + w.subscription + "/"})
		if err != nil {
			return err
		}
		wrong = append(Lost(composed, ids), Dropped(w.seen, uids, d.goes)...)
		wrong = append(wrong, Unasked(requests, w.permitted)...)
		w.seen = uids
		return nil
	})
	return wrong, err
}

// String says what became of the life.
func (o Outcome) String() string {
	if len(o.Wrong) == 0 && o.Stages < len(o.Life.Stages) {
		return fmt.Sprintf("%s (%s): unfinished, %d of %d stages", o.Life.Name(), o.Life.Family, o.Stages, len(o.Life.Stages))
	}
	if len(o.Wrong) == 0 {
		return fmt.Sprintf("%s (%s): well, %d stages", o.Life.Name(), o.Life.Family, o.Stages)
	}
	return fmt.Sprintf("%s (%s): WRONG:\n  %s", o.Life.Name(), o.Life.Family, strings.Join(o.Wrong, "\n  "))
}
