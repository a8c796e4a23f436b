package sides

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"

	ours "github.com/crossplane-capz/crossplane-capz/internal/admission"
)

// asked decides as the API server does which requests the webhook of defaults is asked about: by its rules and conditions in the
// provider package.
type asked struct {
	webhook    admissionregistrationv1.MutatingWebhook
	conditions matchconditions.Matcher
}

func newAsked(root string) (*asked, error) {
	content, err := os.ReadFile(root + "/package/provider/webhooks.yaml")
	if err != nil {
		return nil, err
	}
	mutating, _, _ := bytes.Cut(content, []byte("\n---\n"))
	configuration := &admissionregistrationv1.MutatingWebhookConfiguration{}
	if err := yaml.UnmarshalStrict(mutating, configuration); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(configuration.Webhooks, func(w admissionregistrationv1.MutatingWebhook) bool {
		return w.ClientConfig.Service != nil && *w.ClientConfig.Service.Path == ours.DefaultsPath
	})
	if at < 0 {
		return nil, fmt.Errorf("no webhook leads to %s", ours.DefaultsPath)
	}
	a := &asked{webhook: configuration.Webhooks[at]}
	var expressions []cel.ExpressionAccessor
	for _, condition := range a.webhook.MatchConditions {
		expressions = append(expressions, &matchconditions.MatchCondition{Name: condition.Name, Expression: condition.Expression})
	}
	compiler := cel.NewConditionCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	compiled := compiler.CompileCondition(expressions, cel.OptionalVariableDeclarations{HasAuthorizer: true}, environment.StoredExpressions)
	a.conditions = matchconditions.NewMatcher(compiled, a.webhook.FailurePolicy, "webhook", "admit", a.webhook.Name)
	return a, nil
}

// about reports whether the webhook is asked about an object that is created or, with the object before, changed.
func (a *asked) about(ctx context.Context, plural string, object, before *unstructured.Unstructured) (bool, error) {
	gvk, operation := object.GroupVersionKind(), admission.Create
	var old runtime.Object
	if before != nil {
		operation, old = admission.Update, before
	}
	if !slices.ContainsFunc(a.webhook.Rules, func(r admissionregistrationv1.RuleWithOperations) bool {
		return slices.Contains(r.APIGroups, gvk.Group) && slices.Contains(r.APIVersions, gvk.Version) && slices.Contains(r.Resources, plural) &&
			slices.Contains(r.Operations, admissionregistrationv1.OperationType(operation))
	}) {
		return false, nil
	}
	attributes := admission.NewAttributesRecord(object, old, gvk, object.GetNamespace(), object.GetName(), gvk.GroupVersion().WithResource(plural), "",
		operation, nil, false, &user.DefaultInfo{})
	result := a.conditions.Match(ctx, &admission.VersionedAttributes{Attributes: attributes, VersionedObject: object, VersionedOldObject: old, VersionedKind: gvk}, nil, nil)
	return result.Matches, result.Error
}
