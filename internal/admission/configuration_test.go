package admission

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	arv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"
)

// TestConfigurationsMatch says that the configurations in the package send here what the handlers are for.
func TestConfigurationsMatch(t *testing.T) {
	text, err := os.ReadFile("../../package/provider/webhooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents := strings.Split(string(text), "\n---\n")
	if len(documents) != 2 {
		t.Fatalf("%d documents, want 2", len(documents))
	}
	mutating, validating := &arv1.MutatingWebhookConfiguration{}, &arv1.ValidatingWebhookConfiguration{}
	if err := yaml.UnmarshalStrict([]byte(documents[0]), mutating); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict([]byte(documents[1]), validating); err != nil {
		t.Fatal(err)
	}
	if len(mutating.Webhooks) != 2 || len(validating.Webhooks) != 2 {
		t.Fatalf("%d and %d webhooks, want two and two", len(mutating.Webhooks), len(validating.Webhooks))
	}
	for i, path := range []string{Path, PlatformPath} {
		checkLeads(t, mutating.Webhooks[i].ClientConfig, path, mutating.Webhooks[i].Rules, arv1.Create)
	}
	checkLeads(t, validating.Webhooks[0].ClientConfig, UninstallPath, validating.Webhooks[0].Rules, arv1.Delete)
	checkLeads(t, validating.Webhooks[1].ClientConfig, RemadePath, validating.Webhooks[1].Rules, arv1.Create)
	var guarded []string
	for _, rule := range validating.Webhooks[0].Rules {
		guarded = append(guarded, rule.Resources...)
	}
	slices.Sort(guarded)
	want := []string{"compositeresourcedefinitions", "configurationrevisions", "configurations", "customresourcedefinitions"}
	if diff := cmp.Diff(want, guarded); diff != "" {
		t.Errorf("guarded resources: -want +got:\n%s", diff)
	}
}

func checkLeads(t *testing.T, config arv1.WebhookClientConfig, path string, rules []arv1.RuleWithOperations, operation arv1.OperationType) {
	t.Helper()
	if config.Service == nil || config.Service.Path == nil || *config.Service.Path != path {
		t.Errorf("does not lead to %s: %v", path, config.Service)
	}
	for _, rule := range rules {
		if diff := cmp.Diff([]arv1.OperationType{operation}, rule.Operations); diff != "" {
			t.Errorf("operations of %s: -want +got:\n%s", path, diff)
		}
	}
}
