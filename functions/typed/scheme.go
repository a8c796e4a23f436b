package typed

import (
	roles "github.com/Azure/azure-service-operator/v2/api/authorization/v1api20220401"
	machines "github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301"
	availability "github.com/Azure/azure-service-operator/v2/api/compute/v1api20241101"
	fleets "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250301"
	clusters "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801"
	preview "github.com/Azure/azure-service-operator/v2/api/containerservice/v20251002preview"
	extensions "github.com/Azure/azure-service-operator/v2/api/kubernetesconfiguration/v1api20230501"
	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	endpoints "github.com/Azure/azure-service-operator/v2/api/network/v1api20220701"
	balancers "github.com/Azure/azure-service-operator/v2/api/network/v1api20240301"
	zones "github.com/Azure/azure-service-operator/v2/api/network/v1api20240601"
	groups "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// Scheme knows the versions of the ASO API that objects are made in: those of the catalogue, and the preview that users may choose.
var Scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		groups.AddToScheme, networks.AddToScheme, endpoints.AddToScheme, balancers.AddToScheme, zones.AddToScheme, clusters.AddToScheme, preview.AddToScheme,
		fleets.AddToScheme, extensions.AddToScheme, machines.AddToScheme, availability.AddToScheme, roles.AddToScheme,
	} {
		utilruntime.Must(add(s))
	}
	return s
}
