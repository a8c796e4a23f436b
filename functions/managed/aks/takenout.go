package aks

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// A Removal is what becomes of a property in Azure that the object in Kubernetes has no longer.
type Removal string

// What there is. AKS keeps whatever a PUT lacks or has null for (Azure/azure-service-operator issue 3522), so that something has to be
// sent instead.
const (
	// Emptied properties are lists and maps for which ASO sends an empty one, or that AKS drops together with another.
	Emptied Removal = "emptied"
	// Reset properties get a value that has the effect of never having had one.
	Reset Removal = "reset"
	// Kept properties stay in Azure: AKS knows no value that takes them away.
	Kept Removal = "kept"
)

// A Property can be taken out of the object of a cluster or a pool by a change of the composite resource; what else there is, the schema
// does not let go, or it always has a value.
type Property struct {
	// Path is that of the field, from the object's root; a star stands for any name.
	Path string
	// Removal is what becomes of it.
	Removal Removal
	// Value is what is sent if that is Reset, in its place or in that of the field At.
	Value any
	At    string
	// Instead are fields of which one decides the same, so that Value is not needed.
	Instead []string
}

// everywhere are the address ranges from which everybody reaches the API server. ASO writes an empty list as null, which AKS does not
// take for one; that this has the effect of none is from MicrosoftDocs/azure-docs issue 41400.
var everywhere = []any{"0.0.0.0/0"}

// Which addresses the load balancer sends from: one of these. Whichever is sent takes the place of the one before.
const (
	balancer         = "spec.networkProfile.loadBalancerProfile."
	managedAddresses = balancer + "managedOutboundIPs"
	ownPrefixes      = balancer + "outboundIPPrefixes"
	ownAddresses     = balancer + "outboundIPs"
)

var (
	addresses  = []string{managedAddresses, ownPrefixes, ownAddresses}
	oneAddress = map[string]any{"count": int64(1)}
)

// autoscalerDefaults are what AKS has the cluster autoscaler do when nobody says otherwise.
var autoscalerDefaults = map[string]any{
	"balance-similar-node-groups":      "false",
	"expander":                         "random",
	"max-empty-bulk-delete":            "10",
	"max-graceful-termination-sec":     "600",
	"max-node-provision-time":          "15m",
	"max-total-unready-percentage":     "45",
	"new-pod-scale-up-delay":           "0s",
	"ok-total-unready-count":           "3",
	"scale-down-delay-after-add":       "10m",
	"scale-down-delay-after-delete":    "10s",
	"scale-down-delay-after-failure":   "3m",
	"scale-down-unneeded-time":         "10m",
	"scale-down-unready-time":          "20m",
	"scale-down-utilization-threshold": "0.5",
	"scan-interval":                    "10s",
	"skip-nodes-with-local-storage":    "false",
	"skip-nodes-with-system-pods":      "true",
}

// ClusterProperties are the properties of a ManagedCluster that can be taken out. The values are AKS's defaults, which
// `az aks update --help` and the page "Use the cluster autoscaler in AKS" tell.
var ClusterProperties = []Property{
	{Path: "spec.tags", Removal: Emptied},
	{Path: "spec.autoScalerProfile", Removal: Reset, Value: autoscalerDefaults},
	{Path: "spec.apiServerAccessProfile.authorizedIPRanges", Removal: Reset, Value: everywhere},
	{Path: managedAddresses, Removal: Reset, Value: oneAddress, Instead: addresses},
	{Path: ownPrefixes, Removal: Reset, At: managedAddresses, Value: oneAddress, Instead: addresses},
	{Path: ownAddresses, Removal: Reset, At: managedAddresses, Value: oneAddress, Instead: addresses},
	{Path: balancer + "allocatedOutboundPorts", Removal: Reset, Value: int64(0)},
	{Path: balancer + "idleTimeoutInMinutes", Removal: Reset, Value: int64(30)},
	// AKS drops them with identity.type, which is always sent.
	{Path: "spec.identity.userAssignedIdentities", Removal: Emptied},
	{Path: "spec.identityProfile", Removal: Kept},
	{Path: "spec.networkProfile.networkPluginMode", Removal: Kept},
	{Path: "spec.securityProfile.imageCleaner.intervalHours", Removal: Kept},
	{Path: "spec.addonProfiles.*.config", Removal: Kept},
}

// PoolProperties are those of a ManagedClustersAgentPool.
var PoolProperties = []Property{
	{Path: "spec.nodeLabels", Removal: Emptied},
	{Path: "spec.nodeTaints", Removal: Emptied},
	{Path: "spec.tags", Removal: Emptied},
	// AKS drops them when enableAutoScaling, which is always sent, becomes false.
	{Path: "spec.minCount", Removal: Emptied},
	{Path: "spec.maxCount", Removal: Emptied},
	// It cannot be changed at all (Azure/AKS issue 4374).
	{Path: "spec.spotMaxPrice", Removal: Kept},
}

// ResetTakenOut gives the ManagedCluster values for what Azure keeps though it has been taken out of the object since Crossplane applied
// it. They stay from then on, so that the next PUT asks for the same. What the object never had is not touched: others may have set it in
// Azure. Observed is the object as it is; nil when there is none.
func ResetTakenOut(managed *plan.Resource, observed *unstructured.Unstructured) {
	if managed.Err != nil || !managed.Is(aso.ManagedCluster) {
		return
	}
	for _, p := range ClusterProperties {
		decided := slices.ContainsFunc(append([]string{p.Path}, p.Instead...), func(path string) bool { return has(managed.Object, path) })
		if p.Removal != Reset || decided || !plan.HasApplied(observed, fieldsOf(p.Path)...) {
			continue
		}
		// It fails only where a parent is no object, which ASO refuses.
		_ = unstructured.SetNestedField(managed.Object.Object, runtime.DeepCopyJSONValue(p.Value), fieldsOf(cmp.Or(p.At, p.Path))...)
	}
}

func fieldsOf(path string) []string { return strings.Split(path, ".") }

// has reports whether an object has a field.
func has(o *unstructured.Unstructured, path string) bool {
	_, exists, err := unstructured.NestedFieldNoCopy(o.Object, fieldsOf(path)...)
	return exists && err == nil
}
