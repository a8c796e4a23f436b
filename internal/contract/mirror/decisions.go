package mirror

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
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

// managedByOther is the reason of Events about a field that Cluster API is to decide and somebody else has set.
const managedByOther = "ManagedByOther"

// decisions are the fields of spec that Cluster API decides of an ASO object which the user has written.
type decisions map[string]any

// manages reports whether the user of a kind with typed fields wants Cluster API to decide about a field, v1beta1.ManagesVersion or
// ManagesReplicas, of an ASO object that is the user's own.
func manages(xr *unstructured.Unstructured, field string) bool {
	for entry := range strings.SplitSeq(xr.GetAnnotations()[v1beta1.AnnotationManages], ",") {
		if strings.TrimSpace(entry) == field {
			return true
		}
	}
	return false
}

// decide makes obj, which the user of xr has written, have the fields as decided, and gives up those that were decided
// before, as they are. It touches nothing else of obj.
//
// The fields are applied on the server side and never forced: a field that somebody else sets to another value is theirs,
// and an Event names them. Otherwise two writers would move a version back and forth.
func decide(ctx context.Context, api access.API, xr, obj *unstructured.Unstructured, wanted decisions) error {
	current := decided(obj)
	for name := range current {
		if _, still := wanted[name]; still {
			continue
		}
		// To apply less would remove what nobody else sets, so all fields are given up, and what is still decided applied anew.
		if err := giveUp(ctx, api, obj); err != nil {
			return err
		}
		break
	}
	if len(wanted) == 0 || equality.Semantic.DeepEqual(current, wanted) {
		api.Events.Clear(xr, managedByOther)
		return nil
	}
	err := apply(ctx, api, obj, wanted)
	if others := fieldConflicts(err); others != "" {
		api.Events.Warn(xr, managedByOther, "", fmt.Sprintf("annotation %s lets Cluster API decide %s of %s %s, but %s; leave the field out there, or out of the annotation",
			v1beta1.AnnotationManages, strings.Join(slices.Sorted(maps.Keys(wanted)), " and "), obj.GetKind(), obj.GetName(), others))
		return nil // When the other manager gives it up, that leads here.
	}
	if err == nil {
		api.Events.Clear(xr, managedByOther)
	}
	return err
}

// apply applies the fields to obj. The UID keeps an object from being created that is not there any more.
func apply(ctx context.Context, api access.API, obj *unstructured.Unstructured, wanted decisions) error {
	applied := access.NewObject(obj.GroupVersionKind())
	applied.SetNamespace(obj.GetNamespace())
	applied.SetName(obj.GetName())
	applied.SetUID(obj.GetUID())
	if err := spec.Set(applied, wanted); err != nil {
		return err
	}
	err := api.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied))
	if err != nil && !apierrors.IsConflict(err) {
		return fmt.Errorf("cannot decide about %v: %w", access.RefTo(obj), err)
	}
	return err
}

// fieldConflicts returns, for users, who manages the fields for which an apply was refused; empty when it was not.
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

// giveUp ends provider-capz's management of fields of obj and leaves their values: fields without a manager stay.
func giveUp(ctx context.Context, api access.API, obj *unstructured.Unstructured) error {
	left := slices.DeleteFunc(obj.GetManagedFields(), isDecision)
	if len(left) == 0 {
		left = []metav1.ManagedFieldsEntry{{}} // The API server takes no entries for no change, and an empty one for none.
	}
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": left},
		{"op": "replace", "path": "/metadata/resourceVersion", "value": obj.GetResourceVersion()},
	})
	if err != nil {
		return fmt.Errorf("cannot give up fields of %v: %w", access.RefTo(obj), err)
	}
	if err := api.Patch(ctx, obj, client.RawPatch(types.JSONPatchType, patch)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot give up fields of %v: %w", access.RefTo(obj), err)
	}
	return nil
}

// isDecision reports whether the entry is of fields that decide has applied.
func isDecision(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == names.FieldOwner && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == ""
}

// decided returns the fields of obj that decide has applied, with the values that they have now.
func decided(obj *unstructured.Unstructured) decisions {
	current := decisions{}
	for _, entry := range obj.GetManagedFields() {
		owned := &fieldpath.Set{}
		if !isDecision(entry) || entry.FieldsV1 == nil || owned.FromJSON(entry.FieldsV1.GetRawReader()) != nil {
			continue
		}
		for name, value := range spec.Value(obj) {
			if owned.Has(fieldpath.MakePathOrDie("spec", name)) {
				current[name] = value
			}
		}
	}
	return current
}

// GiveUp ends all decisions about the ASO object that backs xr, if the user has written it.
func GiveUp(ctx context.Context, api access.API, xr *unstructured.Unstructured) error {
	kind := access.KindOf(xr)
	backing := Mirrored(kind)
	if kind.Inline || backing.Empty() {
		return nil
	}
	obj, err := BackingObject(ctx, api.Live, xr, backing)
	if err != nil || obj == nil || access.ControlledByComposite(obj) {
		return err
	}
	return decide(ctx, api, xr, obj, nil)
}

// only returns the decision about a field as it stands, if there is one.
func (d decisions) only(name string) decisions {
	if value, found := d[name]; found {
		return decisions{name: value}
	}
	return decisions{}
}
