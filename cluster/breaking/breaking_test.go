package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const checkout = "../.."

// TestNothingBreaks compares the definitions of the checkout with those of the last release.
func TestNothingBreaks(t *testing.T) {
	now, err := ofTree(checkout)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := check(checkout, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s\n(undo it, or accept it in %s with the reason, and tell users in %s)", p, acceptedFile, upgradePage)
	}
}

// TestEveryDefinitionIsCompared counts the definitions: of composite resources, and three of provider-capz's own.
func TestEveryDefinitionIsCompared(t *testing.T) {
	released, err := ofRelease(filepath.Join(checkout, releasedDir))
	if err != nil {
		t.Fatal(err)
	}
	composites, err := filepath.Glob(filepath.Join(checkout, sources[0]))
	if err != nil {
		t.Fatal(err)
	}
	if want := len(composites) + 3; len(released) < want {
		t.Errorf("of the last release there are %d definitions, want at least %d; go run -C cluster/breaking . --write adds new kinds when they are released", len(released), want)
	}
	for name, d := range released {
		for _, v := range d.Spec.Versions {
			if fields := flat(v); len(fields) < 3 {
				t.Errorf("%s %s has %d fields", name, v.Name, len(fields))
			}
		}
	}
}

const before = `
kind: CompositeResourceDefinition
metadata: {name: machines.example.org}
spec:
  group: example.org
  names: {kind: Machine, plural: machines}
  scope: Namespaced
  versions:
  - {name: v1alpha1, served: true, schema: {openAPIV3Schema: {type: object}}}
  - name: v1beta1
    served: true
    referenceable: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            x-kubernetes-validations: [{rule: self.size != '', message: must be set}]
            properties:
              size: {type: string, description: The size., pattern: ^Standard_}
              mode: {type: string, enum: [User, System]}
              count: {type: integer, minimum: 0, maximum: 100}
              name: {type: string, maxLength: 10}
              tags: {type: object, additionalProperties: {type: string, maxLength: 5}}
              pools: {type: array, maxItems: 5, items: {type: object, properties: {name: {type: string}}}}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}
              either: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}
              group: {type: string, default: a, allOf: [{maxLength: 5}, {maxLength: 6}]}
              plain: {type: string}
`

