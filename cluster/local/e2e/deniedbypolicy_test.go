package e2e

import (
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// policyAgainst has the API server deny ResourceGroups of a name, as a platform team's policy does.
func policyAgainst(w *world, name string) ([]*unstructured.Unstructured, error) {
	return parse(fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: %[1]s}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules: [{apiGroups: [resources.azure.com], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: [resourcegroups]}]
  matchConditions: [{name: this, expression: 'request.namespace == "%[1]s" && request.name == "%[2]s"'}]
  validations: [{expression: "false", message: not with this policy}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: %[1]s}
spec:
  policyName: %[1]s
  validationActions: [Deny]
`, w.namespace, name))
}

// withPolicy does something with the objects of the policy.
func withPolicy(act func(w *world, u *unstructured.Unstructured) error) func(*world) error {
	return func(w *world) error {
		objects, err := policyAgainst(w, "denied")
		for _, u := range objects {
			err = errors.Join(err, act(w, u))
		}
		return err
	}
}

// policyWorks expects that the API server has taken the policy up, which it does a moment after it was made.
func policyWorks(w *world) []string {
	group := object(resourceGroupKind, w.namespace, "denied")
	if err := setField(group.Object, "spec.location", "northeurope"); err != nil {
		return []string{err.Error()}
	}
	err := w.client.Create(w.ctx, group, client.DryRunAll)
	if err == nil || !strings.Contains(err.Error(), "not with this policy") {
		return []string{fmt.Sprintf("the policy denies nothing: %v", err)}
	}
	return nil
}

// restingTime is how long nobody may write an object that waits for its user.
const restingTime = 5 * time.Second

// unwritten expects that nobody writes an object any more: what waits for its user must not be tried again and again. It takes as long as
// restingTime.
func unwritten(gvk schema.GroupVersionKind, name string) expectation {
	return func(w *world) []string {
		first, err := w.get(gvk, name)
		if err != nil {
			return []string{err.Error()}
		}
		time.Sleep(restingTime)
		last, err := w.get(gvk, name)
		switch {
		case err != nil:
			return []string{err.Error()}
		case first.GetResourceVersion() == last.GetResourceVersion():
			return nil
		}
		return []string{fmt.Sprintf("%s %s is not left alone: within %s it went from generation %d to %d, from resourceVersion %s to %s",
			gvk.Kind, name, restingTime, first.GetGeneration(), last.GetGeneration(), first.GetResourceVersion(), last.GetResourceVersion())}
	}
}

// deniedByPolicy has an entry that only the API server's answer tells to be wrong. The rest goes on.
var deniedByPolicy = []step{
	{
		name: "a policy that denies a group",
		act: withPolicy(func(w *world, u *unstructured.Unstructured) error {
			if err := w.client.Create(w.ctx, u); !apierrors.IsAlreadyExists(err) {
				return err
			}
			return nil
		}),
		expect: []expectation{policyWorks},
	},
	{
		name: "mistake: two entries, one of which the policy denies",
		act: all(func(w *world) error {
			return w.edit(asoClusterKind, clusterName, func(u *unstructured.Unstructured) error {
				for _, name := range []string{"denied", "beside"} {
					err := moreEntry("apiVersion: resources.azure.com/v1api20200601\nkind: ResourceGroup\nmetadata: {name: " + name + "}\nspec: {location: northeurope}")(u)
					if err != nil {
						return err
					}
				}
				return nil
			})
		}),
		expect: []expectation{
			entry(asoClusterKind, clusterName, "ResourceGroup/denied", false, "RefusedByAPIServer", "not with this policy"),
			entry(asoClusterKind, clusterName, "ResourceGroup/beside", true, "", ""),
			condition(asoClusterKind, clusterName, "Ready", "False", "spec.resources[1] (ResourceGroup denied) is refused by the API server"),
			condition(clusterKind, clusterName, "InfrastructureReady", "False", "not with this policy"),
		},
		stays: []expectation{because(resourceGroupKind.Kind, "not with this policy"), unwritten(asoClusterKind, clusterName)}, staysFor: time.Second,
	},
	{
		name: "taken back: two entries, one of which the policy denies",
		act: func(w *world) error {
			return w.edit(asoClusterKind, clusterName, func(u *unstructured.Unstructured) error {
				list, err := entries(u)
				if err != nil {
					return err
				}
				return unstructured.SetNestedSlice(u.Object, list[:1], "spec", "resources")
			})
		},
		expect: []expectation{silent(asoClusterKind, clusterName, "is refused by the API server"), gone(resourceGroupKind, "beside"), available},
		goes:   []removal{{"ResourceGroup/beside", "/resourceGroups/beside"}},
	},
	{
		// Earlier, the group that it denies would be made before its entry is gone.
		name: "the policy is taken away",
		act: withPolicy(func(w *world, u *unstructured.Unstructured) error {
			if err := w.client.Delete(w.ctx, u); !apierrors.IsNotFound(err) {
				return err
			}
			return nil
		}),
		expect: []expectation{available},
	},
}
