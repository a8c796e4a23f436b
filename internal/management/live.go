package management

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

var (
	specClusterName = field.At[string]("spec", "clusterName")
	clusterKind     = clusterv1.GroupVersion.WithKind("Cluster")
	// besides are the kinds of Cluster API that decide what there is of a Cluster in Azure.
	besides = []schema.GroupVersionKind{
		clusterv1.GroupVersion.WithKind("MachinePool"), clusterv1.GroupVersion.WithKind("MachineDeployment"), clusterv1.GroupVersion.WithKind("Machine"),
		{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2", Kind: "KubeadmControlPlane"},
	}
)

// Around returns the objects of the cluster that manifests may be about: those that they name, and the rest of their Clusters.
func (r *Reader) Around(ctx context.Context, manifests []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	var live []*unstructured.Unstructured
	add := func(o *unstructured.Unstructured) {
		known := slices.ContainsFunc(live, func(other *unstructured.Unstructured) bool { return other.GetUID() == o.GetUID() })
		if !known {
			live = append(live, o)
		}
	}
	clusters := map[string]map[string]bool{}
	for _, o := range manifests {
		found, err := r.Get(ctx, o.GroupVersionKind(), o.GetNamespace(), o.GetName())
		if err != nil {
			return nil, err
		}
		if found != nil {
			add(found)
		}
		if name := clusterOf(o, found); name != "" {
			if clusters[o.GetNamespace()] == nil {
				clusters[o.GetNamespace()] = map[string]bool{}
			}
			clusters[o.GetNamespace()][name] = true
		}
	}
	for namespace, names := range clusters {
		rest, err := r.ofClusters(ctx, namespace, slices.Sorted(maps.Keys(names)))
		if err != nil {
			return nil, err
		}
		for _, o := range rest {
			add(o)
		}
	}
	return live, nil
}

// Instances returns the objects of the instances of the AzureMachinePools among objects.
func (r *Reader) Instances(ctx context.Context, objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, o := range objects {
		if o.GroupVersionKind().GroupKind() != composite.AzureMachinePool.GroupKind() {
			continue
		}
		found, err := r.list(ctx, v1beta1.GroupVersion.WithKind(v1beta1.AzureMachinePoolMachineKind), o.GetNamespace(), v1beta1.LabelMachinePool+"="+o.GetName())
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// clusterOf returns the name of the Cluster that an object is of, as its manifest or the live object says.
func clusterOf(manifest, live *unstructured.Unstructured) string {
	if kind := manifest.GroupVersionKind(); kind.GroupKind() == clusterKind.GroupKind() || kind.Group == composite.PlatformGroup {
		return manifest.GetName() // A Cluster is named like what it is composed of.
	}
	for _, o := range []*unstructured.Unstructured{manifest, live} {
		if o == nil {
			continue
		}
		if name := specClusterName.Value(o); name != "" {
			return name
		}
		if name := o.GetLabels()[clusterv1.ClusterNameLabel]; name != "" {
			return name
		}
	}
	return ""
}

// ofClusters returns the Clusters of the names with what belongs to them.
func (r *Reader) ofClusters(ctx context.Context, namespace string, names []string) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, name := range names {
		cluster, err := r.Get(ctx, clusterKind, namespace, name)
		if err != nil {
			return nil, err
		}
		if cluster != nil {
			all = append(all, cluster)
		}
	}
	kinds := slices.Clone(besides)
	for _, k := range composite.Select(composite.InContract) {
		kinds = append(kinds, k.GroupVersionKind)
	}
	kinds = append(kinds, composite.AzureMachineTemplate.GroupVersionKind)
	selector := fmt.Sprintf("%s in (%s)", clusterv1.ClusterNameLabel, strings.Join(names, ","))
	for _, kind := range kinds {
		found, err := r.list(ctx, kind, namespace, selector)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
