package schema

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// object makes an object of a kind of this project from the YAML of its spec, which is left out when empty.
func object(t *testing.T, kind, spec string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetAPIVersion(group + "/v1beta1")
	u.SetKind(kind)
	u.SetNamespace("default")
	u.SetName("checked")
	if spec != "" {
		raw, err := yaml.YAMLToJSON([]byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		// This decoder keeps integers, as clients of Kubernetes do.
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			t.Fatal(err)
		}
		u.Object["spec"] = value
	}
	return u
}

// TestRefused are mistakes that the API server answers, each with the field in the message.
func TestRefused(t *testing.T) {
	good := "{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: a}}"
	cases := map[string]struct {
		kind, name, spec string
		want             string
	}{
		"NoKind": {
			kind: "AzureASOManagedCluster",
			spec: "resources: [" + good + ", {apiVersion: resources.azure.com/v1api20200601, metadata: {name: a}}]",
			want: "spec.resources[1].kind: Required value",
		},
		"NoAPIVersion": {
			kind: "AzureASOManagedControlPlane", spec: "resources: [{kind: ManagedCluster, metadata: {name: a}}]",
			want: "spec.resources[0].apiVersion: Required value",
		},
		"NoMetadata": {
			kind: "AzureASOManagedMachinePool",
			spec: "resources: [{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedClustersAgentPool}]",
			want: "spec.resources[0]: Invalid value: needs a metadata.name",
		},
		"NoName": {
			kind: "AzureASOManagedCluster",
			spec: "resources: [" + good + ", {apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {labels: {a: b}}}]",
			want: "spec.resources[1]: Invalid value: needs a metadata.name",
		},
		"EmptyName": {
			kind: "AzureASOManagedCluster",
			spec: `resources: [{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: ""}}]`,
			want: "spec.resources[0]: Invalid value: needs a metadata.name",
		},
		"BadAPIVersion": {
			kind: "AzureASOManagedCluster", spec: "resources: [{apiVersion: a/b/c, kind: ResourceGroup, metadata: {name: a}}]",
			want: "spec.resources[0].apiVersion: Invalid value",
		},
		"ResourcesNoList": {
			kind: "AzureASOManagedCluster", spec: "resources: {}",
			want: `spec.resources: Invalid value: "object"`,
		},
		"ResourceNoObject": {
			kind: "AzureASOManagedCluster", spec: "resources: [my-resource-group]",
			want: `spec.resources[0]: Invalid value: "string"`,
		},
		"PortAsText": {
			kind: "AzureASOManagedCluster", spec: `controlPlaneEndpoint: {host: a, port: "443"}`,
			want: `spec.controlPlaneEndpoint.port: Invalid value: "string"`,
		},
		"HostTooLong": {
			kind: "AzureASOManagedCluster", spec: "controlPlaneEndpoint: {host: " + strings.Repeat("a", 513) + "}",
			want: "spec.controlPlaneEndpoint.host: Too long",
		},
		"VersionAsNumber": {
			kind: "AzureASOManagedControlPlane", spec: "version: 1.33",
			want: `spec.version: Invalid value: "number"`,
		},
		"VersionInWords": {
			kind: "AzureASOManagedControlPlane", spec: "version: latest",
			want: `spec.version: Invalid value: "latest": must be a Kubernetes version that AKS knows the form of, such as v1.33.6`,
		},
		"ProviderIDAsNumber": {
			kind: "AzureASOManagedMachinePool", spec: "providerIDList: [1]",
			want: `spec.providerIDList[0]: Invalid value: "integer"`,
		},
		"NoSpec":        {kind: "AzureASOManagedCluster", want: "spec: Required value"},
		"NoTemplate":    {kind: "AzureASOManagedClusterTemplate", spec: "{}", want: "spec.template: Required value"},
		"NameTooLong":   {kind: "AzureASOManagedCluster", name: strings.Repeat("a", 64), spec: "{}", want: "metadata.name: Too long"},
		"UnknownField":  {kind: "AzureASOManagedCluster", spec: "location: westeurope", want: `unknown field "spec.location"`},
		"TemplateTypes": {kind: "AzureASOManagedMachinePoolTemplate", spec: "template: {spec: {version: 1}}", want: "spec.template.spec.version: Invalid value"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			u := object(t, tc.kind, tc.spec)
			if tc.name != "" {
				u.SetName(tc.name)
			}
			for _, version := range []string{"v1beta1", "v1alpha1"} {
				u.SetAPIVersion(group + "/" + version)
				err := server.client.Create(context.Background(), u.DeepCopy(), client.DryRunAll)
				if !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) {
					t.Errorf("%s: error is %v, want a refusal", version, err)
				} else if !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%s: error is\n%v\nwant it to have\n%s", version, err, tc.want)
				}
			}
		})
	}
}

