package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	xv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	xv2 "github.com/crossplane/crossplane/apis/v2/apiextensions/v2"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/cluster-api/util/contract"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// columns are the printer columns of each kind before Crossplane's own.
var columns = map[string][]string{
	"AzureASOManagedCluster":              {"Cluster", "Provisioned", "Endpoint", "Reason", "Message"},
	"AzureASOManagedClusterTemplate":      nil,
	"AzureASOManagedControlPlane":         {"Cluster", "Initialized", "Version", "Endpoint", "Reason", "Message"},
	"AzureASOManagedControlPlaneTemplate": nil,
	"AzureASOManagedMachinePool":          {"Cluster", "Provisioned", "Replicas", "Reason", "Message"},
	"AzureASOManagedMachinePoolTemplate":  nil,
	"AzureCluster":                        {"Cluster", "Provisioned", "Location", "Resource Group", "SubscriptionID", "Endpoint", "Reason", "Message"},
	"AzureClusterIdentity":                {"Type"},
	"AzureClusterTemplate":                nil,
	"AzureMachine":                        {"Cluster", "Provisioned", "State", "Reason", "Message", "Machine", "VM ID", "VM Size"},
	"AzureMachinePool":                    {"Cluster", "Provisioned", "Replicas", "State", "Reason", "Message", "MachinePool", "VMSS ID", "VM Size"},
	"AzureMachineTemplate":                nil,
	"AzureManagedCluster":                 {"Cluster", "Provisioned", "Endpoint", "Reason", "Message"},
	"AzureManagedClusterTemplate":         nil,
	"AzureManagedControlPlane":            {"Cluster", "Initialized", "Version", "Endpoint", "Reason", "Message"},
	"AzureManagedControlPlaneTemplate":    nil,
	"AzureManagedMachinePool":             {"Cluster", "Provisioned", "Replicas", "Mode", "Reason", "Message"},
	"AzureManagedMachinePoolTemplate":     nil,
	"AKSCluster":                          {"Version", "Nodes", "Endpoint", "Message"},
	"XAKSCluster":                         {"Version", "Nodes", "Endpoint", "Message"},
}

var crossplaneColumns = []string{"SYNCED", "READY", "COMPOSITION", "COMPOSITIONREVISION", "AGE"}

// compositeCRD makes the CustomResourceDefinition that Crossplane makes from a definition, with Crossplane's own code.
func compositeCRD(t *testing.T, xrd *xv2.CompositeResourceDefinition) *extv1.CustomResourceDefinition {
	t.Helper()
	file, err := claimable(xrd)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	stored := &xv1.CompositeResourceDefinition{}
	if err := json.Unmarshal(raw, stored); err != nil {
		t.Fatal(err)
	}
	crd, err := xcrd.ForCompositeResource(stored)
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

func eachDefinition(t *testing.T, check func(*testing.T, *xv2.CompositeResourceDefinition)) {
	t.Helper()
	crds, err := loadCRDs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	crds = slices.DeleteFunc(crds, func(crd extv1.CustomResourceDefinition) bool { return !isComposite(crd) })
	if len(crds) != len(columns) {
		t.Errorf("found %d kinds, want %d", len(crds), len(columns))
	}
	for _, crd := range crds {
		t.Run(crd.Spec.Names.Kind, func(t *testing.T) {
			xrd, err := definition(crd)
			if err != nil {
				t.Fatal(err)
			}
			check(t, xrd)
		})
	}
}

func TestDefinitionGivesCRD(t *testing.T) {
	eachDefinition(t, func(t *testing.T, xrd *xv2.CompositeResourceDefinition) {
		crd := compositeCRD(t, xrd)
		kind := crd.Spec.Names.Kind
		if want := contract.CalculateCRDName(crd.Spec.Group, kind); crd.Name != want {
			t.Errorf("name is %s, Cluster API looks for %s", crd.Name, want)
		}
		checkColumns(t, kind, crd.Spec.Versions[0].AdditionalPrinterColumns)
		if crd.Spec.Group == composite.PlatformGroup {
			checkPlatformKind(t, crd)
			return
		}
		if crd.Spec.Scope != extv1.NamespaceScoped {
			t.Errorf("scope is %s", crd.Spec.Scope)
		}
		if diff := cmp.Diff(crdLabels, crd.Labels); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"cluster-api", "composite"}, crd.Spec.Names.Categories); diff != "" {
			t.Errorf("categories (-want +got):\n%s", diff)
		}
		if crd.Spec.Conversion != nil {
			t.Error("has a conversion, but its versions are alike")
		}
		checkVersions(t, crd)
	})
}

