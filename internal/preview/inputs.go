package preview

import (
	"encoding/json"
	"fmt"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// An Input is what `crossplane composition render` takes for one composite resource beside a Composition and functions,
// so that it composes what the preview does.
type Input struct {
	// Composite is the composite resource when all that it stands for is ready, but for virtual machines: provider-capz is about to
	// create those.
	Composite *unstructured.Unstructured
	// Observed are the ASO objects that exist of it then.
	Observed []*unstructured.Unstructured
	// Required are all other objects, for functions to ask for.
	Required []*unstructured.Unstructured
}

// Inputs returns the input of each composite resource, in the order of the manifests.
func (p *Preview) Inputs() []Input {
	var inputs []Input
	for _, xr := range p.composites() {
		in := Input{Composite: asCreated(xr)}
		for _, o := range p.objects {
			if o.GetUID() != xr.GetUID() {
				in.Required = append(in.Required, o)
			}
		}
		for _, o := range p.all() {
			if controlledBy(o, xr) {
				in.Observed = append(in.Observed, o)
			} else {
				in.Required = append(in.Required, o)
			}
		}
		inputs = append(inputs, in)
	}
	return inputs
}

// asCreated returns a composite resource as it is while what the preview prints of it is created.
func asCreated(xr *unstructured.Unstructured) *unstructured.Unstructured {
	facts, err := v1alpha1.ReadMachineFacts(xr.GetAnnotations())
	if err != nil || xr.GroupVersionKind().GroupKind() != composite.AzureMachine.GroupKind() {
		return xr
	}
	before := xr.DeepCopy()
	facts.Created = v1alpha1.FactsOfCreation{}
	if err := write(before, facts); err != nil {
		return xr
	}
	return before
}

func controlledBy(o, xr *unstructured.Unstructured) bool {
	for _, owner := range o.GetOwnerReferences() {
		if owner.UID == xr.GetUID() {
			return true
		}
	}
	return false
}

// Schemas returns what an API server would say of the kinds of the resources, in a document per API group and version, by file
// name: composition functions ask for it before they compose a kind. A kind that the CRDs have
// comes with its schema. If there are none every kind is taken to be served, and nothing more is known of it.
func (p *Preview) Schemas() (map[string][]byte, error) {
	kinds := map[string]map[string]any{}
	for _, o := range p.Resources {
		gvk := o.GroupVersionKind()
		schema, served, err := schemaOf(gvk, p.crds)
		if err != nil {
			return nil, err
		}
		file := strings.ReplaceAll(gvk.GroupVersion().String(), "/", "_") + ".json"
		if kinds[file] == nil {
			kinds[file] = map[string]any{}
		}
		if served {
			schema["x-kubernetes-group-version-kind"] = []any{map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind}}
			kinds[file][gvk.Group+"."+gvk.Version+"."+gvk.Kind] = schema
		}
	}
	documents := map[string][]byte{}
	for file, schemas := range kinds {
		document, err := json.Marshal(map[string]any{
			"openapi": "3.0.0", "info": map[string]any{"title": "Kubernetes", "version": "unversioned"},
			"paths": map[string]any{}, "components": map[string]any{"schemas": schemas},
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		documents[file] = document
	}
	return documents, nil
}

func schemaOf(gvk schema.GroupVersionKind, crds []extv1.CustomResourceDefinition) (openAPI map[string]any, served bool, err error) {
	if len(crds) == 0 {
		return map[string]any{"type": "object"}, true, nil
	}
	for _, crd := range crds {
		if crd.Spec.Group != gvk.Group || crd.Spec.Names.Kind != gvk.Kind {
			continue
		}
		for _, v := range crd.Spec.Versions {
			if v.Name == gvk.Version && v.Served && v.Schema != nil {
				openAPI, err = runtime.DefaultUnstructuredConverter.ToUnstructured(v.Schema.OpenAPIV3Schema)
				return openAPI, err == nil, err
			}
		}
	}
	return nil, false, nil
}
