package takeover

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/handover"
)

const groupVersion = "resources.azure.com/v1api20200601"

func controlPlane(change ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "AzureASOManagedControlPlane",
		"metadata": map[string]any{
			"name": "c", "namespace": "n", "uid": "u",
			"finalizers":  []any{"azureasomanagedcontrolplane.infrastructure.cluster.x-k8s.io", "example.org/other"},
			"annotations": map[string]any{capzOwnedKinds: "ResourceGroup.v1api20200601.resources.azure.com", "mine": "stays"},
		},
		"spec": map[string]any{"version": "v1.33.6"},
	}}
	for _, c := range change {
		c(u)
	}
	return u
}

func resourceGroup(controller string, entries ...metav1.ManagedFieldsEntry) *metav1.PartialObjectMetadata {
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "g", ManagedFields: entries}}
	o.SetGroupVersionKind(schema.FromAPIVersionAndKind(groupVersion, "ResourceGroup"))
	if controller != "" {
		yes := true
		o.OwnerReferences = []metav1.OwnerReference{{APIVersion: "infrastructure.cluster.x-k8s.io/v1beta1", Kind: "AzureASOManagedControlPlane", Name: "c", UID: "u", Controller: &yes}}
		o.OwnerReferences[0].UID = "u"
		if controller != "u" {
			o.OwnerReferences[0].UID = "another"
		}
	}
	return o
}

func appliedBy(manager string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: groupVersion}
}

