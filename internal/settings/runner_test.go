package settings

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

func TestRunnerStartsAgain(t *testing.T) {
	f := newFollower(t, interceptor.Funcs{})
	if err := f.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	started, ended := make(chan Settings), make(chan Settings, 2)
	r := &Runner{Follower: f, Run: func(ctx context.Context, s Settings, ready func()) error {
		ready()
		started <- s
		<-ctx.Done()
		ended <- s
		return fmt.Errorf("waiting: %w", ctx.Err())
	}}
	stopped := make(chan error, 1)
	go func() { stopped <- r.Start(ctx) }()

	changed := flags
	changed.WatchFilter = "blue"
	if diff := cmp.Diff(flags, <-started); diff != "" {
		t.Errorf("first settings (-want +got):\n%s", diff)
	}
	f.set(changed)
	if diff := cmp.Diff(changed, <-started); diff != "" {
		t.Errorf("second settings (-want +got):\n%s", diff)
	}
	select {
	case got := <-ended:
		if diff := cmp.Diff(flags, got); diff != "" {
			t.Errorf("ended first (-want +got):\n%s", diff)
		}
	default:
		t.Error("the second controllers started while the first were running")
	}
	cancel()
	if err := <-stopped; err != nil {
		t.Errorf("ends with %v", err)
	}
	if f.running != nil {
		t.Error("the controllers still count as running")
	}
}

func TestRunnerEnds(t *testing.T) {
	cases := map[string]struct {
		err  error
		want string
	}{
		"Failed":   {err: errors.New("no"), want: "no"},
		"ByItself": {want: "the controllers ended by themselves"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFollower(t, interceptor.Funcs{}, providerConfig(v1alpha1.ProviderConfigSpec{}))
			if err := f.Read(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := &Runner{Follower: f, Run: func(context.Context, Settings, func()) error { return tc.err }}
			if err := r.Start(t.Context()); err == nil || err.Error() != tc.want {
				t.Errorf("error is %v, want %s", err, tc.want)
			}
		})
	}
}
