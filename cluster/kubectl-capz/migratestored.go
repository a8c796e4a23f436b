package main

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/migrate"
)

var (
	crds           = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	storedVersions = field.At[[]string]("status", "storedVersions")
	crdVersions    = field.At[[]any]("spec", "versions")
	crdPlural      = field.At[string]("spec", "names", "plural")
	crdKind        = field.At[string]("spec", "names", "kind")
)

// page is how many objects are read at once.
const page = 500

// runStored has the cluster store all objects of the kinds in v1beta1. Each step can be done again, so a run that was ended goes on.
func (o *migrateOptions) runStored(ctx context.Context) error {
	config, err := connection(o.config)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	return o.migrateStored(ctx, client)
}

func (o *migrateOptions) migrateStored(ctx context.Context, client dynamic.Interface) error {
	list, err := client.Resource(crds).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		crd := &list.Items[i]
		kind := schema.GroupKind{Group: v1beta1.GroupVersion.Group, Kind: crdKind.Value(crd)}
		if crd.GetName() != crdPlural.Value(crd)+"."+kind.Group || !slices.Contains(migrate.Kinds(), kind) {
			continue
		}
		if slices.Equal(storedVersions.Value(crd), []string{v1beta1.GroupVersion.Version}) {
			_, _ = fmt.Fprintf(o.Out, "%s: all are stored in %s\n", kind.Kind, v1beta1.GroupVersion.Version)
			continue
		}
		if !storedIn(crd, v1beta1.GroupVersion.Version) {
			return fmt.Errorf("CustomResourceDefinition %s does not store %s: install crossplane-capz first", crd.GetName(), v1beta1.GroupVersion.Version)
		}
		count, err := o.storeAnew(ctx, client.Resource(v1beta1.GroupVersion.WithResource(crdPlural.Value(crd))), kind.Kind)
		o.done()
		if err != nil {
			return err
		}
		patch := fmt.Appendf(nil, `{"status":{"storedVersions":[%q]}}`, v1beta1.GroupVersion.Version)
		if _, err := client.Resource(crds).Patch(ctx, crd.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: fieldManager}, "status"); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(o.Out, "%s: %d stored in %s\n", kind.Kind, count, v1beta1.GroupVersion.Version)
	}
	return nil
}

// storedIn reports whether a CustomResourceDefinition has objects stored in a version.
func storedIn(crd *unstructured.Unstructured, version string) bool {
	return slices.ContainsFunc(crdVersions.Value(crd), func(item any) bool {
		v, _ := item.(map[string]any)
		return v["name"] == version && v["storage"] == true
	})
}

// storeAnew writes every object as it is: the API server stores it in its version. What somebody else has written meanwhile is stored so already.
func (o *migrateOptions) storeAnew(ctx context.Context, client dynamic.NamespaceableResourceInterface, kind string) (int, error) {
	count := 0
	options := metav1.ListOptions{Limit: page}
	for {
		list, err := client.List(ctx, options)
		if err != nil {
			return count, err
		}
		for i := range list.Items {
			object := &list.Items[i]
			o.progress("storing " + kind + " " + object.GetNamespace() + "/" + object.GetName())
			_, err := client.Namespace(object.GetNamespace()).Update(ctx, object, metav1.UpdateOptions{FieldManager: fieldManager})
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
				return count, fmt.Errorf("%s %s/%s: %w", kind, object.GetNamespace(), object.GetName(), err)
			}
			count++
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			return count, nil
		}
	}
}
