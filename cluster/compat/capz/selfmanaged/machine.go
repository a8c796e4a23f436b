package selfmanaged

import (
	"context"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"

	"sigs.k8s.io/cluster-api-provider-azure/azure/scope"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/inboundnatrules"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/resourceskus"
	apiinternal "sigs.k8s.io/cluster-api-provider-azure/internal/api/v1beta1"
)

// reconcileMachine does what CAPZ's controller of AzureMachines does, in its order.
func (w *World) reconcileMachine(ctx context.Context, cluster *scope.ClusterScope, m Machine) error {
	machine, err := scope.NewMachineScope(scope.MachineScopeParams{Client: w.api, ClusterScope: cluster, Machine: m.Machine, AzureMachine: m.XR,
		SKUCache: resourceskus.NewStaticCache(w.azure.skus(cluster.Location()), cluster.Location())})
	if err != nil {
		return err
	}
	return withoutPanic(func() error {
		if err := machine.InitMachineCache(ctx); err != nil {
			return err
		}
		apiinternal.SetDefaultAzureMachineSpecNetworkInterfaces(&m.XR.Spec)
		if err := machine.SetSubnetName(); err != nil {
			return err
		}
		return w.sendMachine(ctx, machine, m.SSHPort)
	})
}

func (w *World) sendMachine(ctx context.Context, machine *scope.MachineScope, sshPort int32) error {
	specs := machine.PublicIPSpecs()
	if machine.APIServerLBName() != "" {
		for _, rule := range machine.InboundNatSpecs() {
			rule.(*inboundnatrules.InboundNatSpec).SSHFrontendPort = &sshPort
			specs = append(specs, rule)
		}
	}
	specs = append(specs, machine.NICSpecs()...)
	if set := machine.AvailabilitySetSpec(); set != nil {
		specs = append(specs, set)
	}
	specs = append(specs, machine.VMSpec())
	return w.send(ctx, slices.Concat(specs, machine.RoleAssignmentSpecs(to.Ptr(PrincipalID)), machine.VMExtensionSpecs())...)
}
