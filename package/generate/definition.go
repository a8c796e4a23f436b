package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	xv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	xv2 "github.com/crossplane/crossplane/apis/v2/apiextensions/v2"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// functionName is the name of the Crossplane Function that every generated Composition runs: the name that the package
// manager gives to a dependency, which is the path of its repository with dashes.
const functionName = "crossplane-capz-function-capz"

// definition turns a kind into the CompositeResourceDefinition from which Crossplane makes the same kind again, with its
// own fields added. It fails when the kind is not in the catalogue as it is, or uses something that a definition cannot say.
func definition(crd extv1.CustomResourceDefinition) (*xv2.CompositeResourceDefinition, error) {
	group, err := groupOf(crd)
	if err != nil {
		return nil, err
	}
	labels := maps.Clone(group.labels)
	maps.Copy(labels, crd.Labels)
	xrd := &xv2.CompositeResourceDefinition{
		TypeMeta: metav1.TypeMeta{
			APIVersion: xv2.SchemeGroupVersion.String(),
			Kind:       xv2.CompositeResourceDefinitionKind,
		},
		ObjectMeta: metav1.ObjectMeta{Name: crd.Name},
		Spec: xv2.CompositeResourceDefinitionSpec{
			Group: crd.Spec.Group,
			Names: crd.Spec.Names,
			Scope: xv2.CompositeResourceScopeNamespaced,
			// A default, not an enforced reference: a platform team may bring a Composition with more steps. The name goes
			// without the group: Crossplane makes it a label of each revision, and with the group some are too long for one.
			DefaultCompositionRef: &xv2.CompositionReference{Name: crd.Spec.Names.Plural},
		},
	}
	if len(labels) > 0 {
		xrd.Spec.Metadata = &xv2.CompositeResourceDefinitionSpecMetadata{Labels: labels}
	}
	for _, v := range crd.Spec.Versions {
		version, err := definitionVersion(v)
		if err != nil {
			return nil, fmt.Errorf("version %s: %w", v.Name, err)
		}
		// No conversion is declared: the versions have the same schema, so changing apiVersion is all there is to it.
		xrd.Spec.Versions = append(xrd.Spec.Versions, version)
	}
	return xrd, nil
}

func definitionVersion(v extv1.CustomResourceDefinitionVersion) (xv2.CompositeResourceDefinitionVersion, error) {
	out := xv2.CompositeResourceDefinitionVersion{
		Name:                     v.Name,
		Referenceable:            v.Storage,
		Served:                   v.Served,
		DeprecationWarning:       v.DeprecationWarning,
		AdditionalPrinterColumns: v.AdditionalPrinterColumns,
	}
	if v.Deprecated {
		out.Deprecated = &v.Deprecated
	}
	if len(v.SelectableFields) > 0 {
		return out, errors.New("a definition cannot have selectable fields")
	}
	if v.Subresources != nil && v.Subresources.Scale != nil {
		out.Subresources = &xv2.CompositeResourceDefinitionVersionSubresources{Scale: v.Subresources.Scale}
	}
	schema := v.Schema.OpenAPIV3Schema
	dropCrossplaneFields(schema)
	unfoldDescriptions(schema)
	raw, err := json.Marshal(schema)
	if err != nil {
		return out, err
	}
	out.Schema = &xv2.CompositeResourceValidation{}
	out.Schema.OpenAPIV3Schema.Raw = raw
	return out, nil
}

// dropCrossplaneFields removes the fields whose schema Crossplane brings, so that a definition shows what is this project's.
func dropCrossplaneFields(schema *extv1.JSONSchemaProps) {
	delete(schema.Properties, "apiVersion")
	delete(schema.Properties, "kind")
	delete(schema.Properties, "metadata")
	delete(schema.Properties["spec"].Properties, "crossplane")
	delete(schema.Properties["status"].Properties, "conditions")
}

// unfoldDescriptions takes the line breaks of Go comments out of all descriptions: `kubectl explain` breaks lines where the
// terminal wants them. An example keeps a line of its own.
func unfoldDescriptions(schema *extv1.JSONSchemaProps) {
	schema.Description = unfold(schema.Description)
	for name, field := range schema.Properties {
		unfoldDescriptions(&field)
		schema.Properties[name] = field
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		unfoldDescriptions(schema.Items.Schema)
	}
}

func unfold(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		last := len(out) - 1
		if last < 0 || line == "" || out[last] == "" || strings.HasPrefix(line, "Example") {
			out = append(out, line)
		} else {
			out[last] += " " + line
		}
	}
	return strings.Join(out, "\n")
}

// composition makes the Composition that a definition names as its default: one step, which function-capz answers.
func composition(xrd *xv2.CompositeResourceDefinition) *xv1.Composition {
	gvk := xrd.GetCompositeGroupVersionKind()
	group := apiGroups[xrd.Spec.Group]
	return &xv1.Composition{
		TypeMeta: metav1.TypeMeta{
			APIVersion: xv1.SchemeGroupVersion.String(),
			Kind:       xv1.CompositionKind,
		},
		ObjectMeta: metav1.ObjectMeta{Name: xrd.Spec.DefaultCompositionRef.Name},
		Spec: xv1.CompositionSpec{
			CompositeTypeRef: xv1.TypeReference{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind},
			Mode:             xv1.CompositionModePipeline,
			Pipeline: []xv1.PipelineStep{{
				Step:        group.step,
				FunctionRef: xv1.FunctionReference{Name: functionName},
				Input:       group.input,
			}},
		},
	}
}
