// Package member has what the composers of a Cluster's members share: whose they are, whether they are paused, and
// what Cluster API reads of them.
package member

import (
	"errors"
	"fmt"

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

// ownerName returns the name of the owner of the given kind that CAPI core has put on the object, "" if none.
func ownerName(xr *unstructured.Unstructured, kind schema.GroupVersionKind) string {
	for _, o := range xr.GetOwnerReferences() {
		gv, err := schema.ParseGroupVersion(o.APIVersion)
		if err == nil && gv.Group == kind.Group && o.Kind == kind.Kind {
			return o.Name
		}
	}
	return ""
}

// OwnerCluster returns the Cluster that owns the composite; a problem says what is still missing.
func OwnerCluster(in *composer.Request) (*unstructured.Unstructured, *composer.Problem, error) {
	name := ownerName(in.XR, ClusterKind)
	if name == "" {
		return nil, &composer.Problem{Reason: ReasonWaitingForOwner, Message: fmt.Sprintf(
			"waits for a Cluster to own it: a Cluster in namespace %q must refer to %s %q", in.XR.GetNamespace(), in.XR.GetKind(), in.XR.GetName())}, nil
	}
	return namedCluster(in, name)
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

// Paused says whether the CAPI contract asks to leave the composite alone.
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

// OwnerMachinePool returns the MachinePool that owns the composite and its Cluster; a problem says what is missing.
func OwnerMachinePool(in *composer.Request) (machinePool, cluster *unstructured.Unstructured, problem *composer.Problem, err error) {
	name := ownerName(in.XR, MachinePoolKind)
	if name == "" {
		return nil, nil, &composer.Problem{Reason: ReasonWaitingForOwner, Message: fmt.Sprintf(
			"waits for a MachinePool to own it: a MachinePool in namespace %q must refer to %s %q", in.XR.GetNamespace(), in.XR.GetKind(), in.XR.GetName())}, nil
	}
	machinePool, err = in.Get("machinepool", MachinePoolKind, name)
	if err != nil {
		if labelled := in.XR.GetLabels()[composer.LabelClusterName]; labelled != "" {
			// Asked for together: Crossplane asks a function no more than a handful of times.
			_, _, _ = namedCluster(in, labelled)
		}
		return nil, nil, nil, err
	}
	if machinePool == nil {
		return nil, nil, &composer.Problem{Reason: ReasonWaitingForOwner, Message: fmt.Sprintf(
			"waits for MachinePool %q, which owns it and does not exist in namespace %q", name, in.XR.GetNamespace())}, nil
	}
	clusterName, _, _ := unstructured.NestedString(machinePool.Object, "spec", "clusterName")
	cluster, problem, err = namedCluster(in, clusterName)
	return machinePool, cluster, problem, err
}
