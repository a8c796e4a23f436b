package sides

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cluster-api-provider-azure/oracle"

	"github.com/crossplane-capz/crossplane-capz/internal/schema"
)

// A Kind is one version of a kind that both sides have, by the plural of its name.
type Kind struct{ Plural, Version string }

// CAPZDefaults writes defaults as CAPZ does: by its CustomResourceDefinitions and webhooks.
type CAPZDefaults struct {
	sources  string
	schemas  map[Kind]*schema.Schema
	webhooks *oracle.Defaulting
}

// NewCAPZDefaults finds both in the sources of CAPZ.
func NewCAPZDefaults(sources string) (*CAPZDefaults, error) {
	admission, err := oracle.NewAdmission()
	if err != nil {
		return nil, err
	}
	selfManaged, err := newSelfManagedAdmission()
	if err != nil {
		return nil, err
	}
	webhooks, err := oracle.NewDefaulting(sources, admission, selfManaged)
	return &CAPZDefaults{sources: sources, schemas: map[Kind]*schema.Schema{}, webhooks: webhooks}, err
}

// Schema returns the schema of a kind.
func (c *CAPZDefaults) Schema(k Kind) (*schema.Schema, error) {
	return read(c.schemas, k, crd(c.sources, k.Plural))
}

// Default returns an object as CAPZ leaves it before its rules are looked at. Before is what there is of it, which CAPZ does not look at.
func (c *CAPZDefaults) Default(ctx context.Context, k Kind, object, _ map[string]any) (map[string]any, error) {
	s, err := c.Schema(k)
	if err != nil {
		return nil, err
	}
	return byAPIServer(s, object, func(o map[string]any) (map[string]any, error) { return c.webhooks.Default(ctx, k.Plural, o) })
}

// OurDefaults writes defaults as this project does.
type OurDefaults struct {
	root    string
	schemas map[Kind]*schema.Schema
	asked   *asked
}

// NewOurDefaults reads the packages of this project.
func NewOurDefaults(root string) (*OurDefaults, error) {
	asked, err := newAsked(root)
	return &OurDefaults{root: root, schemas: map[Kind]*schema.Schema{}, asked: asked}, err
}

// Default returns an object as it is before the rules are looked at. Before is what there is of it; nil when it is created.
func (o *OurDefaults) Default(ctx context.Context, k Kind, object, before map[string]any) (map[string]any, error) {
	s, err := read(o.schemas, k, fmt.Sprintf("%s/package/configuration/%s/definition.yaml", o.root, k.Plural))
	if err != nil {
		return nil, err
	}
	return byAPIServer(s, object, func(object map[string]any) (map[string]any, error) {
		after, old := &unstructured.Unstructured{Object: object}, (*unstructured.Unstructured)(nil)
		if before != nil {
			old = &unstructured.Unstructured{Object: before}
		}
		asked, err := o.asked.about(ctx, k.Plural, after, old)
		if err != nil || !asked {
			return object, err
		}
		after, err = filled(ctx, after, old)
		if err != nil {
			return nil, err
		}
		return after.Object, nil
	})
}

// byAPIServer has the webhook fill in an object between the defaults of the schema, as the API server does.
func byAPIServer(s *schema.Schema, object map[string]any, webhook func(map[string]any) (map[string]any, error)) (map[string]any, error) {
	object = runtime.DeepCopyJSON(object)
	s.Prune(object)
	s.Default(object)
	filled, err := webhook(object)
	if err != nil {
		return nil, err
	}
	s.Prune(filled)
	s.Default(filled)
	return filled, nil
}

func read(known map[Kind]*schema.Schema, k Kind, file string) (*schema.Schema, error) {
	if s, ok := known[k]; ok {
		return s, nil
	}
	s, err := schema.Read(file, k.Version)
	if err != nil {
		return nil, err
	}
	known[k] = s
	return s, nil
}
