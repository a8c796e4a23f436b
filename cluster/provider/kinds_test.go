package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// lateMapper knows a kind only after it was asked for it some times, or fails.
type lateMapper struct {
	meta.RESTMapper

	asked, servedAfter int
	err                error
}

func (m *lateMapper) RESTMapping(kind schema.GroupKind, _ ...string) (*meta.RESTMapping, error) {
	m.asked++
	if m.err != nil {
		return nil, m.err
	}
	if m.asked <= m.servedAfter {
		return nil, &meta.NoKindMatchError{GroupKind: kind}
	}
	return &meta.RESTMapping{}, nil
}

func TestAwaitKinds(t *testing.T) {
	refused, never := errors.New("refused"), 1<<30
	cases := map[string]struct {
		mapper lateMapper
		ends   bool
		want   error
	}{
		"Served":       {},
		"ServedLater":  {mapper: lateMapper{servedAfter: 1}},
		"NeverServed":  {mapper: lateMapper{servedAfter: never}, ends: true, want: context.Canceled},
		"CannotBeRead": {mapper: lateMapper{err: refused}, want: refused},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tc.ends {
				cancel()
			}
			err := awaitKinds(ctx, &tc.mapper, []schema.GroupVersionKind{{Group: "g", Version: "v1", Kind: "K"}})
			if !errors.Is(err, tc.want) {
				t.Errorf("awaitKinds() = %v, want %v", err, tc.want)
			}
		})
	}
}

// TestKindsThatNeverComeAreLookedForSeldom holds on for a day: kinds of machines never come where nobody has machines.
func TestKindsThatNeverComeAreLookedForSeldom(t *testing.T) {
	for name, tc := range map[string]struct {
		lasts       time.Duration
		least, most int
	}{
		"while things are installed": {lasts: 10 * time.Second, least: 6, most: 10},
		"a day":                      {lasts: 24 * time.Hour, least: 24 * 60, most: 24*60 + 30},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tc.lasts)
				defer cancel()
				mapper := &lateMapper{servedAfter: 1 << 30}
				err := awaitKinds(ctx, mapper, []schema.GroupVersionKind{{Group: "g", Version: "v1", Kind: "K"}})
				if !errors.Is(err, context.DeadlineExceeded) || mapper.asked < tc.least || mapper.asked > tc.most {
					t.Errorf("awaitKinds() = %v after %d looks; want %d to %d looks, and the end of its time", err, mapper.asked, tc.least, tc.most)
				}
			})
		})
	}
}

func TestWatchedKindsAreOfThisProject(t *testing.T) {
	groups := map[string]int{}
	for _, kind := range watchedKinds() {
		groups[kind.Group]++
	}
	for _, group := range []string{"cluster.x-k8s.io", "infrastructure.cluster.x-k8s.io", "platform.capz.crossplane.io"} {
		if groups[group] < 2 {
			t.Errorf("%d kinds of group %s are waited for", groups[group], group)
		}
	}
}

// runner is a manager that runs what it is given at once.
type runner struct {
	manager.Manager

	mapper meta.RESTMapper
	added  int
}

func (r *runner) GetRESTMapper() meta.RESTMapper { return r.mapper }

func (r *runner) Add(runnable manager.Runnable) error {
	r.added++
	ctx, cancel := context.WithTimeout(context.Background(), 2*kindsInterval)
	defer cancel()
	return runnable.Start(ctx)
}

func TestOnceServed(t *testing.T) {
	refused, wrong, never := errors.New("refused"), errors.New("wrong"), 1<<30
	cases := map[string]struct {
		mapper lateMapper
		setup  error
		done   bool
		beside int
		want   error
	}{
		"Served":        {done: true},
		"ServedLater":   {mapper: lateMapper{servedAfter: 1}, done: true, beside: 1},
		"NeverServed":   {mapper: lateMapper{servedAfter: never}, beside: 1},
		"CannotBeRead":  {mapper: lateMapper{err: refused}, want: refused},
		"CannotBeSetUp": {mapper: lateMapper{servedAfter: 1}, setup: wrong, done: true, beside: 1, want: wrong},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mgr, done := &runner{mapper: &tc.mapper}, false
			err := onceServed(mgr, []schema.GroupVersionKind{{Group: "g", Version: "v1", Kind: "K"}}, func() error { done = true; return tc.setup })
			if !errors.Is(err, tc.want) || done != tc.done || mgr.added != tc.beside {
				t.Errorf("onceServed() = %v, done %v, run beside %d; want %v, %v, %d", err, done, mgr.added, tc.want, tc.done, tc.beside)
			}
		})
	}
}
