package takeover

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// An AzureMachinePoolMachine stands for an instance of a scale set. It composes nothing, but is kept by a finalizer of whoever deletes the instance.

// takeMembers gives AzureMachinePoolMachines this project's finalizer in the place of CAPZ's.
func (w *Walk) takeMembers(ctx context.Context) ([]walk.Change, error) {
	return w.changeMembers(ctx, func(o *unstructured.Unstructured) {
		without(o, capzFinalizers[o.GetKind()])
		with(o, names.Finalizer)
	})
}

// returnMembers gives them CAPZ's again.
func (w *Walk) returnMembers(ctx context.Context) ([]walk.Change, error) {
	return w.changeMembers(ctx, func(o *unstructured.Unstructured) {
		without(o, names.Finalizer)
		with(o, capzFinalizers[o.GetKind()])
	})
}

func (w *Walk) changeMembers(ctx context.Context, change func(*unstructured.Unstructured)) ([]walk.Change, error) {
	members, err := w.List(ctx, poolMachineKind)
	var changes []walk.Change
	for _, o := range members {
		changed := o.DeepCopy()
		change(changed)
		before, after := listed(o.GetFinalizers()), listed(changed.GetFinalizers())
		if before == after {
			continue
		}
		changes = append(changes, walk.ChangeOf(o, fmt.Sprintf("finalizers %s become %s", before, after), func(ctx context.Context) error {
			return w.Patch(ctx, o, changed)
		}))
	}
	return changes, err
}
