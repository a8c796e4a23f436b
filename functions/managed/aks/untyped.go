package aks

import (
	fleets "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250301"
	clusters "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801"
	clustersstorage "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801/storage"
	preview "github.com/Azure/azure-service-operator/v2/api/containerservice/v20251002preview"
	extensions "github.com/Azure/azure-service-operator/v2/api/kubernetesconfiguration/v1api20230501"
	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	endpoints "github.com/Azure/azure-service-operator/v2/api/network/v1api20220701"
	groups "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// scheme knows the versions of the ASO API that objects are made in: those of CAPZ.
var scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		groups.AddToScheme, networks.AddToScheme, endpoints.AddToScheme, clusters.AddToScheme, preview.AddToScheme,
		fleets.AddToScheme, extensions.AddToScheme,
	} {
		utilruntime.Must(add(s))
	}
	return s
}

// untyped writes a typed object as it is applied: without status, empty fields and what only the API server sets.
func untyped(typed runtime.Object) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{Object: map[string]any{}}
	gvk, err := apiutil.GVKForObject(typed, scheme)
	if err != nil {
		return obj, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err == nil {
		obj.Object = content
	}
	obj.SetGroupVersionKind(gvk)
	delete(obj.Object, "status")
	unstructured.RemoveNestedField(obj.Object, "metadata", "creationTimestamp")
	dropNulls(obj.Object)
	return obj, err
}

// dropNulls removes fields that are null: in an applied object they would be claimed for nothing.
func dropNulls(value any) {
	switch v := value.(type) {
	case map[string]any:
		for field, inner := range v {
			if inner == nil {
				delete(v, field)
				continue
			}
			dropNulls(inner)
		}
	case []any:
		for _, inner := range v {
			dropNulls(inner)
		}
	}
}

// managedClusterIn converts a ManagedCluster to the version of the API that the user chose.
func (c *aksCluster) managedClusterIn(hub *clustersstorage.ManagedCluster) (runtime.Object, error) {
	if c.preview() {
		return converted(&preview.ManagedCluster{}, hub)
	}
	return converted(&clusters.ManagedCluster{}, hub)
}

// agentPoolIn is the same for an agent pool.
func (c *aksCluster) agentPoolIn(hub *clustersstorage.ManagedClustersAgentPool) (runtime.Object, error) {
	if c.preview() {
		return converted(&preview.ManagedClustersAgentPool{}, hub)
	}
	return converted(&clusters.ManagedClustersAgentPool{}, hub)
}

// converted fills the object from the hub version with ASO's own conversion.
func converted(into conversion.Convertible, hub conversion.Hub) (runtime.Object, error) {
	return into, into.ConvertFrom(hub)
}