// checkVersions wants what CAPZ has: the AzureASOManaged kinds in two versions, the others in one. CAPZ has deprecated the
// AzureManaged kinds: here the API server warns of that, and nothing else follows from it.
func checkVersions(t *testing.T, crd *extv1.CustomResourceDefinition) {
	t.Helper()
	for _, v := range crd.Spec.Versions {
		if v.Subresources == nil || v.Subresources.Status == nil {
			t.Errorf("%s has no status subresource", v.Name)
		}
	}
	if strings.HasPrefix(crd.Spec.Names.Kind, "AzureASOManaged") {
		checkTwoVersions(t, crd)
		return
	}
	if len(crd.Spec.Versions) != 1 {
		t.Fatalf("has %d versions", len(crd.Spec.Versions))
	}
	only, deprecated := crd.Spec.Versions[0], strings.HasPrefix(crd.Spec.Names.Kind, "AzureManaged")
	if only.Name != "v1beta1" || !only.Served || !only.Storage || only.Deprecated != deprecated {
		t.Errorf("v1beta1 must be served and stored: %+v", only)
	}
	if deprecated && !strings.Contains(*only.DeprecationWarning, "AzureASOManaged") {
		t.Errorf("the warning %q does not name the successor", *only.DeprecationWarning)
	}
}

func checkTwoVersions(t *testing.T, crd *extv1.CustomResourceDefinition) {
	t.Helper()
	if len(crd.Spec.Versions) != 2 {
		t.Fatalf("has %d versions", len(crd.Spec.Versions))
	}
	alpha, beta := crd.Spec.Versions[0], crd.Spec.Versions[1]
	if alpha.Name != "v1alpha1" || !alpha.Served || alpha.Storage || !alpha.Deprecated || alpha.DeprecationWarning == nil {
		t.Errorf("v1alpha1 must be served, deprecated and not stored: %+v", alpha)
	}
	if beta.Name != "v1beta1" || !beta.Served || !beta.Storage || beta.Deprecated {
		t.Errorf("v1beta1 must be served and stored: %+v", beta)
	}
	if diff := cmp.Diff(alpha.Schema, beta.Schema); diff != "" {
		t.Errorf("schemas differ (-v1alpha1 +v1beta1):\n%s", diff)
	}
}

// checkColumns also refuses two columns that kubectl would print alike.
func checkColumns(t *testing.T, kind string, found []extv1.CustomResourceColumnDefinition) {
	t.Helper()
	var names, printed []string
	for _, c := range found {
		names = append(names, c.Name)
		if upper := strings.ToUpper(c.Name); slices.Contains(printed, upper) {
			t.Errorf("two columns are printed as %s", upper)
		} else {
			printed = append(printed, upper)
		}
	}
	if diff := cmp.Diff(slices.Concat(columns[kind], crossplaneColumns), names); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

// TestSchemasAreStructural checks what the API server demands of a schema, but for the CEL rules: cluster/local/schema has
// those compiled by a real API server.
func TestSchemasAreStructural(t *testing.T) {
	eachDefinition(t, func(t *testing.T, xrd *xv2.CompositeResourceDefinition) {
		for _, v := range compositeCRD(t, xrd).Spec.Versions {
			internal := &apiextensions.JSONSchemaProps{}
			if err := extv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, internal, nil); err != nil {
				t.Fatal(err)
			}
			structural, err := schema.NewStructural(internal)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range schema.ValidateStructural(field.NewPath(v.Name), structural) {
				t.Error(err)
			}
		}
	})
}

// TestEveryFieldIsDescribed walks the schemas as `kubectl explain` does.
func TestEveryFieldIsDescribed(t *testing.T) {
	eachDefinition(t, func(t *testing.T, xrd *xv2.CompositeResourceDefinition) {
		for _, v := range xrd.Spec.Versions {
			root := extv1.JSONSchemaProps{}
			if err := json.Unmarshal(v.Schema.OpenAPIV3Schema.Raw, &root); err != nil {
				t.Fatal(err)
			}
			if root.Description == "" {
				t.Errorf("%s has no description", v.Name)
			}
			checkDescriptions(t, v.Name, root)
		}
	})
}

func checkDescriptions(t *testing.T, path string, parent extv1.JSONSchemaProps) {
	t.Helper()
	for name, field := range parent.Properties {
		if field.Description == "" {
			t.Errorf("%s.%s has no description", path, name)
		}
		checkDescriptions(t, path+"."+name, field)
	}
	if parent.Items != nil && parent.Items.Schema != nil {
		checkDescriptions(t, path+"[]", *parent.Items.Schema)
	}
}

