package composertest

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// TestEscapesAreFound has answers that reach beyond the composite's namespace, and some that do not.
func TestEscapesAreFound(t *testing.T) {
	asks := func(apiVersion, kind, namespace string) *fnv1.RunFunctionResponse {
		return &fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{
			"r": {ApiVersion: apiVersion, Kind: kind, Namespace: ptr.To(namespace)},
		}}}
	}
	composes := func(text string) *fnv1.RunFunctionResponse {
		return &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"c": {Resource: Struct(t, parsed(t, text))}}}}
	}
	const capi, capz, group = "cluster.x-k8s.io/v1beta2", "infrastructure.cluster.x-k8s.io/v1beta1", "apiVersion: resources.azure.com/v1, kind: ResourceGroup"
	cases := map[string]struct {
		rsp  *fnv1.RunFunctionResponse
		want string
	}{
		"asks at home":                {rsp: asks(capi, "Cluster", "home")},
		"asks for an identity":        {rsp: asks(capz, "AzureClusterIdentity", "elsewhere")},
		"asks elsewhere":              {rsp: asks(capi, "Cluster", "elsewhere"), want: "is for Cluster in namespace elsewhere"},
		"asks everywhere":             {rsp: asks(capi, "Cluster", ""), want: "is for no namespace"},
		"asks for a Secret":           {rsp: asks("v1", "Secret", "home"), want: "is for a Secret"},
		"composes at home":            {rsp: composes("{" + group + ", metadata: {name: a, namespace: home, labels: {a: b}, annotations: {a: b}}}")},
		"composes elsewhere":          {rsp: composes("{" + group + ", metadata: {name: a, namespace: elsewhere}}"), want: `is in namespace "elsewhere"`},
		"composes a Secret":           {rsp: composes("{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: home}}"), want: "is /v1, Kind=Secret"},
		"composes for someone else":   {rsp: composes("{" + group + ", metadata: {name: a, namespace: home, ownerReferences: [{name: x}]}}"), want: "has metadata.ownerReferences"},
		"composes what never ends":    {rsp: composes("{" + group + ", metadata: {name: a, namespace: home, finalizers: [a/b]}}"), want: "has metadata.finalizers"},
		"composes what is removed":    {rsp: composes("{" + group + ", metadata: {name: a, namespace: home, finalizers: [removal.infrastructure.cluster.x-k8s.io/in-azure]}}")},
		"composes in every namespace": {rsp: composes("{" + group + ", metadata: {name: a}}"), want: `is in namespace ""`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, xr := range []string{
				"{apiVersion: " + capz + ", kind: AzureManagedControlPlane, metadata: {name: x, namespace: home}}",
				"{apiVersion: platform.capz.crossplane.io/v1alpha1, kind: XAKSCluster, metadata: {name: x}, spec: {claimRef: {namespace: home}}}",
			} {
				got := strings.Join(Escapes(t, Request(t, parsed(t, xr)), tc.rsp), "; ")
				if (got != "") != (tc.want != "") || !strings.Contains(got, tc.want) {
					t.Errorf("got %q, want %q", got, tc.want)
				}
			}
		})
	}
}

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}