// TestChanges edits a definition, and has what breaks by it.
func TestChanges(t *testing.T) {
	const spec = "Machine v1beta1 spec"
	for name, c := range map[string]struct {
		old, now string
		want     []string
	}{
		"nothing":                     {},
		"a description":               {old: "The size.", now: "How large it is."},
		"a message of a rule":         {old: "must be set", now: "must have a value"},
		"a new field":                 {old: "plain: {type: string}", now: "plain: {type: string}\n              more: {type: string}"},
		"one more value":              {old: "[User, System]", now: "[User, System, Gateway]"},
		"a wider bound":               {old: "maximum: 100", now: "maximum: 1000"},
		"no bound":                    {old: "maxLength: 10", now: "description: any"},
		"no pattern":                  {old: ", pattern: ^Standard_", now: ""},
		"no rule":                     {old: "x-kubernetes-validations: [{rule: self.size != '', message: must be set}]", now: "description: any"},
		"a field not required":        {old: "required: [size]", now: "description: any"},
		"a field gone of free ones":   {old: "properties: {a: {type: string}}}", now: "description: any}"},
		"a field that is free now":    {old: "plain: {type: string}", now: "plain: {type: string, nullable: true}"},
		"a field gone":                {old: "              plain: {type: string}\n", want: []string{spec + ".plain: the field is gone"}},
		"a field gone with its own":   {old: "              pools: {type: array, maxItems: 5, items: {type: object, properties: {name: {type: string}}}}\n", want: []string{spec + ".pools: the field is gone"}},
		"a field gone of items":       {old: "properties: {name: {type: string}}", now: "properties: {id: {type: string}}", want: []string{spec + ".pools[*].name: the field is gone"}},
		"another type":                {old: "count: {type: integer, minimum: 0, maximum: 100}", now: "count: {type: string}", want: []string{spec + `.count: type: type changed : "integer" -> "string"`}},
		"another type of values":      {old: "additionalProperties: {type: string, maxLength: 5}", now: "additionalProperties: {type: integer}", want: []string{spec + `.tags[*]: type: type changed : "string" -> "integer"`}},
		"a value less":                {old: "[User, System]", now: "[User]", want: []string{spec + `.mode: enum: allowed enum values removed : ["System"]`}},
		"a new enum":                  {old: "plain: {type: string}", now: "plain: {type: string, enum: [a]}", want: []string{spec + `.plain: enum: enum constraint added when there was none previously : ["a"]`}},
		"required fields":             {old: "required: [size]", now: "required: [size, mode, count]", want: []string{spec + ": new required field: count", spec + ": new required field: mode"}},
		"a higher minimum":            {old: "minimum: 0", now: "minimum: 1", want: []string{spec + ".count: minimum: minimum increased : 0 -> 1"}},
		"a shorter list":              {old: "maxItems: 5", now: "maxItems: 3", want: []string{spec + ".pools: maxItems: maximum decreased : 5 -> 3"}},
		"a new bound":                 {old: "plain: {type: string}", now: "plain: {type: string, maxLength: 5}", want: []string{spec + ".plain: maxLength: maximum constraint added when there was none previously : 5"}},
		"a pattern":                   {old: "^Standard_", now: "^Standard_D", want: []string{spec + `.size: pattern "^Standard_" -> "^Standard_D"`}},
		"a new format":                {old: "plain: {type: string}", now: "plain: {type: string, format: uuid}", want: []string{spec + `.plain: format none -> "uuid"`}},
		"a new rule":                  {old: "[{rule: self.size", now: "[{rule: self.count > 1}, {rule: self.size", want: []string{spec + ": new rule: self.count > 1"}},
		"a default":                   {old: "default: a", now: "default: b", want: []string{spec + `.group: default: default value changed : "\"a\"" -> "\"b\""`}},
		"a combination":               {old: "allOf: [{maxLength: 5}", now: "allOf: [{maxLength: 4}", want: []string{spec + `.group: allOf [{"maxLength":5},{"maxLength":6}] -> [{"maxLength":4},{"maxLength":6}]`}},
		"no unknown fields":           {old: "x-kubernetes-preserve-unknown-fields: true", now: "description: any", want: []string{spec + ".free: x-kubernetes-preserve-unknown-fields true -> none"}},
		"how lists merge":             {old: "maxItems: 5", now: "maxItems: 5, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]", want: []string{spec + `.pools: x-kubernetes-list-map-keys none -> ["name"]`, spec + `.pools: x-kubernetes-list-type none -> "map"`}},
		"a version gone":              {old: "  - {name: v1alpha1, served: true, schema: {openAPIV3Schema: {type: object}}}\n", want: []string{"Machine v1alpha1: the version is gone"}},
		"a version that is not there": {old: "{name: v1alpha1, served: true", now: "{name: v1alpha1, served: false", want: []string{"Machine v1alpha1: the version is not served any more"}},
		"another scope":               {old: "scope: Namespaced", now: "scope: Cluster", want: []string{"Machine: scope Namespaced -> Cluster"}},
		"the kind gone":               {old: "name: machines.example.org", now: "name: others.example.org", want: []string{"Machine: the kind is gone"}},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(before, c.old) {
				t.Fatalf("there is no %q", c.old)
			}
			found, err := changes(parsed(t, before), parsed(t, strings.Replace(before, c.old, c.now, 1)))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, f.String())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func parsed(t *testing.T, content string) definitions {
	t.Helper()
	path := filepath.Join(t.TempDir(), "definition.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	all := definitions{}
	if err := all.read(path); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestJudged(t *testing.T) {
	found := []change{{"Machine", "v1beta1", ".spec.a", "the field is gone"}, {"Machine", "v1beta1", ".spec.b", "the field is gone"}}
	a := acceptance{"Machine v1beta1 spec.a: the field is gone", "nobody used it"}
	b := acceptance{"Machine v1beta1 spec.b: the field is gone", "nobody used it"}
	for name, c := range map[string]struct {
		accepted []acceptance
		page     string
		want     []string
	}{
		"accepted and told": {[]acceptance{a, b}, "spec.a, spec.b", nil},
		"not accepted":      {[]acceptance{a}, "spec.a, spec.b", []string{b.Change}},
		"not told":          {[]acceptance{a, b}, "spec.a", []string{b.Change + ": is accepted, but docs/upgrade.md does not tell of spec.b"}},
		"without a reason":  {[]acceptance{a, {Change: b.Change}}, "spec.a, spec.b", []string{b.Change + ": is accepted without a reason"}},
		"no such change":    {[]acceptance{a, b, {"Machine v1beta1 spec.c: the field is gone", "x"}}, "spec.a, spec.b", []string{"Machine v1beta1 spec.c: the field is gone: is accepted, but there is no such change"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, judged(found, c.accepted, c.page)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRelease writes definitions that are read as they were, and of which nothing breaks.
func TestRelease(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{versionFile: "v9.9.9\n", upgradePage: ""} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	now := parsed(t, before)
	if err := release(root, now); err != nil {
		t.Fatal(err)
	}
	released, err := ofRelease(filepath.Join(root, releasedDir))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(now, released); diff != "" {
		t.Error(diff)
	}
	if problems, err := check(root, now); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	if version, err := os.ReadFile(filepath.Join(root, releasedDir, "version.txt")); err != nil || string(version) != "v9.9.9\n" {
		t.Errorf("version %q, %v", version, err)
	}
}