// TestFieldsHaveTitles looks at the fields that people fill in by the forms of a portal. Those below a field of Kubernetes' own have none.
func TestFieldsHaveTitles(t *testing.T) {
	checked := 0
	eachDefinition(t, func(t *testing.T, xrd *xv2.CompositeResourceDefinition) {
		kind, _ := composite.Lookup(xrd.GetCompositeGroupVersionKind().GroupKind())
		if !composite.Is(composite.Application, composite.Identity)(kind) {
			return
		}
		root := extv1.JSONSchemaProps{}
		if err := json.Unmarshal(xrd.Spec.Versions[0].Schema.OpenAPIV3Schema.Raw, &root); err != nil {
			t.Fatal(err)
		}
		spec := root.Properties["spec"]
		checked += checkTitles(t, "spec", spec, kind.Role == composite.Application)
	})
	if checked < 2*len(composite.Select(composite.Is(composite.Application, composite.Identity))) {
		t.Errorf("only %d fields were looked at", checked)
	}
}

func checkTitles(t *testing.T, path string, parent extv1.JSONSchemaProps, below bool) (checked int) {
	t.Helper()
	for name, field := range parent.Properties {
		if checked++; field.Title == "" {
			t.Errorf("%s.%s has no title", path, name)
		}
		if below {
			checked += checkTitles(t, path+"."+name, field, true)
		}
	}
	if item := itemOf(parent); below && item != nil {
		checked += checkTitles(t, path+"[]", *item, true)
	}
	return checked
}

func TestUnfold(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"Empty":      {},
		"Lines":      {text: "a\nb\nc", want: "a b c"},
		"Paragraphs": {text: "a\nb\n\nc\nd", want: "a b\n\nc d"},
		"Example":    {text: "a\nb\nExample: c\nd", want: "a b\nExample: c d"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, unfold(tc.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefinitionRefuses(t *testing.T) {
	names := func(kind string) extv1.CustomResourceDefinitionNames {
		return extv1.CustomResourceDefinitionNames{Kind: kind}
	}
	empty := &extv1.CustomResourceValidation{OpenAPIV3Schema: &extv1.JSONSchemaProps{}}
	cases := map[string]struct {
		spec extv1.CustomResourceDefinitionSpec
		want string
	}{
		"ClusterScope": {
			spec: extv1.CustomResourceDefinitionSpec{Group: composite.InfrastructureGroup, Scope: extv1.ClusterScoped, Names: names("AzureManagedCluster")},
			want: "scope is Cluster, but must be Namespaced",
		},
		"ClaimedButNamespaced": {
			spec: extv1.CustomResourceDefinitionSpec{
				Group: composite.PlatformGroup, Scope: extv1.NamespaceScoped, Names: names("XAKSCluster"),
			},
			want: "scope is Namespaced, but must be Cluster",
		},
		"UnknownKind": {
			spec: extv1.CustomResourceDefinitionSpec{Group: "example.org", Names: names("AzureManagedCluster")},
			want: "AzureManagedCluster.example.org is not in the catalogue of internal/composite",
		},
		"SelectableFields": {
			spec: extv1.CustomResourceDefinitionSpec{
				Group: composite.InfrastructureGroup, Scope: extv1.NamespaceScoped, Names: names("AzureManagedCluster"),
				Versions: []extv1.CustomResourceDefinitionVersion{{
					Name: "v1", Schema: empty, SelectableFields: []extv1.SelectableField{{JSONPath: ".spec.version"}},
				}},
			},
			want: "version v1: a definition cannot have selectable fields",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := definition(extv1.CustomResourceDefinition{Spec: tc.spec})
			if err == nil || err.Error() != tc.want {
				t.Errorf("error is %v, want %s", err, tc.want)
			}
		})
	}
}

func TestComposition(t *testing.T) {
	eachDefinition(t, func(t *testing.T, xrd *xv2.CompositeResourceDefinition) {
		c := composition(xrd)
		if c.Name != xrd.Spec.DefaultCompositionRef.Name {
			t.Errorf("the definition's default is %s, the Composition is %s", xrd.Spec.DefaultCompositionRef.Name, c.Name)
		}
		if len(c.Name) > validation.LabelValueMaxLength {
			t.Errorf("%s has %d characters, but Crossplane makes it a label, of at most %d", c.Name, len(c.Name), validation.LabelValueMaxLength)
		}
		want := xv1.TypeReference{APIVersion: composite.InfrastructureGroup + "/v1beta1", Kind: xrd.Spec.Names.Kind}
		if xrd.Spec.Group == composite.PlatformGroup {
			want.APIVersion = composite.PlatformGroup + "/v1alpha1"
		}
		if diff := cmp.Diff(want, c.Spec.CompositeTypeRef); diff != "" {
			t.Errorf("composite type (-want +got):\n%s", diff)
		}
		if hasInput := c.Spec.Pipeline[0].Input != nil; hasInput != (xrd.Spec.Group == composite.PlatformGroup) {
			t.Errorf("the step has an input: %v", hasInput)
		}
		if n := len(c.Spec.Pipeline); n != 1 || c.Spec.Pipeline[0].FunctionRef.Name != functionName {
			t.Errorf("pipeline is %+v", c.Spec.Pipeline)
		}
	})
}
