package aso

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Fields of ManagedClusters that say where AKS runs what otherwise needs a System pool.
var (
	hostedSystemPool = field.At[bool]("spec", "hostedSystemProfile", "enabled")
	skuName          = field.At[string]("spec", "sku", "name")
)

// HostsSystemPool reports whether AKS runs on nodes of its own what otherwise needs a System pool, so that the cluster needs no pool at all:
// that of SKU Automatic, unless it says otherwise (AKS documentation, "Overview of Azure Kubernetes Service (AKS) Automatic clusters with
// managed system node pools").
func HostsSystemPool(managedCluster *unstructured.Unstructured) bool {
	if hostedSystemPool.Has(managedCluster) {
		return hostedSystemPool.Value(managedCluster)
	}
	return strings.EqualFold(skuName.Value(managedCluster), "Automatic")
}
