// Package capi has what composers need of Cluster API (CAPI): whose a composite resource is, whether it is paused, which credential it
// has, and what Cluster API reads of it.
package capi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Kinds of Cluster API, at the version that is read.
var (
	clusterKind     = clusterv1.GroupVersion.WithKind("Cluster")
	machinePoolKind = clusterv1.GroupVersion.WithKind("MachinePool")
)

// Reasons of conditions of the whole composite.
const (
	ReasonWaitingForOwner  = "WaitingForOwner"
	ReasonInvalidReference = "InvalidClusterReference"
	ReasonWaitingEndpoint  = "WaitingForControlPlaneEndpoint"
	ReasonWaitingNodes     = "WaitingForNodes"
	ReasonProvisioned      = "Provisioned"
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

// OwnerCluster returns the Cluster that owns the composite, or is about to as it refers to it. It is Blocked while one is missing.
func OwnerCluster(in *composer.Request) (*unstructured.Unstructured, error) {
	if owner := ownerOf(in.XR, clusterKind); owner != nil {
		if err := in.Know(owner.Name, owner.UID); err != nil {
			return nil, err
		}
		return namedCluster(in, owner.Name)
	}
	// Cluster API core takes seconds to become the owner of what a Cluster refers to. In most manifests both have one name.
	name := cmp.Or(in.XR.GetLabels()[clusterv1.ClusterNameLabel], in.XR.GetName())
	if err := in.Know(name, in.XR.GetUID()); err != nil {
		return nil, err
	}
	cluster, err := in.Get("cluster", clusterKind, name)
	if err != nil || refers(cluster, in.XR, "spec", "infrastructureRef") || refers(cluster, in.XR, "spec", "controlPlaneRef") {
		return cluster, err
	}
	return nil, composer.Blockedf(ReasonWaitingForOwner,
		"waits for a Cluster to own it: a Cluster in namespace %q must refer to %s %q", in.XR.GetNamespace(), in.XR.GetKind(), in.XR.GetName())
}

// refers reports whether an object of Cluster API that stays refers to the composite at the given fields.
func refers(from, xr *unstructured.Unstructured, fields ...string) bool {
	if from == nil || from.GetDeletionTimestamp() != nil {
		return false
	}
	ref, kind := field.At[map[string]string](fields...).Value(from), xr.GroupVersionKind()
	return ref["apiGroup"] == kind.Group && ref["kind"] == kind.Kind && ref["name"] == xr.GetName()
}

// ClusterOfMachine returns the Cluster that the composite of a Machine is labelled with: Cluster API labels it when it makes it (CAPI contract,
// InfraMachine). It is Blocked while one is missing.
func ClusterOfMachine(in *composer.Request) (*unstructured.Unstructured, error) {
	name := in.XR.GetLabels()[clusterv1.ClusterNameLabel]
	if name == "" {
		return nil, composer.Blockedf(ReasonWaitingForOwner, "waits for a Machine to own it: label %s, which says what Cluster it is of, is absent", clusterv1.ClusterNameLabel)
	}
	if err := in.KnowMachine(name); err != nil {
		return nil, err
	}
	return namedCluster(in, name)
}

func namedCluster(in *composer.Request, name string) (*unstructured.Unstructured, error) {
	cluster, err := in.Get("cluster", clusterKind, name)
	if err != nil || cluster != nil {
		return cluster, err
	}
	return nil, composer.Blockedf(ReasonWaitingForOwner,
		"waits for Cluster %q, which owns it and does not exist in namespace %q", name, in.XR.GetNamespace())
}

// Reference returns the name in one of the Cluster's references. It is Blocked if that is not to the required kind.
func Reference(in *composer.Request, cluster *unstructured.Unstructured, name string, required composite.Kind) (string, error) {
	ref := field.At[map[string]any]("spec", name).Value(cluster)
	group, kind, to := field.Text(ref["apiGroup"]), field.Text(ref["kind"]), field.Text(ref["name"])
	if group == required.Group && kind == required.Kind && to != "" {
		return to, nil
	}
	found := "absent"
	if len(ref) > 0 {
		found = fmt.Sprintf("%s %q of group %q", kind, to, group)
	}
	return "", composer.Blockedf(ReasonInvalidReference, "%s cannot be used without %s: spec.%s of Cluster %q is %s, but must be an %s of group %q",
		in.XR.GetKind(), required.Kind, name, cluster.GetName(), found, required.Kind, required.Group)
}

// MachinePools returns the MachinePools of the named Cluster, sorted by name. The error is ErrPending when they have to be read first.
func MachinePools(in *composer.Request, cluster string) ([]*unstructured.Unstructured, error) {
	return in.List("machinepools", machinePoolKind, clusterv1.ClusterNameLabel, cluster)
}

// DeclaresReplicas reports whether the topology of a Cluster says how many replicas a MachinePool has. Cluster API then writes that into
// the MachinePool each time that it is another number (CAPI book, "ClusterClass", "MachinePool replicas").
func DeclaresReplicas(cluster, machinePool *unstructured.Unstructured) bool {
	name := machinePool.GetLabels()[clusterv1.ClusterTopologyMachinePoolNameLabel]
	return name != "" && slices.ContainsFunc(field.Maps(clusterMachinePools.Value(cluster)), func(pool map[string]any) bool {
		return pool["name"] == name && pool["replicas"] != nil
	})
}

// InfrastructureOf returns the name of the composite of a kind that a MachinePool refers to; not ok when it refers to none.
func InfrastructureOf(machinePool *unstructured.Unstructured, kind composite.Kind) (name string, ok bool) {
	ref := machinePoolInfraRef.Value(machinePool)
	return ref["name"], ref["kind"] == kind.Kind && ref["apiGroup"] == kind.Group && ref["name"] != ""
}

// OwnerMachinePool returns the MachinePool that owns the composite, or is about to as it refers to it, and its Cluster. It is Blocked
// while one of them is missing.
func OwnerMachinePool(in *composer.Request) (machinePool, cluster *unstructured.Unstructured, err error) {
	machinePool, err = ownerMachinePool(in)
	if err != nil {
		return nil, nil, err
	}
	name := machinePoolCluster.Value(machinePool)
	if ownerOf(in.XR, machinePoolKind) == nil {
		if err := in.KnowMachinePool(name, in.XR.GetUID()); err != nil {
			return nil, nil, err
		}
	}
	cluster, err = namedCluster(in, name)
	return machinePool, cluster, err
}

func ownerMachinePool(in *composer.Request) (*unstructured.Unstructured, error) {
	owner := ownerOf(in.XR, machinePoolKind)
	if owner == nil {
		return referringMachinePool(in)
	}
	var err error
	if cluster := in.XR.GetLabels()[clusterv1.ClusterNameLabel]; cluster != "" {
		if err := in.KnowMachinePool(cluster, owner.UID); err != nil {
			return nil, err
		}
		// Read together with the MachinePool: Crossplane asks a function no more than a handful of times.
		if _, clusterErr := in.Get("cluster", clusterKind, cluster); errors.Is(clusterErr, composer.ErrPending) {
			err = clusterErr
		}
	}
	machinePool, poolErr := in.Get("machinepool", machinePoolKind, owner.Name)
	if err := errors.Join(poolErr, err); err != nil {
		return nil, err
	}
	if machinePool == nil {
		return nil, composer.Blockedf(ReasonWaitingForOwner,
			"waits for MachinePool %q, which owns it and does not exist in namespace %q", owner.Name, in.XR.GetNamespace())
	}
	return machinePool, nil
}

// referringMachinePool returns the MachinePool of the composite's name, if that refers to it.
func referringMachinePool(in *composer.Request) (*unstructured.Unstructured, error) {
	machinePool, err := in.Get("machinepool", machinePoolKind, in.XR.GetName())
	if err != nil || refers(machinePool, in.XR, machinePoolInfraRef.Names()...) {
		return machinePool, err
	}
	return nil, composer.Blockedf(ReasonWaitingForOwner,
		"waits for a MachinePool to own it: a MachinePool in namespace %q must refer to %s %q", in.XR.GetNamespace(), in.XR.GetKind(), in.XR.GetName())
}
