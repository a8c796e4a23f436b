package plan

import (
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/test/hostile"
)

func TestInlineBounds(t *testing.T) {
	entry := func(name string, spec any) map[string]any {
		return map[string]any{"apiVersion": "resources.azure.com/v1api20200601", "kind": "ResourceGroup", "metadata": map[string]any{"name": name}, "spec": spec}
	}
	const names = ", but must be a name that Kubernetes takes: at most 253 lower case letters, digits, - and ., with a letter or digit at each end"
	cases := map[string]struct {
		entry map[string]any
		want  string
	}{
		"as deep as may be": {entry("rg", hostile.Nested(mostLevels-2)), ""},
		"deeper":            {entry("rg", hostile.Nested(mostLevels)), "spec.resources[0] has more than 100 levels of fields within fields, but no Azure Service Operator kind has as many"},
		"deeper, in lists":  {entry("rg", map[string]any{"a": lists(mostLevels)}), "spec.resources[0] has more than 100 levels of fields within fields, but no Azure Service Operator kind has as many"},
		"upper case":        {entry("RG", nil), `spec.resources[0].metadata.name is "RG"` + names},
		"from the right":    {entry("a\u202eb", nil), `spec.resources[0].metadata.name is "a\u202eb"` + names},
		"NUL":               {entry("a\x00b", nil), `spec.resources[0].metadata.name is "a\x00b"` + names},
		"a megabyte":        {entry(strings.Repeat("é", 1<<19), nil), `spec.resources[0].metadata.name is "` + strings.Repeat("é", 125) + `…"` + names},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.entry["spec"] == nil {
				delete(c.entry, "spec")
			}
			xr := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"resources": []any{c.entry}}}}
			got := ""
			if p := FromSpec(xr)[0].Err; p != nil {
				got = p.Message
			}
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func lists(levels int) any {
	var inner any
	for range levels {
		inner = []any{inner}
	}
	return inner
}

// TestStatusFitsIntoAnObject lets the messages of many resources be short rather than too long together.
func TestStatusFitsIntoAnObject(t *testing.T) {
	for _, n := range []int{1, 8, 256} {
		out := &Outcomes{}
		for range n {
			o := &unstructured.Unstructured{Object: map[string]any{}}
			o.SetName(strings.Repeat("é", 1000))
			out.Of = append(out.Of, Outcome{Object: o, State: aso.State{Reason: "X", Message: strings.Repeat("👩", 20000)}})
		}
		size := 0
		for _, item := range out.Resources() {
			m := item.(map[string]any)
			message, name := m["message"].(string), m["resource"].(map[string]any)["name"].(string)
			if !utf8.ValidString(message) || !utf8.ValidString(name) || len(name) > longestName || len(message) < shortestMessage-utf8.UTFMax {
				t.Fatalf("%d resources: message %.20q, name %.20q", n, message, name)
			}
			size += len(message)
		}
		if size > allMessages {
			t.Errorf("the messages of %d resources have %d bytes", n, size)
		}
	}
}
