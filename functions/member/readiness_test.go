package member

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

func TestAnnounceVersion(t *testing.T) {
	announced := func(version string) []any { return []any{map[string]any{"version": version, "replicas": int64(0)}} }
	running := []any{map[string]any{"version": "v1.33.6"}}
	cases := map[string]struct {
		wanted     any
		topology   any
		lacksPools bool
		status     map[string]any
		want       any
	}{
		"a topology without pools":            {wanted: "v1.33.6", topology: map[string]any{}, lacksPools: true, want: announced("v1.33.6")},
		"without a v":                         {wanted: "1.33.6", topology: map[string]any{}, lacksPools: true, want: announced("v1.33.6")},
		"another version is wanted meanwhile": {wanted: "v1.34.0", topology: map[string]any{}, lacksPools: true, status: map[string]any{"versions": announced("v1.33.6")}, want: announced("v1.34.0")},
		"pools have come":                     {wanted: "v1.33.6", topology: map[string]any{}, status: map[string]any{"versions": announced("v1.33.6")}},
		"no topology":                         {wanted: "v1.33.6", lacksPools: true},
		"no version":                          {topology: map[string]any{}, lacksPools: true},
		"it has come up": {wanted: "v1.34.0", topology: map[string]any{}, lacksPools: true,
			status: map[string]any{"version": "v1.33.6", "versions": running}, want: running},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			spec := func(field string, value any) *unstructured.Unstructured {
				if value == nil {
					return &unstructured.Unstructured{Object: map[string]any{}}
				}
				return &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{field: value}}}
			}
			status := map[string]any{"ready": false}
			for field, value := range c.status {
				status[field] = value
			}
			AnnounceVersion(&composer.Request{XR: spec("version", c.wanted)}, spec("topology", c.topology), status, c.lacksPools)
			if diff := cmp.Diff(c.want, status["versions"]); diff != "" {
				t.Errorf("status.versions: -want +got:\n%s", diff)
			}
		})
	}
}
