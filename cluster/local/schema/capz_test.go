package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestTakesWhatCAPZTakes compares the schemas with CAPZ's: every kind, version and field of CAPZ's is there under the same
// name and with the same type, and nothing that CAPZ leaves free is demanded or limited.
func TestTakesWhatCAPZTakes(t *testing.T) {
	theirs, err := capzCRDs(capzDir(t))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := ownCRDs()
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(ours, func(_ string, crd *extv1.CustomResourceDefinition) bool { return crd.Spec.Group != group })
	if len(theirs) != 19 || len(ours) != 19 {
		t.Fatalf("CAPZ has %d kinds, here are %d, both should be 19", len(theirs), len(ours))
	}
	for plural, their := range theirs {
		t.Run(plural, func(t *testing.T) {
			our := ours[plural]
			if our == nil {
				t.Fatal("is missing")
			}
			if diff := cmp.Diff(withoutCategories(their.Spec.Names), withoutCategories(our.Spec.Names)); diff != "" {
				t.Errorf("names (-CAPZ +here):\n%s", diff)
			}
			if our.Spec.Scope != their.Spec.Scope {
				t.Errorf("scope is %s, CAPZ has %s", our.Spec.Scope, their.Spec.Scope)
			}
			allowed := allowedLimits
			if !strings.HasPrefix(plural, "azureasomanaged") {
				ignoreWebhooks(their, our)
				allowed = allowedTypedLimits
			}
			for _, v := range their.Spec.Versions {
				compareVersion(t, v, our.Spec.Versions, allowed)
			}
		})
	}
}

func withoutCategories(names extv1.CustomResourceDefinitionNames) extv1.CustomResourceDefinitionNames {
	names.Categories = nil
	return names
}

func compareVersion(t *testing.T, their extv1.CustomResourceDefinitionVersion, ours []extv1.CustomResourceDefinitionVersion, allowed map[string]string) {
	t.Helper()
	i := slices.IndexFunc(ours, func(v extv1.CustomResourceDefinitionVersion) bool { return v.Name == their.Name })
	if i < 0 {
		t.Errorf("version %s is missing", their.Name)
		return
	}
	our := ours[i]
	if our.Served != their.Served || our.Storage != their.Storage || our.Deprecated != their.Deprecated {
		t.Errorf("%s: served %t, stored %t, deprecated %t; CAPZ has %t, %t, %t", their.Name,
			our.Served, our.Storage, our.Deprecated, their.Served, their.Storage, their.Deprecated)
	}
	for _, difference := range stricter(their.Name, *their.Schema.OpenAPIV3Schema, *our.Schema.OpenAPIV3Schema, allowed) {
		t.Error(difference)
	}
}

// allowedRequired are the fields that are required here and not by CAPZ, with the reason.
var allowedRequired = map[string]string{
	"spec": "Crossplane requires it of every composite resource; an object without it would do nothing",
}

// otherInStatus are the fields of status that have another form than CAPZ's, with the reason.
var otherInStatus = map[string]string{
	"conditions":     "Crossplane brings the schema of conditions",
	"failureDomains": "a list, as Cluster API's contract v1beta2 wants it of kinds that keep that",
}

// stricter lists in what the schema ours may refuse or drop something that the schema theirs keeps.
func stricter(path string, theirs, ours extv1.JSONSchemaProps, allowed map[string]string) []string {
	var out []string
	report := func(format string, args ...any) { out = append(out, path+": "+fmt.Sprintf(format, args...)) }
	if ours.Type != theirs.Type || ours.Format != theirs.Format {
		report("type is %s %s, CAPZ has %s %s", ours.Type, ours.Format, theirs.Type, theirs.Format)
	}
	if preserves(theirs) && !preserves(ours) {
		report("unknown fields are dropped")
	}
	for _, name := range ours.Required {
		_, atRoot := allowedRequired[name]
		atRoot = atRoot && !strings.Contains(path, ".")
		if !atRoot && !slices.Contains(theirs.Required, name) {
			report("requires %s, CAPZ does not", name)
		}
	}
	if diff := cmp.Diff(limitsOf(theirs), limitsOf(withoutOwnRules(theirs, ours))); diff != "" && allowed[strings.Replace(path, ".template.spec.", ".", 1)] == "" {
		report("limits differ (-CAPZ +here):\n%s", diff)
	}
	for name, field := range theirs.Properties {
		our, ok := ours.Properties[name]
		if !ok {
			report("has no %s", name)
			continue
		}
		if name == "metadata" && !strings.Contains(path, ".") {
			continue // Crossplane limits the name of every composite resource to 63 characters
		}
		if path == "v1beta1.status" && otherInStatus[name] != "" {
			continue
		}
		out = append(out, stricter(path+"."+name, field, our, allowed)...)
	}
	if theirs.Items != nil && ours.Items != nil {
		out = append(out, stricter(path+"[]", *theirs.Items.Schema, *ours.Items.Schema, allowed)...)
	}
	if theirs.AdditionalProperties != nil && ours.AdditionalProperties != nil {
		out = append(out, stricter(path+"{}", *theirs.AdditionalProperties.Schema, *ours.AdditionalProperties.Schema, allowed)...)
	}
	return out
}

