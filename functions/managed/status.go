package managed

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// setControlPlaneStatus takes over what Azure says of the ManagedCluster. The first body that Azure returns has an
// endpoint and a version already, so only a ready one counts.
func setControlPlaneStatus(status map[string]any, cp *v1beta1.AzureManagedControlPlane, managed *unstructured.Unstructured) {
	if managed == nil || !composer.StateOf(managed).Ready {
		return
	}
	if version := statusText(managed, "currentKubernetesVersion"); version != "" {
		status["version"] = "v" + version
		status["versions"] = []any{map[string]any{"version": "v" + version}}
		if upgradesItself(cp) {
			status["autoUpgradeVersion"] = "v" + version
		}
	}
	delete(status, "oidcIssuerProfile")
	if issuer := statusText(managed, "oidcIssuerProfile", "issuerURL"); issuer != "" {
		status["oidcIssuerProfile"] = map[string]any{"issuerURL": issuer}
	}
	if host := apiServer(managed); host != "" {
		member.SetInitialized(status, host)
	}
}

// apiServer returns the address of the API server: the private one where there is no public one.
func apiServer(managed *unstructured.Unstructured) string {
	private, _, _ := unstructured.NestedBool(managed.Object, "status", "apiServerAccessProfile", "enablePrivateCluster")
	public, _, _ := unstructured.NestedBool(managed.Object, "status", "apiServerAccessProfile", "enablePrivateClusterPublicFQDN")
	if private && !public {
		return statusText(managed, "privateFQDN")
	}
	return statusText(managed, "fqdn")
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

func statusText(obj *unstructured.Unstructured, fields ...string) string {
	text, _, _ := unstructured.NestedString(obj.Object, append([]string{"status"}, fields...)...)
	return text
}
