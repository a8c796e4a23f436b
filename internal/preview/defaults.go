package preview

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

//go:embed zz_generated.defaults.json
var defaultsFile []byte

// A defaults is the part of a kind's schema that has default values.
type defaults struct {
	Default    json.RawMessage      `json:"default"`
	Properties map[string]*defaults `json:"properties"`
	Items      *defaults            `json:"items"`
}

// defaultsOfKinds are read once: the file has every kind, and each object asks for one.
var defaultsOfKinds = sync.OnceValues(func() (map[string]*defaults, error) {
	kinds := map[string]*defaults{}
	if err := json.Unmarshal(defaultsFile, &kinds); err != nil {
		return nil, fmt.Errorf("cannot read the defaults: %w", err)
	}
	return kinds, nil
})

// setDefaults fills in what the API server would (Kubernetes documentation, "Defaulting"): a default where the field is
// absent, also within one that has just been filled in.
func setDefaults(o *unstructured.Unstructured) error {
	kinds, err := defaultsOfKinds()
	if err != nil {
		return err
	}
	return kinds[o.GroupVersionKind().GroupKind().String()].fill(o.Object)
}

func (d *defaults) fill(value any) error {
	if d == nil {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		for field, property := range d.Properties {
			if _, set := v[field]; !set && property.Default != nil {
				var filled any
				if err := utiljson.Unmarshal(property.Default, &filled); err != nil {
					return fmt.Errorf("the default of %s: %w", field, err)
				}
				v[field] = filled
			}
			if err := property.fill(v[field]); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if err := d.Items.fill(item); err != nil {
				return err
			}
		}
	}
	return nil
}
