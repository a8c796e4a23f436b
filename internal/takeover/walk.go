package takeover

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FieldOwner is the field manager of all that is written here.
const FieldOwner = "kubectl-capz-takeover"

// A Walk is one management cluster on its way. Client is required; it must not cache.
type Walk struct {
	Client client.Client
	// Install is what brings this project, as a release has it in one file: needed on the way to this project only.
	Install []*unstructured.Unstructured
	// Say is told what is done, a line at a time.
	Say func(string)
	// Patience is how long a step waits for others, Poll how often it looks.
	Patience, Poll time.Duration
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

// A step is one part of the way.
type step struct {
	name string
	// changes returns what is still to be done.
	changes func(context.Context) ([]Change, error)
	// awaited returns what has to come by itself before the next step, nothing when all has.
	awaited func(context.Context) ([]string, error)
}

// To takes the cluster over to this project; with dry nothing is written. The changes are those that were made, or would be. The error is a
// BlockedError where the cluster is in no state for it.
func (w *Walk) To(ctx context.Context, dry bool) ([]Change, error) {
	if err := w.checkTo(ctx, dry); err != nil {
		return nil, err
	}
	return w.walk(ctx, dry, w.stepsTo())
}

// Back returns the cluster to CAPZ, as it was kept when it was taken over. Its results are those of To.
func (w *Walk) Back(ctx context.Context, dry bool) ([]Change, error) {
	if err := w.checkBack(ctx); err != nil {
		return nil, err
	}
	return w.walk(ctx, dry, w.stepsBack())
}

func (w *Walk) walk(ctx context.Context, dry bool, steps []step) ([]Change, error) {
	var all []Change
	for _, s := range steps {
		changes, err := w.take(ctx, dry, s)
		all = append(all, changes...)
		if err != nil {
			return all, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return all, nil
}

// attempts is how often a step looks anew after somebody else has changed an object meanwhile.
const attempts = 20

// take takes one step.
func (w *Walk) take(ctx context.Context, dry bool, s step) ([]Change, error) {
	var made []Change
	for attempt := 0; s.changes != nil; attempt++ {
		changes, err := s.changes(ctx)
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
	if dry || s.awaited == nil {
		return made, nil
	}
	return made, w.await(ctx, s)
}

// make makes changes, unless dry, and returns those that were made.
func (w *Walk) make(ctx context.Context, dry bool, s step, changes []Change) ([]Change, error) {
	for i := range changes {
		changes[i].Step = s.name
		if dry {
			continue
		}
		w.Say(s.name + ": " + changes[i].String())
		if err := changes[i].do(ctx); err != nil {
			return changes[:i], fmt.Errorf("%s: %w", changes[i], err)
		}
	}
	return changes, nil
}

// await waits until nothing is awaited any more.
func (w *Walk) await(ctx context.Context, s step) error {
	ctx, cancel := context.WithTimeout(ctx, w.Patience)
	defer cancel()
	said := ""
	for {
		open, err := s.awaited(ctx)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil && len(open) == 0 {
			return nil
		}
		if err == nil {
			if words := strings.Join(open, "; "); words != said {
				said = words
				w.Say(s.name + ": waiting for " + said)
			}
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("waited %s for %s; start it again to wait on", w.Patience, said)
			}
			return ctx.Err()
		case <-time.After(w.Poll):
		}
	}
}

func changeOf(o client.Object, what string, do func(context.Context) error) Change {
	return Change{Kind: o.GetObjectKind().GroupVersionKind().Kind, Namespace: o.GetNamespace(), Name: o.GetName(), What: what, do: do}
}
