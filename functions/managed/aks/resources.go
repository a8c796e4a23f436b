// Package aks turns the typed AKS kinds into the Azure Service Operator (ASO) objects that they stand for. It is
// pure: it reads nothing but its arguments, and equal arguments give equal objects.
//
// The objects are those that CAPZ makes of the same manifest, with the same names, owners, tags, labels and API versions,
// so that an object of either project is an object of the other. cluster/compat compares the two field by field.
package aks

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// A Cluster is what is needed of the Cluster API Cluster.
type Cluster struct {
	Namespace, Name string
	// ServiceCIDRs and PodCIDRs are spec.clusterNetwork.services.cidrBlocks and .pods.cidrBlocks.
	ServiceCIDRs, PodCIDRs []string
}

// A Pool is an agent pool and what its MachinePool says about it.
type Pool struct {
	XR *v1beta1.AzureManagedMachinePool
	// Replicas is spec.replicas of the MachinePool.
	Replicas *int32
	// Version is spec.template.spec.version of the MachinePool.
	Version string
	// AutoUpgradeVersion is status.autoUpgradeVersion of the AzureManagedControlPlane.
	AutoUpgradeVersion string
}

// A LiveCluster is what Azure says about the AKS cluster; the zero value stands for one that does not exist.
type LiveCluster struct {
	// Version is the Kubernetes version that it runs, as in status.currentKubernetesVersion.
	Version string
	// HasPools is true once Azure has agent pools for it. From then on they are objects of their own.
	HasPools bool
	// Provisioned is true once AKS has made it.
	Provisioned bool
}

// A LivePool is what is known of an agent pool that exists; the zero value stands for one that does not.
type LivePool struct {
	// Version is the Kubernetes version that it runs, as in status.currentOrchestratorVersion, which is never lowered.
	Version string
}

// ControlPlane returns the resources that an AzureManagedControlPlane stands for, those that others refer to first. Their objects have
// name, namespace, labels and annotations, but no reconcile policy: whose a resource in Azure is, is not known here.
func ControlPlane(cp *v1beta1.AzureManagedControlPlane, cluster Cluster, pools []Pool, live LiveCluster) []*plan.Resource {
	c := newCluster(cp, cluster)
	objects := c.resourceGroups()
	objects = append(objects, c.virtualNetwork(), c.subnet(), c.managedCluster(pools, live))
	objects = append(objects, c.privateEndpoints()...)
	objects = append(objects, c.fleetsMember()...)
	objects = append(objects, c.extensions()...)
	return withoutCollisions(objects)
}

// MachinePool returns the agent pool that an AzureManagedMachinePool stands for.
func MachinePool(pool Pool, cp *v1beta1.AzureManagedControlPlane, cluster Cluster, live LivePool) *plan.Resource {
	return newCluster(cp, cluster).agentPool(pool, live)
}

// object finishes one typed ASO object: what all of them have is set here.
func (c *aksCluster) object(path, name string, typed runtime.Object, problem *composer.Blocked) *plan.Resource {
	obj, err := untyped(typed)
	if err != nil {
		return &plan.Resource{Source: path, Object: obj, Err: invalid("%s cannot be written as JSON: %v", path, err)}
	}
	c.identify(obj, name)
	if name == "" && problem == nil {
		problem = invalid("%s gives the name %q, but it must have a letter or a digit, as the object in Kubernetes is named after it", path, name)
	}
	return &plan.Resource{Source: path, Object: obj, Err: problem, Subscription: c.spec.SubscriptionID}
}

// identify gives an object its name and what ties it to the cluster. A patch may have added labels and annotations.
func (c *aksCluster) identify(obj *unstructured.Unstructured, name string) {
	labels, annotations := obj.GetLabels(), obj.GetAnnotations()
	metadata := map[string]any{"name": name, "namespace": c.cluster.Namespace}
	obj.Object["metadata"] = metadata
	obj.SetLabels(with(labels, clusterv1.ClusterNameLabel, c.cluster.Name))
	obj.SetAnnotations(with(annotations, aso.AnnotationCredentialFrom, v1beta1.CredentialSecret(c.cluster.Name)))
}

// withoutCollisions marks resources of one kind whose names in Kubernetes are the same, though those in Azure differ.
func withoutCollisions(resources []*plan.Resource) []*plan.Resource {
	first := map[string]string{}
	for _, r := range resources {
		at, taken := first[r.Name()]
		switch {
		case !taken:
			first[r.Name()] = r.Source
		case r.Err == nil:
			r.Err = composer.Blockedf(composer.ReasonDuplicateResource,
				"%s: %s %q is defined by %s already; their names must differ in more than upper case and punctuation, which names in Kubernetes do not have",
				r.Source, r.Object.GetKind(), r.Object.GetName(), at)
		}
	}
	return resources
}

func invalid(format string, args ...any) *composer.Blocked {
	return composer.Blockedf(composer.ReasonInvalidResource, format, args...)
}

// firstProblem returns the first of the problems that is one.
func firstProblem(problems ...*composer.Blocked) *composer.Blocked {
	if i := slices.IndexFunc(problems, func(p *composer.Blocked) bool { return p != nil }); i >= 0 {
		return problems[i]
	}
	return nil
}
