package walk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Walker takes steps. All its fields are required; Client must not cache.
type Walker struct {
	Client client.Client
	// FieldOwner is the field manager of all that is written.
	FieldOwner string
	// Say is told what is done, a line at a time.
	Say func(string)
	// Patience is how long a step waits for others, Poll how often it looks.
	Patience, Poll time.Duration

	saying sync.Mutex
}

// A Change is one object that is changed.
type Change struct {
	Step      string `json:"step"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// What is done, in words.
	What string `json:"what"`

	do func(context.Context) error
}

// ChangeOf returns the change of an object that do makes, with what it is in words.
func ChangeOf(o client.Object, what string, do func(context.Context) error) Change {
	return Change{Kind: o.GetObjectKind().GroupVersionKind().Kind, Namespace: o.GetNamespace(), Name: o.GetName(), What: what, do: do}
}

// String returns the change in one line, without its step.
func (c Change) String() string {
	name := c.Name
	if c.Namespace != "" {
		name = c.Namespace + "/" + name
	}
	return fmt.Sprintf("%s %s: %s", c.Kind, name, c.What)
}

// A BlockedError says why there is no way now, and what to do about it.
type BlockedError struct{ Problems []string }

func (e *BlockedError) Error() string { return strings.Join(e.Problems, "\n") }

// A Step is one part of a way.
type Step struct {
	Name string
	// Changes returns what is still to be done; nil for nothing.
	Changes func(context.Context) ([]Change, error)
	// Independent says that no change depends on another: several are made at a time.
	Independent bool
	// Awaited returns, in words, what has to come by itself before the next step, nothing when all has; nil for nothing.
	Awaited func(context.Context) ([]string, error)
}

// Walk takes steps one after another; with dry nothing is written, and of steps of one name only the first is looked at, as the others are for what comes
// meanwhile. It returns the changes that were made, or would be. Its error names the step.
func (w *Walker) Walk(ctx context.Context, dry bool, steps []Step) ([]Change, error) {
	var all []Change
	for i, s := range steps {
		if dry && slices.ContainsFunc(steps[:i], func(former Step) bool { return former.Name == s.Name }) {
			continue
		}
		changes, err := w.Take(ctx, dry, s)
		all = append(all, changes...)
		if err != nil {
			return all, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return all, nil
}

// attempts is how often a step looks anew after somebody else has changed an object meanwhile.
const attempts = 20

// Take takes one step. Its results are those of Walk.
func (w *Walker) Take(ctx context.Context, dry bool, s Step) ([]Change, error) {
	var made []Change
	for attempt := 0; s.Changes != nil; attempt++ {
		changes, err := s.Changes(ctx)
		if err != nil {
			return made, err
		}
		done, err := w.make(ctx, dry, s, changes)
		made = append(made, done...)
		if err == nil {
			break
		}
		if !apierrors.IsConflict(err) || attempt == attempts {
			return made, err
		}
	}
	if dry || s.Awaited == nil {
		return made, nil
	}
	return made, w.Await(ctx, s)
}

// atATime is how many independent changes are made at a time: an API server takes tens of requests of a person at once, and carries out as many as it has
// processors.
const atATime = 8

// make makes changes, unless dry, and returns those that were made. After an error no more are begun.
func (w *Walker) make(ctx context.Context, dry bool, s Step, changes []Change) ([]Change, error) {
	for i := range changes {
		changes[i].Step = s.Name
	}
	if dry {
		return changes, nil
	}
	made := make([]bool, len(changes))
	all, going := errgroup.WithContext(ctx)
	all.SetLimit(1)
	if s.Independent {
		all.SetLimit(atATime)
	}
	for i := range changes {
		all.Go(func() error {
			if going.Err() != nil {
				return context.Cause(going)
			}
			w.say(s.Name + ": " + changes[i].String())
			// One that has begun comes to its end, whatever becomes of the others.
			if err := changes[i].do(ctx); err != nil {
				return fmt.Errorf("%s: %w", changes[i], err)
			}
			made[i] = true
			return nil
		})
	}
	err := all.Wait()
	var done []Change
	for i := range changes {
		if made[i] {
			done = append(done, changes[i])
		}
	}
	return done, err
}

// say says a line at a time.
func (w *Walker) say(line string) {
	w.saying.Lock()
	defer w.saying.Unlock()
	w.Say(line)
}

// Await waits until nothing of a step is awaited any more. An API server that cannot be read for a while is waited for, too. It returns an error that
// says what is awaited, when the patience has come to its end.
func (w *Walker) Await(ctx context.Context, s Step) error {
	ctx, cancel := context.WithTimeout(ctx, w.Patience)
	defer cancel()
	said := ""
	for {
		open, err := s.Awaited(ctx)
		switch {
		case err == nil && len(open) == 0:
			return nil
		case err == nil:
		case ctx.Err() != nil: // The error is of the end of the patience.
			open = nil
		case passes(err):
			open = []string{"the API server to answer: " + err.Error()}
		default:
			return err
		}
		if words := strings.Join(open, "; "); words != "" && words != said {
			said = words
			w.say(s.Name + ": waiting for " + said)
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("waited %s for %s; start it again to wait on", w.Patience, cmp.Or(said, "the API server to answer"))
			}
			return ctx.Err()
		case <-time.After(w.Poll):
		}
	}
}

// passes reports whether an error of a look at the API server says that it cannot answer now, as while it starts again, or is busy, or the way to it
// is broken. What it refuses it refuses the next time, too.
func passes(err error) bool {
	var (
		answered    apierrors.APIStatus
		unreachable net.Error
	)
	if errors.As(err, &answered) {
		code := answered.Status().Code
		return code >= http.StatusInternalServerError || code == http.StatusTooManyRequests
	}
	return errors.As(err, &unreachable) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
