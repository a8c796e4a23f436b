package compute

import (
	"encoding/json"
	"fmt"

	machines "github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// extensions returns the extensions of the machine. Their protected settings are in Secrets that provider-capz writes.
func (m *machine) extensions() []*plan.Resource {
	var resources []*plan.Resource
	for n, e := range azuremachine.Extensions(m.xr, m.azure.AzureEnvironment, m.facts.Size.Architecture) {
		path := fmt.Sprintf("spec.vmExtensions[%d]", n)
		if n >= len(m.spec.VMExtensions) {
			path = "spec.disableVMBootstrapExtension"
		}
		spec := machines.VirtualMachinesExtension_Spec{
			AzureName:          e.Name,
			Owner:              typed.OwnedBy(m.name),
			Location:           typed.Text(m.azure.Location),
			Publisher:          typed.Text(e.Publisher),
			Type:               typed.Text(e.Name),
			TypeHandlerVersion: typed.Text(e.Version),
			Settings:           settings(e.Settings),
		}
		if len(e.ProtectedSettings) > 0 {
			spec.ProtectedSettings = &genruntime.SecretMapReference{Name: azuremachine.ProtectedSettingsSecret(m.name, e.Name)}
		}
		r := m.cluster.typed().Resource(path, azuremachine.ExtensionObject(m.name, e.Name), &machines.VirtualMachinesExtension{Spec: spec}, nil)
		resources = append(resources, r)
	}
	return resources
}

// settings writes public settings as ASO has them.
func settings(of v1beta1.Tags) map[string]apiextensionsv1.JSON {
	if len(of) == 0 {
		return nil
	}
	written := map[string]apiextensionsv1.JSON{}
	for key, value := range of {
		text, err := json.Marshal(value)
		if err != nil {
			continue // A text can be written.
		}
		written[key] = apiextensionsv1.JSON{Raw: text}
	}
	return written
}
