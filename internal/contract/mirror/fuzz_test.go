package mirror

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// FuzzBacking changes what is read of composite resources. What can be found in it must be found.
func FuzzBacking(f *testing.F) {
	fixture.Odd(f, []string{fixture.ControlPlaneYAML, fixture.InfrastructureYAML, fixture.PoolYAML, fixture.VNetYAML}, func(t *testing.T, obj *unstructured.Unstructured) {
		if ref, ok := BackingRef(obj, managedClusterKind); ok && ref.Name == "" && len(validation.IsDNS1123Subdomain(obj.GetName())) == 0 {
			t.Errorf("%v is backed by an object without a name", obj)
		}
		_ = HasNodes(obj, "label")
		_ = IndexBacking(agentPoolKind)(obj)
	})
}

// FuzzTexts compares what is made of texts with what the API server accepts.
func FuzzTexts(f *testing.F) {
	for _, s := range []string{"", "v1.33.6", "1.33", "v", "1.999999999999999999999", strings.Repeat("é", 600), strings.Repeat("👩‍👩‍👧", 300), "2026-01-01T00:00:00Z", "9999999-01-01", "\x00"} {
		f.Add(s, "v1.33.7")
		f.Add("1.33.0-alpha", s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if newest(a, b) != newest(b, a) && plainVersion(a) != plainVersion(b) {
			t.Errorf("newest(%q, %q) depends on the order", a, b)
		}
		if label := labelValue(a); utf8.ValidString(a) && (len(label) > validation.LabelValueMaxLength || !utf8.ValidString(label)) {
			t.Errorf("label %q", label)
		}
	})
}

// plainVersion is a version as numbers: some are written in several ways, and what comes before a release counts as that.
func plainVersion(v string) string {
	parsed, err := version.ParseGeneric(v)
	if err != nil {
		return ""
	}
	return fmt.Sprint(parsed.Major(), parsed.Minor(), parsed.Patch())
}
