package contract

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A field is a path in an object and the type of what is there. Every path that the contract reads or writes is below.
type field[T any] struct{ path []string }

func at[T any](path ...string) field[T] { return field[T]{path} }

// get returns the value and whether it is there; a value of another type is an error that names the path.
func (f field[T]) get(obj *unstructured.Unstructured) (T, bool, error) {
	var zero T
	value, found, err := unstructured.NestedFieldNoCopy(obj.Object, f.path...)
	if err != nil || !found || value == nil {
		return zero, false, err
	}
	typed, ok := value.(T)
	if !ok {
		return zero, false, fmt.Errorf("%s %s: %v is %T, not %T", obj.GetKind(), obj.GetName(), f, value, zero)
	}
	return typed, true, nil
}

// value returns the value, or the zero value when it is absent or of another type.
func (f field[T]) value(obj *unstructured.Unstructured) T {
	value, _, _ := f.get(obj)
	return value
}

// patch returns a merge patch that sets the field to value.
func (f field[T]) patch(value T) map[string]any {
	var nested any = value
	for i := len(f.path) - 1; i >= 0; i-- {
		nested = map[string]any{f.path[i]: nested}
	}
	patch, _ := nested.(map[string]any)
	return patch
}

// String returns the path as Kubernetes writes it.
func (f field[T]) String() string {
	path := ""
	for _, name := range f.path {
		path += "." + name
	}
	return path[min(1, len(path)):]
}

// Composite resources.
var (
	specControlPlaneEndpoint   = at[map[string]any]("spec", "controlPlaneEndpoint")
	statusControlPlaneEndpoint = at[map[string]any]("status", "controlPlaneEndpoint")
	specProviderIDList         = at[[]any]("spec", "providerIDList")
	specName                   = at[string]("spec", "name")
	specScaling                = at[map[string]any]("spec", "scaling")
	specVersion                = at[string]("spec", "version")
	specResources              = at[[]any]("spec", "resources")
	specResourceRefs           = at[[]any]("spec", "crossplane", "resourceRefs")
	statusInitialized          = at[bool]("status", "initialized")
	statusResources            = at[[]any]("status", "resources")
	statusReplicas             = at[int64]("status", "replicas")
	statusConditions           = at[[]any]("status", "v1beta2", "conditions")
	statusVersion              = at[string]("status", "version")
	statusAutoUpgradeVersion   = at[string]("status", "autoUpgradeVersion")
)

// ASO objects.
var (
	azureName                  = at[string]("spec", "azureName")
	enableAutoScaling          = at[bool]("spec", "enableAutoScaling")
	currentKubernetesVersion   = at[string]("status", "currentKubernetesVersion")
	currentOrchestratorVersion = at[string]("status", "currentOrchestratorVersion")
	nodeResourceGroup          = at[string]("status", "nodeResourceGroup")
	adminCredentials           = at[map[string]any]("spec", "operatorSpec", "secrets", "adminCredentials")
	userCredentials            = at[map[string]any]("spec", "operatorSpec", "secrets", "userCredentials")
	aadManaged                 = at[bool]("status", "aadProfile", "managed")
	specDisableLocalAccounts   = at[bool]("spec", "disableLocalAccounts")
	statusDisableLocalAccount  = at[bool]("status", "disableLocalAccounts")
)

// An objectRef names an object in the namespace of who refers to it.
type objectRef struct {
	schema.GroupVersionKind

	name string
}

// String returns the reference as Kind.version.group/name, as AwaitsDeletionAnnotation has it.
func (r objectRef) String() string {
	return r.Kind + "." + r.Version + "." + r.Group + "/" + r.name
}

// refTo returns the reference to obj.
func refTo(obj *unstructured.Unstructured) objectRef {
	return objectRef{GroupVersionKind: obj.GroupVersionKind(), name: obj.GetName()}
}

// composedRefs returns what Crossplane has noted as composed by xr; it notes an object before it creates it.
func composedRefs(xr *unstructured.Unstructured) ([]objectRef, error) {
	items, _, err := specResourceRefs.get(xr)
	if err != nil {
		return nil, err
	}
	refs := make([]objectRef, 0, len(items))
	for i, item := range items {
		ref, _ := item.(map[string]any)
		apiVersion, _ := ref["apiVersion"].(string)
		kind, _ := ref["kind"].(string)
		name, _ := ref["name"].(string)
		if name == "" { // Crossplane notes the kind of an object that has no name yet.
			continue
		}
		gv, err := schema.ParseGroupVersion(apiVersion)
		if err != nil || kind == "" {
			return nil, fmt.Errorf("%v[%d] is not a reference to an object", specResourceRefs, i)
		}
		refs = append(refs, objectRef{GroupVersionKind: gv.WithKind(kind), name: name})
	}
	return refs, nil
}

// firstResource returns the first object of the kind in spec.resources; nil when there is none.
func firstResource(xr *unstructured.Unstructured, kind schema.GroupKind) *unstructured.Unstructured {
	for _, item := range specResources.value(xr) {
		content, _ := item.(map[string]any)
		obj := &unstructured.Unstructured{Object: content}
		if obj.GroupVersionKind().GroupKind() == kind && obj.GetName() != "" {
			return obj
		}
	}
	return nil
}

// azureNameOf returns the name in Azure of an ASO object: ASO's webhook defaults it to metadata.name.
func azureNameOf(obj *unstructured.Unstructured) string {
	if name := azureName.value(obj); name != "" {
		return name
	}
	return obj.GetName()
}

// localAccountsDisabled reports whether the cluster accepts Entra tokens only: then no admin credential exists, and the
// user's has an exec plugin, which Cluster API does not run.
func localAccountsDisabled(managedCluster *unstructured.Unstructured) bool {
	return aadManaged.value(managedCluster) &&
		(specDisableLocalAccounts.value(managedCluster) || statusDisableLocalAccount.value(managedCluster))
}

// newXR returns an empty object of the kind.
func newXR(kind schema.GroupVersionKind) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(kind)
	return obj
}
