package plan

import (
	"strings"
	"testing"

	"github.com/crossplane/function-sdk-go/resource"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
)

const crossplane = "apiextensions.crossplane.io/composed/0123456789abcdef"

// TestAsApplied has the API server's own code record who owns what, and asks for Crossplane's part back.
func TestAsApplied(t *testing.T) {
	const meta = "apiVersion: network.azure.com/v1api20240301\nkind: VirtualNetwork\nmetadata: {name: net, namespace: ns}\n"
	applied := meta + `spec:
  location: westeurope
  owner: {name: rg}
  addressSpace: {addressPrefixes: [10.0.0.0/8]}
  dhcpOptions: {}
  subnets: [{name: a, ports: [1, 2]}, {name: b}]
  tags: {cost/center: "1", "f:odd": x}
  enabled: false
  size: 3
`
	cases := map[string]struct {
		// steps change the object in the name of a manager: applied by Crossplane, updated by anyone else.
		steps []step
		want  string
	}{
		"alone": {steps: []step{{crossplane, applied}}, want: applied},
		"what others have added is left out": {
			steps: []step{{crossplane, applied}, {"aso", applied + "  azureName: net\n  etag: x\nstatus: {id: y}\n"}}, want: applied},
		"others' keys of a shared map are left out": {
			steps: []step{{crossplane, meta + "spec: {tags: {a: b}, dhcpOptions: {x: y}}"}, {"someone", meta + "spec: {tags: {a: b, c: d}, dhcpOptions: {x: y, z: w}}"}},
			want:  meta + "spec: {tags: {a: b}, dhcpOptions: {x: y}}"},
		"a value that another has changed is the other's": {
			steps: []step{{crossplane, meta + "spec: {a: 1, b: 2}"}, {"someone", meta + "spec: {a: 9, b: 2}"}}, want: meta + "spec: {b: 2}"},
		"a list is one value": {
			steps: []step{{crossplane, meta + "spec: {list: [{a: 1}, {b: 2}]}"}}, want: meta + "spec: {list: [{a: 1}, {b: 2}]}"},
		"the last application counts": {
			steps: []step{{crossplane, meta + "spec: {a: 1, b: 2}"}, {crossplane, meta + "spec: {a: 1}"}}, want: meta + "spec: {a: 1}"},
		"labels and annotations": {
			steps: []step{
				{crossplane, "apiVersion: network.azure.com/v1api20240301\nkind: VirtualNetwork\nmetadata: {name: net, namespace: ns, labels: {a: b}, annotations: {c: d}}"},
				{"aso", "apiVersion: network.azure.com/v1api20240301\nkind: VirtualNetwork\nmetadata: {name: net, namespace: ns, labels: {a: b, x: y}, annotations: {c: d, id: z}, finalizers: [aso]}"}},
			want: "apiVersion: network.azure.com/v1api20240301\nkind: VirtualNetwork\nmetadata: {name: net, namespace: ns, labels: {a: b}, annotations: {c: d}}"},
		"Crossplane's owner reference is not the user's": {
			steps: []step{{crossplane, "apiVersion: network.azure.com/v1api20240301\nkind: VirtualNetwork\nmetadata: {name: net, namespace: ns, ownerReferences: [{apiVersion: v1, kind: K, name: n, uid: u}]}\nspec: {a: b}"}},
			want:  meta + "spec: {a: b}"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			observed := play(t, c.steps)
			// It comes through protobuf, where numbers are floats.
			s, err := resource.AsStruct(observed)
			must(t, err)
			read := &unstructured.Unstructured{}
			must(t, resource.AsObject(s, read))
			before := read.DeepCopy()

			got, err := AsApplied(read)
			must(t, err)
			if diff := cmp.Diff(object(t, c.want), got); diff != "" {
				t.Errorf("AsApplied: -want, +got:\n%s", diff)
			}
			got.SetName("changed")
			if spec, ok := got.Object["spec"].(map[string]any); ok {
				spec["changed"] = true
			}
			if diff := cmp.Diff(before, read); diff != "" {
				t.Errorf("what was observed has changed with it: -before, +after:\n%s", diff)
			}
		})
	}
}

