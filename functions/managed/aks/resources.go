// Package aks turns the typed AKS kinds into the Azure Service Operator (ASO) objects that they stand for. It is
// pure: it reads nothing but its arguments, and equal arguments give equal objects.
//
// The objects are those that CAPZ makes of the same manifest, with the same names, owners, tags, labels and API versions,
// so that an object of either project is an object of the other. cluster/compat compares the two field by field.
package aks

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
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
	return typed.WithoutCollisions(objects)
}

// MachinePool returns the agent pool that an AzureManagedMachinePool stands for.
func MachinePool(pool Pool, cp *v1beta1.AzureManagedControlPlane, cluster Cluster, live LivePool) *plan.Resource {
	return newCluster(cp, cluster).agentPool(pool, live)
}

// object finishes one typed ASO object.
func (c *aksCluster) object(path, name string, object runtime.Object, problem *composer.Blocked) *plan.Resource {
	return c.common().Resource(path, name, object, problem)
}

// common returns what all objects of the cluster have in common.
func (c *aksCluster) common() typed.Cluster {
	return typed.Cluster{Namespace: c.cluster.Namespace, Name: c.cluster.Name, Subscription: c.spec.SubscriptionID}
}
