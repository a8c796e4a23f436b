// Package topology knows which versions the parts of a Cluster's topology may have. Cluster API believes that a version is what it has asked
// for, or about to be so; AKS may have upgraded by itself, or have refused.
package topology

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/version"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
)

// Versions are those of a control plane.
type Versions struct {
	// Runs is what Azure runs; empty while nothing does.
	Runs string
	// Asked is spec.version.
	Asked string
}

var specVersion = field.At[string]("spec", "version")

// Of returns the versions of a control plane.
func Of(controlPlane *unstructured.Unstructured) Versions {
	return Versions{Runs: access.StatusVersion.Value(controlPlane), Asked: specVersion.Value(controlPlane)}
}

// Owns reports whether Cluster API makes the object from the topology of its Cluster.
func Owns(cluster *clusterv1.Cluster, obj client.Object) bool {
	_, owned := obj.GetLabels()[clusterv1.ClusterTopologyOwnedLabel]
	return owned && cluster.Spec.Topology.IsDefined()
}

// Reaches reports whether AKS can go to the wanted version though Cluster API refuses it of a topology with the version before. It does
// that when the wanted one is lower, also where AKS has refused the one before, and when control plane or nodes have another than
// they were asked for (Cluster API, webhook of Clusters, validateTopologyVersionUpdate), also where AKS has upgraded by itself.
func (v Versions) Reaches(before, wanted string) bool {
	switch {
	case !kubeversion.Valid(before) || !kubeversion.Valid(wanted) || kubeversion.Compare(wanted, before) == 0 || v.below(wanted):
		return false
	case kubeversion.Compare(wanted, before) < 0:
		return true
	case v.Runs == "":
		return minorAtMostOneAbove(wanted, before)
	}
	return minorAtMostOneAbove(wanted, v.Runs) && (kubeversion.Compare(v.Runs, before) > 0 || kubeversion.Compare(v.Asked, v.Runs) > 0)
}

// below reports whether the version is older than what Azure runs, so that AKS can never go there.
func (v Versions) below(wanted string) bool { return kubeversion.Compare(wanted, v.Runs) < 0 }

// ControlPlane returns the spec.version that the control plane of a topology with the wanted version must have for Cluster API to go on from
// there; empty when it has that already, or Cluster API sees to it. Refused says that AKS does not take the one that it has.
// (Cluster API, ComputeUpgradePlan and computeControlPlaneVersion: it never goes down, and waits for an upgrade to end.)
func (v Versions) ControlPlane(wanted string, refused bool) string {
	if !kubeversion.Valid(wanted) || v.Asked == "" || kubeversion.Compare(wanted, v.Asked) == 0 || v.below(wanted) {
		return ""
	}
	stuck := refused || kubeversion.Compare(wanted, v.Asked) < 0
	switch {
	case v.Runs == "" && stuck:
		return kubeversion.WithV(wanted)
	case v.Runs == "" || kubeversion.Compare(v.Asked, v.Runs) == 0:
		return ""
	case kubeversion.Compare(v.Runs, v.Asked) > 0 || stuck:
		return kubeversion.WithV(v.Runs)
	}
	return ""
}

// Lags reports whether the nodes of a MachinePool with the version may be ahead of it, in a topology with the wanted version. Above
// that a MachinePool must not be: Cluster API would do nothing any more for the topology.
func (v Versions) Lags(has, wanted string) bool {
	return kubeversion.Valid(has) && kubeversion.Valid(wanted) && !v.below(wanted) && kubeversion.Compare(has, v.Runs) < 0
}

// MachinePool returns the version that a MachinePool of a topology with the wanted version must have for Cluster API to go on from there;
// empty when it has that already, or Cluster API sees to it. Kubelets are the versions of its nodes.
// (Cluster API, IsMachinePoolUpgrading: it waits until all of them are those of the MachinePool.)
func (v Versions) MachinePool(has, wanted string, kubelets []string) string {
	if v.Runs == "" && kubeversion.Valid(has) && kubeversion.Valid(wanted) && kubeversion.Compare(has, wanted) > 0 {
		return kubeversion.WithV(wanted)
	}
	if len(kubelets) == 0 {
		return ""
	}
	lowest := slices.MinFunc(kubelets, kubeversion.Compare)
	if !v.Lags(has, wanted) || !kubeversion.Valid(lowest) || kubeversion.Compare(lowest, has) <= 0 || kubeversion.Compare(lowest, v.Runs) > 0 {
		return ""
	}
	return kubeversion.WithV(lowest)
}

// minorAtMostOneAbove reports whether AKS goes from the second version to the first: it skips no minor version.
func minorAtMostOneAbove(wanted, from string) bool {
	to, toErr := version.ParseGeneric(wanted)
	at, atErr := version.ParseGeneric(from)
	return toErr == nil && atErr == nil && to.Major() == at.Major() && to.Minor() <= at.Minor()+1
}
