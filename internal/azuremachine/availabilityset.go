package azuremachine

import (
	"fmt"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

// controlPlaneGroup is what the machines of a control plane are called together.
const controlPlaneGroup = "control-plane"

// AvailabilitySet returns the name of the availability set that a machine is in; empty for none. Machines of one control plane,
// MachineDeployment or MachineSet share one where the location has no zones, so that a failure in a data centre does not take all of them.
// Azure has no spot machine, no machine in an edge zone, in a zone, or in a scale set in an availability set.
func AvailabilitySet(cluster string, azureCluster *v1beta1.AzureCluster, m *v1beta1.AzureMachine, machine v1alpha1.FactsOfMachine, failureDomains []string) string {
	s := &m.Spec
	if len(failureDomains) > 0 || azureCluster.Spec.ExtendedLocation != nil || s.SpotVMOptions != nil || s.FailureDomain != nil ||
		machine.FailureDomain != "" || s.VirtualMachineScaleSetID != nil {
		return ""
	}
	switch {
	case machine.ControlPlane:
		return availabilitySetName(cluster, controlPlaneGroup)
	case machine.Owner.Kind == v1alpha1.OwnerMachineDeployment, machine.Owner.Kind == v1alpha1.OwnerMachineSet:
		return availabilitySetName(cluster, machine.Owner.Name)
	}
	return ""
}

func availabilitySetName(cluster, group string) string {
	return fmt.Sprintf("%s_%s-as", cluster, group)
}
