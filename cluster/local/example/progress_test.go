package example

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgress(t *testing.T) {
	type look struct {
		after   time.Duration
		missing []string
	}
	cases := map[string]struct {
		looks []look
		want  []string
	}{
		"NewThingsAtOnce": {
			looks: []look{{after: time.Second, missing: []string{"a", "b"}}, {after: 2 * time.Second, missing: []string{"a", "c"}}},
			want:  []string{"  1.0s  waiting: a", "  1.0s  waiting: b", "  2.0s  waiting: c"},
		},
		"SilentWhileNothingChanges": {
			looks: []look{{missing: []string{"a"}}, {after: 4 * time.Second, missing: []string{"a"}}},
			want:  []string{"  0.0s  waiting: a"},
		},
		"AgainAfterAWhile": {
			looks: []look{{missing: []string{"a"}}, {after: 5 * time.Second, missing: []string{"a"}}},
			want:  []string{"  0.0s  waiting: a", "  5.0s  still waiting: a"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			begun := time.Now()
			p := &progress{out: &out, begun: begun}
			for _, l := range tc.looks {
				p.say(l.missing, begun.Add(l.after))
			}
			got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("say(): -want, +got:\n%s", diff)
			}
		})
	}
}
