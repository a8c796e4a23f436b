package main

import (
	"encoding/json"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// defaultsFile has the defaults that the API server fills in, for the preview, which has no API server.
const defaultsFile = "internal/preview/zz_generated.defaults.json"

// A defaults is the part of a schema that has default values.
type defaults struct {
	Default    *extv1.JSON          `json:"default,omitempty"`
	Properties map[string]*defaults `json:"properties,omitempty"`
	Items      *defaults            `json:"items,omitempty"`
}

// addDefaults adds the defaults of each composite kind that has any.
func addDefaults(files fileSet, crds []extv1.CustomResourceDefinition) error {
	kinds := map[string]*defaults{}
	for _, crd := range crds {
		for _, v := range crd.Spec.Versions {
			if d := defaultsOf(v.Schema.OpenAPIV3Schema); v.Storage && d != nil && isComposite(crd) {
				kinds[crd.Spec.Names.Kind+"."+crd.Spec.Group] = d
			}
		}
	}
	out, err := json.MarshalIndent(kinds, "", " ")
	files[defaultsFile] = append(out, '\n')
	return err
}

// defaultsOf returns nil for a schema without defaults.
func defaultsOf(schema *extv1.JSONSchemaProps) *defaults {
	if schema == nil {
		return nil
	}
	d := &defaults{Default: schema.Default, Properties: map[string]*defaults{}}
	for name, property := range schema.Properties {
		if of := defaultsOf(&property); of != nil {
			d.Properties[name] = of
		}
	}
	if schema.Items != nil {
		d.Items = defaultsOf(schema.Items.Schema)
	}
	if d.Default == nil && len(d.Properties) == 0 && d.Items == nil {
		return nil
	}
	return d
}
