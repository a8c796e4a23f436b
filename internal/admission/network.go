package admission

import (
	"context"
	"fmt"
	"net/netip"

	"k8s.io/apimachinery/pkg/util/validation/field"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// cluster reports whether AKS can have the address ranges of a Cluster.
func (r *Rules) cluster(ctx context.Context, req admission.Request) (field.ErrorList, error) {
	cluster, err := decode[clusterv1.Cluster](req.Object.Raw)
	if err != nil {
		return nil, err
	}
	cluster.Namespace = req.Namespace
	network := cluster.Spec.ClusterNetwork
	path := field.NewPath("spec", "clusterNetwork")
	wrong := oneRange(path.Child("services", "cidrBlocks"), network.Services.CIDRBlocks, "Services")
	wrong = append(wrong, oneRange(path.Child("pods", "cidrBlocks"), network.Pods.CIDRBlocks, "Pods")...)
	controlPlane, err := r.controlPlaneOf(ctx, cluster)
	if err != nil || controlPlane == nil || controlPlane.Spec.DNSServiceIP == nil {
		return wrong, err
	}
	if reason := outside(*controlPlane.Spec.DNSServiceIP, network.Services.CIDRBlocks); reason != "" {
		wrong = append(wrong, field.Invalid(path.Child("services", "cidrBlocks"), network.Services.CIDRBlocks, fmt.Sprintf(
			"must contain %s, which is spec.dnsServiceIP of %s %s and cannot be changed: %s",
			*controlPlane.Spec.DNSServiceIP, controlPlaneKind, controlPlane.Name, reason)))
	}
	return wrong, nil
}

// oneRange refuses what the API of AKS has no place for.
func oneRange(path *field.Path, ranges []string, of string) field.ErrorList {
	if len(ranges) <= 1 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, ranges, fmt.Sprintf("has %d ranges, but AKS takes one at most for %s", len(ranges), of))}
}

// dnsServiceIP reports whether the address of a control plane's DNS is one of its Cluster's Services.
func dnsServiceIP(controlPlane *v1beta1.AzureManagedControlPlane, cluster *clusterv1.Cluster) field.ErrorList {
	if controlPlane.Spec.DNSServiceIP == nil {
		return nil
	}
	reason := outside(*controlPlane.Spec.DNSServiceIP, cluster.Spec.ClusterNetwork.Services.CIDRBlocks)
	if reason == "" {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "dnsServiceIP"), *controlPlane.Spec.DNSServiceIP,
		fmt.Sprintf("must be in spec.clusterNetwork.services.cidrBlocks of Cluster %s: %s", cluster.Name, reason))}
}

// outside returns why an address is in none of the ranges; it is empty when it is in one.
func outside(address string, ranges []string) string {
	if len(ranges) == 0 {
		return "it has none"
	}
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return fmt.Sprintf("%q is not an IP address", address)
	}
	for _, text := range ranges {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return fmt.Sprintf("%q is not an address range", text)
		}
		if prefix.Contains(ip) {
			return ""
		}
	}
	return fmt.Sprintf("%q does not contain it", ranges)
}
