package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// portalFile is the example of a software template, below the root of the checkout; portalTemplate is what it is made from.
const (
	portalFile     = "examples/portal/template.yaml"
	portalTemplate = "portal.yaml.tmpl"
)

// addPortal adds the software template, whose form asks for fields of an AKSCluster by its own schema.
func addPortal(files fileSet, crds []extv1.CustomResourceDefinition) error {
	at := slices.IndexFunc(crds, func(crd extv1.CustomResourceDefinition) bool { return crd.Spec.Names.Kind == composite.AKSCluster.Kind })
	if at < 0 {
		return errors.New("there is no AKSCluster")
	}
	spec := crds[at].Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	// The file has expressions in double braces that are the portal's.
	parsed, err := template.New(portalTemplate).Delims("[[", "]]").Funcs(template.FuncMap{
		"form": func(indentation int, path string, only ...string) (string, error) {
			return formField(spec, indentation, path, only)
		},
	}).ParseFS(templates, portalTemplate)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Generated from package/generate/%s and the schema of AKSCluster by `go run ./package/generate`. Do not edit.\n\n", portalTemplate)
	if err := parsed.Execute(&out, nil); err != nil {
		return err
	}
	files[filepath.FromSlash(portalFile)] = out.Bytes()
	return nil
}

// formField returns the schema of a field as a form takes it, in YAML: of an object or the items of a list with the named fields only.
func formField(spec extv1.JSONSchemaProps, indentation int, path string, only []string) (string, error) {
	field := spec
	for name := range strings.SplitSeq(path, ".") {
		below, known := field.Properties[name]
		if !known {
			return "", fmt.Errorf("an AKSCluster has no field spec.%s", path)
		}
		field = below
	}
	if item := itemOf(field); item != nil && len(only) > 0 {
		asked := item.DeepCopy()
		for name := range asked.Properties {
			if !slices.Contains(only, name) {
				delete(asked.Properties, name)
			}
		}
		if len(asked.Properties) != len(only) {
			return "", fmt.Errorf("an entry of spec.%s does not have all of %v", path, only)
		}
		field.Items = &extv1.JSONSchemaPropsOrArray{Schema: asked}
	}
	form, err := formSchema(field)
	if err != nil {
		return "", err
	}
	out, err := yaml.Marshal(form)
	return strings.TrimSpace(strings.ReplaceAll(string(out), "\n", "\n"+strings.Repeat(" ", indentation))), err
}

// formSchema returns a schema without what is the API server's alone. The example of a description is shown in the empty field.
func formSchema(field extv1.JSONSchemaProps) (map[string]any, error) {
	raw, err := json.Marshal(field)
	if err != nil {
		return nil, err
	}
	form := map[string]any{}
	if err := json.Unmarshal(raw, &form); err != nil {
		return nil, err
	}
	adaptToForm(form)
	return form, nil
}

func adaptToForm(schema map[string]any) {
	for key := range schema {
		if strings.HasPrefix(key, "x-kubernetes-") || key == "format" {
			delete(schema, key)
		}
	}
	if text, ok := schema["description"].(string); ok {
		description, example, found := strings.Cut(text, "\nExample: ")
		schema["description"] = strings.Join(strings.Fields(description), " ")
		if found && (schema["type"] == "string" || schema["type"] == "integer") {
			schema["ui:placeholder"] = strings.Trim(example, `"`)
		}
	}
	if item, ok := schema["items"].(map[string]any); ok {
		adaptToForm(item)
		if item["enum"] != nil {
			schema["uniqueItems"] = true // Shown as boxes to check.
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, field := range properties {
		if field, ok := field.(map[string]any); ok {
			adaptToForm(field)
		}
	}
}
