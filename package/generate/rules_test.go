package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	arv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// TestRulesAreAboutKindsOfTheCatalogues checks the rules that are written by hand in the templates: no kind in them is misspelt, and each
// is served in the versions.
func TestRulesAreAboutKindsOfTheCatalogues(t *testing.T) {
	known := map[string]sets.Set[string]{}
	all := catalogued()
	for _, some := range [][]resources{all.ASO, all.Contract, all.Identities, all.Templates, all.Applications, all.Claims} {
		for _, r := range some {
			for _, name := range r.Names {
				known[name+"."+r.Group] = sets.New(r.Versions...)
			}
		}
	}
	crds, err := loadCRDs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range crds {
		if isComposite(crd) {
			continue
		}
		name := crd.Spec.Names.Plural + "." + crd.Spec.Group
		known[name] = sets.New[string]()
		for _, v := range crd.Spec.Versions {
			known[name].Insert(v.Name)
		}
	}
	rules := 0
	for file := range ruleTemplates {
		objects, err := kubeyaml.Read(filepath.Join(checkout, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range rulesOf(objects) {
			rules++
			groups, names, versions := texts(rule, "apiGroups"), texts(rule, "resources"), texts(rule, "apiVersions")
			served := sets.New[string]()
			for _, group := range groups {
				if !aso.IsASO(group) && !sets.New(composite.Groups()...).Has(group) {
					served.Insert(versions...)
					continue
				}
				for _, name := range names {
					name, _, _ = strings.Cut(name, "/")
					if known[name+"."+group] == nil {
						t.Errorf("%s has a rule for %s of group %s, which no catalogue has", file, name, group)
					}
					served = served.Union(known[name+"."+group])
				}
			}
			if !served.HasAll(versions...) {
				t.Errorf("%s has a rule for %v in versions %v, but they are served in %v", file, names, versions, sets.List(served))
			}
		}
	}
	if rules < 30 {
		t.Errorf("%d rules", rules)
	}
}

// rulesOf returns the rules of roles and of webhooks.
func rulesOf(objects []*unstructured.Unstructured) []map[string]any {
	var rules []map[string]any
	for _, o := range objects {
		rules = append(rules, field.Maps(items(o.Object, "rules"))...)
		for _, webhook := range field.Maps(items(o.Object, "webhooks")) {
			rules = append(rules, field.Maps(items(webhook, "rules"))...)
		}
	}
	return rules
}

func items(object map[string]any, name string) []any {
	out, _ := object[name].([]any)
	return out
}

func texts(rule map[string]any, name string) []string {
	out, _, _ := unstructured.NestedStringSlice(rule, name)
	return out
}

// TestSecurityExampleHasEveryGroup checks that the example's policy asks about every kind that there are rights to.
func TestSecurityExampleHasEveryGroup(t *testing.T) {
	objects, err := kubeyaml.Read(filepath.Join(checkout, "examples", "security", "aso-objects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, r := range catalogued().ASO {
		want = append(want, r.Group)
	}
	for _, o := range objects {
		constraints := field.At[[]any]("spec", "matchConstraints", "resourceRules")
		for _, rule := range field.Maps(constraints.Value(o)) {
			got = append(got, texts(rule, "apiGroups")...)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups: -catalogue +example:\n%s", diff)
	}
}

func TestByGroup(t *testing.T) {
	groups := byGroup{}
	groups.add("b.io", "xthings", arv1.ClusterScope, "v1beta1", "v1alpha1")
	groups.add("b.io", "things", arv1.NamespacedScope, "v1beta1")
	groups.add("a.io", "zones", arv1.ClusterScope)
	groups.add("a.io", "regions", arv1.ClusterScope)
	want := []resources{
		{Group: "a.io", Names: []string{"regions", "zones"}, Scope: arv1.ClusterScope},
		{Group: "b.io", Names: []string{"things", "xthings"}, Versions: []string{"v1alpha1", "v1beta1"}, Scope: arv1.AllScopes},
	}
	if diff := cmp.Diff(want, groups.sorted()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestList(t *testing.T) {
	long := strings.Repeat("x", longestLine/2)
	for want, words := range map[string][]string{
		"  resources: [a, b]": {"a", "b"},
		"  resources:\n  - " + long + "\n  - " + long + "\n  - a": {long, long, "a"},
	} {
		if diff := cmp.Diff(want, list("  resources", words)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