// withoutOwnRules leaves out the rules about fields that CAPZ does not have.
func withoutOwnRules(theirs, ours extv1.JSONSchemaProps) extv1.JSONSchemaProps {
	ours.XValidations = slices.DeleteFunc(slices.Clone(ours.XValidations), func(rule extv1.ValidationRule) bool {
		field := strings.TrimPrefix(rule.FieldPath, ".")
		_, known := theirs.Properties[field]
		return field != "" && !known
	})
	return ours
}

func preserves(s extv1.JSONSchemaProps) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// limits are what may refuse a value of the right type, and what may change it.
type limits struct {
	MaxLength, MinLength, MaxItems, MinItems *int64
	Maximum, Minimum                         *float64
	Pattern, Default, ListType               string
	Enum                                     []string
	Rules                                    []string
	Embedded                                 bool
}

func limitsOf(s extv1.JSONSchemaProps) limits {
	out := limits{
		MaxLength: s.MaxLength, MinLength: s.MinLength, MaxItems: s.MaxItems, MinItems: s.MinItems,
		Maximum: s.Maximum, Minimum: s.Minimum, Pattern: s.Pattern, Embedded: s.XEmbeddedResource,
	}
	for _, value := range s.Enum {
		out.Enum = append(out.Enum, string(value.Raw))
	}
	slices.Sort(out.Enum)
	if s.Default != nil {
		out.Default = string(s.Default.Raw)
	}
	// Atomic is what a list without a type is.
	if s.XListType != nil && *s.XListType != "atomic" {
		out.ListType = *s.XListType
	}
	for _, rule := range s.XValidations {
		out.Rules = append(out.Rules, rule.Rule)
	}
	return out
}

// allowedLimits are the fields with a rule that CAPZ does not have. Each refuses only what fails with CAPZ as well, if
// later: TestRefused has the cases.
var allowedLimits = map[string]string{
	"v1beta1.spec.resources[]": wholeObject, "v1alpha1.spec.resources[]": wholeObject,
	"v1beta1.spec.resources": bounded, "v1alpha1.spec.resources": bounded,
	"v1beta1.spec.providerIDList": bounded, "v1alpha1.spec.providerIDList": bounded,
	"v1beta1.spec.version": versionForm, "v1alpha1.spec.version": versionForm,
	"v1beta1.status.version": writtenHere, "v1alpha1.status.version": writtenHere,
}

const (
	wholeObject = "a whole Kubernetes object with a name"
	versionForm = "the form of an AKS version"
	writtenHere = "function-capz writes no longer one"
	bounded     = "a list with so many entries that the controllers would work on it for long"
)

// allowedTypedLimits are the limits and defaults of the typed kinds that are not those of CAPZ's definitions, with the reason.
// What is below spec.template.spec goes by the name that it has below spec.
var allowedTypedLimits = map[string]string{
	"v1beta1.spec.sku":                                                    "CAPZ's webhook writes the default",
	"v1beta1.spec.virtualNetwork.cidrBlock":                               "the default is another with networkPluginMode overlay",
	"v1beta1.spec.virtualNetwork.subnet.cidrBlock":                        "the default is another with networkPluginMode overlay",
	"v1beta1.spec.loadBalancerProfile.managedOutboundIPs":                 "CAPZ's webhook refuses others",
	"v1beta1.spec.loadBalancerProfile.allocatedOutboundPorts":             "CAPZ's webhook refuses others",
	"v1beta1.spec.loadBalancerProfile.idleTimeoutInMinutes":               "CAPZ's webhook refuses others",
	"v1beta1.spec.autoscalerProfile.maxEmptyBulkDelete":                   "CAPZ's webhook refuses others",
	"v1beta1.spec.maxPods":                                                "CAPZ's webhook refuses others",
	"v1beta1.spec.securityProfile.azureKeyVaultKms.keyVaultNetworkAccess": "ASO refuses others",
	"v1beta1.spec.template.terminateNotificationTimeout":                  "CAPZ's webhook refuses others",
	"v1beta1.spec.strategy.rollingUpdate.maxSurge":                        "CAPZ's webhook refuses other text",
	"v1beta1.spec.strategy.rollingUpdate.maxUnavailable":                  "CAPZ's webhook refuses other text",
	"v1beta1.spec.extensions":                                             "two with the same name would be one in Azure; rules compare an extension with itself",
}

