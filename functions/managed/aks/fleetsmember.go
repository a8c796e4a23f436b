package aks

import (
	"cmp"

	fleets "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250301"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// defaultFleetGroup is the group of a member that names none.
const defaultFleetGroup = "default"

// fleetsMember returns the membership of the cluster in a fleet, if it has one.
func (c *aksCluster) fleetsMember() []*plan.Resource {
	member := c.spec.FleetsMember
	if member == nil {
		return nil
	}
	var problem *composer.Blocked
	if c.spec.SubscriptionID == "" {
		problem = c.needsSubscription("the ID of the fleet in spec.fleetsMember")
	}
	return []*plan.Resource{c.object("spec.fleetsMember", member.Name, &fleets.FleetsMember{Spec: fleets.FleetsMember_Spec{
		AzureName: member.Name,
		Owner: &genruntime.KnownResourceReference{
			ARMID: typed.ARMID(c.spec.SubscriptionID, member.ManagerResourceGroup, "Microsoft.ContainerService", "fleets", member.ManagerName)},
		Group:                    ptr.To(cmp.Or(member.Group, defaultFleetGroup)),
		ClusterResourceReference: typed.ByID(c.managedClusterID()),
	}}, problem)}
}
