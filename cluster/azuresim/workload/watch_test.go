package workload

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

func TestBookmarks(t *testing.T) {
	for query, want := range map[string][]string{
		"watch=true&resourceVersion=1&allowWatchBookmarks=true": {"BOOKMARK", "BOOKMARK", "BOOKMARK"},
		"watch=true&resourceVersion=1":                          nil,
	} {
		t.Run(query, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if diff := cmp.Diff(want, watched(t, query, 3*bookmarkInterval+time.Second)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// watched returns the kinds of the events that a watch of no Nodes has.
func watched(t *testing.T, query string, during time.Duration) (kinds []string) {
	t.Helper()
	journal, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := loadStore(journal, nodeResource, "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), during)
	defer cancel()
	answer := httptest.NewRecorder()
	(&endpoint{store: nodes}).watch(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/nodes?"+query, nil))
	for decoder := json.NewDecoder(answer.Body); ; {
		e := &metav1.WatchEvent{}
		if err := decoder.Decode(e); err == io.EOF {
			return kinds
		} else if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, e.Type)
	}
}
