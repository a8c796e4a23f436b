package power

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorder is a host that notes what it is asked for; the methods that are not there are not asked for.
type recorder struct {
	Host
	asked []string
}

func (r *recorder) note(what string) error { r.asked = append(r.asked, what); return nil }

func (r *recorder) Start(_ context.Context, m Machine) error  { return r.note("start " + m.ID) }
func (r *recorder) Stop(_ context.Context, id string) error   { return r.note("stop " + id) }
func (r *recorder) Delete(_ context.Context, id string) error { return r.note("delete " + id) }
func (r *recorder) State(_ context.Context, id string) (State, error) {
	return State{Phase: Booting}, r.note("state " + id)
}

// TestUnbooted shows that machines of the size boot nothing and are up, that the others are the host's, and that a machine that was stopped or
// deleted is off as the host says.
func TestUnbooted(t *testing.T) {
	up := State{Phase: Provisioned, CustomDataEnded: true, Bootstrapped: true}
	cases := map[string]struct {
		size  string
		do    func(ctx context.Context, h Host) error
		want  State
		asked []string
	}{
		"OfTheSize": {size: "standard_b2s", want: up},
		"Another":   {size: "Standard_D2s_v5", want: State{Phase: Booting}, asked: []string{"start /vm", "state /VM"}},
		"Stopped": {
			size: "Standard_B2s", do: func(ctx context.Context, h Host) error { return h.Stop(ctx, "/VM") },
			want: State{Phase: Booting}, asked: []string{"state /VM"},
		},
		"AnotherStopped": {
			size: "Standard_D2s_v5", do: func(ctx context.Context, h Host) error { return h.Stop(ctx, "/vm") },
			want: State{Phase: Booting}, asked: []string{"start /vm", "stop /vm", "state /VM"},
		},
		"DeletedTwice": {
			size: "Standard_B2s", do: func(ctx context.Context, h Host) error {
				if err := h.Delete(ctx, "/VM"); err != nil {
					return err
				}
				return h.Delete(ctx, "/VM")
			},
			want: State{Phase: Booting}, asked: []string{"delete /VM", "state /VM"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			below := &recorder{}
			host := Unbooted(below, "Standard_B2s")
			if err := host.Start(t.Context(), Machine{ID: "/vm", Size: tc.size}); err != nil {
				t.Fatal(err)
			}
			if tc.do != nil {
				if err := tc.do(t.Context(), host); err != nil {
					t.Fatal(err)
				}
			}
			state, err := host.State(t.Context(), "/VM")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, state); diff != "" {
				t.Errorf("State(): -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(tc.asked, below.asked); diff != "" {
				t.Errorf("asked of the host: -want +got:\n%s", diff)
			}
		})
	}
}
