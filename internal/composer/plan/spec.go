package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

const (
	// mostLevels is far more than any ASO kind has. The API server takes 10000, of which protobuf carries a third.
	mostLevels = 100
	// longestName is that of an object in Kubernetes; what is called more is no name, but is to be shown.
	longestName = 253
)

// FromSpec returns the resources of the composite's spec.resources in their order, each with what is wrong with it if anything is.
func FromSpec(xr *unstructured.Unstructured) []*Resource {
	list, found, err := unstructured.NestedFieldNoCopy(xr.Object, "spec", "resources")
	items, ok := list.([]any)
	if err != nil || found && !ok {
		return []*Resource{unreadable(list, "spec.resources", "a list of Azure Service Operator objects")}
	}
	resources := make([]*Resource, 0, len(items))
	first := map[string]string{}
	for n, item := range items {
		r := parse(item, field.Item("spec.resources", n), xr.GetNamespace())
		if r.Err == nil {
			if at, seen := first[r.Name()]; seen {
				r.Err = composer.Blockedf(composer.ReasonDuplicateResource,
					"%s: %s %q is defined at %s already; give each resource of a kind its own metadata.name", r.Source, r.Object.GetKind(), r.Object.GetName(), at)
			} else {
				first[r.Name()] = r.Source
			}
		}
		resources = append(resources, r)
	}
	return resources
}

func parse(item any, path, namespace string) *Resource {
	m, ok := item.(map[string]any)
	if !ok {
		return unreadable(item, path, "an Azure Service Operator object with apiVersion, kind and metadata.name")
	}
	if field.Deeper(m, mostLevels) {
		return &Resource{Source: path, Declared: true, Object: &unstructured.Unstructured{Object: map[string]any{}}, Err: composer.Blockedf(composer.ReasonInvalidResource,
			"%s has more than %d levels of fields within fields, but no Azure Service Operator kind has as many", path, mostLevels)}
	}
	obj := (&unstructured.Unstructured{Object: m}).DeepCopy()
	r := &Resource{Source: path, Declared: true, Object: obj, Err: malformed(obj, path, namespace)}
	if r.Err == nil {
		dropServerFields(obj)
		obj.SetNamespace(namespace)
	}
	return r
}

// unreadable stands for what is no object at all.
func unreadable(found any, path, required string) *Resource {
	return &Resource{Source: path, Declared: true, Object: &unstructured.Unstructured{Object: map[string]any{}},
		Err: composer.Blockedf(composer.ReasonInvalidResource, "%s is %s, but must be %s", path, field.Show(found), required)}
}

func malformed(obj *unstructured.Unstructured, path, namespace string) *composer.Blocked {
	invalid := func(of, found, required string) *composer.Blocked {
		return composer.Blockedf(composer.ReasonInvalidResource, "%s.%s is %q, but must be %s", path, of, field.Cut(found, longestName), required)
	}
	wrongType := func(of fmt.Stringer, found any, required string) *composer.Blocked {
		return composer.Blockedf(composer.ReasonInvalidResource, "%s.%s is %s, but must be %s", path, of, field.Show(found), required)
	}
	gv, err := schema.ParseGroupVersion(obj.GetAPIVersion())
	switch {
	case err != nil || !aso.IsASO(gv.Group) || gv.Version == "":
		return invalid("apiVersion", obj.GetAPIVersion(), "group and version of an Azure Service Operator kind, such as resources.azure.com/v1api20200601")
	case obj.GetKind() == "":
		return invalid("kind", "", "the name of a kind, such as ResourceGroup")
	case obj.GetName() == "":
		return invalid("metadata.name", "", "set, because it identifies the resource among those of this object")
	case len(validation.IsDNS1123Subdomain(obj.GetName())) > 0:
		return invalid("metadata.name", obj.GetName(), "a name that Kubernetes takes: at most 253 lower case letters, digits, - and ., with a letter or digit at each end")
	case obj.GetNamespace() != "" && obj.GetNamespace() != namespace:
		return invalid("metadata.namespace", obj.GetNamespace(), fmt.Sprintf("%q or absent, because composed resources live in the namespace of the object that defines them", namespace))
	}
	for _, of := range []string{"labels", "annotations"} {
		value, _, _ := field.At[any]("metadata", of).Get(obj)
		if _, _, err := unstructured.NestedStringMap(obj.Object, "metadata", of); err != nil && value != nil {
			return wrongType(field.At[any]("metadata", of), value, "an object of strings")
		}
	}
	if spec, found := obj.Object["spec"]; found {
		if _, ok := spec.(map[string]any); !ok {
			return wrongType(field.At[any]("spec"), spec, "an object")
		}
	}
	if sentence := aso.Reserved(obj); sentence != "" {
		return &composer.Blocked{Reason: composer.ReasonInvalidResource, Message: path + "." + sentence}
	}
	return nil
}

// dropServerFields removes what only the API server and ASO write: in an applied object they would be conflicts.
func dropServerFields(obj *unstructured.Unstructured) {
	delete(obj.Object, "status")
	for _, name := range aso.ServerMetadata {
		unstructured.RemoveNestedField(obj.Object, "metadata", name)
	}
}