type step struct{ manager, object string }

func play(t *testing.T, steps []step) *unstructured.Unstructured {
	t.Helper()
	fields := managedfieldstest.NewTestFieldManager(managedfields.NewDeducedTypeConverter(), object(t, steps[0].object).GroupVersionKind())
	for _, s := range steps {
		o := object(t, s.object)
		if s.manager == crossplane {
			must(t, fields.Apply(o, s.manager, true))
			continue
		}
		o.SetManagedFields(fields.ManagedFields())
		must(t, fields.Update(o, s.manager))
	}
	return fields.Live().(*unstructured.Unstructured)
}

// TestAsAppliedChangesNothing applies what AsApplied returns: the API server must see no difference.
func TestAsAppliedChangesNothing(t *testing.T) {
	const text = "apiVersion: network.azure.com/v1api20240301\nkind: VirtualNetwork\nmetadata: {name: net, namespace: ns, labels: {l: m}}\nspec: {tags: {a: b}, list: [{x: 1}], empty: {}, none: []}"
	o := object(t, text)
	fields := managedfieldstest.NewTestFieldManager(managedfields.NewDeducedTypeConverter(), o.GroupVersionKind())
	must(t, fields.Apply(o, crossplane, true))
	more := object(t, strings.Replace(text, "{a: b}", "{a: b, c: d}", 1))
	must(t, fields.Update(more, "someone"))
	before := fields.Live().(*unstructured.Unstructured)

	kept, err := AsApplied(before)
	must(t, err)
	must(t, fields.Apply(kept, crossplane, true))
	after := fields.Live().(*unstructured.Unstructured)
	for _, o := range []*unstructured.Unstructured{before, after} {
		entries := o.GetManagedFields()
		for i := range entries {
			entries[i].Time = nil
		}
		o.SetManagedFields(entries)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("applied again: -before, +after:\n%s", diff)
	}
}

func TestAsAppliedErrors(t *testing.T) {
	o := object(t, "apiVersion: network.azure.com/v1\nkind: VirtualNetwork\nmetadata: {name: net}\nspec: {a: b}")
	const name = "VirtualNetwork.network.azure.com/net"
	mine := func(edit func(*metav1.ManagedFieldsEntry)) []metav1.ManagedFieldsEntry {
		e := entry(o, crossplane, metav1.ManagedFieldsOperationApply, "", `{"f:spec":{"f:a":{}}}`)
		edit(&e)
		return []metav1.ManagedFieldsEntry{e}
	}
	cases := map[string]struct {
		fields []metav1.ManagedFieldsEntry
		want   string
	}{
		"no managed fields": {nil, name + ": Crossplane has not applied it"},
		"another manager":   {mine(func(e *metav1.ManagedFieldsEntry) { e.Manager = "kubectl" }), name + ": Crossplane has not applied it"},
		"updated":           {mine(func(e *metav1.ManagedFieldsEntry) { e.Operation = metav1.ManagedFieldsOperationUpdate }), name + ": Crossplane has not applied it"},
		"a subresource":     {mine(func(e *metav1.ManagedFieldsEntry) { e.Subresource = "status" }), name + ": Crossplane has not applied it"},
		"another version":   {mine(func(e *metav1.ManagedFieldsEntry) { e.APIVersion = "network.azure.com/v2" }), name + " was applied as network.azure.com/v2 and read as network.azure.com/v1"},
		"no fields":         {mine(func(e *metav1.ManagedFieldsEntry) { e.FieldsV1 = nil }), name + ": the fields that Crossplane applied are not recorded"},
		"garbage":           {mine(func(e *metav1.ManagedFieldsEntry) { e.FieldsV1.SetRawString(`{"x":{}}`) }), name + ": cannot read the fields that Crossplane applied"},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			o := o.DeepCopy()
			o.SetManagedFields(c.fields)
			got, err := AsApplied(o)
			if err == nil || got != nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("want the error %q, got %v and %v", c.want, err, got)
			}
		})
	}
}
