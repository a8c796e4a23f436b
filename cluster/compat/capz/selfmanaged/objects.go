package selfmanaged

import (
	"context"

	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	network "github.com/Azure/azure-service-operator/v2/api/network/v1api20220701"
	resources "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601"
	"github.com/Azure/azure-service-operator/v2/pkg/common/annotations"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sigs.k8s.io/cluster-api-provider-azure/azure"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/aso"
)

// mostRounds is how often CAPZ looks at an ASO object until it is as it wants it: to be written, to be taken over, to be ready.
const mostRounds = 5

// write lets a service write its ASO objects until they are ready.
func write[T genruntime.MetaObject, S aso.Scope](ctx context.Context, w *World, service *aso.Service[T, S]) error {
	for _, spec := range service.Specs {
		if err := writeOne(ctx, w, service, spec); err != nil {
			return err
		}
	}
	return nil
}

func writeOne[T genruntime.MetaObject, S aso.Scope](ctx context.Context, w *World, service *aso.Service[T, S], spec azure.ASOResourceSpecGetter[T]) error {
	var result T
	var err error
	for range mostRounds {
		if result, err = service.CreateOrUpdateResource(ctx, spec, service.Name()); !azure.IsOperationNotDoneError(err) {
			break
		}
		w.answer(w.api.Kept(spec.ResourceRef()).(genruntime.MetaObject))
	}
	if service.PostCreateOrUpdateResourceHook != nil {
		return service.PostCreateOrUpdateResourceHook(ctx, service.Scope, result, err)
	}
	return err
}

// answer has ASO answer: that Azure does not have what it is only to look at, and that all else is ready.
func (w *World) answer(obj genruntime.MetaObject) {
	ready := conditions.Condition{Type: conditions.ConditionTypeReady, Status: metav1.ConditionTrue}
	if obj.GetAnnotations()[annotations.ReconcilePolicy] == string(annotations.ReconcilePolicySkip) && !w.own(obj) {
		ready.Status, ready.Severity, ready.Reason = metav1.ConditionFalse, conditions.ConditionSeverityWarning, conditions.ReasonAzureResourceNotFound.Name
	}
	obj.SetConditions(conditions.Conditions{ready})
	spec := w.manifests.AzureCluster.Spec
	vnet := spec.NetworkSpec.Vnet
	switch o := obj.(type) {
	case *networks.VirtualNetwork:
		id := azure.VNetID(spec.SubscriptionID, vnet.ResourceGroup, o.AzureName())
		o.Status.Id, o.Status.Tags = &id, o.Spec.Tags
		if w.own(obj) {
			o.Status.Tags, o.Status.AddressSpace = nil, &networks.AddressSpace_STATUS{AddressPrefixes: o.Spec.AddressSpace.AddressPrefixes}
		}
	case *networks.VirtualNetworksSubnet:
		id := azure.SubnetID(spec.SubscriptionID, vnet.ResourceGroup, vnet.Name, o.AzureName())
		o.Status.Id, o.Status.AddressPrefixes = &id, o.Spec.AddressPrefixes
	case *network.NatGateway:
		id := azure.NatGatewayID(spec.SubscriptionID, spec.ResourceGroup, o.AzureName())
		o.Status.Id = &id
	}
}

// own reports whether what an object looks for is the user's.
func (w *World) own(obj genruntime.MetaObject) bool {
	switch o := obj.(type) {
	case *networks.VirtualNetwork, *networks.VirtualNetworksSubnet:
		return w.azure.OwnNetwork
	case *resources.ResourceGroup:
		return w.azure.OwnNetwork && o.AzureName() == w.manifests.AzureCluster.Spec.NetworkSpec.Vnet.ResourceGroup
	}
	return false
}
