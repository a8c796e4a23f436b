package sides

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cluster-api-provider-azure/oracle"
	"sigs.k8s.io/cluster-api-provider-azure/oracle/selfmanaged"

	"github.com/crossplane-capz/crossplane-capz/internal/admission"
	"github.com/crossplane-capz/crossplane-capz/internal/schema"
)

// A Kind is one version of a kind that both sides have, by the plural of its name.
type Kind struct{ Plural, Version string }

// CAPZDefaults writes defaults as CAPZ does: by its CustomResourceDefinitions and webhooks.
type CAPZDefaults struct {
	sources  string
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
	return &CAPZDefaults{sources: sources, webhooks: webhooks}, err
}

// Schema returns the schema of a kind.
func (c *CAPZDefaults) Schema(k Kind) (*schema.Schema, error) {
	return schema.Read(crd(c.sources, k.Plural), k.Version)
}

// Default returns an object as CAPZ leaves it before its rules are looked at. Before is what there is of it, which CAPZ does not look at.
func (c *CAPZDefaults) Default(ctx context.Context, k Kind, object, _ map[string]any) (map[string]any, error) {
	s, err := c.Schema(k)
	if err != nil {
		return nil, err
	}
	return byAPIServer(s, object, func(o map[string]any) (filled map[string]any, err error) {
		err = selfmanaged.Gates{}.While(func() error {
			filled, err = c.webhooks.Default(ctx, k.Plural, o)
			return err
		})
		return filled, err
	})
}

// OurDefaults writes defaults as this project does.
type OurDefaults struct {
	root string
	// asked are the webhooks that write defaults.
	asked []*asked
}

// NewOurDefaults reads the packages of this project.
func NewOurDefaults(root string) (*OurDefaults, error) {
	asked, err := askedAt(root, admission.DefaultsPath, admission.SelfManagedDefaultsPath)
	return &OurDefaults{root: root, asked: slices.Collect(maps.Values(asked))}, err
}

// Default returns an object as it is before the rules are looked at. Before is what there is of it; nil when it is created.
func (o *OurDefaults) Default(ctx context.Context, k Kind, object, before map[string]any) (map[string]any, error) {
	s, err := o.schema(k)
	if err != nil {
		return nil, err
	}
	return byAPIServer(s, object, func(object map[string]any) (map[string]any, error) {
		after, old := &unstructured.Unstructured{Object: object}, (*unstructured.Unstructured)(nil)
		if before != nil {
			old = &unstructured.Unstructured{Object: before}
		}
		for _, webhook := range o.asked {
			asked, err := webhook.about(ctx, k.Plural, after, old)
			if err != nil {
				return nil, err
			}
			if !asked {
				continue
			}
			if after, err = filled(ctx, after, old); err != nil {
				return nil, err
			}
		}
		return after.Object, nil
	})
}

func (o *OurDefaults) schema(k Kind) (*schema.Schema, error) {
	return schema.Read(xrd(o.root, k.Plural), k.Version)
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
