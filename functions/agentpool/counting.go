package agentpool

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// refusedWithoutCount is how AKS refuses to create a pool without a count (Azure/azure-service-operator#3220). It asks for none when a pool
// is there, and leaves its number of nodes as it is (Azure/azure-rest-api-specs#7746).
const refusedWithoutCount = "properties.count is missing"

// refusedManualScale is how AKS refuses another number of nodes of a pool that it scales (hashicorp/terraform-provider-azurerm#4543).
const refusedManualScale = "Cannot manually scale"

// A Counting settles who decides how many nodes an agent pool has: Cluster API by spec.count, or whoever else scales it. While that
// is somebody else, spec.count is left out, as any number that is known here may be old when it reaches Azure.
//
// The absence of spec.count is what tells that somebody else has scaled the pool since: Cluster API decides again only when ASO has read
// from Azure that nobody does any more, and the MachinePool has the number of that time.
type Counting struct {
	// MachinePool and Cluster are the pool's.
	MachinePool, Cluster *unstructured.Unstructured
	// ByAKS are the values of annotation replicas-managed-by that mean AKS.
	ByAKS []string
	// Observed is the composed agent pool; nil while there is none.
	Observed *unstructured.Unstructured
	// InCluster is the pool as status.agentPoolProfiles of the ManagedCluster has it; nil when it is not there, or not known.
	InCluster map[string]any
}

// AsksCluster reports whether it depends on InCluster who decides: ASO has not read the pool yet, but AKS may have made it with its
// cluster, and scaled it.
func (c *Counting) AsksCluster(pool *unstructured.Unstructured) bool {
	_, annotated := c.MachinePool.GetAnnotations()[clusterv1.ReplicasManagedByAnnotation]
	return Count(c.Observed) == nil && (annotated || aso.SpecEnableAutoScaling.Value(pool))
}

// Decide takes spec.count out of the pool while it is not Cluster API's to decide, and reports whether it has.
func (c *Counting) Decide(pool *plan.Resource) bool {
	if pool.Err != nil || !c.elsewhere(pool.Object) {
		return false
	}
	aso.SpecCount.Remove(pool.Object)
	pool.Release(c.Observed, aso.SpecCount.Names()...)
	if waits := c.waits(pool.Object); waits != "" && pool.Outstanding == "" {
		pool.Outstanding = waits
	}
	return true
}

// elsewhere reports whether somebody else decides, or has and the number is not known yet.
func (c *Counting) elsewhere(pool *unstructured.Unstructured) bool {
	switch {
	case aso.Lost(c.Observed), c.refused():
		return false // There is no such pool, so that the number can only be a start.
	case Count(c.Observed) == nil:
		return c.InCluster != nil && c.AsksCluster(pool)
	case c.scaled(pool):
		return aso.StatusProvisioningState.Value(c.Observed) != "Creating" || !aso.SpecCount.Has(c.Observed)
	}
	return !c.decides() && !c.takesOver()
}

// scaled reports whether somebody else scales the pool.
func (c *Counting) scaled(pool *unstructured.Unstructured) bool {
	by, annotated := c.MachinePool.GetAnnotations()[clusterv1.ReplicasManagedByAnnotation]
	return aso.SpecEnableAutoScaling.Value(pool) || annotated && by != "false" && !slices.Contains(c.ByAKS, by)
}

// decides reports whether Cluster API has decided until now.
func (c *Counting) decides() bool {
	return aso.SpecCount.Has(c.Observed) && !aso.SpecEnableAutoScaling.Value(c.Observed)
}

// takesOver reports whether Cluster API decides from now on: AKS does not scale the pool any more, and the MachinePool wants as many
// nodes as there are, or the topology says how many there shall be.
func (c *Counting) takesOver() bool {
	count, settled := aso.SettledCount(c.Observed)
	agrees := capi.MachinePoolReplicas.Has(c.MachinePool) && count == capi.MachinePoolReplicas.Value(c.MachinePool)
	return settled && (agrees || c.declared())
}

// declared reports whether the topology of the Cluster says how many nodes the MachinePool has: nobody else may then write its replicas,
// and the number is as the user wants it now.
func (c *Counting) declared() bool { return capi.DeclaresReplicas(c.Cluster, c.MachinePool) }

// waits says, in words, what Cluster API waits for before it decides again.
func (c *Counting) waits(pool *unstructured.Unstructured) string {
	count, settled := aso.SettledCount(c.Observed)
	if !settled || c.scaled(pool) {
		return ""
	}
	return fmt.Sprintf("is scaled by spec.replicas of MachinePool %s when that is %d, as many nodes as it has", c.MachinePool.GetName(), count)
}

// refused reports whether AKS has refused to create the pool, because it is to have no number of nodes. The pool was there before
// and is gone. What ASO says of an older generation counts: the next that it says tells whether that is over.
func (c *Counting) refused() bool { return aso.LastSaid(c.Observed, refusedWithoutCount) }

// Nodes returns the number of nodes that Azure has of an observed pool, nil while that is not known. ASO looks once an hour, so while
// somebody else scales the pool the machines that Cluster API knows may be more.
func (c *Counting) Nodes(observed *unstructured.Unstructured, machines int) *int64 {
	count := Count(observed)
	if count == nil || aso.SpecCount.Has(observed) || int64(machines) <= *count {
		return count
	}
	more := int64(machines)
	return &more
}

// InClusterOf returns a pool as status.agentPoolProfiles of its ManagedCluster has it; nil when it is not there.
func InClusterOf(managedCluster *unstructured.Unstructured, azureName string) map[string]any {
	if managedCluster == nil || aso.Held(managedCluster) {
		return nil
	}
	for _, profile := range field.Maps(StatusProfiles.Value(managedCluster)) {
		if profile["name"] == azureName {
			return profile
		}
	}
	return nil
}
