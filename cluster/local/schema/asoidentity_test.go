package schema

import (
	"strings"
	"testing"
)

// TestIdentityOfASO asks the API server for what is about spec.identityRef and spec.subscriptionID of AzureASOManagedControlPlanes,
// which CAPZ does not have.
func TestIdentityOfASO(t *testing.T) {
	with := func(spec string) string {
		return "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedControlPlane, metadata: {name: cp}, spec: " + spec + "}"
	}
	const inOne = "{identityRef: {name: id}, subscriptionID: one}"
	cases := map[string][]step{
		"neither":             {{create: with("{}")}},
		"a subscription only": {{create: with("{subscriptionID: one}"), refused: "spec.subscriptionID: Invalid value: goes with identityRef only"}},
		"both":                {{create: with(inOne)}},
		"a whole reference":   {{create: with("{identityRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, name: id, namespace: ids}}")}},
		"no name":             {{create: with("{identityRef: {namespace: ids}}"), refused: "spec.identityRef.name: Required value: must name an AzureClusterIdentity"}},
		"another kind":        {{create: with("{identityRef: {kind: Secret, name: id}}"), refused: "spec.identityRef.kind: Invalid value: must be AzureClusterIdentity"}},
		"added later":         {{create: with("{}")}, {change: with("{identityRef: {name: id}}"), refused: "spec.subscriptionID: Required value: is needed with an identityRef that is set later"}, {change: with(inOne)}},
		"another identity":    {{create: with(inOne)}, {change: with("{identityRef: {name: other}}")}},
		"no identity":         {{create: with(inOne)}, {change: with("{identityRef: null}"), refused: "spec.identityRef: Forbidden: cannot be taken away again"}},
		"another subscription": {
			{create: with(inOne)}, {change: with("{subscriptionID: two}"), refused: "spec.subscriptionID: Forbidden: cannot be changed from one"},
			{change: with("{subscriptionID: null}"), refused: "spec.subscriptionID: Forbidden: cannot be changed from one"},
		},
		"a cloud": {
			{create: with("{identityRef: {name: id}, subscriptionID: one, azureEnvironment: AzureChinaCloud}")},
			{change: with("{azureEnvironment: AzurePublicCloud}"), refused: "spec.azureEnvironment: Forbidden: cannot be changed from AzureChinaCloud to AzurePublicCloud"},
			{change: with("{azureEnvironment: null}"), refused: "spec.azureEnvironment: Forbidden: cannot be changed from AzureChinaCloud to nothing"},
		},
		"a cloud only":         {{create: with("{azureEnvironment: AzureChinaCloud}"), refused: "spec.azureEnvironment: Invalid value: goes with identityRef only"}},
		"a cloud that is gone": {{create: with("{identityRef: {name: id}, azureEnvironment: AzureGermanCloud}"), refused: "spec.azureEnvironment: Unsupported value"}},
		"a cloud with a later identity": {
			{create: with("{}")}, {change: with("{identityRef: {name: id}, subscriptionID: one, azureEnvironment: AzureChinaCloud}")},
		},
		"a subscription later": {{create: with("{identityRef: {name: id}}")}, {change: with(inOne)}},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			namespace := newNamespace(t)
			for _, s := range steps {
				err := s.do(t, namespace)
				if (err != nil) != (s.refused != "") || err != nil && !strings.Contains(err.Error(), s.refused) {
					t.Fatalf("answer is %v, want %q", err, s.refused)
				}
			}
		})
	}
}
