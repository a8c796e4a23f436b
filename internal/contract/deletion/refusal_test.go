package deletion

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

func TestRefusal(t *testing.T) {
	condition := func(severity string, observed int64) func(*unstructured.Unstructured) {
		return func(obj *unstructured.Unstructured) {
			obj.SetGeneration(2)
			obj.Object["status"] = map[string]any{"conditions": []any{map[string]any{
				"type": "Ready", "status": "False", "severity": severity, "observedGeneration": observed,
				"reason": "OperationNotAllowed", "message": "the last System pool",
			}}}
		}
	}
	tests := map[string]struct {
		changes []fixture.Change
		want    string
	}{
		"not being deleted": {changes: []fixture.Change{condition("Warning", 2)}},
		"refused":           {changes: []fixture.Change{fixture.Deleting("f"), condition("Warning", 2)}, want: "OperationNotAllowed the last System pool"},
		"refused for good":  {changes: []fixture.Change{fixture.Deleting("f"), condition("Error", 2)}, want: "OperationNotAllowed the last System pool"},
		"in progress":       {changes: []fixture.Change{fixture.Deleting("f"), condition("Info", 2)}},
		"an older failure":  {changes: []fixture.Change{fixture.Deleting("f"), condition("Warning", 1)}},
		"nothing reported":  {changes: []fixture.Change{fixture.Deleting("f")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			reason, message := refusal(fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), tc.changes...))
			got := ""
			if message != "" {
				got = reason + " " + message
			}
			if got != tc.want {
				t.Errorf("refusal = %q, want %q", got, tc.want)
			}
		})
	}
}
