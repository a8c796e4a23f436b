package selfmanaged

import (
	"strconv"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// MachineTemplate composes AzureMachineTemplate: nothing. Its status says what a machine made from it will have, so that an autoscaler knows
// it while there is none (CAPI contract, InfraMachineTemplate: "autoscaling from zero").
type MachineTemplate struct{}

// Compose implements composer.Composer.
func (MachineTemplate) Compose(in *composer.Request) (*composer.Result, error) {
	result := &composer.Result{Ready: true, Status: map[string]any{}}
	facts, err := v1alpha1.ReadMachineFacts(in.XR.GetAnnotations())
	if err != nil || !facts.Size.Known || !facts.Size.Offered {
		return result, nil //nolint:nilerr // Nothing is known of the size then.
	}
	result.Status["capacity"] = map[string]any{
		"cpu":    strconv.FormatInt(facts.Size.VCPUs, 10),
		"memory": strconv.FormatFloat(facts.Size.MemoryGiB, 'f', -1, 64) + "Gi",
	}
	template := &v1beta1.AzureMachineTemplate{}
	if err := capi.Read(in.XR, template); err != nil {
		return result, nil //nolint:nilerr // The machines made from it will say so.
	}
	system := "linux"
	if template.Spec.Template.Spec.OSDisk.OSType == azuremachine.Windows {
		system = "windows"
	}
	node := map[string]any{"operatingSystem": system}
	if architecture, known := architectures[strings.ToLower(facts.Size.Architecture)]; known {
		node["architecture"] = architecture
	}
	result.Status["nodeInfo"] = node
	return result, nil
}

// architectures are the words of Kubernetes for those of Azure.
var architectures = map[string]string{"x64": "amd64", "arm64": "arm64"}
