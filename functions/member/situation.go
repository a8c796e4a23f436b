// Package member has what the composers of a Cluster's members share: whose they are, whether they are paused, and
// what Cluster API reads of them.
package member

import (
	"cmp"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// Infrastructure is the group and version of the composite kinds, as composers see them.
var Infrastructure = schema.GroupVersion{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1"}

// Kinds that composers read and refer to.
var (
	core            = schema.GroupVersion{Group: "cluster.x-k8s.io", Version: "v1beta2"}
	ClusterKind     = core.WithKind("Cluster")
	MachinePoolKind = core.WithKind("MachinePool")

	ManagedClusterKind = schema.GroupKind{Group: "containerservice.azure.com", Kind: "ManagedCluster"}
	AgentPoolKind      = schema.GroupKind{Group: "containerservice.azure.com", Kind: "ManagedClustersAgentPool"}
)

// Annotations of Cluster API.
const (
	AnnotationReplicasBy = "cluster.x-k8s.io/replicas-managed-by"
	annotationPaused     = "cluster.x-k8s.io/paused"
)

// Reasons of conditions of the whole object.
const (
	ReasonWaitingForOwner  = "WaitingForOwner"
	ReasonInvalidReference = "InvalidClusterReference"
	ReasonWaitingEndpoint  = "WaitingForControlPlaneEndpoint"
	ReasonWaitingNodes     = "WaitingForNodes"
	ReasonProvisioned      = "Provisioned"
	reasonNotPaused        = "NotPaused"
	reasonPaused           = "Paused"
)

// ownerOf returns the owner of the given kind that Cluster API core has put on the object; nil if there is none.
func ownerOf(xr *unstructured.Unstructured, kind schema.GroupVersionKind) *metav1.OwnerReference {
	for _, o := range xr.GetOwnerReferences() {
		gv, err := schema.ParseGroupVersion(o.APIVersion)
		if err == nil && gv.Group == kind.Group && o.Kind == kind.Kind {
			return &o
		}
	}
	return nil
}

// OwnerCluster returns the Cluster that owns the composite, or is about to as it refers to it; a problem says what is still
// missing.
func OwnerCluster(in *composer.Request) (*unstructured.Unstructured, *composer.Problem, error) {
	if owner := ownerOf(in.XR, ClusterKind); owner != nil {
		if err := in.Know(owner.Name, owner.UID); err != nil {
			return nil, nil, err
		}
		return namedCluster(in, owner.Name)
	}
	// Cluster API core takes seconds to become the owner of what a Cluster refers to. In most manifests both have one name.
	name := cmp.Or(in.XR.GetLabels()[composer.LabelClusterName], in.XR.GetName())
	if err := in.Know(name, in.XR.GetUID()); err != nil {
		return nil, nil, err
	}
	cluster, err := in.Get("cluster", ClusterKind, name)
	if err != nil || refers(cluster, in.XR, "spec", "infrastructureRef") || refers(cluster, in.XR, "spec", "controlPlaneRef") {
		return cluster, nil, err
	}
	return nil, &composer.Problem{Reason: ReasonWaitingForOwner, Message: fmt.Sprintf(
		"waits for a Cluster to own it: a Cluster in namespace %q must refer to %s %q", in.XR.GetNamespace(), in.XR.GetKind(), in.XR.GetName())}, nil
}

// refers reports whether an object of Cluster API that stays refers to the composite at the given fields.
func refers(from, xr *unstructured.Unstructured, fields ...string) bool {
	if from == nil || from.GetDeletionTimestamp() != nil {
		return false
	}
	ref, _, _ := unstructured.NestedStringMap(from.Object, fields...)
	kind := xr.GroupVersionKind()
	return ref["apiGroup"] == kind.Group && ref["kind"] == kind.Kind && ref["name"] == xr.GetName()
}

func namedCluster(in *composer.Request, name string) (*unstructured.Unstructured, *composer.Problem, error) {
	cluster, err := in.Get("cluster", ClusterKind, name)
	if err != nil || cluster != nil {
		return cluster, nil, err
	}
	return nil, &composer.Problem{Reason: ReasonWaitingForOwner, Message: fmt.Sprintf(
		"waits for Cluster %q, which owns it and does not exist in namespace %q", name, in.XR.GetNamespace())}, nil
}

// Reference returns the name in one of the Cluster's references, or a problem if it is not to the required kind.
func Reference(in *composer.Request, cluster *unstructured.Unstructured, field string, required schema.GroupVersionKind) (string, *composer.Problem) {
	ref, _, _ := unstructured.NestedMap(cluster.Object, "spec", field)
	group, _ := ref["apiGroup"].(string)
	kind, _ := ref["kind"].(string)
	name, _ := ref["name"].(string)
	if group == required.Group && kind == required.Kind && name != "" {
		return name, nil
	}
	found := "absent"
	if len(ref) > 0 {
		found = fmt.Sprintf("%s %q of group %q", kind, name, group)
	}
	return "", &composer.Problem{Reason: ReasonInvalidReference, Message: fmt.Sprintf(
		"%s cannot be used without %s: spec.%s of Cluster %q is %s, but must be an %s of group %q",
		in.XR.GetKind(), required.Kind, field, cluster.GetName(), found, required.Kind, required.Group)}
}

// Paused reports whether the CAPI contract asks to leave the composite alone.
func Paused(in *composer.Request, cluster *unstructured.Unstructured) bool {
	byCluster, _, _ := unstructured.NestedBool(cluster.Object, "spec", "paused")
	_, byAnnotation := in.XR.GetAnnotations()[annotationPaused]
	return byCluster || byAnnotation
}

// PausedCondition shows it.
func PausedCondition(paused bool) composer.Condition {
	if paused {
		return composer.True(composer.ConditionPaused, reasonPaused, "the Cluster or this object is paused: Azure resources are left as they are")
	}
	return composer.False(composer.ConditionPaused, reasonNotPaused, "")
}

// Refuse answers for a composite that cannot be composed at all. What exists stays as it is: nothing may be dropped
// because an owner or a reference went away.
func Refuse(in *composer.Request, problem *composer.Problem, status map[string]any) (*composer.Result, error) {
	conditions := []composer.Condition{
		composer.False(composer.ConditionReady, problem.Reason, problem.Message),
		composer.False(composer.ConditionResourcesReady, problem.Reason, problem.Message),
	}
	if len(in.Observed) > 0 {
		return nil, &composer.StopError{Err: errors.New(problem.Message), Conditions: conditions[1:]}
	}
	composer.SetConditions(in, status, conditions)
	return &composer.Result{Withheld: true, Status: status, Conditions: conditions[1:]}, nil
}

// MachinePools returns the MachinePools of the named Cluster, sorted by name. The error is ErrPending when they have to be read first.
func MachinePools(in *composer.Request, cluster string) ([]*unstructured.Unstructured, error) {
	return in.List("machinepools", MachinePoolKind, composer.LabelClusterName, cluster)
}

// OwnerMachinePool returns the MachinePool that owns the composite, or is about to as it refers to it, and its Cluster; a
// problem says what is missing.
func OwnerMachinePool(in *composer.Request) (machinePool, cluster *unstructured.Unstructured, problem *composer.Problem, err error) {
	machinePool, problem, err = ownerMachinePool(in)
	if err != nil || problem != nil {
		return nil, nil, problem, err
	}
	clusterName, _, _ := unstructured.NestedString(machinePool.Object, "spec", "clusterName")
	if ownerOf(in.XR, MachinePoolKind) == nil {
		if err := in.Know(clusterName, in.XR.GetUID()); err != nil {
			return nil, nil, nil, err
		}
	}
	cluster, problem, err = namedCluster(in, clusterName)
	return machinePool, cluster, problem, err
}

func ownerMachinePool(in *composer.Request) (*unstructured.Unstructured, *composer.Problem, error) {
	labelled, owner := in.XR.GetLabels()[composer.LabelClusterName], ownerOf(in.XR, MachinePoolKind)
	if owner == nil {
		machinePool, err := in.Get("machinepool", MachinePoolKind, in.XR.GetName())
		if err != nil || refers(machinePool, in.XR, "spec", "template", "spec", "infrastructureRef") {
			return machinePool, nil, err
		}
		return nil, &composer.Problem{Reason: ReasonWaitingForOwner, Message: fmt.Sprintf(
			"waits for a MachinePool to own it: a MachinePool in namespace %q must refer to %s %q", in.XR.GetNamespace(), in.XR.GetKind(), in.XR.GetName())}, nil
	}
	if labelled != "" {
		if err := in.Know(labelled, owner.UID); err != nil {
			return nil, nil, err
		}
	}
	machinePool, err := in.Get("machinepool", MachinePoolKind, owner.Name)
	switch {
	case err != nil:
		if labelled != "" {
			// Asked for together: Crossplane asks a function no more than a handful of times.
			_, _, _ = namedCluster(in, labelled)
		}
		return nil, nil, err
	case machinePool == nil:
		return nil, &composer.Problem{Reason: ReasonWaitingForOwner, Message: fmt.Sprintf(
			"waits for MachinePool %q, which owns it and does not exist in namespace %q", owner.Name, in.XR.GetNamespace())}, nil
	}
	return machinePool, nil, nil
}
