package oracle

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	infrav1 "sigs.k8s.io/cluster-api-provider-azure/api/v1beta1"
	"sigs.k8s.io/cluster-api-provider-azure/internal/webhooks"
	"sigs.k8s.io/cluster-api-provider-azure/oracle/patch"
	"sigs.k8s.io/cluster-api-provider-azure/oracle/selfmanaged"
)

// A Defaulting is CAPZ's webhooks that write defaults, each for one kind.
type Defaulting struct {
	byKind map[string]func(context.Context, map[string]any) (map[string]any, error)
}

// NewDefaulting returns the webhooks for the kinds of AKS and of self-managed clusters. It returns an error when they are not those that
// CAPZ installs, by config/webhook in its sources.
func NewDefaulting(sources string, a *Admission, s *selfmanaged.Admission) (*Defaulting, error) {
	controlPlaneTemplates, poolTemplates := &webhooks.AzureManagedControlPlaneTemplateWebhook{}, &webhooks.AzureManagedMachinePoolTemplateWebhook{}
	d := &Defaulting{byKind: map[string]func(context.Context, map[string]any) (map[string]any, error){
		"azuremanagedcontrolplanes":         typed(func() *infrav1.AzureManagedControlPlane { return &infrav1.AzureManagedControlPlane{} }, a.controlPlanes.Default),
		"azuremanagedmachinepools":          typed(func() *infrav1.AzureManagedMachinePool { return &infrav1.AzureManagedMachinePool{} }, a.pools.Default),
		"azuremanagedcontrolplanetemplates": typed(func() *infrav1.AzureManagedControlPlaneTemplate { return &infrav1.AzureManagedControlPlaneTemplate{} }, controlPlaneTemplates.Default),
		"azuremanagedmachinepooltemplates":  typed(func() *infrav1.AzureManagedMachinePoolTemplate { return &infrav1.AzureManagedMachinePoolTemplate{} }, poolTemplates.Default),
	}}
	if err := controlPlaneTemplates.SetupWebhookWithManager(a.manager); err != nil {
		return nil, err
	}
	for _, plural := range []string{"azureclusters", "azureclustertemplates", "azuremachines", "azuremachinetemplates", "azuremachinepools"} {
		d.byKind[plural] = typed(func() client.Object { return selfmanaged.New(plural) }, s.Fill)
	}
	return d, d.checkInstalled(sources)
}

// checkInstalled compares the webhooks with those that CAPZ installs.
func (d *Defaulting) checkInstalled(sources string) error {
	content, err := os.ReadFile(filepath.Join(filepath.Clean(sources), "config/webhook/manifests.yaml"))
	if err != nil {
		return err
	}
	installed := &admissionregistrationv1.MutatingWebhookConfiguration{}
	// The first document is the one of the webhooks that write.
	_, content, _ = bytes.Cut(content, []byte("---\n"))
	content, _, _ = bytes.Cut(content, []byte("\n---\n"))
	if err := yaml.Unmarshal(content, installed); err != nil {
		return err
	}
	found := 0
	for _, w := range installed.Webhooks {
		for _, resource := range w.Rules[0].Resources {
			if d.byKind[resource] == nil {
				return fmt.Errorf("CAPZ writes defaults into %s, but nobody asks it", resource)
			}
			found++
		}
	}
	if found != len(d.byKind) {
		return fmt.Errorf("CAPZ writes defaults into %d of the kinds that are asked about, want %d", found, len(d.byKind))
	}
	return nil
}

// Default returns an object of the resource, by its plural name, as CAPZ's webhook leaves it.
func (d *Defaulting) Default(ctx context.Context, plural string, object map[string]any) (map[string]any, error) {
	fill, ok := d.byKind[plural]
	if !ok {
		return object, nil
	}
	return fill(ctx, object)
}

// typed has a webhook fill in an object, which it reads and writes by its Go type.
func typed[T any](empty func() T, fill func(context.Context, T) error) func(context.Context, map[string]any) (map[string]any, error) {
	return func(ctx context.Context, object map[string]any) (map[string]any, error) {
		into := empty()
		return patch.Fill(object, into, func() error { return fill(ctx, into) })
	}
}
