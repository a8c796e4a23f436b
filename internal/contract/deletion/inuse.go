package deletion

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// inUse reports whether the Cluster of an infrastructure still has a control plane, machines or pools of the same family. Cluster API
// deletes those first, but a person may delete everything at once, and Azure refuses to delete a network that machines are in.
func (d *Deleter) inUse(ctx context.Context, xr *unstructured.Unstructured) (bool, error) {
	name := xr.GetLabels()[clusterv1.ClusterNameLabel]
	if name == "" {
		return false, nil
	}
	used := false
	for _, kind := range users(d.Kind) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersionKind)
		err := d.List(ctx, list, client.InNamespace(xr.GetNamespace()), client.MatchingLabels{clusterv1.ClusterNameLabel: name})
		if err != nil {
			return false, fmt.Errorf("cannot list what uses the infrastructure: %w", err)
		}
		for i := range list.Items {
			user := &list.Items[i]
			if annotations.IsExternallyManaged(user) {
				continue
			}
			used = true
			if user.GetDeletionTimestamp() == nil {
				d.Events.Warn(xr, "InUse", "WaitForDeletion", fmt.Sprintf("waits until %s %s is deleted, which uses it", kind.Kind, user.GetName()))
			}
		}
	}
	return used, nil
}

// users returns the kinds whose resources lie in the infrastructure of a kind.
func users(infrastructure composite.Kind) []composite.Kind {
	return composite.Select(composite.Of(infrastructure.Family),
		composite.Is(composite.ControlPlane, composite.InfrastructureMachine, composite.InfrastructureMachinePool))
}
