package selfmanaged

import (
	"context"
	"errors"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	infrav1 "sigs.k8s.io/cluster-api-provider-azure/api/v1beta1"
	infrav1exp "sigs.k8s.io/cluster-api-provider-azure/exp/api/v1beta1"
	webhooksexp "sigs.k8s.io/cluster-api-provider-azure/internal/exp/webhooks"
	"sigs.k8s.io/cluster-api-provider-azure/internal/webhooks"
	"sigs.k8s.io/cluster-api-provider-azure/oracle/memory"
)

// New returns an empty object of a self-managed kind, by the plural of its name; nil if CAPZ has none of it.
func New(plural string) client.Object {
	switch plural {
	case "azureclusters":
		return &infrav1.AzureCluster{}
	case "azureclustertemplates":
		return &infrav1.AzureClusterTemplate{}
	case "azuremachines":
		return &infrav1.AzureMachine{}
	case "azuremachinetemplates":
		return &infrav1.AzureMachineTemplate{}
	case "azuremachinepools":
		return &infrav1exp.AzureMachinePool{}
	}
	return nil
}

// An Admission is CAPZ's webhooks for the self-managed kinds.
type Admission struct {
	current  *memory.API
	machines webhooks.AzureMachineWebhook
	pools    webhooksexp.AzureMachinePoolWebhook
}

// NewAdmission returns the webhooks.
func NewAdmission() (*Admission, error) {
	a := &Admission{current: memory.NewAPI(Scheme)}
	manager, err := a.current.Manager()
	if err != nil {
		return nil, err
	}
	return a, errors.Join(a.machines.SetupWebhookWithManager(manager), a.pools.SetupWebhookWithManager(manager))
}

// With has the webhooks find a Cluster, its AzureCluster and a MachinePool of it, for which they wait seconds otherwise.
func (a *Admission) With(cluster *clusterv1.Cluster, azureCluster *infrav1.AzureCluster, pool *clusterv1.MachinePool) {
	for _, obj := range []client.Object{cluster, azureCluster, pool} {
		a.current.Put(obj)
	}
}

// Fill fills an object in as it is once CAPZ's controller has put its finalizer on it, before it does anything else: its webhooks fill it
// in twice. Templates get no finalizer.
func (a *Admission) Fill(ctx context.Context, obj client.Object) error {
	err := a.Default(ctx, obj)
	switch obj.(type) {
	case *infrav1.AzureCluster, *infrav1.AzureMachine, *infrav1exp.AzureMachinePool:
		err = errors.Join(err, a.Default(ctx, obj))
	}
	return err
}

// Default fills the defaults in that CAPZ's webhooks fill in.
func (a *Admission) Default(ctx context.Context, obj client.Object) error {
	switch o := obj.(type) {
	case *infrav1.AzureCluster:
		return withoutPanic(func() error { return (&webhooks.AzureClusterWebhook{}).Default(ctx, o) })
	case *infrav1.AzureClusterTemplate:
		return (&webhooks.AzureClusterTemplateWebhook{}).Default(ctx, o)
	case *infrav1.AzureMachine:
		return a.machines.Default(ctx, o)
	case *infrav1.AzureMachineTemplate:
		return (&webhooks.AzureMachineTemplateWebhook{}).Default(ctx, o)
	case *infrav1exp.AzureMachinePool:
		return a.pools.Default(ctx, o)
	}
	return fmt.Errorf("CAPZ has no webhook for a %T", obj)
}

// Validate says what CAPZ's webhooks say when an object is created or, with the object before, changed. Some of them panic on some inputs.
func (a *Admission) Validate(ctx context.Context, obj, before client.Object) error {
	ctx = admission.NewContextWithRequest(ctx, admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{}})
	return withoutPanic(func() error {
		switch o := obj.(type) {
		case *infrav1.AzureCluster:
			return validate(ctx, &webhooks.AzureClusterWebhook{}, o, before)
		case *infrav1.AzureClusterTemplate:
			return validate(ctx, &webhooks.AzureClusterTemplateWebhook{}, o, before)
		case *infrav1.AzureMachine:
			return validate(ctx, &a.machines, o, before)
		case *infrav1.AzureMachineTemplate:
			return validate(ctx, &webhooks.AzureMachineTemplateWebhook{}, o, before)
		case *infrav1exp.AzureMachinePool:
			return validate(ctx, &a.pools, o, before)
		}
		return fmt.Errorf("CAPZ has no webhook for a %T", obj)
	})
}

// ValidateDelete says what they say when an object is deleted.
func (a *Admission) ValidateDelete(ctx context.Context, obj client.Object) (err error) {
	switch o := obj.(type) {
	case *infrav1.AzureCluster:
		_, err = (&webhooks.AzureClusterWebhook{}).ValidateDelete(ctx, o)
	case *infrav1.AzureClusterTemplate:
		_, err = (&webhooks.AzureClusterTemplateWebhook{}).ValidateDelete(ctx, o)
	case *infrav1.AzureMachine:
		_, err = a.machines.ValidateDelete(ctx, o)
	case *infrav1.AzureMachineTemplate:
		_, err = (&webhooks.AzureMachineTemplateWebhook{}).ValidateDelete(ctx, o)
	case *infrav1exp.AzureMachinePool:
		_, err = a.pools.ValidateDelete(ctx, o)
	default:
		return fmt.Errorf("CAPZ has no webhook for a %T", obj)
	}
	return err
}

func validate[T client.Object](ctx context.Context, webhook admission.Validator[T], obj T, before client.Object) error {
	if before == nil {
		_, err := webhook.ValidateCreate(ctx, obj)
		return err
	}
	old, same := before.DeepCopyObject().(T)
	if !same {
		return errors.New("an object cannot become one of another kind")
	}
	_, err := webhook.ValidateUpdate(ctx, old, obj)
	return err
}
