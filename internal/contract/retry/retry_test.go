package retry

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

// refusedBefore has ASO report a refusal that long before it is done.
func refusedBefore(ago time.Duration) fixture.Change {
	return func(o *unstructured.Unstructured) {
		fixture.InStatus("conditions", []any{map[string]any{"type": "Ready", "status": "False", "severity": "Warning", "reason": "InUse",
			"message": "m", "lastTransitionTime": time.Now().Add(-ago).UTC().Format(time.RFC3339)}})(o)
	}
}

// triedBefore notes the attempts of which the last was that long before it is done.
func triedBefore(count int, ago time.Duration) fixture.Change {
	return func(o *unstructured.Unstructured) {
		fixture.Annotated(names.TriedAgainAnnotation, attempts{count: count, last: time.Now().Add(-ago)}.String())(o)
	}
}

func TestRetry(t *testing.T) {
	lists := func(configMaps, secrets []any) fixture.Change {
		return fixture.InSpec("operatorSpec", map[string]any{"configMapExpressions": configMaps, "secretExpressions": secrets})
	}
	expression := []any{map[string]any{"name": "n", "value": "v"}}
	tests := map[string]struct {
		changes []fixture.Change
		// after is what Retry returns.
		after time.Duration
		tries bool
		count string
		// operatorSpec is what is in spec afterwards, if it was tried.
		operatorSpec map[string]any
	}{
		"nothing is refused":                  {},
		"refused just now":                    {changes: fixture.Changes(refusedBefore(0)), after: 10 * time.Second},
		"refused a while ago":                 {changes: fixture.Changes(refusedBefore(time.Minute)), after: 20 * time.Second, tries: true, count: "1"},
		"tried, and not answered":             {changes: fixture.Changes(refusedBefore(time.Hour), triedBefore(1, time.Second)), after: 19 * time.Second},
		"tried once, and refused":             {changes: fixture.Changes(refusedBefore(0), triedBefore(1, time.Second)), after: 20 * time.Second},
		"tried twice, and refused":            {changes: fixture.Changes(refusedBefore(0), triedBefore(2, time.Second)), after: 40 * time.Second},
		"tried often":                         {changes: fixture.Changes(refusedBefore(0), triedBefore(50, time.Second)), after: 5 * time.Minute},
		"tried twice, it is time":             {changes: fixture.Changes(refusedBefore(time.Minute), triedBefore(2, time.Minute)), after: 80 * time.Second, tries: true, count: "3"},
		"tried often and long ago":            {changes: fixture.Changes(refusedBefore(time.Minute), triedBefore(50, time.Hour)), after: 20 * time.Second, tries: true, count: "1"},
		"something else is noted":             {changes: fixture.Changes(refusedBefore(time.Minute), fixture.Annotated(names.TriedAgainAnnotation, "-3 never")), after: 20 * time.Second, tries: true, count: "1"},
		"there is an empty list":              {changes: fixture.Changes(refusedBefore(time.Minute), fixture.InSpec("operatorSpec", map[string]any{"configMapExpressions": []any{}})), after: 20 * time.Second, tries: true, count: "1", operatorSpec: map[string]any{}},
		"there is a list that is used":        {changes: fixture.Changes(refusedBefore(time.Minute), lists(expression, []any{})), after: 20 * time.Second, tries: true, count: "1", operatorSpec: map[string]any{"configMapExpressions": expression}},
		"both lists are used":                 {changes: fixture.Changes(refusedBefore(time.Minute), lists(expression, expression))},
		"other things are to be exported too": {changes: fixture.Changes(refusedBefore(time.Minute), fixture.InSpec("operatorSpec", map[string]any{"secrets": map[string]any{}})), after: 20 * time.Second, tries: true, count: "1", operatorSpec: map[string]any{"configMapExpressions": []any{}, "secrets": map[string]any{}}},
	}
	for name, tc := range tests {
		// The clock stands still in a bubble, so that what is left of a time is known to the second.
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if tc.tries && tc.operatorSpec == nil {
					tc.operatorSpec = map[string]any{"configMapExpressions": []any{}}
				}
				m := fixture.New(t, fixture.With(fixture.Parse(t, fixture.VNetYAML), tc.changes...))
				before := m.Find(fixture.Network, "vnet")
				after, err := Retry(t.Context(), m, before)
				if err != nil {
					t.Fatal(err)
				}
				if after != tc.after {
					t.Errorf("after %v, want %v", after, tc.after)
				}
				if tried := len(m.TakeWrites()) > 0; tried != tc.tries {
					t.Errorf("tried: %v, want %v", tried, tc.tries)
				}
				if !tc.tries {
					return
				}
				got := m.Find(fixture.Network, "vnet")
				if count, _, _ := strings.Cut(got.GetAnnotations()[names.TriedAgainAnnotation], " "); count != tc.count {
					t.Errorf("attempts %q, want %q", count, tc.count)
				}
				operatorSpec, _, _ := unstructured.NestedMap(got.Object, "spec", "operatorSpec")
				if diff := cmp.Diff(tc.operatorSpec, operatorSpec); diff != "" {
					t.Errorf("spec.operatorSpec: -want +got:\n%s", diff)
				}
				if now := attemptsOf(got, time.Now()); fmt.Sprint(now.count) != tc.count || !now.last.Equal(time.Now()) {
					t.Errorf("what is noted reads %+v", now)
				}
			})
		})
	}
}

func TestRetryOfWhatIsGone(t *testing.T) {
	obj := fixture.With(fixture.Parse(t, fixture.VNetYAML), refusedBefore(time.Minute))
	if _, err := Retry(t.Context(), fixture.New(t), obj); err != nil {
		t.Errorf("it is an error that the object is gone: %v", err)
	}
}

func TestAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := []*unstructured.Unstructured{
			fixture.Parse(t, fixture.GroupYAML),
			fixture.With(fixture.Parse(t, fixture.VNetYAML), refusedBefore(time.Minute)),
			fixture.With(fixture.Parse(t, fixture.SubnetYAML), refusedBefore(4*time.Second)),
		}
		var all []client.Object
		for _, obj := range objects {
			all = append(all, obj.DeepCopy())
		}
		m := fixture.New(t, all...)
		after, err := All(t.Context(), m, objects)
		if err != nil || after != 6*time.Second {
			t.Errorf("after %v, error %v; want what is left of ten seconds for the subnet", after, err)
		}
		if diff := cmp.Diff([]string{"patch VirtualNetwork vnet"}, m.TakeWrites()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
