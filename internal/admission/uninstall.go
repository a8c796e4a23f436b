package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

const (
	// UninstallPath is where the webhook is served that keeps this project installed; package/generate/webhooks.yaml.tmpl has it too.
	UninstallPath = "/validate-uninstall"
	// mostNames is how many objects of a kind an answer names.
	mostNames = 3
)

// A Guard refuses to have the definitions of composite resources deleted while there are such resources: Crossplane deletes
// all resources of a definition with it, the API server those of a CustomResourceDefinition, and Azure Service Operator
// then deletes the clusters in Azure. Which requests come here is in package/generate/webhooks.yaml.tmpl.
type Guard struct {
	// Reader reads from the API server itself, for what it does not know is lost.
	Reader client.Reader
}

// Register serves the webhook at UninstallPath.
func (g *Guard) Register(server webhook.Server) {
	server.Register(UninstallPath, &webhook.Admission{Handler: g})
}

// A definition is what CompositeResourceDefinitions and CustomResourceDefinitions have in common.
type definition struct {
	Spec struct {
		Group      string    `json:"group"`
		Names      kindNames `json:"names"`
		ClaimNames kindNames `json:"claimNames"`
		Versions   []struct {
			Name   string `json:"name"`
			Served bool   `json:"served"`
		} `json:"versions"`
	} `json:"spec"`
}

type kindNames struct {
	Kind string `json:"kind"`
}

// Handle allows the deletion when no resource would go with it. It is refused also when that is not known.
func (g *Guard) Handle(ctx context.Context, req admission.Request) admission.Response {
	if req.Operation != admissionv1.Delete {
		return admission.Allowed("")
	}
	kinds, err := g.kinds(ctx, req)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("cannot tell which kinds would go with it: %w", err))
	}
	var found []string
	for _, kind := range kinds {
		some, err := g.resources(ctx, kind)
		if err != nil {
			return admission.Errored(http.StatusInternalServerError, fmt.Errorf("cannot tell whether a %s exists: %w", kind.Kind, err))
		}
		if some != "" {
			found = append(found, some)
		}
	}
	if len(found) == 0 {
		return admission.Allowed("")
	}
	return admission.Denied(fmt.Sprintf("deleting %s %s would delete these, and their resources in Azure: %s; "+
		`delete them yourself and wait until they are gone, or see "Uninstall" in docs/installation.md`, req.Kind.Kind, req.Name, strings.Join(found, ", ")))
}

// kinds returns the kinds whose resources go with the object of the request: those of one definition, or those of all
// definitions of this project when its package goes.
func (g *Guard) kinds(ctx context.Context, req admission.Request) ([]schema.GroupVersionKind, error) {
	if req.Resource.Group != "pkg.crossplane.io" {
		one := definition{}
		err := json.Unmarshal(req.OldObject.Raw, &one)
		return one.kinds(), err
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.crossplane.io", Version: "v2", Kind: "CompositeResourceDefinitionList"})
	if err := g.Reader.List(ctx, list); err != nil {
		return nil, err
	}
	var kinds []schema.GroupVersionKind
	for _, item := range list.Items {
		one := definition{}
		raw, err := item.MarshalJSON()
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, fmt.Errorf("%s: %w", item.GetName(), err)
		}
		if slices.Contains(composite.Groups(), one.Spec.Group) {
			kinds = append(kinds, one.kinds()...)
		}
	}
	return kinds, nil
}

func (d *definition) kinds() []schema.GroupVersionKind {
	for _, v := range d.Spec.Versions {
		if !v.Served {
			continue
		}
		kinds := []schema.GroupVersionKind{{Group: d.Spec.Group, Version: v.Name, Kind: d.Spec.Names.Kind}}
		if d.Spec.ClaimNames.Kind != "" {
			kinds = append(kinds, schema.GroupVersionKind{Group: d.Spec.Group, Version: v.Name, Kind: d.Spec.ClaimNames.Kind})
		}
		return kinds
	}
	return nil
}

// resources returns how many resources of a kind there are, and names of some, as text; empty when there are none.
func (g *Guard) resources(ctx context.Context, kind schema.GroupVersionKind) (string, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := g.Reader.List(ctx, list); err != nil && !meta.IsNoMatchError(err) {
		return "", err
	}
	if len(list.Items) == 0 {
		return "", nil
	}
	var named []string
	for _, item := range list.Items[:min(mostNames, len(list.Items))] {
		named = append(named, strings.TrimPrefix(item.GetNamespace()+"/"+item.GetName(), "/"))
	}
	if more := len(list.Items) - mostNames; more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%d %s (%s)", len(list.Items), kind.Kind, strings.Join(named, ", ")), nil
}
