package preview

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// An Input is what `crossplane composition render` takes for one composite resource beside a Composition and functions,
// so that it composes what the preview does.
type Input struct {
	// Composite is the composite resource when all that it stands for is ready.
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
		in := Input{Composite: xr}
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

func controlledBy(o, xr *unstructured.Unstructured) bool {
	for _, owner := range o.GetOwnerReferences() {
		if owner.UID == xr.GetUID() {
			return true
		}
	}
	return false
}

// Schemas returns a document per API group and version of the resources, by file name, that says no more of their kinds than that
// they are served: composition functions ask for it before they compose a kind.
func (p *Preview) Schemas() (map[string][]byte, error) {
	kinds := map[string]map[string]any{}
	for _, o := range p.Resources {
		gvk := o.GroupVersionKind()
		file := strings.ReplaceAll(gvk.GroupVersion().String(), "/", "_") + ".json"
		if kinds[file] == nil {
			kinds[file] = map[string]any{}
		}
		kinds[file][gvk.Group+"."+gvk.Version+"."+gvk.Kind] = map[string]any{
			"type":                            "object",
			"x-kubernetes-group-version-kind": []any{map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind}},
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
