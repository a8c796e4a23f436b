package managed

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
)

// Fields of the status of a ManagedCluster that its control plane shows.
var (
	statusIssuerURL   = field.At[string]("status", "oidcIssuerProfile", "issuerURL")
	statusFQDN        = field.At[string]("status", "fqdn")
	statusPrivateFQDN = field.At[string]("status", "privateFQDN")
	statusPrivate     = field.At[bool]("status", "apiServerAccessProfile", "enablePrivateCluster")
	statusPublicFQDN  = field.At[bool]("status", "apiServerAccessProfile", "enablePrivateClusterPublicFQDN")
)

// setControlPlaneStatus takes over what Azure says of the ManagedCluster. The first body that Azure returns has an
// endpoint and a version already, so only a ready one counts.
func setControlPlaneStatus(status *capi.ControlPlaneStatus, cp *v1beta1.AzureManagedControlPlane, managed *unstructured.Unstructured) {
	if managed == nil || !aso.StateOf(managed).Ready {
		return
	}
	if version := statusVersion.Value(managed); version != "" {
		status.SetVersion(version)
		if upgradesItself(cp) {
			status.AutoUpgradeVersion = kubeversion.WithV(version)
		}
	}
	status.SetIssuer(statusIssuerURL.Value(managed))
	if host := apiServer(managed); host != "" {
		status.SetInitialized(host)
	}
}

// apiServer returns the address of the API server: the private one where there is no public one.
func apiServer(managed *unstructured.Unstructured) string {
	if statusPrivate.Value(managed) && !statusPublicFQDN.Value(managed) {
		return statusPrivateFQDN.Value(managed)
	}
	return statusFQDN.Value(managed)
}

// upgradesItself reports whether AKS raises the Kubernetes version by itself.
func upgradesItself(cp *v1beta1.AzureManagedControlPlane) bool {
	if cp.Spec.AutoUpgradeProfile == nil {
		return false
	}
	switch ptr.Deref(cp.Spec.AutoUpgradeProfile.UpgradeChannel, v1beta1.UpgradeChannelNone) {
	case v1beta1.UpgradeChannelNone, v1beta1.UpgradeChannelNodeImage:
		return false
	}
	return true
}
