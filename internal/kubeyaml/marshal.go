package kubeyaml

import (
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v2"
	kubejson "sigs.k8s.io/json"
)

// Marshal returns a value as YAML, by its JSON tags and with sorted names. Unlike Marshal of sigs.k8s.io/yaml, which reads the JSON as YAML, it
// takes every string: a control character is written as an escape.
func Marshal(value any) ([]byte, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("cannot write YAML: %w", err)
	}
	var plain any
	if err := kubejson.UnmarshalCaseSensitivePreserveInts(raw, &plain); err != nil {
		return nil, fmt.Errorf("cannot write YAML: %w", err)
	}
	return yaml.Marshal(plain)
}
