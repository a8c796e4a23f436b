package deletion

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// nameRefused are Azure's error codes for a name that no resource can have, or that no resource group can have in which it would lie (Azure
// documentation, "Naming rules and restrictions for Azure resources"; a GET and a DELETE are answered so, too).
var nameRefused = []string{"InvalidResourceGroup", "InvalidResourceName"}

// letGo has ASO let go of an object whose deletion Azure refuses because of the name: Azure cannot have the resource. The request has nothing
// but the name that could be meant. It reports whether it did.
func (d *Deleter) letGo(ctx context.Context, xr, obj *unstructured.Unstructured) (bool, error) {
	refusal, refused := aso.RefusalOf(obj)
	if !refused || obj.GetDeletionTimestamp() == nil || !slices.Contains(nameRefused, refusal.Reason) || !deletedInAzure(obj) {
		return false, nil
	}
	if err := d.detach(ctx, obj); err != nil {
		return false, err
	}
	d.Events.Warn(xr, "NeverCreated", "DeleteComposite", fmt.Sprintf(
		"%s %s leaves Kubernetes only, which leaves nothing in Azure: there can be no resource of a name that Azure refuses: %s: %s",
		obj.GetKind(), obj.GetName(), refusal.Reason, refusal.Message))
	return true, nil
}
