package takeover

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// composedOf are kinds of ASO of which each object of a kind has some. CAPZ does not have them, so that the ASO that it brings does not serve them by
// itself. What else is lacking, as for a feature that some objects use, their conditions tell.
var composedOf = map[string][]aso.Kind{
	composite.AzureCluster.Kind:     {aso.NetworkSecurityGroup, aso.NetworkSecurityGroupsSecurityRule, aso.RouteTable, aso.PublicIPAddress, aso.LoadBalancer},
	composite.AzureMachine.Kind:     {aso.NetworkInterface, aso.VirtualMachine},
	composite.AzureMachinePool.Kind: {aso.VirtualMachineScaleSet},
}

// kindsLacking returns what keeps composite resources from being taken over as ASO does not serve what they are composed of.
func (w *Walk) kindsLacking(composites []*unstructured.Unstructured) []string {
	var problems, done []string
	for _, xr := range composites {
		if slices.Contains(done, xr.GetKind()) {
			continue
		}
		done = append(done, xr.GetKind())
		var lacking, patterns []string
		for _, kind := range composedOf[xr.GetKind()] {
			if _, err := w.Client.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version); meta.IsNoMatchError(err) {
				lacking, patterns = append(lacking, kind.Name), append(patterns, kind.Group+"/*")
			}
		}
		if len(lacking) > 0 {
			slices.Sort(patterns)
			problems = append(problems, fmt.Sprintf(
				"%s %s/%s is composed of %s, which Azure Service Operator does not serve here: add %s to its --crd-pattern, which CAPZ's manifests take from the variable ADDITIONAL_ASO_CRDS",
				xr.GetKind(), xr.GetNamespace(), xr.GetName(), strings.Join(lacking, ", "), strings.Join(slices.Compact(patterns), ";")))
		}
	}
	return problems
}
