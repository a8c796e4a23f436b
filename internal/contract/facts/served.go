package facts

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// served returns which of the kinds that objects mention, and of the common ones, are served: those in each version that they have, or in theirs.
func (w writer) served(common []schema.GroupVersionKind, objects []*unstructured.Unstructured) ([]string, error) {
	var names []string
	note := func(gk schema.GroupKind, versions ...string) error {
		mappings, err := w.mapper.RESTMappings(gk, versions...)
		if err != nil && !meta.IsNoMatchError(err) {
			return fmt.Errorf("cannot find out whether %s is served: %w", gk, err)
		}
		for _, mapping := range mappings {
			if !strings.HasSuffix(mapping.GroupVersionKind.Version, storageSuffix) {
				names = append(names, clusterfacts.ServedName(mapping.GroupVersionKind))
			}
		}
		return nil
	}
	for _, kind := range common {
		var versions []string
		if kind.Version != "" {
			versions = []string{kind.Version}
		}
		if err := note(kind.GroupKind(), versions...); err != nil {
			return nil, err
		}
	}
	for _, o := range objects {
		for _, gvk := range mentioned(o) {
			if slices.Contains(names, clusterfacts.ServedName(gvk)) {
				continue
			}
			if err := note(gvk.GroupKind(), gvk.Version); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

var specResources = field.At[[]any]("spec", "resources")

// mostMentioned is how many kinds of a composite resource are looked for: the API server is asked about those that it does not have.
const mostMentioned = 100

// storageSuffix ends the versions in which ASO stores its kinds, which are not for users.
const storageSuffix = "storage"

// mentioned returns the kinds of what a composite resource is made of, as far as it says so.
func mentioned(xr *unstructured.Unstructured) []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, item := range specResources.Value(xr) {
		content, _ := item.(map[string]any)
		gvk := (&unstructured.Unstructured{Object: content}).GroupVersionKind()
		if aso.IsASO(gvk.Group) && gvk.Version != "" && gvk.Kind != "" && !slices.Contains(kinds, gvk) && len(kinds) < mostMentioned {
			kinds = append(kinds, gvk)
		}
	}
	return kinds
}
