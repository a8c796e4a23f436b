// Package handover gives objects of Azure Service Operator (ASO) from one owner to another, as who applies them in turn must find them: what the
// former owner has applied becomes what the next applies, so that nothing stays behind that nobody takes back. It is pure.
package handover

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// CAPZManager is the field manager that CAPZ applies ASO objects with (its module, controllers/resource_reconciler.go).
const CAPZManager = "capz-manager"

// RefTo returns the reference to an object, of an API version, as access.SpecResourceRefs have it.
func RefTo(o metav1.Object, kind schema.GroupVersionKind) map[string]any {
	return map[string]any{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind, "name": o.GetName()}
}

// ComposedManager is the field manager that Crossplane applies what a composite resource composes with (Crossplane, ComposedFieldOwnerName).
func ComposedManager(xr *unstructured.Unstructured) string {
	sum := sha256.Sum256([]byte(xr.GetName() + xr.GroupVersionKind().GroupKind().String()))
	return fmt.Sprintf("%s/%x", plan.ComposedManager, sum)
}

// AppliedByOwner reports whether fields were applied by CAPZ, or by Crossplane for a composite resource.
func AppliedByOwner(m metav1.ManagedFieldsEntry) bool {
	return m.Operation == metav1.ManagedFieldsOperationApply && m.Subresource == "" &&
		(m.Manager == CAPZManager || strings.HasPrefix(m.Manager, plan.ComposedManager+"/"))
}

// VersionOf returns the API version that an ASO object of a kind was applied in by its owner.
func VersionOf(o metav1.Object, kind schema.GroupVersionKind) string {
	for _, m := range o.GetManagedFields() {
		if AppliedByOwner(m) {
			return m.APIVersion
		}
	}
	return kind.GroupVersion().String()
}

// WrittenIn returns the API version that the spec of an ASO object of a kind was last written in, but by controllers for their status.
func WrittenIn(o metav1.Object, kind schema.GroupVersionKind) string {
	version, at := kind.GroupVersion().String(), time.Time{}
	for _, m := range o.GetManagedFields() {
		if m.Subresource != "" || m.FieldsV1 == nil || m.Time == nil || m.Time.Time.Before(at) {
			continue
		}
		written := &fieldpath.Set{}
		if written.FromJSON(m.FieldsV1.GetRawReader()) == nil && !written.WithPrefix(specElement).Empty() {
			version, at = m.APIVersion, m.Time.Time
		}
	}
	return version
}

var specElement = fieldpath.PathElement{FieldName: new("spec")}

// ToComposite has an ASO object of a kind be one that a composite resource composes: Crossplane finds it by its name among what is composed, and may
// take back what the former owner has applied.
func ToComposite(o metav1.Object, kind schema.GroupKind, xr *unstructured.Unstructured) {
	named := &unstructured.Unstructured{}
	named.SetGroupVersionKind(kind.WithVersion(""))
	named.SetName(o.GetName())
	annotations := map[string]string{}
	for name, value := range o.GetAnnotations() {
		annotations[name] = value
	}
	annotations[xcrd.AnnotationKeyCompositionResourceName] = plan.NameOf(named)
	o.SetAnnotations(annotations)
	o.SetManagedFields(Renamed(o.GetManagedFields(), ComposedManager(xr)))
}

// Renamed returns managed fields with those that were applied by the owner under another name. There is one set of them for a name: one that is there under
// it already stays, and the others go.
func Renamed(entries []metav1.ManagedFieldsEntry, manager string) []metav1.ManagedFieldsEntry {
	out := slices.Clone(entries)
	has := slices.ContainsFunc(out, func(m metav1.ManagedFieldsEntry) bool { return AppliedByOwner(m) && m.Manager == manager })
	if has {
		return slices.DeleteFunc(out, func(m metav1.ManagedFieldsEntry) bool { return AppliedByOwner(m) && m.Manager != manager })
	}
	for i := range out {
		if AppliedByOwner(out[i]) {
			out[i].Manager = manager
			break
		}
	}
	return out
}
