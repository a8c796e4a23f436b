package platform

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/platform/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Names of the variables that a ClusterClass for AKSClusters has. All but the last two have the fields of spec of the same
// name; nodePool has those of an entry of spec.nodePools, and is given for each pool.
const (
	variableLocation     = "location"
	variableNetwork      = "network"
	variableIdentity     = "identity"
	variableMaintenance  = "maintenance"
	variableDNSServiceIP = "dnsServiceIP"
	variableNodePool     = "nodePool"
)

// dnsOffset is how far into the range of Services the address of the cluster's DNS is: AKS's own convention.
const dnsOffset = 10

// What a maintenance window is where spec leaves it out.
const (
	defaultDurationHours = 4
	defaultUTCOffset     = "+00:00"
)

// applied is what a cluster has been made of, as its Cluster says; empty before there is one.
type applied struct {
	// spec has the fields of spec that last, pools each pool.
	spec  map[string]any
	pools map[string]map[string]any
	// order has the names of the pools.
	order []string
}

// appliedTo reads what was wanted last from the Cluster, which may be nil.
func appliedTo(cluster *unstructured.Unstructured) applied {
	a := applied{spec: map[string]any{}, pools: map[string]map[string]any{}}
	if cluster == nil {
		return a
	}
	if version := field.At[string]("spec", "topology", "version").ValueIn(cluster.Object); version != "" {
		a.spec["version"] = version
	}
	variables := field.At[[]any]("spec", "topology", "variables").ValueIn(plainObject(cluster))
	for name, v := range byName(variables) {
		if slices.Contains(lasting, name) && v["value"] != nil {
			a.spec[name] = v["value"]
		}
	}
	pools := field.At[[]any]("spec", "topology", "workers", "machinePools").ValueIn(plainObject(cluster))
	for _, item := range pools {
		pool, _ := item.(map[string]any)
		name, _ := pool["name"].(string)
		overrides := field.At[[]any]("variables", "overrides").ValueIn(pool)
		value, _ := byName(overrides)[variableNodePool]["value"].(map[string]any)
		fields := clone(value)
		fields["name"] = name
		if pool["replicas"] != nil {
			fields["count"] = pool["replicas"]
		}
		a.pools[name] = fields
		a.order = append(a.order, name)
	}
	return a
}

// fields returns what lasts as a part of spec.
func (a applied) fields() map[string]any {
	out := clone(a.spec)
	if len(a.order) > 0 {
		pools := make([]any, len(a.order))
		for i, name := range a.order {
			pools[i] = a.pools[name]
		}
		out["nodePools"] = pools
	}
	return out
}

// clusterOf returns the Cluster with the topology that the parameters ask for. The problem is a mistake in them.
func clusterOf(key key, wanted *v1alpha1.AKSClusterParameters, p *policy) (*unstructured.Unstructured, *composer.Blocked) {
	variables := []any{variable(variableLocation, wanted.Location)}
	network := map[string]any{}
	if wanted.Network != nil {
		variables = append(variables, variable(variableNetwork, plain(wanted.Network)))
		if wanted.Network.ServiceCIDR != "" {
			dns, problem := dnsServiceIP(wanted.Network.ServiceCIDR)
			if problem != nil {
				return nil, problem
			}
			variables = append(variables, variable(variableDNSServiceIP, dns))
			network["services"] = map[string]any{"cidrBlocks": []any{wanted.Network.ServiceCIDR}}
		}
		if wanted.Network.PodCIDR != "" {
			network["pods"] = map[string]any{"cidrBlocks": []any{wanted.Network.PodCIDR}}
		}
	}
	if wanted.Identity != nil {
		variables = append(variables, variable(variableIdentity, plain(wanted.Identity)))
	}
	if wanted.Maintenance != nil {
		variables = append(variables, variable(variableMaintenance, plain(window(*wanted.Maintenance))))
	}
	pools := make([]any, len(wanted.NodePools))
	for i, pool := range wanted.NodePools {
		pools[i] = machinePool(pool, p.class.NodePools)
	}
	class := map[string]any{"name": p.class.Name}
	if p.class.Namespace != "" {
		class["namespace"] = p.class.Namespace
	}
	spec := map[string]any{"topology": map[string]any{
		"classRef": class, "version": "v" + strings.TrimPrefix(wanted.Version, "v"), "variables": variables,
		"workers": map[string]any{"machinePools": pools},
	}}
	if len(network) > 0 {
		spec["clusterNetwork"] = network
	}
	cluster := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	cluster.SetGroupVersionKind(clusterKind)
	cluster.SetNamespace(key.namespace)
	cluster.SetName(key.name)
	return cluster, nil
}

func window(m v1alpha1.Maintenance) v1alpha1.Maintenance {
	if m.DurationHours == nil {
		hours := int32(defaultDurationHours)
		m.DurationHours = &hours
	}
	if m.UTCOffset == "" {
		m.UTCOffset = defaultUTCOffset
	}
	return m
}

// machinePool returns the pool as a part of the topology. AKS's autoscaler decides on the replicas of a pool with min and
// max; Cluster API takes the annotations to start it within them.
func machinePool(pool v1alpha1.NodePool, class string) map[string]any {
	value, _ := plain(pool).(map[string]any)
	delete(value, "name")
	delete(value, "count")
	out := map[string]any{
		"class": class, "name": pool.Name,
		"variables": map[string]any{"overrides": []any{variable(variableNodePool, value)}},
	}
	if pool.Count != nil {
		out["replicas"] = int64(*pool.Count)
	}
	if pool.Count != nil || pool.Min == nil || pool.Max == nil {
		return out
	}
	out["metadata"] = map[string]any{"annotations": map[string]any{
		clusterv1.AutoscalerMinSizeAnnotation: strconv.Itoa(int(*pool.Min)),
		clusterv1.AutoscalerMaxSizeAnnotation: strconv.Itoa(int(*pool.Max)),
	}}
	return out
}

func variable(name string, value any) map[string]any {
	return map[string]any{"name": name, "value": value}
}

// dnsServiceIP returns the address of the cluster's DNS, which AKS needs together with the range of Services.
func dnsServiceIP(services string) (string, *composer.Blocked) {
	invalid := &composer.Blocked{Reason: composer.ReasonIncompatibleValue, Message: fmt.Sprintf(
		"spec.network.serviceCIDR is %q, but must be an IPv4 range of 32 addresses or more, such as 10.0.0.0/16", services)}
	block, err := netip.ParsePrefix(services)
	if err != nil || !block.Addr().Is4() {
		return "", invalid
	}
	address := block.Masked().Addr()
	for range dnsOffset {
		address = address.Next()
	}
	if !block.Contains(address) {
		return "", invalid
	}
	return address.String(), nil
}
