package schema

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// minimal has the least that each of the typed and self-managed kinds takes as its spec.
var minimal = map[string]string{
	"AzureManagedControlPlane": `{resourceGroupName: group, location: westeurope, version: v1.33.6, identityRef: {kind: AzureClusterIdentity, name: identity}}`,
	"AzureManagedMachinePool":  `{mode: User, sku: Standard_D2s_v5, name: pool0}`,
	azureCluster:               `{location: westeurope, identityRef: {kind: AzureClusterIdentity, name: identity}}`,
	azureMachine:               `{vmSize: Standard_D2s_v5, osDisk: {}}`,
	azureMachinePool:           `{location: westeurope, template: {vmSize: Standard_D2s_v5, osDisk: {}}}`,
	"AzureClusterIdentity":     `{type: WorkloadIdentity, clientID: client, tenantID: tenant}`,
}

// inTemplate says what the Template of a kind makes of a rule.
type inTemplate int

const (
	// notThere: the field is not in templates.
	notThere inTemplate = iota
	// sameRule: the rule goes for spec.template.spec as well.
	sameRule
	// noRule: the template takes what the kind refuses, as the patches of a ClusterClass may still change it.
	noRule
)

// A rule is something that the API server refuses, and what it takes instead. All YAML is merged into the minimal spec.
type rule struct {
	kind string
	// name of the object that is refused, where that is the mistake.
	name string
	// existing, for a rule on updates, is what the object has before; the other two are merged into that.
	existing string
	no, yes  string
	// want is the whole of the API server's reason.
	want     string
	template inTemplate
}

// run tries the rule on the kind and on its template.
func (r rule) run(t *testing.T) {
	t.Run("Kind", func(t *testing.T) { r.try(t, r.kind, "", r.want) })
	switch r.template {
	case sameRule:
		want := strings.ReplaceAll(r.want, "spec.", "spec.template.spec.")
		t.Run("Template", func(t *testing.T) { r.try(t, r.kind+"Template", "template", want) })
	case noRule:
		t.Run("Template", func(t *testing.T) { r.try(t, r.kind+"Template", "template", "") })
	case notThere:
	}
}

func (r rule) try(t *testing.T, kind, below, want string) {
	t.Helper()
	build := func(patches ...string) *unstructured.Unstructured {
		u := object(t, kind, "")
		spec := merged(t, append([]string{minimal[r.kind]}, patches...)...)
		if below != "" {
			spec = map[string]any{below: map[string]any{"spec": spec}}
		}
		u.Object["spec"] = spec
		return u
	}
	send := func(patch string) error {
		return server.client.Create(context.Background(), build(patch), client.DryRunAll)
	}
	if r.existing != "" {
		stored := build(r.existing)
		create(t, stored)
		send = func(patch string) error {
			u := build(r.existing, patch)
			u.SetResourceVersion(stored.GetResourceVersion())
			return server.client.Update(context.Background(), u, client.DryRunAll)
		}
	}
	if err := send(r.yes); err != nil {
		t.Errorf("refuses %s: %v", r.yes, err)
	}
	if r.name != "" {
		send = func(patch string) error {
			u := build(patch)
			u.SetName(r.name)
			return server.client.Create(context.Background(), u, client.DryRunAll)
		}
	}
	checkReason(t, r.no, send(r.no), want)
}

// checkReason wants exactly one reason, or none when want is empty.
func checkReason(t *testing.T, patch string, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("refuses %s: %v", patch, err)
		}
		return
	}
	if !apierrors.IsInvalid(err) {
		t.Errorf("takes %s, or fails: %v", patch, err)
		return
	}
	_, reason, _ := strings.Cut(err.Error(), " is invalid: ")
	if reason != want {
		t.Errorf("%s: reason is\n%s\nwant\n%s", patch, reason, want)
	}
}

// merged merges pieces of YAML, each into those before it, as JSON merge patches.
func merged(t *testing.T, pieces ...string) map[string]any {
	t.Helper()
	doc := []byte("{}")
	for _, piece := range pieces {
		raw, err := yaml.YAMLToJSON([]byte(piece))
		if err != nil {
			t.Fatalf("%s: %v", piece, err)
		}
		if piece == "" {
			continue
		}
		if doc, err = jsonpatch.MergePatch(doc, raw); err != nil {
			t.Fatalf("%s: %v", piece, err)
		}
	}
	u := object(t, "AzureManagedControlPlane", string(doc))
	spec, ok := u.Object["spec"].(map[string]any)
	if !ok {
		t.Fatalf("%s is no object", doc)
	}
	return spec
}

// runRules tries all rules of a table.
func runRules(t *testing.T, rules map[string]rule) {
	for name, r := range rules {
		t.Run(name, func(t *testing.T) { r.run(t) })
	}
}

// notAllChecked is what the API server adds where it did not look at the rules between fields.
const notAllChecked = "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

// decided are the reasons why a field cannot be changed.
const (
	decidedCluster   = ": it is decided when the cluster is created"
	decidedPool      = ": it is decided when the pool is created, so make a new pool"
	decidedExtension = ": it is decided when the extension is installed"
)

// unchangeable makes the rules of a field that keeps the value it had when the object was created: changed, taken away, and
// set later. reason is the end of all reasons; old and new are the values of the field as YAML; rest is what else must be there.
func unchangeable(kind, field, old, changed, reason, rest string, template inTemplate) map[string]rule {
	patch := func(value string) string {
		raw, _ := json.Marshal(nested(strings.Split(field, "."), value))
		return string(raw)
	}
	if rest == "" {
		rest = "{}"
	}
	set := "spec." + field + ": Forbidden: cannot be set or taken away later" + reason
	before := mergedYAML(rest, patch(old))
	return map[string]rule{
		field + "/Changed": {kind: kind, existing: before, no: patch(changed), yes: patch(old), want: "spec." + field + ": Invalid value: " + shown(changed) + ": cannot be changed" + from(old) + reason, template: template},
		field + "/Removed": {kind: kind, existing: before, no: patch("null"), yes: patch(old), want: set, template: template},
		field + "/Added":   {kind: kind, existing: rest, no: patch(old), yes: "{}", want: set, template: template},
	}
}

// nested is a value below the given fields.
func nested(fields []string, value string) any {
	var out any
	if err := yaml.Unmarshal([]byte(value), &out); err != nil {
		panic(err)
	}
	for i := len(fields) - 1; i >= 0; i-- {
		out = map[string]any{fields[i]: out}
	}
	return out
}

func mergedYAML(a, b string) string {
	first, err := yaml.YAMLToJSON([]byte(a))
	if err != nil {
		panic(err)
	}
	out, err := jsonpatch.MergePatch(first, []byte(b))
	if err != nil {
		panic(err)
	}
	return string(out)
}

// shown is a value as the API server shows it in a reason.
func shown(value string) string {
	var v any
	if err := yaml.Unmarshal([]byte(value), &v); err != nil {
		panic(err)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// from is what a reason says about the old value: only of text.
func from(value string) string {
	if text := shown(value); strings.HasPrefix(text, `"`) {
		return " from " + strings.Trim(text, `"`)
	}
	return ""
}

// all puts tables together.
func all(tables ...map[string]rule) map[string]rule {
	out := map[string]rule{}
	for _, table := range tables {
		maps.Copy(out, table)
	}
	return out
}
