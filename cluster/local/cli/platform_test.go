package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPlatformExamplesAreValid shows that what an application team applies has no mistake, in both forms.
func TestPlatformExamplesAreValid(t *testing.T) {
	for _, file := range []string{"akscluster.yaml", "claim.yaml"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			out, err := validate(t, tools.kinds, filepath.Join("examples", "platform", file), "")
			if err != nil || !strings.Contains(out, "1 success cases") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestWrongClusters are mistakes of an application team's that are found offline.
func TestWrongClusters(t *testing.T) {
	cases := map[string]struct{ right, wrong, message string }{
		"misspelled field": {"location: westeurope", "locaton: westeurope", `spec.locaton: Invalid value: "locaton": unknown field: "locaton"`},
		"name of a pool":   {"- name: work", "- name: Work", "spec.nodePools[1].name in body should match"},
		"version":          {"version: v1.33.6", "version: latest", "spec.version in body should match"},
	}
	for _, file := range []string{"akscluster.yaml", "claim.yaml"} {
		right := read(t, filepath.Join(tools.root, "examples", "platform", file))
		for name, tc := range cases {
			t.Run(file+"/"+name, func(t *testing.T) {
				t.Parallel()
				if !strings.Contains(right, tc.right) {
					t.Fatalf("%s does not have %q", file, tc.right)
				}
				out, err := validate(t, tools.kinds, "-", strings.Replace(right, tc.right, tc.wrong, 1))
				checkRefused(t, out, err, tc.message)
			})
		}
	}
}
