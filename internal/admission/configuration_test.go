package admission

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	arv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// TestConfigurationsMatch shows that the configurations in the package send here what the handlers are for.
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
	var asked []leads
	for _, w := range mutating.Webhooks {
		asked = append(asked, leadsTo(t, w.ClientConfig, w.Rules))
	}
	for _, w := range validating.Webhooks {
		asked = append(asked, leadsTo(t, w.ClientConfig, w.Rules))
	}
	wanted := []leads{
		{Path, []arv1.OperationType{arv1.Create}},
		{DefaultsPath, []arv1.OperationType{arv1.Create, arv1.Update}},
		{SelfManagedDefaultsPath, []arv1.OperationType{arv1.Create, arv1.Update}},
		{PlatformPath, []arv1.OperationType{arv1.Create}},
		{TopologyPath, []arv1.OperationType{arv1.Update}},
		{UninstallPath, []arv1.OperationType{arv1.Delete}},
		{RemadePath, []arv1.OperationType{arv1.Create}},
		{ControlPlanePath, []arv1.OperationType{arv1.Create, arv1.Update}},
		{ManagedPoolPath, []arv1.OperationType{arv1.Update, arv1.Delete}},
		{ManagedClusterPath, []arv1.OperationType{arv1.Create, arv1.Update}},
		{MachinePoolPath, []arv1.OperationType{arv1.Create, arv1.Update, arv1.Delete}},
		{MachinePath, []arv1.OperationType{arv1.Create, arv1.Update}},
		{IdentitySecretPath, []arv1.OperationType{arv1.Create, arv1.Update}},
		{IdentityOperatorPath, []arv1.OperationType{arv1.Create, arv1.Update}},
	}
	if diff := cmp.Diff(wanted, asked); diff != "" {
		t.Errorf("webhooks: -want +got:\n%s", diff)
	}
	for _, kind := range composite.Select(composite.Is(composite.ControlPlane)) {
		if asked := mutating.Webhooks[4].MatchConditions[0].Expression; !strings.Contains(asked, "'"+kind.Kind+"'") {
			t.Errorf("the webhook of topologies is not asked about %s", kind.Kind)
		}
	}
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

// leads is where a webhook leads, and for which operations.
type leads struct {
	Path       string
	Operations []arv1.OperationType
}

func leadsTo(t *testing.T, config arv1.WebhookClientConfig, rules []arv1.RuleWithOperations) leads {
	t.Helper()
	if config.Service == nil || config.Service.Path == nil {
		t.Fatalf("leads nowhere: %v", config)
	}
	to := leads{Path: *config.Service.Path, Operations: rules[0].Operations}
	for _, rule := range rules {
		if diff := cmp.Diff(to.Operations, rule.Operations); diff != "" {
			t.Errorf("operations of %s: -want +got:\n%s", to.Path, diff)
		}
	}
	return to
}

// TestIdentityConditions shows that a change of any field of an AzureClusterIdentity that a person writes is asked about.
func TestIdentityConditions(t *testing.T) {
	text, err := os.ReadFile("../../package/provider/webhooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, document, _ := strings.Cut(string(text), "\n---\n")
	validating := &arv1.ValidatingWebhookConfiguration{}
	if err := yaml.UnmarshalStrict([]byte(document), validating); err != nil {
		t.Fatal(err)
	}
	var fields []string
	spec := reflect.TypeFor[v1beta1.AzureClusterIdentitySpec]()
	for i := range spec.NumField() {
		if name, _, _ := strings.Cut(spec.Field(i).Tag.Get("json"), ","); name != "" {
			fields = append(fields, name)
		}
	}
	found := 0
	for _, w := range validating.Webhooks {
		if path := *w.ClientConfig.Service.Path; path != IdentitySecretPath && path != IdentityOperatorPath {
			continue
		}
		found++
		at := slices.IndexFunc(w.MatchConditions, func(c arv1.MatchCondition) bool { return c.Name == "written" })
		for _, field := range fields {
			if !strings.Contains(w.MatchConditions[at].Expression, "'"+field+"'") {
				t.Errorf("%s is not asked about %s", w.Name, field)
			}
		}
	}
	if found != 2 || len(fields) < 9 {
		t.Errorf("%d webhooks and %d fields", found, len(fields))
	}
}
