package takeover

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// FieldOwner is the field manager of all that is written here.
const FieldOwner = "kubectl-capz-takeover"

// A Walk is one management cluster on its way.
type Walk struct {
	walk.Walker

	// Install is what brings this project, as a release has it in one file: needed on the way to this project only.
	Install []*unstructured.Unstructured
}

// To takes the cluster over to this project; with dry nothing is written. The changes are those that were made, or would be. The error is a
// walk.BlockedError where the cluster is in no state for it.
func (w *Walk) To(ctx context.Context, dry bool) ([]walk.Change, error) {
	if err := w.checkTo(ctx, dry); err != nil {
		return nil, err
	}
	return w.Walk(ctx, dry, w.stepsTo())
}

// Back returns the cluster to CAPZ, as it was kept when it was taken over. Its results are those of To.
func (w *Walk) Back(ctx context.Context, dry bool) ([]walk.Change, error) {
	if err := w.checkBack(ctx); err != nil {
		return nil, err
	}
	return w.Walk(ctx, dry, w.stepsBack())
}
