package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestWriteFields(t *testing.T) {
	text := extv1.JSONSchemaProps{Type: "string", Description: "text of <name> is\na `<b>` | b\nExample: <x>"}
	list := func(item extv1.JSONSchemaProps) extv1.JSONSchemaProps {
		return extv1.JSONSchemaProps{Type: "array", Items: &extv1.JSONSchemaPropsOrArray{Schema: &item}}
	}
	parent := extv1.JSONSchemaProps{
		Required: []string{"list"},
		Properties: map[string]extv1.JSONSchemaProps{
			"list": list(extv1.JSONSchemaProps{Type: "object", Properties: map[string]extv1.JSONSchemaProps{"text": text}}),
			"map": {Type: "object", AdditionalProperties: &extv1.JSONSchemaPropsOrBool{
				Schema: &extv1.JSONSchemaProps{Type: "string"},
			}},
			"choice":     {Type: "string", Enum: []extv1.JSON{{Raw: []byte(`"a"`)}, {Raw: []byte(`"b"`)}}, Default: &extv1.JSON{Raw: []byte(`"b"`)}},
			"count":      {Type: "integer", Default: &extv1.JSON{Raw: []byte("1")}},
			"object":     {Type: "object", Default: &extv1.JSON{Raw: []byte("{}")}},
			"conditions": list(extv1.JSONSchemaProps{Type: "object", Properties: map[string]extv1.JSONSchemaProps{"text": text}}),
		},
	}
	want := []string{
		"| `spec.choice` | string: `a`, `b`, default `b` |  |",
		"| `spec.conditions` | list of object |  |",
		"| `spec.count` | integer, default `1` |  |",
		"| `spec.list` | list of object, required |  |",
		"| `spec.list[].text` | string | text of \\<name> is a `<b>` \\| b Example: `<x>` |",
		"| `spec.map` | map of string |  |",
		"| `spec.object` | object |  |",
		"",
	}
	var b strings.Builder
	writeFields(&b, "spec", parent)
	if diff := cmp.Diff(want, strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