// ignoreWebhooks takes out of the schemas of a typed kind what stands for CAPZ's webhooks, which CAPZ's definitions do not
// show: the rules, each of which has its own test, and limits that only tell the API server how much work a rule can be.
func ignoreWebhooks(their, our *extv1.CustomResourceDefinition) {
	var walk func(theirs, ours *extv1.JSONSchemaProps)
	walk = func(theirs, ours *extv1.JSONSchemaProps) {
		ours.XValidations = nil
		if theirs.MaxLength == nil {
			ours.MaxLength = nil
		}
		if theirs.MaxItems == nil {
			ours.MaxItems = nil
		}
		for name, field := range ours.Properties {
			if their, ok := theirs.Properties[name]; ok {
				walk(&their, &field)
				ours.Properties[name] = field
			}
		}
		if theirs.Items != nil && ours.Items != nil {
			walk(theirs.Items.Schema, ours.Items.Schema)
		}
	}
	walk(their.Spec.Versions[0].Schema.OpenAPIV3Schema, our.Spec.Versions[0].Schema.OpenAPIV3Schema)
}

// TestStricter shows that the comparison finds what it looks for.
func TestStricter(t *testing.T) {
	keep, limit := true, int64(3)
	object := func(name string, field extv1.JSONSchemaProps) extv1.JSONSchemaProps {
		return extv1.JSONSchemaProps{Type: "object", Properties: map[string]extv1.JSONSchemaProps{name: field}}
	}
	text := extv1.JSONSchemaProps{Type: "string"}
	list := func(item extv1.JSONSchemaProps) extv1.JSONSchemaProps {
		return extv1.JSONSchemaProps{Type: "array", Items: &extv1.JSONSchemaPropsOrArray{Schema: &item}}
	}
	ruled := func(name string) extv1.JSONSchemaProps {
		s := object(name, text)
		s.XValidations = extv1.ValidationRules{{Rule: "self." + name + " != ''", FieldPath: "." + name}}
		return s
	}
	required := object("a", text)
	required.Required = []string{"a"}
	cases := map[string]struct {
		theirs, ours extv1.JSONSchemaProps
		want         string
	}{
		"Same":           {theirs: object("a", text), ours: object("a", text)},
		"MoreFields":     {theirs: extv1.JSONSchemaProps{Type: "object"}, ours: object("a", text)},
		"MissingField":   {theirs: object("a", text), ours: object("b", text), want: "v: has no a"},
		"OtherType":      {theirs: object("a", text), ours: object("a", extv1.JSONSchemaProps{Type: "integer"}), want: "v.a: type is integer , CAPZ has string "},
		"Required":       {theirs: object("a", text), ours: required, want: "v: requires a, CAPZ does not"},
		"DropsUnknown":   {theirs: list(extv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &keep}), ours: list(extv1.JSONSchemaProps{Type: "object"}), want: "v[]: unknown fields are dropped"},
		"OwnRule":        {theirs: extv1.JSONSchemaProps{Type: "object"}, ours: ruled("a")},
		"Rule":           {theirs: object("a", text), ours: ruled("a"), want: "v: limits differ"},
		"Limit":          {theirs: object("a", text), ours: object("a", extv1.JSONSchemaProps{Type: "string", MaxLength: &limit}), want: "v.a: limits differ"},
		"RequiredBefore": {theirs: required, ours: required},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(stricter("v", tc.theirs, tc.ours, nil), "\n")
			if (tc.want == "") != (got == "") || !strings.HasPrefix(got, tc.want) {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}
