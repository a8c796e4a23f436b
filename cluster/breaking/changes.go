package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/crdify/pkg/config"
	"sigs.k8s.io/crdify/pkg/runner"
	"sigs.k8s.io/crdify/pkg/validations"
)

// A change breaks something.
type change struct {
	kind, version, path string
	what                string
}

func (c change) String() string {
	return strings.TrimSpace(c.kind+" "+c.version+" "+strings.TrimPrefix(c.path, ".")) + ": " + c.what
}

// field is what users are told of.
func (c change) field() string {
	if c.path == "" {
		return c.kind
	}
	return strings.TrimPrefix(c.path, ".")
}

// changes returns what in the new definitions breaks objects or manifests of the old ones, in order. What crdify knows of is its to judge: type,
// enum, required fields, bounds, defaults. A change of what it does not know is one that breaks, unless it only takes a limit away.
func changes(old, now definitions) ([]change, error) {
	comparators, err := comparators()
	if err != nil {
		return nil, err
	}
	var all []change
	for _, name := range slices.Sorted(maps.Keys(old)) {
		before, after := old[name], now[name]
		kind := before.Spec.Names.Kind
		if after == nil {
			all = append(all, change{kind: kind, what: "the kind is gone"})
			continue
		}
		if before.Spec.Scope != after.Spec.Scope {
			all = append(all, change{kind: kind, what: fmt.Sprintf("scope %s -> %s", before.Spec.Scope, after.Spec.Scope)})
		}
		for _, v := range before.Spec.Versions {
			found, err := ofVersion(kind, v, validations.GetCRDVersionByName(after, v.Name), comparators)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Compare(a.String(), b.String()) })
	return all, nil
}

// comparators are those of crdify. That an enum has more values breaks nothing, and descriptions are not compared.
func comparators() ([]validations.Comparator[extv1.JSONSchemaProps], error) {
	all, err := validations.LoadValidationsFromRegistry(runner.DefaultRegistry())
	if err != nil {
		return nil, err
	}
	all, err = validations.ConfigureValidations(all, runner.DefaultRegistry(), config.Config{Validations: []config.ValidationConfig{
		{Name: "enum", Enforcement: config.EnforcementPolicyError, Configuration: map[string]any{"additionPolicy": "Allow"}},
	}})
	return validations.ComparatorsForValidations[extv1.JSONSchemaProps](slices.Collect(maps.Values(all))...), err
}

func ofVersion(kind string, before extv1.CustomResourceDefinitionVersion, after *extv1.CustomResourceDefinitionVersion, comparators []validations.Comparator[extv1.JSONSchemaProps]) ([]change, error) {
	at := change{kind: kind, version: before.Name}
	switch {
	case after == nil:
		at.what = "the version is gone"
		return []change{at}, nil
	case before.Served && !after.Served:
		at.what = "the version is not served any more"
		return []change{at}, nil
	}
	old, now := flat(before), flat(*after)
	var all []change
	for _, path := range slices.Sorted(maps.Keys(old)) {
		at.path = path
		if now[path] == nil {
			if parent := now[parentOf(path)]; parent == nil {
				continue // It is gone with what it was in.
			} else if parent.XPreserveUnknownFields == nil || !*parent.XPreserveUnknownFields {
				at.what = "the field is gone"
				all = append(all, at)
			}
			continue
		}
		found, err := ofField(old[path], now[path], comparators)
		if err != nil {
			return nil, err
		}
		for _, what := range found {
			at.what = what
			all = append(all, at)
		}
	}
	return all, nil
}

// flat returns the schemas of all fields by their paths, each without those in it.
func flat(v extv1.CustomResourceDefinitionVersion) map[string]*extv1.JSONSchemaProps {
	all := map[string]*extv1.JSONSchemaProps{}
	each(v.Schema.OpenAPIV3Schema.DeepCopy(), "", func(path string, s *extv1.JSONSchemaProps) {
		all[path] = validations.DropChildrenPropertiesFromJSONSchema(s)
		if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
			all[path].AdditionalProperties = nil // It is at a path of its own.
		}
	})
	return all
}

func parentOf(path string) string {
	if parent, ok := strings.CutSuffix(path, "[*]"); ok {
		return parent
	}
	return path[:max(0, strings.LastIndex(path, "."))]
}

// ofField returns what breaks in a field, but for those in it.
func ofField(old, now *extv1.JSONSchemaProps, comparators []validations.Comparator[extv1.JSONSchemaProps]) ([]string, error) {
	old, now = old.DeepCopy(), now.DeepCopy()
	what := demands(old, now)
	for _, result := range validations.CompareProperties(old, now, config.EnforcementPolicyNone, comparators...) {
		for _, message := range result.Errors {
			what = append(what, result.Name+": "+strings.Join(strings.Fields(message), " "))
		}
	}
	for _, comparator := range comparators {
		comparator.Compare(old, now) // Takes away what it knows of.
	}
	more, err := unknown(old, now)
	return append(what, more...), err
}

// demands returns the rules and the required fields that are in the new schema alone, and takes all away.
func demands(old, now *extv1.JSONSchemaProps) []string {
	var what []string
	for _, name := range now.Required {
		if !slices.Contains(old.Required, name) {
			what = append(what, "new required field: "+name)
		}
	}
	for _, rule := range now.XValidations {
		if !slices.ContainsFunc(old.XValidations, func(r extv1.ValidationRule) bool { return r.Rule == rule.Rule }) {
			what = append(what, "new rule: "+rule.Rule)
		}
	}
	old.XValidations, now.XValidations, old.Required, now.Required = nil, nil, nil, nil
	return what
}

// limits are what may be taken away without breaking anything.
var limits = []string{"pattern", "format", "multipleOf", "uniqueItems", "exclusiveMinimum", "exclusiveMaximum", "allOf", "anyOf", "oneOf", "not"}

// freedoms are what may be added without breaking anything.
var freedoms = []string{"nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"}

// unknown returns the differences in what crdify does not compare.
func unknown(old, now *extv1.JSONSchemaProps) ([]string, error) {
	before, err := asMap(old)
	if err != nil {
		return nil, err
	}
	after, err := asMap(now)
	if err != nil {
		return nil, err
	}
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	var what []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		was, is := before[key], after[key]
		switch {
		case reflect.DeepEqual(was, is), is == nil && slices.Contains(limits, key), was == nil && slices.Contains(freedoms, key):
		default:
			what = append(what, fmt.Sprintf("%s %s -> %s", key, shown(was), shown(is)))
		}
	}
	return what, nil
}

func asMap(s *extv1.JSONSchemaProps) (map[string]any, error) {
	content, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	return fields, json.Unmarshal(content, &fields)
}

func shown(value any) string {
	if value == nil {
		return "none"
	}
	content, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(content)
}
