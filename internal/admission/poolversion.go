package admission

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// machinePool reports whether a MachinePool may have its version, or be deleted.
func (r *Rules) machinePool(ctx context.Context, req admission.Request) (field.ErrorList, error) {
	if req.Operation == admissionv1.Delete {
		return r.machinePoolDeleted(ctx, req)
	}
	pool, err := decode[clusterv1.MachinePool](req.Object.Raw)
	if err != nil {
		return nil, err
	}
	cluster, err := r.clusterNamed(ctx, req.Namespace, pool.Spec.ClusterName)
	if err != nil || cluster == nil {
		return nil, err
	}
	controlPlane, err := r.controlPlaneOf(ctx, cluster)
	if err != nil || controlPlane == nil {
		return nil, err
	}
	version := pool.Spec.Template.Spec.Version
	if !newer(version, controlPlane) {
		return nil, nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "template", "spec", "version"), version, fmt.Sprintf(
		"must not be higher than %s, which is the version of %s %s: raise that first",
		versionOf(controlPlane), controlPlaneKind, controlPlane.Name))}, nil
}

// newer reports whether a pool's version is above the control plane's.
func newer(version string, controlPlane *v1beta1.AzureManagedControlPlane) bool {
	highest := versionOf(controlPlane)
	return version != "" && highest != "" && semver.Compare(withV(version), highest) > 0
}

// versionOf returns the version of a control plane, as asked for or as AKS has upgraded it by itself.
func versionOf(controlPlane *v1beta1.AzureManagedControlPlane) string {
	asked, upgraded := withV(controlPlane.Spec.Version), withV(controlPlane.Status.AutoUpgradeVersion)
	if semver.Compare(upgraded, asked) > 0 {
		return upgraded
	}
	return asked
}

// withV puts the v before a version that is written without.
func withV(version string) string {
	if version == "" || strings.HasPrefix(version, "v") {
		return version
	}
	return "v" + version
}

func isManagedPool(pool *clusterv1.MachinePool) bool {
	ref := pool.Spec.Template.Spec.InfrastructureRef
	return ref.GroupKind() == composite.AzureManagedMachinePool.GroupKind()
}
