// Package expansion turns the typed AKS kinds into the Azure Service Operator (ASO) objects that they stand for. It is
// pure: it reads nothing but its arguments, and equal arguments give equal objects.
//
// The objects are those that CAPZ makes of the same manifest, with the same names, owners, tags, labels and API versions,
// so that an object of either project is an object of the other. cluster/compat compares the two field by field.
package expansion

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// A Cluster is what the expansion needs of the Cluster API Cluster.
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
	// Version is the orchestratorVersion that it has, which is never lowered.
	Version string
	// Count is the number of nodes in Azure, which counts while the cluster autoscaler decides it.
	Count *int
}

// An Object is one ASO object that a typed kind stands for.
type Object struct {
	// Path is the field of the spec that it comes from, such as spec.virtualNetwork.subnet.
	Path string
	// Object has name, namespace, labels and annotations, but no reconcile-policy: whose the resource in Azure is, is not
	// known here. Kind and name are set even if there is a problem.
	Object *unstructured.Unstructured
	// Problem says why the object cannot be made of the spec; nil if it can.
	Problem *composer.Problem
	// Waits says, in words, what must be before the object is first created, besides what it refers to.
	Waits []string
}

// ControlPlane returns the objects that an AzureManagedControlPlane stands for, those that others refer to first.
func ControlPlane(cp *v1beta1.AzureManagedControlPlane, cluster Cluster, pools []Pool, live LiveCluster) []Object {
	c := newCluster(cp, cluster)
	objects := c.resourceGroups()
	objects = append(objects, c.virtualNetwork(), c.subnet(), c.managedCluster(pools, live))
	objects = append(objects, c.privateEndpoints()...)
	objects = append(objects, c.fleetsMember()...)
	objects = append(objects, c.extensions()...)
	return withoutCollisions(objects)
}

// MachinePool returns the agent pool that an AzureManagedMachinePool stands for.
func MachinePool(pool Pool, cp *v1beta1.AzureManagedControlPlane, cluster Cluster, live LivePool) Object {
	return newCluster(cp, cluster).agentPool(pool, live)
}

// object finishes one typed ASO object: what all of them have is set here.
func (c *aksCluster) object(path, name string, typed runtime.Object, problem *composer.Problem) Object {
	obj, err := untyped(typed)
	if err != nil {
		return Object{Path: path, Object: obj, Problem: invalid("%s cannot be written as JSON: %v", path, err)}
	}
	c.identify(obj, name)
	if name == "" && problem == nil {
		problem = invalid("%s gives the name %q, but it must have a letter or a digit, as the object in Kubernetes is named after it", path, name)
	}
	return Object{Path: path, Object: obj, Problem: problem}
}

// identify gives an object its name and what ties it to the cluster. A patch may have added labels and annotations.
func (c *aksCluster) identify(obj *unstructured.Unstructured, name string) {
	labels, annotations := obj.GetLabels(), obj.GetAnnotations()
	metadata := map[string]any{"name": name, "namespace": c.cluster.Namespace}
	obj.Object["metadata"] = metadata
	obj.SetLabels(with(labels, composer.LabelClusterName, c.cluster.Name))
	obj.SetAnnotations(with(annotations, composer.AnnotationCredentialFrom, v1beta1.CredentialSecret(c.cluster.Name)))
}

// withoutCollisions marks objects of one kind whose names in Kubernetes are the same, though those in Azure differ.
func withoutCollisions(objects []Object) []Object {
	first := map[string]string{}
	for i, o := range objects {
		key := o.Object.GetKind() + "/" + o.Object.GetName()
		if at, taken := first[key]; taken && o.Problem == nil {
			objects[i].Problem = &composer.Problem{Reason: composer.ReasonDuplicateResource, Message: fmt.Sprintf(
				"%s: %s %q is defined by %s already; their names must differ in more than upper case and punctuation, which names in Kubernetes do not have",
				o.Path, o.Object.GetKind(), o.Object.GetName(), at)}
		} else if !taken {
			first[key] = o.Path
		}
	}
	return objects
}

func invalid(format string, args ...any) *composer.Problem {
	return &composer.Problem{Reason: composer.ReasonInvalidResource, Message: fmt.Sprintf(format, args...)}
}

// firstProblem returns the first of the problems that is one.
func firstProblem(problems ...*composer.Problem) *composer.Problem {
	if i := slices.IndexFunc(problems, func(p *composer.Problem) bool { return p != nil }); i >= 0 {
		return problems[i]
	}
	return nil
}
