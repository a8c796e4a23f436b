package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The versions that a managed cluster is said to have in turn.
var versions = [2]string{"1.33.7", "1.33.6"}

// takeChanges says in the status of ManagedClusters that they have another version, one after the other, and notes how long it takes
// until the status of the control plane's object shows that. Azure knows nothing of it, and ASO does not look.
func (a *arena) takeChanges(ctx context.Context, names []string, count int) error {
	if count == 0 {
		return nil
	}
	var took []time.Duration
	for i := range count {
		name := names[i*7%len(names)]
		for _, version := range versions {
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

func (a *arena) change(ctx context.Context, name, version string) (time.Duration, error) {
	managed := &unstructured.Unstructured{}
	managed.SetAPIVersion("containerservice.azure.com/v1api20240901")
	managed.SetKind("ManagedCluster")
	managed.SetNamespace(namespace)
	managed.SetName(name)
	patch := fmt.Appendf(nil, `{"status":{"currentKubernetesVersion":%q}}`, version)
	begun := time.Now()
	if err := a.client.Status().Patch(ctx, managed, client.RawPatch(types.MergePatchType, patch)); err != nil {
		return 0, err
	}
	shown, err := a.timeline.await(ctx, "the control plane to show its version", func(objects map[objectKey]*event) bool {
		for k, e := range objects {
			if k.gk.Group == infraGroup && k.gk.Kind == "AzureASOManagedControlPlane" && k.name == name {
				have, _, _ := unstructured.NestedString(e.object.Object, "status", "version")
				return have == "v"+version
			}
		}
		return false
	})
	return shown.Sub(begun), err
}
