package takeover

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

var (
	statusConditions = field.At[[]any]("status", "conditions")
	// statusFailureDomains are a map by their names in version v1beta1 of Cluster API's contract, which CAPZ keeps, and a list in v1beta2, which
	// this project keeps.
	statusFailureDomains = field.At[any]("status", "failureDomains")
)

// keptHere are the conditions that stay on the way to this project. Synced is Crossplane's, which says by it that an object is held: it writes the condition
// again at once where that is gone, and the write after that comes too late.
var keptHere = []string{"Ready", "Synced"}

// statusFor returns a composite resource with its status as this project has it. The original is not changed.
func statusFor(xr *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	byName, isMap, err := failureDomains[map[string]any](xr)
	if err != nil || !isMap {
		return withoutForeignConditions(xr, "TakenOver", keptHere...), err
	}
	list := []any{}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		domain, _ := byName[name].(map[string]any)
		domain = maps.Clone(domain)
		if domain == nil {
			domain = map[string]any{}
		}
		domain["name"] = name
		list = append(list, domain)
	}
	out := withoutForeignConditions(xr, "TakenOver", keptHere...)
	return out, statusFailureDomains.Set(out, list)
}

// statusBack returns a composite resource with its status as CAPZ has it. The original is not changed.
func statusBack(xr *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	list, isList, err := failureDomains[[]any](xr)
	if err != nil || !isList {
		return withoutForeignConditions(xr, "GivenBack", "Ready"), err
	}
	byName := map[string]any{}
	for _, domain := range field.Maps(list) {
		name := field.Text(domain["name"])
		domain = maps.Clone(domain)
		delete(domain, "name")
		byName[name] = domain
	}
	out := withoutForeignConditions(xr, "GivenBack", "Ready")
	return out, statusFailureDomains.Set(out, byName)
}

// failureDomains returns those of an AzureCluster in one of the forms, and whether they are in that.
func failureDomains[Form any](xr *unstructured.Unstructured) (Form, bool, error) {
	var none Form
	if xr.GetKind() != composite.AzureCluster.Kind {
		return none, false, nil
	}
	value, found, err := statusFailureDomains.Get(xr)
	if err != nil || !found {
		return none, false, err
	}
	domains, is := value.(Form)
	return domains, is, nil
}

// withoutForeignConditions returns a composite resource without the conditions that nobody will keep up to date any more, but for those of some types. Ready
// stays, by which Cluster API goes, until it is written anew. What has no reason gets the given one: Crossplane's conditions must have one.
func withoutForeignConditions(xr *unstructured.Unstructured, reason string, stay ...string) *unstructured.Unstructured {
	xr = xr.DeepCopy()
	var kept []any
	for _, condition := range field.Maps(statusConditions.Value(xr)) {
		if !slices.Contains(stay, field.Text(condition["type"])) {
			continue
		}
		if field.Text(condition["reason"]) == "" {
			condition["reason"] = reason
		}
		kept = append(kept, condition)
	}
	switch {
	case len(kept) > 0:
		_ = statusConditions.Set(xr, kept) // It has been read from there.
	case statusConditions.Has(xr):
		statusConditions.Remove(xr)
	}
	return xr
}

// change returns the change of a composite resource, which writes its status first where that is to be another.
func (w *Walk) change(xr *unstructured.Unstructured, what string, status func(*unstructured.Unstructured) (*unstructured.Unstructured, error),
	rest func(*unstructured.Unstructured) (*unstructured.Unstructured, error),
) walk.Change {
	return walk.ChangeOf(xr, what, func(ctx context.Context) error {
		current := xr
		if !inline(xr) { // Of those CAPZ keeps no conditions, and no failure domains.
			wanted, err := status(xr)
			if err != nil {
				return fmt.Errorf("its status cannot be read: %w", err)
			}
			if !equality.Semantic.DeepEqual(wanted.Object["status"], xr.Object["status"]) {
				if current, err = w.PatchStatus(ctx, xr, wanted); err != nil {
					return err
				}
			}
		}
		return w.write(ctx, current, current != xr, rest)
	})
}

// manyWriters is how often an object is read anew that others have written meanwhile.
const manyWriters = 20

// write writes the rest of an object. Where its status was written just before, others may have seen that and written theirs: the object is read anew then, so
// that its status is not written again, which they would see again.
func (w *Walk) write(ctx context.Context, current *unstructured.Unstructured, seen bool, rest func(*unstructured.Unstructured) (*unstructured.Unstructured, error)) error {
	for attempt := 0; ; attempt++ {
		changed, err := rest(current)
		if err != nil {
			return err
		}
		err = w.Patch(ctx, current, changed)
		if !apierrors.IsConflict(err) || !seen || attempt == manyWriters {
			return err
		}
		anew, unread := w.Get(ctx, current.GroupVersionKind(), current.GetNamespace(), current.GetName())
		if unread != nil || anew == nil || anew.GetDeletionTimestamp() != nil {
			return err // The next look says what has become of it.
		}
		current = anew
	}
}
