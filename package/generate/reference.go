package main

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// referenceFile is the page with every field of every kind, below the root of the checkout.
const referenceFile = "docs/kinds.md"

//go:embed kinds.md
var referenceIntroduction string

// reference returns the page: what is written by hand in kinds.md, then a table of the fields of each kind.
func reference(crds []extv1.CustomResourceDefinition) []byte {
	var b strings.Builder
	b.WriteString("<!-- Generated from the Go types and package/generate/kinds.md by `go run ./package/generate`. Do not edit. -->\n")
	b.WriteString(referenceIntroduction)
	for _, crd := range crds {
		for _, v := range crd.Spec.Versions {
			if !v.Storage {
				continue
			}
			root := v.Schema.OpenAPIV3Schema
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| field | type | |\n|---|---|---|\n", crd.Spec.Names.Kind, root.Description)
			for _, part := range []string{"spec", "status"} {
				writeFields(&b, part, root.Properties[part])
			}
		}
	}
	return []byte(b.String())
}

// writeFields writes a row for each field below a field, in the order of their names, parents first.
func writeFields(b *strings.Builder, path string, parent extv1.JSONSchemaProps) {
	for _, name := range slices.Sorted(maps.Keys(parent.Properties)) {
		field, at := parent.Properties[name], path+"."+name
		required := ""
		if slices.Contains(parent.Required, name) {
			required = ", required"
		}
		fmt.Fprintf(b, "| `%s` | %s%s%s | %s |\n", at, typeName(field), values(field), required, cell(field.Description))
		// The fields of a condition are the same everywhere in Kubernetes.
		if name == "conditions" {
			continue
		}
		writeFields(b, at, field)
		if item := itemOf(field); item != nil {
			writeFields(b, at+"[]", *item)
		}
	}
}

func itemOf(field extv1.JSONSchemaProps) *extv1.JSONSchemaProps {
	if field.Items == nil {
		return nil
	}
	return field.Items.Schema
}

func typeName(field extv1.JSONSchemaProps) string {
	switch item := itemOf(field); {
	case item != nil:
		return "list of " + typeName(*item)
	case field.AdditionalProperties != nil && field.AdditionalProperties.Schema != nil:
		return "map of " + typeName(*field.AdditionalProperties.Schema)
	}
	return field.Type
}

// values names the values that a field takes, where they are listed, and the one that it has by default.
func values(field extv1.JSONSchemaProps) string {
	var out strings.Builder
	for i, value := range field.Enum {
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		fmt.Fprintf(&out, "%s`%s`", separator, strings.Trim(string(value.Raw), `"`))
	}
	// An empty object is the defaults of the fields in it.
	if field.Default != nil && string(field.Default.Raw) != "{}" {
		fmt.Fprintf(&out, ", default `%s`", strings.Trim(string(field.Default.Raw), `"`))
	}
	return out.String()
}

// cell makes a description fit into a table: one line, its examples as code.
func cell(description string) string {
	var out []string
	for line := range strings.SplitSeq(description, "\n") {
		if example, ok := strings.CutPrefix(line, "Example: "); ok {
			line = "Example: `" + example + "`"
		}
		out = append(out, strings.ReplaceAll(withoutTags(line), "|", `\|`))
	}
	return strings.Join(out, " ")
}

// withoutTags escapes what Markdown would take for a tag and not show: <cluster>. Code is left as it is.
func withoutTags(line string) string {
	parts := strings.Split(line, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], "<", `\<`)
	}
	return strings.Join(parts, "`")
}
