package admission

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// writtenLater lets names that were left out, and then found from the Cluster, be written down, but no others: what has them in
// Azure cannot be renamed.
func (r *Rules) writtenLater(ctx context.Context, req admission.Request, changed *v1beta1.AzureManagedControlPlane) (field.ErrorList, error) {
	old, err := decode[v1beta1.AzureManagedControlPlane](req.OldObject.Raw)
	if err != nil {
		return nil, err
	}
	cluster, err := r.clusterOf(ctx, changed)
	if err != nil || cluster == nil {
		return nil, err
	}
	group := changed.Spec.ResourceGroupName
	var wrong field.ErrorList
	for _, name := range []struct {
		path                *field.Path
		before, now, wanted string
	}{
		{field.NewPath("spec", "resourceGroupName"), old.Spec.ResourceGroupName, group, cluster.Name},
		{
			field.NewPath("spec", "nodeResourceGroupName"), old.Spec.NodeResourceGroupName, changed.Spec.NodeResourceGroupName,
			fmt.Sprintf("MC_%s_%s_%s", cmp.Or(group, cluster.Name), changed.Name, changed.Spec.Location),
		},
		{field.NewPath("spec", "fleetsMember", "name"), fleetName(old, cluster.Name), fleetName(changed, ""), cluster.Name},
	} {
		if name.before == "" && name.now != "" && name.now != name.wanted {
			wrong = append(wrong, field.Invalid(name.path, name.now, fmt.Sprintf(
				"must be %s: that is what it has been since it was left out, and it cannot be changed", name.wanted)))
		}
	}
	return wrong, nil
}

// fleetName returns the name of the fleet member, or none where there is no fleet.
func fleetName(controlPlane *v1beta1.AzureManagedControlPlane, none string) string {
	if controlPlane.Spec.FleetsMember == nil {
		return none
	}
	return controlPlane.Spec.FleetsMember.Name
}
