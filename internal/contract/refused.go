package contract

import (
	"context"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/retry"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// retryRefused has ASO try again what Azure has refused to make, or to delete as the spec no longer has it. It returns when to look again;
// zero if nothing is refused.
func (r *Reconciler) retryRefused(ctx context.Context, xr *unstructured.Unstructured) (time.Duration, error) {
	var refused []*unstructured.Unstructured
	for ref := range refusedIn(xr) {
		obj, err := r.Live.Object(ctx, xr.GetNamespace(), ref)
		if err != nil {
			return 0, err
		}
		if obj != nil && access.BelongsTo(xr, obj) {
			refused = append(refused, obj)
		}
	}
	return retry.All(ctx, r.Client, refused)
}

// refusedIn returns the ASO objects of which the status of a composite resource says that more keeps them from being ready than ordinary
// progress, with the reasons.
func refusedIn(xr *unstructured.Unstructured) map[access.Ref]string {
	var refused map[access.Ref]string
	for _, status := range field.Maps(access.StatusResources.Value(xr)) {
		reason := field.Text(status["reason"])
		resource, _ := status["resource"].(map[string]any)
		gvk := schema.GroupVersionKind{Group: field.Text(resource["group"]), Version: field.Text(resource["version"]), Kind: field.Text(resource["kind"])}
		name := field.Text(resource["name"])
		if status["ready"] == true || aso.Progressing(reason) || !aso.IsASO(gvk.Group) || gvk.Kind == "" || name == "" {
			continue
		}
		if refused == nil {
			refused = map[access.Ref]string{}
		}
		refused[access.Ref{GroupVersionKind: gvk, Name: name}] = reason
	}
	return refused
}

// refusalsChanged reports whether the status says of other objects, or with other reasons, that they are refused.
func refusalsChanged(before, after client.Object) bool {
	old, oldOK := before.(*unstructured.Unstructured)
	changed, changedOK := after.(*unstructured.Unstructured)
	return oldOK && changedOK && !maps.Equal(refusedIn(old), refusedIn(changed))
}
