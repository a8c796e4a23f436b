package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/drift"
)

// reports has an object that ASO has sent ask for a prefix, and Azure report another.
func reports(prefix string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(o.Object, "10.0.0.0/24", "spec", "addressPrefix")
		_ = unstructured.SetNestedField(o.Object, prefix, "status", "addressPrefix")
	}
}

// TestDifferences has a plan compare what is there, whatever is composed now.
func TestDifferences(t *testing.T) {
	sent := annotated(aso.AnnotationSent, "0")
	ready, refused := asoSays("True", "", "Succeeded"), asoSays("False", "Error", "Refused")
	const want = `spec.addressPrefix is "10.0.0.0/24", but Azure reports "10.0.1.0/24"`
	cases := map[string]struct {
		observed *unstructured.Unstructured
		paused   bool
		mistake  *composer.Blocked
		want     string
	}{
		"as asked":                     {subnet(sent, ready, reports("10.0.0.0/24"), applied), false, nil, ""},
		"otherwise":                    {subnet(sent, ready, reports("10.0.1.0/24"), applied), false, nil, want},
		"otherwise, while paused":      {subnet(sent, ready, reports("10.0.1.0/24"), applied), true, nil, want},
		"refused":                      {subnet(sent, refused, reports("10.0.1.0/24"), applied), false, nil, ""},
		"otherwise, and a mistake now": {subnet(sent, ready, reports("10.0.1.0/24"), applied), false, composer.Blockedf("M", "m"), ""},
		"not there":                    {nil, false, nil, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := &Resource{Source: "p", Object: subnet(), Declared: true, Err: c.mistake}
			out := makeWith(t, Plan{Cluster: "c1", Paused: c.paused}, false, []*Resource{r}, c.observed)
			var got []string
			for _, d := range out.Of[0].Differences {
				got = append(got, d.String())
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestReferencesInDrift compares a reference by name with the ID of what it means.
func TestReferencesInDrift(t *testing.T) {
	const id = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/routeTables/"
	table := object(t, "{apiVersion: network.azure.com/v1api20201101, kind: RouteTable, metadata: {name: r, namespace: ns, annotations: {serviceoperator.azure.com/resource-id: '"+id+"mine'}}, spec: {}}")
	for other, want := range map[string]int{"MINE": 0, "other": 1} {
		refers := func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedMap(o.Object, map[string]any{"group": "network.azure.com", "kind": "RouteTable", "name": "r"}, "spec", "routeTable", "reference")
			_ = unstructured.SetNestedField(o.Object, id+other, "status", "routeTable", "id")
		}
		resources := []*Resource{{Source: "p", Object: subnet(), Declared: true}, {Source: "q", Object: table.DeepCopy(), Declared: true}}
		out := makeWith(t, Plan{Cluster: "c1"}, false, resources, subnet(annotated(aso.AnnotationSent, "0"), asoSays("True", "", "Succeeded"), refers, applied), table)
		if got := out.Of[0].Differences; len(got) != want {
			t.Errorf("%s: got %v, want %d", other, got, want)
		}
	}
}

func TestDriftConditions(t *testing.T) {
	different := func(n int) []drift.Difference {
		var all []drift.Difference
		for i := range n {
			all = append(all, drift.Difference{Field: fmt.Sprintf("spec.f%d", i), Wanted: "1", Reported: "2"})
		}
		return all
	}
	ready := Outcome{Object: subnet(), State: aso.State{Ready: true}}
	drifted := func(n int) Outcome {
		return Outcome{Object: subnet(), State: aso.State{Ready: true}, Differences: different(n)}
	}
	waiting := Outcome{Object: subnet(), State: aso.State{Reason: "X"}}
	const line = "VirtualNetworksSubnet s: spec.f0 is 1, but Azure reports 2"
	type condition struct {
		Status  metav1.ConditionStatus
		Reason  string
		Message string
	}
	cases := map[string]struct {
		of    []Outcome
		shown bool
		want  []condition
	}{
		"nothing has ever drifted":  {[]Outcome{ready}, false, nil},
		"nothing is ready yet":      {[]Outcome{waiting}, false, nil},
		"drifted":                   {[]Outcome{ready, drifted(1)}, false, []condition{{"True", "FieldsDiffer", line}}},
		"drifted, others are made":  {[]Outcome{waiting, drifted(1)}, true, []condition{{"True", "FieldsDiffer", line}}},
		"two":                       {[]Outcome{drifted(1), drifted(1)}, true, []condition{{"True", "FieldsDiffer", line + "; " + line}}},
		"it is over":                {[]Outcome{ready}, true, []condition{{"False", "NoDifference", ""}}},
		"it is being set right now": {[]Outcome{waiting}, true, []condition{{"Unknown", "NotCompared", "a resource that is not ready is compared with Azure when it is"}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			req := requestFor(t, "{}")
			in, err := composer.NewRequest(req)
			must(t, err)
			if c.shown {
				in.XR.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Drifted", "status": "True"}}}
			}
			var got []condition
			for _, have := range (&Outcomes{Of: c.of}).driftConditions(in) {
				if have.Type != "Drifted" {
					t.Errorf("condition %s", have.Type)
				}
				got = append(got, condition{have.Status, have.Reason, have.Message})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestDriftMessageIsBounded has the message be short, however much differs.
func TestDriftMessageIsBounded(t *testing.T) {
	var lines []string
	for range 1000 {
		lines = append(lines, strings.Repeat("é", 1000))
	}
	got := driftMessage(lines)
	if len(got) > longestDrift || !strings.HasSuffix(got, "; and 990 more") {
		t.Errorf("%d bytes, with the end %q", len(got), got[len(got)-20:])
	}
}
