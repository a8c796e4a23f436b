package main

import (
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// TestStateMetrics tells of every kind that is no template once, at paths that its schema has, and gives the right to read it.
func TestStateMetrics(t *testing.T) {
	files := fileSet{}
	if err := addStateMetrics(files); err != nil {
		t.Fatal(err)
	}
	crds, err := loadCRDs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	config, role := stateMetrics{}, rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict(files[stateMetricsFile], &config); err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(string(files[stateRightsFile]), stateRightsHeader), "---\n")
	if err := yaml.UnmarshalStrict([]byte(first), &role); err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, r := range config.Spec.Resources {
		kind, known := composite.Lookup(schema.GroupKind{Group: r.GroupVersionKind.Group, Kind: r.GroupVersionKind.Kind})
		if !known || told[kind.Kind] || kind.Version != r.GroupVersionKind.Version {
			t.Errorf("%v is told of: known %v, twice %v", r.GroupVersionKind, known, told[kind.Kind])
		}
		told[kind.Kind] = true
		if !mayRead(role, kind.Group, kind.Plural()) {
			t.Errorf("the role does not allow to list and watch %s", kind.Plural())
		}
		for _, m := range r.Metrics {
			if set := m.Each.StateSet; set != nil && composite.InContract(kind) && !hasField(crds, kind, set.Path) {
				t.Errorf("%s has no field %s", kind.Kind, strings.Join(set.Path, "."))
			}
		}
	}
	if !mayRead(role, extv1.GroupName, "customresourcedefinitions") {
		t.Error("the role does not allow to list and watch CustomResourceDefinitions, by which kube-state-metrics finds the kinds")
	}
	for _, kind := range composite.Catalogue() {
		if told[kind.Kind] == (kind.Role == composite.Template) {
			t.Errorf("%s is told of: %v", kind.Kind, told[kind.Kind])
		}
	}
}

// mayRead reports whether a role allows to list and watch a resource, as kube-state-metrics does.
func mayRead(role rbacv1.ClusterRole, group, resource string) bool {
	return slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
		return slices.Contains(rule.APIGroups, group) && slices.Contains(rule.Resources, resource) &&
			slices.Contains(rule.Verbs, "list") && slices.Contains(rule.Verbs, "watch")
	})
}

// hasField reports whether the schema of a kind has a field; Crossplane's own are added later.
func hasField(crds []extv1.CustomResourceDefinition, kind composite.Kind, path []string) bool {
	for _, crd := range crds {
		if crd.Spec.Group != kind.Group || crd.Spec.Names.Kind != kind.Kind {
			continue
		}
		for _, v := range crd.Spec.Versions {
			if v.Name != kind.Version {
				continue
			}
			at := *v.Schema.OpenAPIV3Schema
			for _, name := range path {
				next, has := at.Properties[name]
				if !has {
					return false
				}
				at = next
			}
			return true
		}
	}
	return false
}
