package arm

import (
	"fmt"

	authorization "github.com/Azure/azure-service-operator/v2/api/authorization/v1api20220401"
	compute "github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301"
	availability "github.com/Azure/azure-service-operator/v2/api/compute/v1api20241101"
	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	network "github.com/Azure/azure-service-operator/v2/api/network/v1api20220701"
	balancers "github.com/Azure/azure-service-operator/v2/api/network/v1api20240301"
	dns "github.com/Azure/azure-service-operator/v2/api/network/v1api20240601"
	resources "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// scheme has the kinds that self-managed clusters are composed of.
var scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		authorization.AddToScheme, compute.AddToScheme, availability.AddToScheme, networks.AddToScheme, network.AddToScheme, balancers.AddToScheme,
		dns.AddToScheme, resources.AddToScheme,
	} {
		utilruntime.Must(add(s))
	}
	return s
}

// Typed returns an ASO object by its Go type. The error says that it has fields that its kind does not.
func Typed(obj *unstructured.Unstructured) (genruntime.ARMMetaObject, error) {
	empty, err := scheme.New(obj.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	into, ok := empty.(genruntime.ARMMetaObject)
	if !ok {
		return nil, fmt.Errorf("%s is no kind of ASO", obj.GetKind())
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, into, true); err != nil {
		return nil, fmt.Errorf("%s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	into.GetObjectKind().SetGroupVersionKind(obj.GroupVersionKind())
	return into, nil
}