func TestThereAndBack(t *testing.T) {
	original := controlPlane()
	there, err := compositeFor(held{composite: paused(original, stateTo), children: []child{{resourceGroup("u"), groupVersion}}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{map[string]any{"apiVersion": groupVersion, "kind": "ResourceGroup", "name": "g"}}, access.SpecResourceRefs.Value(there)); diff != "" {
		t.Errorf("resourceRefs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"example.org/other", names.Finalizer}, there.GetFinalizers()); diff != "" {
		t.Errorf("finalizers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(original.GetAnnotations(), there.GetAnnotations()); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	with(there, crossplaneFinalizer)
	back := compositeBack(paused(there, stateBack))
	if diff := cmp.Diff([]string{"example.org/other", "azureasomanagedcontrolplane.infrastructure.cluster.x-k8s.io"}, back.GetFinalizers()); diff != "" {
		t.Errorf("finalizers after the way back (-want +got):\n%s", diff)
	}
	back.SetFinalizers(original.GetFinalizers())
	if diff := cmp.Diff(original, back); diff != "" {
		t.Errorf("object after the way back (-want +got):\n%s", diff)
	}
}

func TestBelongs(t *testing.T) {
	inSpec := controlPlane(func(u *unstructured.Unstructured) {
		_ = specResources.Set(u, []any{map[string]any{"apiVersion": "resources.azure.com/v1", "kind": "ResourceGroup", "metadata": map[string]any{"name": "g"}}})
	})
	elsewhere := resourceGroup("u")
	elsewhere.Namespace = "another"
	cases := map[string]struct {
		object *metav1.PartialObjectMetadata
		xr     *unstructured.Unstructured
		want   bool
	}{
		"Controlled":                  {object: resourceGroup("u"), xr: controlPlane(), want: true},
		"ControlledByAnother":         {object: resourceGroup("another"), xr: inSpec},
		"InSpecAndControlledByNobody": {object: resourceGroup(""), xr: inSpec, want: true},
		"NotInSpec":                   {object: resourceGroup(""), xr: controlPlane()},
		"InAnotherNamespace":          {object: elsewhere, xr: inSpec},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := belongs(c.object, c.xr); got != c.want {
				t.Errorf("got %t, want %t", got, c.want)
			}
		})
	}
}

func TestChildFor(t *testing.T) {
	original := resourceGroup("u", appliedBy(handover.CAPZManager))
	got := childFor(child{original, groupVersion}, controlPlane())
	if name := got.Annotations["crossplane.io/composition-resource-name"]; name != "ResourceGroup.resources.azure.com/g" {
		t.Errorf("name among what is composed is %q", name)
	}
	// The hash is what Crossplane 2.4 makes of "cAzureASOManagedControlPlane.infrastructure.cluster.x-k8s.io".
	if manager := got.ManagedFields[0].Manager; manager != handover.ComposedManager(controlPlane()) || len(manager) > 128 {
		t.Errorf("field manager is %q", manager)
	}
	if original.Annotations != nil || original.ManagedFields[0].Manager != handover.CAPZManager {
		t.Error("the original is changed")
	}
}

// typed is a control plane whose ASO objects CAPZ makes itself.
func typed() *unstructured.Unstructured {
	return controlPlane(func(u *unstructured.Unstructured) {
		u.SetKind("AzureManagedControlPlane")
		u.SetFinalizers([]string{managedClusterFinalizer})
	})
}

func updatedBy(manager string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: groupVersion}
}

func TestChildOfTyped(t *testing.T) {
	cases := map[string]struct {
		annotations map[string]string
		ownership   string
	}{
		"Managed":       {annotations: map[string]string{"serviceoperator.azure.com/reconcile-policy": "manage"}, ownership: "owned"},
		"OnlyRead":      {annotations: map[string]string{"serviceoperator.azure.com/reconcile-policy": "skip"}},
		"ManagedPaused": {annotations: map[string]string{"serviceoperator.azure.com/reconcile-policy": "skip", policyBeforePause: "manage"}, ownership: "owned"},
		"ReadPaused":    {annotations: map[string]string{"serviceoperator.azure.com/reconcile-policy": "skip", policyBeforePause: "skip"}},
		"Recorded": {annotations: map[string]string{"serviceoperator.azure.com/reconcile-policy": "manage",
			"infrastructure.cluster.x-k8s.io/ownership": "external"}, ownership: "external"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := resourceGroup("u", updatedBy(capzUpdater), updatedBy("kubectl"))
			o.Annotations = c.annotations
			there := childFor(child{o, groupVersion}, typed())
			if got := there.Annotations["infrastructure.cluster.x-k8s.io/ownership"]; got != c.ownership {
				t.Errorf("it is recorded as %q, want %q", got, c.ownership)
			}
			if diff := cmp.Diff([]metav1.ManagedFieldsEntry{appliedBy(handover.ComposedManager(typed())), updatedBy("kubectl")}, there.ManagedFields); diff != "" {
				t.Errorf("fields there (-want +got):\n%s", diff)
			}
			back := childBack(child{there, groupVersion}, typed())
			if diff := cmp.Diff(o.ManagedFields, back.ManagedFields); diff != "" {
				t.Errorf("fields after the way back (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTypedThereAndBack(t *testing.T) {
	there, err := compositeFor(held{composite: paused(typed(), stateTo)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{names.Finalizer}, there.GetFinalizers()); diff != "" {
		t.Errorf("finalizers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(typed(), compositeBack(there)); diff != "" {
		t.Errorf("object after the way back (-want +got):\n%s", diff)
	}
}

func TestKeepsIdentity(t *testing.T) {
	for finalizer, want := range map[string]bool{
		"azuremanagedcontrolplane.infrastructure.cluster.x-k8s.io/0123": true, "azurecluster.infrastructure.cluster.x-k8s.io/0123": true,
		"azurecluster.infrastructure.cluster.x-k8s.io": false, names.Finalizer: false, crossplaneFinalizer: false,
	} {
		if got := keepsIdentity(finalizer); got != want {
			t.Errorf("%s: got %t, want %t", finalizer, got, want)
		}
	}
}

func TestChildKinds(t *testing.T) {
	xr := controlPlane(func(u *unstructured.Unstructured) {
		_ = specResources.Set(u, []any{map[string]any{"apiVersion": "containerservice.azure.com/v1api20240901", "kind": "ManagedCluster"}, map[string]any{"apiVersion": "v1", "kind": "Secret"}})
		u.SetAnnotations(map[string]string{capzOwnedKinds: "ManagedCluster.v1api20231001.containerservice.azure.com;VirtualNetwork.v1api20201101.network.azure.com"})
	})
	want := []schema.GroupVersionKind{
		{Group: "containerservice.azure.com", Version: "v1api20240901", Kind: "ManagedCluster"},
		{Group: "network.azure.com", Version: "v1api20201101", Kind: "VirtualNetwork"},
	}
	if diff := cmp.Diff(want, childKinds(xr)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestObstacles(t *testing.T) {
	now := metav1.Now()
	cases := map[string]struct {
		change func(*unstructured.Unstructured)
		want   int
	}{
		"None":    {change: func(*unstructured.Unstructured) {}},
		"Deleted": {change: func(u *unstructured.Unstructured) { u.SetDeletionTimestamp(&now) }, want: 1},
		"LongName": {change: func(u *unstructured.Unstructured) {
			u.SetName("a123456789b123456789c123456789d123456789e123456789f123456789g123")
		}, want: 1},
		"OnItsWayBack": {change: func(u *unstructured.Unstructured) {
			with(u, names.Finalizer)
			u.SetAnnotations(map[string]string{stateAnnotation: stateBack})
		}, want: 1},
		"OursAlready": {change: func(u *unstructured.Unstructured) {
			u.SetDeletionTimestamp(&now)
			with(u, names.Finalizer)
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := obstacles(controlPlane(c.change)); len(got) != c.want {
				t.Errorf("want %d obstacles, got %q", c.want, got)
			}
		})
	}
}

func TestKeep(t *testing.T) {
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "azureclusters.infrastructure.cluster.x-k8s.io", "uid": "u", "labels": map[string]any{"a": "b"}},
		"spec":     map[string]any{"group": "infrastructure.cluster.x-k8s.io"}, "status": map[string]any{"storedVersions": []any{"v1beta1"}},
	}}
	kept, err := keep("capz-system", 2, []*unstructured.Unstructured{definition})
	if err != nil {
		t.Fatal(err)
	}
	got, err := unpack(kept)
	if err != nil {
		t.Fatal(err)
	}
	want := definition.DeepCopy()
	unstructured.RemoveNestedField(want.Object, "metadata", "uid")
	unstructured.RemoveNestedField(want.Object, "status")
	if diff := cmp.Diff([]*unstructured.Unstructured{want}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if keptReplicas.Value(kept) != "2" {
		t.Errorf("kept %q replicas", keptReplicas.Value(kept))
	}
}
