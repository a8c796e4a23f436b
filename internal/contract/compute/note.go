package compute

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// note writes the facts on an AzureMachine or AzureMachinePool, and what is to be noted beside, if they differ. With them it writes a provider ID, if one is
// given and there is none yet.
func note(ctx context.Context, api access.API, xr *unstructured.Unstructured, facts v1alpha1.MachineFacts, providerID string, beside ...func(map[string]string)) error {
	text, err := facts.Encode()
	if err != nil {
		return err
	}
	changed, differs := access.Annotated(xr, func(annotations map[string]string) {
		annotations[v1alpha1.AnnotationMachineFacts] = text
		for _, write := range beside {
			write(annotations)
		}
	})
	if !differs {
		return nil
	}
	if providerID != "" && !specProviderID.Has(xr) {
		if err := specProviderID.Set(changed, providerID); err != nil {
			return fmt.Errorf("cannot write the provider ID: %w", err)
		}
	}
	if err := writeNote(ctx, api, changed, xr); err != nil {
		return err
	}
	changed.DeepCopyInto(xr) // The next write is based on this one.
	return nil
}

// noteTries is how often a note is written at most. Crossplane writes an object again and again while it composes it.
const noteTries = 5

// writeNote writes changed, which differs from xr in annotations of this provider. Others may have written the object since xr was read. What was found out
// and done in Azure is so all the same, and to find it out again takes a list of all instances. The error is a conflict if the annotations are not those
// of xr any more, or the object is another.
func writeNote(ctx context.Context, api access.API, changed, xr *unstructured.Unstructured) error {
	base := xr
	for try := 1; ; try++ {
		err := api.MergePatch(ctx, changed, base)
		if !apierrors.IsConflict(err) || try == noteTries {
			return err
		}
		current := access.Metadata(xr.GroupVersionKind())
		if api.Live.Get(ctx, client.ObjectKeyFromObject(xr), current) != nil || current.UID != xr.GetUID() || !sameNotes(current, xr, changed) {
			return err
		}
		base = xr.DeepCopy()
		base.SetResourceVersion(current.ResourceVersion)
	}
}

// sameNotes reports whether the annotations in which changed differs from xr are in current as they are in xr.
func sameNotes(current, xr, changed client.Object) bool {
	was, is, wanted := xr.GetAnnotations(), current.GetAnnotations(), changed.GetAnnotations()
	for _, annotations := range []map[string]string{was, wanted} {
		for key := range annotations {
			if was[key] != wanted[key] && is[key] != was[key] {
				return false
			}
		}
	}
	return true
}
