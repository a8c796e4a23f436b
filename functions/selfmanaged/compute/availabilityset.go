package compute

import (
	availability "github.com/Azure/azure-service-operator/v2/api/compute/v1api20241101"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// aligned is the kind of availability set for machines with managed disks.
const aligned = "Aligned"

// AvailabilitySet returns an availability set of the cluster. No machine can own one that others are in too, so the AzureCluster has it;
// provider-capz tells which there are, for as long as there is a machine in it.
func AvailabilitySet(set v1alpha1.AvailabilitySetFacts, cluster Cluster) *plan.Resource {
	s := cluster.Azure.Spec
	spec := availability.AvailabilitySet_Spec{
		AzureName: set.Name,
		Owner:     typed.OwnedBy(s.ResourceGroup),
		Location:  typed.Text(s.Location),
		Sku:       &availability.Sku{Name: ptr.To(aligned)},
		Tags: typed.Merged(s.AdditionalTags, map[string]string{cloudProviderTag(cluster.Name): "owned"},
			typed.OwnedTags(cluster.Name, set.Name, typed.RoleCommon)),
	}
	var after []plan.Precondition
	if set.FaultDomains > 0 {
		spec.PlatformFaultDomainCount = ptr.To(int(set.FaultDomains))
	} else {
		after = append(after, plan.Precondition{OfObject: true, Description: "provider-capz knows how many fault domains location " + s.Location + " has"})
	}
	r := cluster.typed().Resource("spec.location", v1beta1.ASOObjectName(set.Name), &availability.AvailabilitySet{Spec: spec}, nil)
	r.After = after
	return r
}
