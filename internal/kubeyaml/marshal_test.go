package kubeyaml

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestMarshal(t *testing.T) {
	usual := map[string]any{"b": []any{int64(1 << 60), 1.5, true, nil, "yes", "1", ""}, "a": map[string]any{"text": "two\nlines\n", "é": "  "}}
	got, err := Marshal(usual)
	if err != nil {
		t.Fatal(err)
	}
	want, err := yaml.Marshal(usual)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("not as sigs.k8s.io/yaml writes it (-want +got):\n%s", diff)
	}
	for r := rune(0); r < 0x3000; r++ {
		text := "a" + string(r) + "b"
		raw, err := Marshal(map[string]any{text: text})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		var back map[string]any
		if err := yaml.Unmarshal(raw, &back); err != nil || back[text] != text {
			t.Fatalf("%q: %q: %v, %v", text, raw, back, err)
		}
	}
}
