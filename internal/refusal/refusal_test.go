package refusal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// xr returns a composite resource whose spec is another with each number; of the second, Crossplane has shown a message.
func xr(spec int64, message, note string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"generation": spec},
		"spec":     map[string]any{"replicas": spec, "crossplane": map[string]any{"resourceRefs": []any{}}},
		"status": map[string]any{"conditions": []any{
			map[string]any{"type": "Ready", "status": "False", "message": "x"},
			map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "observedGeneration": int64(2), "message": message},
		}},
	}}
	if note != "" {
		o.SetAnnotations(map[string]string{Annotation: note})
	}
	return o
}

const (
	typed   = `failed to create typed patch object (ns/t02; network.azure.com/v1api20240301, Kind=NetworkSecurityGroup): .spec.secrityRules: field not declared in schema`
	ofTyped = `cannot compose resources: cannot apply composed resource "NetworkSecurityGroup.network.azure.com/t02": ` + typed
)

func TestShown(t *testing.T) {
	tests := map[string]struct {
		spec    int64
		message string
		want    Answers
	}{
		"a field that there is not":   {2, ofTyped, Answers{"NetworkSecurityGroup.network.azure.com/t02": typed}},
		"with a word about rights":    {2, ofTyped + "\ncrossplane has no right to it", Answers{"NetworkSecurityGroup.network.azure.com/t02": typed}},
		"of an older spec":            {3, ofTyped, nil},
		"a webhook":                   {2, `cannot compose resources: cannot apply composed resource "a": admission webhook "w" denied the request: no`, Answers{"a": `admission webhook "w" denied the request: no`}},
		"a webhook that is not there": {2, `cannot compose resources: cannot apply composed resource "a": Internal error occurred: failed calling webhook "w"`, nil},
		"nothing applied":             {2, `cannot compose resources: pipeline step "capz" returned a fatal result: is forbidden: `, nil},
		"a name without an end":       {2, `cannot apply composed resource "a`, nil},
		"invalid":                     {2, `Unsynced resources: a, b, and c`, Answers{"a": "", "b": "", "c": ""}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, shown(xr(tc.spec, tc.message, ""))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestOf(t *testing.T) {
	note := fmt.Sprintf(`{"spec":%q,"answers":{"a":"no"}}`, specID(xr(2, "", "")))
	tests := map[string]struct {
		xr   *unstructured.Unstructured
		want Answers
	}{
		"noted":                           {xr(2, "", note), Answers{"a": "no"}},
		"noted, and shown as invalid now": {xr(2, "Unsynced resources: a", note), Answers{"a": "no"}},
		"noted, and another is shown":     {xr(2, ofTyped, note), Answers{"a": "no"}},
		"noted, and shown with another answer": {
			xr(2, `cannot apply composed resource "a": admission webhook "w" denied the request: no`, note),
			Answers{"a": `admission webhook "w" denied the request: no`},
		},
		"shown, but not noted yet":                         {xr(2, ofTyped, ""), Answers{}},
		"noted of an older spec":                           {xr(3, "", note), Answers{}},
		"noted, and Crossplane has changed its references": {withReference(xr(2, "", note)), Answers{"a": "no"}},
		"as the function gets it":                          {overTheWire(t, xr(2, "", note)), Answers{"a": "no"}},
		"a note of an older release":                       {xr(2, "", `{"generation":2,"answers":{"a":"no"}}`), Answers{}},
		"a note of somebody's":                             {xr(2, "", `[1]`), Answers{}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Of(tc.xr)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// withReference returns a composite resource of which Crossplane has composed another object meanwhile, which makes a generation of its own.
func withReference(o *unstructured.Unstructured) *unstructured.Unstructured {
	o.SetGeneration(o.GetGeneration() + 1)
	spec.Value(o)["crossplane"] = map[string]any{"resourceRefs": []any{map[string]any{"kind": "ResourceGroup", "name": "a"}}}
	return o
}

// overTheWire returns a composite resource as a request has it, in which all numbers are floating.
func overTheWire(t *testing.T, o *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	sent, err := structpb.NewStruct(o.Object)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: sent.AsMap()}
}

func TestNote(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	none := func(time.Time) Answers { return nil }
	first, stands := Note(xr(2, ofTyped, ""), now, none)
	if !strings.Contains(first, "secrityRules") || stands != Interval {
		t.Fatalf("noted %q for %s", first, stands)
	}
	tried, _ := Note(xr(2, "", first), now.Add(Interval), none)
	tests := map[string]struct {
		xr     *unstructured.Unstructured
		now    time.Time
		want   Answers
		stands time.Duration
	}{
		"stays while nothing is shown":     {xr(2, "", first), now.Add(time.Minute), Of(xr(2, "", first)), time.Minute},
		"another one":                      {xr(2, "Unsynced resources: b", first), now.Add(time.Minute), Answers{"NetworkSecurityGroup.network.azure.com/t02": typed, "b": ""}, 5 * time.Second},
		"tried again":                      {xr(2, "", first), now.Add(Interval), Answers{}, tryTime},
		"tried again, and refused again":   {xr(2, ofTyped, first), now.Add(Interval), shown(xr(2, ofTyped, "")), Interval},
		"while references change":          {withReference(xr(2, "", first)), now.Add(time.Minute), Of(xr(2, "", first)), time.Minute},
		"while it is tried":                {xr(2, "", tried), now.Add(Interval + time.Second), Answers{}, tryTime - time.Second},
		"tried, and refused later":         {xr(2, ofTyped, tried), now.Add(Interval + time.Second), shown(xr(2, ofTyped, "")), Interval},
		"tried, and not refused":           {xr(2, "", tried), now.Add(Interval + tryTime), Answers{}, 0},
		"dropped with another spec":        {xr(3, ofTyped, first), now, Answers{}, 0},
		"one that somebody made for years": {xr(2, "", strings.ReplaceAll(first, "2026", "2099")), now, Answers{}, 0},
		"one whose end somebody made":      {xr(2, "", strings.Replace(first, `"until":"2026`, `"until":"2099`, 1)), now, Answers{}, tryTime},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			value, stands := Note(tc.xr, tc.now, none)
			if stands != tc.stands {
				t.Errorf("stands %s, want %s", stands, tc.stands)
			}
			if diff := cmp.Diff(tc.want, Of(xr(field.Integer(spec.Value(tc.xr)["replicas"]), "", value))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestNoteAnswersOfEvents shows that an answer which only an Event has is looked for until it is there, and only then.
func TestNoteAnswersOfEvents(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	none := func(time.Time) Answers { return nil }
	noted, again := Note(xr(2, "Unsynced resources: a", ""), now, none)
	if again != answerDelay {
		t.Errorf("looked again after %s", again)
	}
	// Meanwhile the function has left it out, so that nothing is shown any more.
	noted, again = Note(xr(2, "", noted), now.Add(answerDelay), func(time.Time) Answers { return Answers{"a": "no", "b": "other"} })
	if diff := cmp.Diff(Answers{"a": "no"}, Of(xr(2, "", noted))); diff != "" || again != Interval-answerDelay {
		t.Errorf("again after %s, -want +got:\n%s", again, diff)
	}
	_, _ = Note(xr(2, "Unsynced resources: a", noted), now.Add(answerDelay), func(time.Time) Answers { t.Error("looked up what is known"); return nil })
	// It is tried again and refused again, of which there is no Event yet.
	noted, again = Note(xr(2, "", noted), now.Add(Interval), func(time.Time) Answers { t.Error("looked up what is tried"); return nil })
	if diff := cmp.Diff(Answers{}, Of(xr(2, "", noted))); diff != "" || again != tryTime {
		t.Errorf("again after %s, -want +got:\n%s", again, diff)
	}
	noted, _ = Note(xr(2, "Unsynced resources: a", noted), now.Add(Interval+time.Second), func(since time.Time) Answers {
		if !since.Equal(now) {
			t.Errorf("looked up since %s, want %s", since, now)
		}
		return Answers{"a": "no"}
	})
	if diff := cmp.Diff(Answers{"a": "no"}, Of(xr(2, "", noted))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
