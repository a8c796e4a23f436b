package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// managedByOther is the reason of Events about a field that Cluster API is to decide and somebody else has set.
const managedByOther = "ManagedByOther"

// decisions are the fields of spec that Cluster API decides of an ASO object which the user has written.
type decisions map[string]any

// manages reports whether the user of a typed kind wants Cluster API to decide what, version or replicas, of an ASO object
// that is the user's own.
func manages(xr *unstructured.Unstructured, what string) bool {
	for entry := range strings.SplitSeq(xr.GetAnnotations()[v1beta1.AnnotationManages], ",") {
		if strings.TrimSpace(entry) == what {
			return true
		}
	}
	return false
}

// decide makes obj, which the user of xr has written, have the fields as decided, and lets go of those that were decided
// before, as they are. It touches nothing else of obj.
//
// The fields are applied on the server side and never forced: a field that somebody else sets to another value is theirs,
// and who it is is shown. Else two writers would move a version back and forth.
func (a api) decide(ctx context.Context, xr, obj *unstructured.Unstructured, wanted decisions) error {
	held := decidedOf(obj)
	for name := range held {
		if _, still := wanted[name]; still {
			continue
		}
		// To apply less would take away what nobody else sets, so all is let go of, and what is still decided applied anew.
		if err := a.disown(ctx, obj); err != nil {
			return err
		}
		break
	}
	if len(wanted) == 0 || equality.Semantic.DeepEqual(held, wanted) {
		a.events.clear(xr, managedByOther)
		return nil
	}
	err := a.applyDecisions(ctx, obj, wanted)
	if others := fieldConflicts(err); others != "" {
		a.events.warn(xr, managedByOther, "", fmt.Sprintf("annotation %s lets Cluster API decide %s of %s %s, but %s; leave the field out there, or out of the annotation",
			v1beta1.AnnotationManages, strings.Join(slices.Sorted(maps.Keys(wanted)), " and "), obj.GetKind(), obj.GetName(), others))
		return nil // When the other lets go of it, that leads here.
	}
	if err == nil {
		a.events.clear(xr, managedByOther)
	}
	return err
}

// applyDecisions applies the fields to obj. The UID keeps an object from being made that is not there any more.
func (a api) applyDecisions(ctx context.Context, obj *unstructured.Unstructured, wanted decisions) error {
	applied := newXR(obj.GroupVersionKind())
	applied.SetNamespace(obj.GetNamespace())
	applied.SetName(obj.GetName())
	applied.SetUID(obj.GetUID())
	applied.Object["spec"] = map[string]any(wanted)
	err := a.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied))
	if err != nil && !apierrors.IsConflict(err) {
		return fmt.Errorf("cannot decide about %v: %w", refTo(obj), err)
	}
	return err
}

// fieldConflicts says in words who holds the fields that an apply was refused for; empty when it was not.
func fieldConflicts(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return ""
	}
	var others []string
	for _, cause := range status.Status().Details.Causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			others = append(others, cause.Field+": "+cause.Message)
		}
	}
	return strings.Join(others, ", ")
}

// disown ends provider-capz's ownership of fields of obj and leaves their values: what is owned by nobody stays.
func (a api) disown(ctx context.Context, obj *unstructured.Unstructured) error {
	left := slices.DeleteFunc(obj.GetManagedFields(), isDecision)
	if len(left) == 0 {
		left = []metav1.ManagedFieldsEntry{{}} // The API server takes no entries for no change, and an empty one for none.
	}
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": left},
		{"op": "replace", "path": "/metadata/resourceVersion", "value": obj.GetResourceVersion()},
	})
	if err != nil {
		return fmt.Errorf("cannot let go of %v: %w", refTo(obj), err)
	}
	if err := a.Patch(ctx, obj, client.RawPatch(types.JSONPatchType, patch)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot let go of %v: %w", refTo(obj), err)
	}
	return nil
}

// isDecision reports whether the entry is of fields that decide has applied.
func isDecision(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == FieldOwner && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == ""
}

// decidedOf returns the fields of obj that decide has applied, with the values that they have now.
func decidedOf(obj *unstructured.Unstructured) decisions {
	held := decisions{}
	spec, _, _ := unstructured.NestedMap(obj.Object, "spec")
	for _, entry := range obj.GetManagedFields() {
		owned := &fieldpath.Set{}
		if !isDecision(entry) || entry.FieldsV1 == nil || owned.FromJSON(entry.FieldsV1.GetRawReader()) != nil {
			continue
		}
		for name, value := range spec {
			if owned.Has(fieldpath.MakePathOrDie("spec", name)) {
				held[name] = value
			}
		}
	}
	return held
}

// letGo ends all decisions about the ASO object of the kind that the user of xr has written.
func (a api) letGo(ctx context.Context, xr *unstructured.Unstructured, kind schema.GroupKind) error {
	if !typed(xr) || kind.Empty() {
		return nil
	}
	obj, err := a.objectBehind(ctx, xr, kind)
	if err != nil || obj == nil || composedByAny(obj) {
		return err
	}
	return a.decide(ctx, xr, obj, nil)
}

// keep returns the decision about a field as it stands, if there is one.
func (d decisions) keep(name string) decisions {
	if value, held := d[name]; held {
		return decisions{name: value}
	}
	return decisions{}
}
