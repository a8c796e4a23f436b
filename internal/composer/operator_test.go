package composer

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestOperator(t *testing.T) {
	object := func(operator, status string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": "o"},
			"status":   map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": status}}},
		}}
		if operator != "" {
			o.SetAnnotations(map[string]string{annotationOperator: operator})
		}
		return o
	}
	peer := func(operator string, ready bool) Peer {
		item := map[string]any{"ready": ready}
		if operator != "" {
			item["operator"] = operator
		}
		return Peer{XR: &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"resources": []any{item}}}}}
	}
	cases := map[string]struct {
		// observed is the object itself, siblings are what else is composed.
		observed *unstructured.Unstructured
		siblings []*unstructured.Unstructured
		peers    []Peer
		want     string
	}{
		"nothing is there":           {},
		"sibling is ready":           {siblings: []*unstructured.Unstructured{object("aso", "True")}, want: "aso"},
		"sibling is not ready":       {siblings: []*unstructured.Unstructured{object("aso", "False")}},
		"siblings differ":            {siblings: []*unstructured.Unstructured{object("aso", "True"), object("other", "True")}},
		"sibling without":            {siblings: []*unstructured.Unstructured{object("aso", "True"), object("", "True")}},
		"peer says it":               {peers: []Peer{{}, peer("aso", true)}, want: "aso"},
		"peer is not ready":          {peers: []Peer{peer("aso", false)}},
		"peers differ":               {peers: []Peer{peer("aso", true), peer("other", true)}},
		"peer of an older version":   {peers: []Peer{peer("aso", true), peer("", true)}},
		"it is there itself":         {observed: object("aso", "False"), peers: []Peer{peer("other", true)}, want: "aso"},
		"somebody has taken it away": {observed: object("", "True"), peers: []Peer{peer("aso", true)}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in := &Request{Observed: map[string]*unstructured.Unstructured{}}
			for n, o := range c.siblings {
				in.Observed[string(rune('a'+n))] = o
			}
			i := &Inline{Object: object("", "True")}
			(&Plan{Peers: c.peers}).setOperator(in, i, c.observed)
			if got := i.Object.GetAnnotations()[annotationOperator]; got != c.want {
				t.Errorf("want %q, got %q", c.want, got)
			}
		})
	}
}
