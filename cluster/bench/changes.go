package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The versions that a managed cluster is said to have in turn.
var versions = [2]string{"1.33.7", "1.33.6"}

// takeChanges says in the status of ManagedClusters that they have another version, one after the other, and notes how long it takes
// until the status of the control plane's object shows that. Azure knows nothing of it, and ASO does not look. Each begins when what came of
// the one before is over.
func (a *arena) takeChanges(ctx context.Context, names []string, count int) error {
	if count == 0 {
		return nil
	}
	var took []time.Duration
	for i := range count {
		name := names[i*7%len(names)]
		for _, version := range versions {
			if err := a.timeline.quiet(ctx, time.Second, patience); err != nil {
				return err
			}
			d, err := a.change(ctx, name, version)
			if err != nil {
				return err
			}
			took = append(took, d)
		}
	}
	slices.Sort(took)
	a.take("change p50", milliseconds(took[len(took)/2]), "ms")
	a.take("change p99", milliseconds(took[len(took)*99/100]), "ms")
	return nil
}

// change returns how long after a watch reports the ManagedCluster's new version it reports the control plane's.
func (a *arena) change(ctx context.Context, name, version string) (time.Duration, error) {
	managed := &unstructured.Unstructured{}
	managed.SetAPIVersion("containerservice.azure.com/v1api20240901")
	managed.SetKind("ManagedCluster")
	managed.SetNamespace(namespace)
	managed.SetName(name)
	patch := fmt.Appendf(nil, `{"status":{"currentKubernetesVersion":%q}}`, version)
	if err := a.client.Status().Patch(ctx, managed, client.RawPatch(types.MergePatchType, patch)); err != nil {
		return 0, err
	}
	made, err := a.shows(ctx, managed.GroupVersionKind().GroupKind(), name, version, "currentKubernetesVersion")
	if err != nil {
		return 0, err
	}
	shown, err := a.shows(ctx, schema.GroupKind{Group: infraGroup, Kind: "AzureASOManagedControlPlane"}, name, "v"+version, "version")
	return shown.Sub(made), err
}

// shows waits until a field of an object's status has a value, and returns when it came to have it.
func (a *arena) shows(ctx context.Context, gk schema.GroupKind, name, value, field string) (at time.Time, err error) {
	_, err = a.timeline.await(ctx, fmt.Sprintf("%s %s to have %s %s", gk.Kind, name, field, value), func(objects map[objectKey]*event) bool {
		e := objects[objectKey{gk, namespace, name}]
		if e == nil {
			return false
		}
		at = e.changed
		have, _, _ := unstructured.NestedString(e.object.Object, "status", field)
		return have == value
	})
	return at, err
}
