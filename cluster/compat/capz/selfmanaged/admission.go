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
	"sigs.k8s.io/cluster-api-provider-azure/feature"
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
	}
	return nil
}

// An Admission is CAPZ's webhooks for the self-managed kinds.
type Admission struct {
	current  *memory.API
	machines webhooks.AzureMachineWebhook
}

// NewAdmission returns the webhooks.
func NewAdmission() (*Admission, error) {
	a := &Admission{current: memory.NewAPI(Scheme)}
	manager, err := a.current.Manager()
	if err != nil {
		return nil, err
	}
	return a, a.machines.SetupWebhookWithManager(manager)
}

// With has the webhooks find a Cluster and its AzureCluster, for which they wait seconds otherwise.
func (a *Admission) With(cluster *clusterv1.Cluster, azureCluster *infrav1.AzureCluster) {
	a.current.Put(cluster)
	a.current.Put(azureCluster)
}

// Gates opens the feature gates of CAPZ that a manifest needs, and closes them when it needs none: edge zones, and an internal load
// balancer beside a public one.
func Gates(edgeZone, internal bool) error {
	return feature.MutableGates.SetFromMap(map[string]bool{string(feature.EdgeZone): edgeZone, string(feature.APIServerILB): internal})
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
		}
		return fmt.Errorf("CAPZ has no webhook for a %T", obj)
	})
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
