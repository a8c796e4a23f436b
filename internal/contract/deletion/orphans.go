package deletion

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// orphanDelay is how long a composite resource that is being deleted stays for an object that has lost its controller, and
// may yet be deleted with its other owners.
const orphanDelay = 10 * time.Second

// noteForeground notes on xr, when that is deleted in the foreground, which objects belong to it: soon nothing else may show it.
func (d *Deleter) noteForeground(ctx context.Context, xr *unstructured.Unstructured, objects []*unstructured.Unstructured) error {
	if !access.InForeground(xr) || len(objects) == 0 {
		return nil
	}
	return d.await(ctx, xr, objects)
}

// pollOrphans returns when to look again at objects whose events do not all lead to their composite resource, as those of orphans may
// not; zero where events do.
func pollOrphans(objects []*unstructured.Unstructured) time.Duration {
	if slices.ContainsFunc(objects, func(obj *unstructured.Unstructured) bool { return access.OrphanOf(obj) != "" }) {
		return pollInterval
	}
	return 0
}

// abandon returns how much longer xr, which has deleted all that belongs to it, stays for orphans. After that they are left as they are:
// that is what --cascade=orphan asks for.
func (d *Deleter) abandon(xr *unstructured.Unstructured, orphans []*unstructured.Unstructured) time.Duration {
	if len(orphans) == 0 {
		return 0
	}
	if left := time.Until(xr.GetDeletionTimestamp().Add(orphanDelay)); left > 0 {
		return left
	}
	for _, obj := range orphans {
		d.Events.Warn(obj, "LeftAlone", "DeleteComposite", fmt.Sprintf(
			"%s %s is deleted and leaves this, which it has composed, as it is: it is no longer its owner, as after --cascade=orphan", xr.GetKind(), xr.GetName()))
	}
	return 0
}
