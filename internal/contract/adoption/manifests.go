package adoption

import (
	"cmp"
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

var (
	spec              = field.At[map[string]any]("spec")
	agentPoolProfiles = field.At[any]("spec", "agentPoolProfiles")
)

// nameOf returns the name of what is made for an ASO object.
func nameOf(obj *unstructured.Unstructured) string {
	return cmp.Or(obj.GetAnnotations()[AnnotationName], obj.GetName())
}

// cluster returns the objects of a ManagedCluster: what the Cluster refers to, and then the Cluster.
func (r *Reconciler) cluster(ctx context.Context, managed *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	name := nameOf(managed)
	infrastructure := map[string]any{}
	if owner := aso.SpecOwnerName.Value(managed); owner != "" {
		group, err := r.read(ctx, aso.ResourceGroup, managed.GetNamespace(), owner)
		if err != nil {
			return nil, err
		}
		if group == nil {
			return nil, waitf("ResourceGroup %s, which owns it, must exist", owner)
		}
		// Of several clusters in one resource group the first has it.
		if controller := metav1.GetControllerOf(group); controller == nil || controller.Kind == composite.AzureASOManagedCluster.Kind && controller.Name == name {
			infrastructure["resources"] = []any{entry(group)}
		}
	}
	return []*unstructured.Unstructured{
		object(composite.AzureASOManagedCluster.GroupVersionKind, name, infrastructure),
		object(composite.AzureASOManagedControlPlane.GroupVersionKind, name, map[string]any{"resources": []any{entry(withoutPools(managed))}}),
		object(clusterv1.GroupVersion.WithKind("Cluster"), name, map[string]any{
			"infrastructureRef": refer(composite.AzureASOManagedCluster, name), "controlPlaneRef": refer(composite.AzureASOManagedControlPlane, name),
		}),
	}, nil
}

// withoutPools returns a copy of a ManagedCluster that has no agent pools in it.
func withoutPools(managed *unstructured.Unstructured) *unstructured.Unstructured {
	without := managed.DeepCopy()
	agentPoolProfiles.Remove(without)
	return without
}

// pool returns the objects of a ManagedClustersAgentPool.
func (r *Reconciler) pool(ctx context.Context, pool *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	cluster, err := r.clusterOf(ctx, pool)
	if err != nil {
		return nil, err
	}
	name, pool := nameOf(pool), pool.DeepCopy()
	machinePool := object(clusterv1.GroupVersion.WithKind("MachinePool"), name, map[string]any{
		"clusterName": cluster,
		"template": map[string]any{"spec": map[string]any{
			"clusterName": cluster, "bootstrap": map[string]any{"dataSecretName": ""}, "infrastructureRef": refer(composite.AzureASOManagedMachinePool, name),
		}},
	})
	if aso.SpecCount.Has(pool) {
		if err := unstructured.SetNestedField(machinePool.Object, aso.SpecCount.Value(pool), "spec", "replicas"); err != nil {
			return nil, err
		}
		aso.SpecCount.Remove(pool)
	}
	if aso.SpecEnableAutoScaling.Value(pool) {
		aso.Annotate(machinePool, clusterv1.ReplicasManagedByAnnotation, v1beta1.ReplicasManagedByAKS)
	}
	return []*unstructured.Unstructured{
		object(composite.AzureASOManagedMachinePool.GroupVersionKind, name, map[string]any{"resources": []any{entry(pool)}}), machinePool,
	}, nil
}

// clusterOf returns the name of the Cluster whose control plane has the ManagedCluster of a pool.
func (r *Reconciler) clusterOf(ctx context.Context, pool *unstructured.Unstructured) (string, error) {
	owner := aso.SpecOwnerName.Value(pool)
	if owner == "" {
		return "", refusef("spec.owner.name is absent, but must be the name of its ManagedCluster")
	}
	managed, err := r.Live.Object(ctx, pool.GetNamespace(), access.Ref{GroupVersionKind: aso.ManagedCluster.GroupVersionKind(), Name: owner})
	if err != nil {
		return "", err
	}
	if managed == nil {
		return "", waitf("ManagedCluster %s, which owns it, must exist", owner)
	}
	controller := metav1.GetControllerOf(managed)
	if controller == nil || controller.Kind != composite.AzureASOManagedControlPlane.Kind {
		return "", waitf("ManagedCluster %s must be adopted before, by the same annotation", owner)
	}
	controlPlane := access.NewObject(composite.AzureASOManagedControlPlane.GroupVersionKind)
	if err := r.Get(ctx, client.ObjectKey{Namespace: pool.GetNamespace(), Name: controller.Name}, controlPlane); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	cluster := controlPlane.GetLabels()[clusterv1.ClusterNameLabel]
	if cluster == "" {
		return "", waitf("AzureASOManagedControlPlane %s must have a Cluster", controller.Name)
	}
	return cluster, nil
}

// kept are the annotations of users' on ASO objects that say with what credential ASO signs in, and what it may do.
var kept = []string{aso.AnnotationCredentialFrom, aso.AnnotationReconcilePolicy}

// entry returns an ASO object as spec.resources has it.
func entry(obj *unstructured.Unstructured) map[string]any {
	metadata := map[string]any{"name": obj.GetName()}
	annotations := map[string]any{}
	for _, name := range kept {
		if value := obj.GetAnnotations()[name]; value != "" {
			annotations[name] = value
		}
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	return map[string]any{"apiVersion": obj.GetAPIVersion(), "kind": obj.GetKind(), "metadata": metadata, "spec": spec.Value(obj)}
}

func object(kind schema.GroupVersionKind, name string, spec map[string]any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	o.SetGroupVersionKind(kind)
	o.SetName(name)
	return o
}

// refer returns a reference of Cluster API.
func refer(kind composite.Kind, name string) map[string]any {
	return map[string]any{"apiGroup": kind.Group, "kind": kind.Kind, "name": name}
}