// TestAccepted are forms that work with CAPZ and could be lost by a rule too many.
func TestAccepted(t *testing.T) {
	cases := map[string]struct{ kind, spec string }{
		"NothingYet":         {kind: "AzureASOManagedCluster", spec: "{}"},
		"NoResources":        {kind: "AzureASOManagedCluster", spec: "resources: []"},
		"ZeroEndpoint":       {kind: "AzureASOManagedCluster", spec: `controlPlaneEndpoint: {host: "", port: 0}`},
		"NoVersion":          {kind: "AzureASOManagedControlPlane", spec: `version: ""`},
		"MinorVersion":       {kind: "AzureASOManagedControlPlane", spec: "version: v1.33"},
		"VersionWithoutV":    {kind: "AzureASOManagedControlPlane", spec: `version: "1.33.6"`},
		"LongTermVersion":    {kind: "AzureASOManagedControlPlane", spec: "version: v1.27.101"},
		"SameNameTwice":      {kind: "AzureASOManagedCluster", spec: "resources: [{apiVersion: a/v1, kind: A, metadata: {name: a}}, {apiVersion: a/v1, kind: A, metadata: {name: a}}]"},
		"CoreKind":           {kind: "AzureASOManagedCluster", spec: "resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]"},
		"NamespaceInside":    {kind: "AzureASOManagedCluster", spec: "resources: [{apiVersion: a/v1, kind: A, metadata: {name: a, namespace: elsewhere}}]"},
		"Composition":        {kind: "AzureASOManagedCluster", spec: "crossplane: {compositionRef: {name: mine}}"},
		"PartOfAResource":    {kind: "AzureASOManagedClusterTemplate", spec: "template: {spec: {resources: [{spec: {location: westeurope}}]}}"},
		"PoolTemplateFields": {kind: "AzureASOManagedMachinePoolTemplate", spec: "template: {spec: {version: v1.33.6, providerIDList: [a]}}"},
		"TemplateMetadata":   {kind: "AzureASOManagedControlPlaneTemplate", spec: "template: {metadata: {labels: {a: b}, annotations: {c: d}}}"},
		"EmptyTemplate":      {kind: "AzureASOManagedControlPlaneTemplate", spec: "template: {}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, version := range []string{"v1beta1", "v1alpha1"} {
				u := object(t, tc.kind, tc.spec)
				u.SetAPIVersion(group + "/" + version)
				dryRun(t, u)
			}
		})
	}
}

// unknown is an ASO object of a kind, a version and with fields that nobody knows, in every JSON type.
const unknown = `
resources:
- apiVersion: future.azure.com/v2099preview
  kind: Spaceport
  metadata:
    name: pad
    labels: {team: moon}
    annotations: {serviceoperator.azure.com/credential-from: other}
  spec:
    azureName: PAD
    nothing: null
    launches: 9007199254740991
    gravity: 1.62
    open: false
    list: [1, two, {three: 3}, [4]]
    deep: {deeper: {deepest: [{a: {}}, {}, []]}}
  topLevel: kept as well
`

// TestKeepsUnknownFields writes unknown ASO fields by create, update and server-side apply.
func TestKeepsUnknownFields(t *testing.T) {
	ctx := context.Background()
	for _, kind := range []string{"AzureASOManagedCluster", "AzureASOManagedControlPlane", "AzureASOManagedMachinePool"} {
		t.Run(kind, func(t *testing.T) {
			u := object(t, kind, unknown)
			want := u.DeepCopy().Object["spec"]
			t.Run("Create", func(t *testing.T) { checkRoundTrip(t, u.DeepCopy(), "v1alpha1") })
			if err := server.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u.DeepCopy()), client.FieldOwner("first")); err != nil {
				t.Fatal(err)
			}
			read := object(t, kind, "")
			if err := server.client.Get(ctx, client.ObjectKeyFromObject(u), read); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, read.Object["spec"]); diff != "" {
				t.Errorf("after server-side apply (-written +read):\n%s", diff)
			}
			read.SetLabels(map[string]string{"changed": "true"})
			if err := server.client.Update(ctx, read); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, read.Object["spec"]); diff != "" {
				t.Errorf("after update (-written +read):\n%s", diff)
			}
			if err := server.client.Delete(ctx, read); err != nil {
				t.Fatal(err)
			}
		})
	}
}
