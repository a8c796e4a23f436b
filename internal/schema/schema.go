// Package schema applies the schema of a kind to an object as the API server does: defaults, then rules.
package schema

import (
	"context"
	"fmt"
	"os"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// A Schema is the OpenAPI schema of one version of a kind.
type Schema struct {
	// OpenAPI is the schema as it is written.
	OpenAPI    *extv1.JSONSchemaProps
	structural *structural.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
}

// read has the schemas that were read once, by file and version: to compile the rules of one takes long.
var read sync.Map

// Read returns the schema in a file with a CustomResourceDefinition or a CompositeResourceDefinition. Who gets it shares it with others.
func Read(file, version string) (*Schema, error) {
	once, _ := read.LoadOrStore([2]string{file, version}, sync.OnceValues(func() (*Schema, error) { return readFile(file, version) }))
	return once.(func() (*Schema, error))()
}

func readFile(file, version string) (*Schema, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s, err := Parse(content, version)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// Parse returns the schema of a version in a CustomResourceDefinition or a CompositeResourceDefinition.
func Parse(content []byte, version string) (*Schema, error) {
	definition := struct {
		Spec struct {
			Versions []struct {
				Name   string
				Schema struct{ OpenAPIV3Schema *extv1.JSONSchemaProps }
			}
		}
	}{}
	if err := yaml.Unmarshal(content, &definition); err != nil {
		return nil, err
	}
	for _, v := range definition.Spec.Versions {
		if v.Name == version {
			return parse(v.Schema.OpenAPIV3Schema)
		}
	}
	return nil, fmt.Errorf("it has no version %s", version)
}

func parse(props *extv1.JSONSchemaProps) (*Schema, error) {
	internal := &apiextensions.JSONSchemaProps{}
	if err := extv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, internal, nil); err != nil {
		return nil, err
	}
	s := &Schema{OpenAPI: props}
	var err error
	if s.structural, err = structural.NewStructural(internal); err != nil {
		return nil, err
	}
	if s.validator, _, err = validation.NewSchemaValidator(internal); err != nil {
		return nil, err
	}
	s.rules = cel.NewValidator(s.structural, true, celconfig.PerCallLimit)
	return s, nil
}

// Default fills in the defaults of the schema.
func (s *Schema) Default(object map[string]any) { defaulting.Default(object, s.structural) }

// Prune removes the fields that the schema does not have, and returns them.
func (s *Schema) Prune(object map[string]any) []string {
	return pruning.PruneWithOptions(object, s.structural, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
}

// Validate returns what the API server would say when the object is created or, with the object before, changed.
func (s *Schema) Validate(ctx context.Context, object, before map[string]any) error {
	errs := validation.ValidateCustomResource(nil, object, s.validator)
	var old any
	if before != nil {
		errs, old = validation.ValidateCustomResourceUpdate(nil, object, before, s.validator), before
	}
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	if s.rules != nil && len(errs) == 0 {
		byRules, _ := s.rules.Validate(ctx, nil, s.structural, object, old, celconfig.RuntimeCELCostBudget)
		errs = append(errs, byRules...)
	}
	return errs.ToAggregate()
}
