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
)

// asked decides as the API server does which requests a webhook is asked about: by its rules and conditions in the provider package.
type asked struct {
	rules      []admissionregistrationv1.RuleWithOperations
	conditions matchconditions.Matcher
}

// askedAt returns what decides about the webhooks that are served at paths, by path.
func askedAt(root string, paths ...string) (map[string]*asked, error) {
	content, err := os.ReadFile(root + "/package/provider/webhooks.yaml")
	if err != nil {
		return nil, err
	}
	first, second, _ := bytes.Cut(content, []byte("\n---\n"))
	mutating, validating := &admissionregistrationv1.MutatingWebhookConfiguration{}, &admissionregistrationv1.ValidatingWebhookConfiguration{}
	if err := yaml.UnmarshalStrict(first, mutating); err != nil {
		return nil, err
	}
	if err := yaml.UnmarshalStrict(second, validating); err != nil {
		return nil, err
	}
	all := map[string]*asked{}
	for _, w := range mutating.Webhooks {
		if path := servedAt(w.ClientConfig); slices.Contains(paths, path) {
			all[path] = newAsked(w.Name, w.Rules, w.MatchConditions, w.FailurePolicy)
		}
	}
	for _, w := range validating.Webhooks {
		if path := servedAt(w.ClientConfig); slices.Contains(paths, path) {
			all[path] = newAsked(w.Name, w.Rules, w.MatchConditions, w.FailurePolicy)
		}
	}
	for _, path := range paths {
		if all[path] == nil {
			return nil, fmt.Errorf("no webhook leads to %s", path)
		}
	}
	return all, nil
}

func servedAt(client admissionregistrationv1.WebhookClientConfig) string {
	if client.Service == nil || client.Service.Path == nil {
		return ""
	}
	return *client.Service.Path
}

func newAsked(name string, rules []admissionregistrationv1.RuleWithOperations, conditions []admissionregistrationv1.MatchCondition, policy *admissionregistrationv1.FailurePolicyType) *asked {
	var expressions []cel.ExpressionAccessor
	for _, condition := range conditions {
		expressions = append(expressions, &matchconditions.MatchCondition{Name: condition.Name, Expression: condition.Expression})
	}
	compiler := cel.NewConditionCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	compiled := compiler.CompileCondition(expressions, cel.OptionalVariableDeclarations{HasAuthorizer: true}, environment.StoredExpressions)
	return &asked{rules: rules, conditions: matchconditions.NewMatcher(compiled, policy, "webhook", "admit", name)}
}

// about reports whether the webhook is asked about an object that is created, with the object before changed or, without it after, deleted.
func (a *asked) about(ctx context.Context, plural string, object, before *unstructured.Unstructured) (bool, error) {
	present, operation := object, admission.Create
	var after, old runtime.Object
	if object != nil {
		after = object
	}
	switch {
	case object == nil:
		present, operation, old = before, admission.Delete, before
	case before != nil:
		operation, old = admission.Update, before
	}
	gvk := present.GroupVersionKind()
	if !slices.ContainsFunc(a.rules, func(r admissionregistrationv1.RuleWithOperations) bool {
		return slices.Contains(r.APIGroups, gvk.Group) && slices.Contains(r.APIVersions, gvk.Version) && slices.Contains(r.Resources, plural) &&
			slices.Contains(r.Operations, admissionregistrationv1.OperationType(operation))
	}) {
		return false, nil
	}
	attributes := admission.NewAttributesRecord(after, old, gvk, present.GetNamespace(), present.GetName(), gvk.GroupVersion().WithResource(plural), "",
		operation, nil, false, &user.DefaultInfo{})
	result := a.conditions.Match(ctx, &admission.VersionedAttributes{Attributes: attributes, VersionedObject: after, VersionedOldObject: old, VersionedKind: gvk}, nil, nil)
	return result.Matches, result.Error
}
