package walk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	errRefused   = &url.Error{Op: "Get", URL: "https://127.0.0.1", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
	errForbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "clusters"}, "c", errors.New("no"))
)

func TestPasses(t *testing.T) {
	resource := schema.GroupResource{Resource: "clusters"}
	cases := map[string]struct {
		err  error
		want bool
	}{
		"Refused":       {err: errRefused, want: true},
		"Wrapped":       {err: fmt.Errorf("cannot read objects: %w", errRefused), want: true},
		"EOF":           {err: fmt.Errorf("cannot read the answer: %w", io.ErrUnexpectedEOF), want: true},
		"Timeout":       {err: apierrors.NewTimeoutError("busy", 1), want: true},
		"ServerTimeout": {err: apierrors.NewServerTimeout(resource, "list", 1), want: true},
		"TooMany":       {err: apierrors.NewTooManyRequests("busy", 1), want: true},
		"Unavailable":   {err: apierrors.NewServiceUnavailable("starts"), want: true},
		"Internal":      {err: apierrors.NewInternalError(errors.New("etcd")), want: true},
		"Gateway":       {err: apierrors.NewGenericServerResponse(http.StatusBadGateway, "list", resource, "", "", 0, true), want: true},
		"Forbidden":     {err: errForbidden},
		"Invalid":       {err: &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid}}},
		"Own":           {err: errors.New("CustomResourceDefinition x is Crossplane's again")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := passes(c.err); got != c.want {
				t.Errorf("%v: got %t, want %t", c.err, got, c.want)
			}
		})
	}
}

// TestAwait answers looks one after another, the last answer again and again.
func TestAwait(t *testing.T) {
	type look struct {
		open []string
		err  error
	}
	awaits := look{open: []string{"the pool"}}
	cases := map[string]struct {
		looks []look
		// said are the lines, wrong a part of the error; empty for none.
		said  []string
		wrong string
	}{
		"NothingAwaited": {looks: []look{{}}},
		"Awaited":        {looks: []look{awaits, awaits, {}}, said: []string{"verify: waiting for the pool"}},
		"ReadFailsForAWhile": {looks: []look{awaits, {err: errRefused}, {err: errRefused}, awaits, {}},
			said: []string{"verify: waiting for the pool", "verify: waiting for the API server to answer: " + errRefused.Error(), "verify: waiting for the pool"}},
		"ReadIsForbidden": {looks: []look{awaits, {err: errForbidden}, {}}, said: []string{"verify: waiting for the pool"}, wrong: "forbidden"},
		"NeverComes":      {looks: []look{awaits}, said: []string{"verify: waiting for the pool"}, wrong: "waited 50ms for the pool; start it again"},
		"NeverRead":       {looks: []look{{err: errRefused}}, said: []string{"verify: waiting for the API server to answer: " + errRefused.Error()}, wrong: "waited 50ms for the API server to answer"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var said []string
			w := &Walker{Say: func(line string) { said = append(said, line) }, Patience: 50 * time.Millisecond, Poll: time.Millisecond}
			next := 0
			err := w.Await(context.Background(), Step{Name: "verify", Awaited: func(context.Context) ([]string, error) {
				l := c.looks[min(next, len(c.looks)-1)]
				next++
				return l.open, l.err
			}})
			if got := strings.Join(said, "\n"); got != strings.Join(c.said, "\n") {
				t.Errorf("said\n%s\nwant\n%s", got, strings.Join(c.said, "\n"))
			}
			switch {
			case c.wrong == "" && err != nil:
				t.Errorf("got %v", err)
			case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
				t.Errorf("got %v, want an error with %q", err, c.wrong)
			}
		})
	}
}

// TestIndependent has changes that wait for each other, which is done only when several are made at a time, and others that must come in order.
func TestIndependent(t *testing.T) {
	ctx := context.Background()
	w := &Walker{Say: func(string) {}}
	object := &metav1.PartialObjectMetadata{}
	var changes []Change
	arrived := make(chan struct{})
	for range 2 {
		changes = append(changes, ChangeOf(object, "meets the other", func(context.Context) error {
			select {
			case arrived <- struct{}{}:
			case <-arrived:
			case <-time.After(10 * time.Second):
				return errors.New("nobody came")
			}
			return nil
		}))
	}
	step := Step{Name: "meet", Independent: true, Changes: func(context.Context) ([]Change, error) { return changes, nil }}
	if made, err := w.Take(ctx, false, step); err != nil || len(made) != len(changes) {
		t.Errorf("made %d of %d: %v", len(made), len(changes), err)
	}
	var order []int
	var inOrder []Change
	for i := range 20 {
		inOrder = append(inOrder, ChangeOf(object, "is next", func(context.Context) error {
			if order = append(order, i); i == 10 {
				return errRefused
			}
			return nil
		}))
	}
	step = Step{Name: "queue", Changes: func(context.Context) ([]Change, error) { return inOrder, nil }}
	if made, err := w.Take(ctx, false, step); !errors.Is(err, errRefused) || len(made) != 10 || len(order) != 11 || !slices.IsSorted(order) {
		t.Errorf("made %d, in the order %v: %v; want 10 and an end with the eleventh", len(made), order, err)
	}
}

// TestStepTwice has a dry run say once what two steps of a name would do.
func TestStepTwice(t *testing.T) {
	step := Step{Name: "hold", Changes: func(context.Context) ([]Change, error) {
		return []Change{ChangeOf(&metav1.PartialObjectMetadata{}, "is held", func(context.Context) error { return nil })}, nil
	}}
	w := &Walker{Say: func(string) {}}
	for dry, want := range map[bool]int{true: 1, false: 2} {
		if changes, err := w.Walk(context.Background(), dry, []Step{step, step}); err != nil || len(changes) != want {
			t.Errorf("dry %t: %d changes, want %d (%v)", dry, len(changes), want, err)
		}
	}
}
