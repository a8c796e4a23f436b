package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// definitions are CustomResourceDefinitions by their names, with what decides which objects are valid.
type definitions map[string]*extv1.CustomResourceDefinition

// sources are where the definitions of a checkout are: composite resources, and the kinds of provider-capz.
var sources = []string{"package/configuration/*/definition.yaml", "package/provider/crds/*.yaml", "package/install/*.yaml"}

// A source is a CompositeResourceDefinition or a CustomResourceDefinition, which have these fields alike.
type source struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Group    string                              `json:"group"`
		Names    extv1.CustomResourceDefinitionNames `json:"names"`
		Scope    extv1.ResourceScope                 `json:"scope"`
		Versions []struct {
			Name   string `json:"name"`
			Served bool   `json:"served"`
			// Referenceable is what a CompositeResourceDefinition calls the version that is stored.
			Storage       bool `json:"storage"`
			Referenceable bool `json:"referenceable"`
			Schema        struct {
				OpenAPIV3Schema *extv1.JSONSchemaProps `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// ofTree reads the definitions of a checkout.
func ofTree(root string) (definitions, error) {
	all := definitions{}
	for _, pattern := range sources {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if err := all.read(path); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no definitions", root)
	}
	return all, nil
}

// read adds the definitions in a file; other objects are passed over.
func (all definitions) read(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096); ; {
		var document json.RawMessage
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if len(document) == 0 {
			continue // Comments alone.
		}
		s := source{}
		if err := json.Unmarshal(document, &s); err != nil {
			return err
		}
		if s.Kind == "CompositeResourceDefinition" || s.Kind == "CustomResourceDefinition" {
			all[s.Metadata.Name] = s.definition()
		}
	}
}

func (s source) definition() *extv1.CustomResourceDefinition {
	d := &extv1.CustomResourceDefinition{}
	d.Name = s.Metadata.Name
	d.Spec.Group, d.Spec.Names.Kind, d.Spec.Names.Plural, d.Spec.Scope = s.Spec.Group, s.Spec.Names.Kind, s.Spec.Names.Plural, s.Spec.Scope
	for _, v := range s.Spec.Versions {
		schema := v.Schema.OpenAPIV3Schema
		undocument(schema)
		d.Spec.Versions = append(d.Spec.Versions, extv1.CustomResourceDefinitionVersion{
			Name: v.Name, Served: v.Served, Storage: v.Storage || v.Referenceable, Schema: &extv1.CustomResourceValidation{OpenAPIV3Schema: schema},
		})
	}
	return d
}

// undocument takes out of a schema what only people read.
func undocument(schema *extv1.JSONSchemaProps) {
	each(schema, "", func(_ string, s *extv1.JSONSchemaProps) {
		s.Description, s.Title, s.Example, s.ExternalDocs = "", "", nil, nil
		if s.Default != nil {
			s.Default.Raw = compact(s.Default.Raw)
		}
		for i := range s.XValidations {
			s.XValidations[i] = extv1.ValidationRule{Rule: s.XValidations[i].Rule, OptionalOldSelf: s.XValidations[i].OptionalOldSelf}
		}
	})
}

// compact returns JSON without the spaces that say nothing.
func compact(content []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, content) != nil {
		return content
	}
	return b.Bytes()
}

// each calls do for a schema and all in it, with the path of the field.
func each(schema *extv1.JSONSchemaProps, path string, do func(path string, s *extv1.JSONSchemaProps)) {
	if schema == nil {
		return
	}
	do(path, schema)
	for name, property := range schema.Properties {
		each(&property, path+"."+name, do)
		schema.Properties[name] = property
	}
	if schema.Items != nil {
		each(schema.Items.Schema, path+"[*]", do)
	}
	if schema.AdditionalProperties != nil {
		each(schema.AdditionalProperties.Schema, path+"[*]", do)
	}
}
