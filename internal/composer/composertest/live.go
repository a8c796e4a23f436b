package composertest

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
)

// composedManager is the field manager with which Crossplane applies composed objects.
const composedManager = "apiextensions.crossplane.io/composed/0123456789abcdef"

// created is when every live object was.
var created = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Live has the composed objects of a composite by composition resource name, as an API server keeps them.
type Live map[string]*LiveObject

// A LiveObject knows who owns which of its fields.
type LiveObject struct {
	Fields     managedfieldstest.TestFieldManager
	Generation int64
	Status     map[string]any
}

// Apply does what Crossplane does with a desired object of xr.
func (l Live) Apply(t testing.TB, xr *unstructured.Unstructured, name string, o *unstructured.Unstructured) {
	t.Helper()
	o.SetNamespace(xr.GetNamespace())
	o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: xr.GetAPIVersion(), Kind: xr.GetKind(), Name: xr.GetName(), UID: xr.GetUID(), Controller: new(true)}})
	if l[name] == nil {
		l[name] = &LiveObject{Fields: managedfieldstest.NewTestFieldManager(managedfields.NewDeducedTypeConverter(), o.GroupVersionKind())}
	}
	before := l[name].content().Object["spec"]
	if err := l[name].Fields.Apply(o, composedManager, true); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(before, l[name].content().Object["spec"]) {
		l[name].Generation++
	}
}

// Edit does what somebody else does to an object.
func (l Live) Edit(t testing.TB, name string, edits ...Edit) {
	t.Helper()
	if err := l[name].Fields.Update(Edited(l[name].content(), edits...), "kubectl"); err != nil {
		t.Fatal(err)
	}
}

// Say writes ASO's condition, with further fields of the status.
func (l Live) Say(name, ready, severity, reason string, status map[string]any) {
	l[name].Status = map[string]any{"conditions": []any{map[string]any{
		"type": "Ready", "status": ready, "severity": severity, "reason": reason, "message": "", "observedGeneration": l[name].Generation}}}
	maps.Copy(l[name].Status, status)
}

// Object returns an object as the API server gives it.
func (l Live) Object(name string) *unstructured.Unstructured {
	live := l[name]
	o := live.content().DeepCopy()
	o.SetGeneration(live.Generation)
	o.SetUID(types.UID("uid-" + name))
	o.SetCreationTimestamp(metav1.NewTime(created))
	if live.Status != nil {
		o.Object["status"] = live.Status
	}
	fields := o.GetManagedFields()
	for i := range fields {
		fields[i].Time = &metav1.Time{Time: created}
	}
	o.SetManagedFields(fields)
	return o
}

// Objects returns all of them, sorted by name.
func (l Live) Objects() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(l)) {
		all = append(all, l.Object(name))
	}
	return all
}

func (l *LiveObject) content() *unstructured.Unstructured {
	content, _ := l.Fields.Live().(*unstructured.Unstructured)
	return content
}
