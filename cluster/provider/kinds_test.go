package main

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
