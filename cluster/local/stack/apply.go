package stack

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// fieldOwner is the server-side apply manager of what the stack installs.
	fieldOwner = "crossplane-capz-local"
	// applyWorkers is how many objects are applied at a time.
	applyWorkers = 6
	// installPatience is how long an installed object may take to be of use.
	installPatience = 5 * time.Minute
	// pollInterval is how often something awaited is looked at.
	pollInterval = 100 * time.Millisecond
)

// newClient returns a client that knows the built-in kinds and CustomResourceDefinitions.
func newClient(config *rest.Config) (client.Client, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	return client.New(config, client.Options{Scheme: scheme})
}

// apply applies the objects by server-side apply: namespaces first, then CRDs, then the rest, each side by side.
func (s *Stack) apply(ctx context.Context, objects manifests) error {
	for _, batch := range []manifests{
		objects.kind("Namespace"), objects.kind(crdKind), objects.notKind("Namespace", crdKind),
	} {
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(applyWorkers)
		for _, u := range batch {
			g.Go(func() error { return s.applyOne(ctx, u) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stack) applyOne(ctx context.Context, u *unstructured.Unstructured) error {
	err := s.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u.DeepCopy()),
		client.FieldOwner(fieldOwner), client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("apply %s %s: %w", u.GetKind(), client.ObjectKeyFromObject(u), err)
	}
	return nil
}

// namespace makes a namespace when it is not there.
func (s *Stack) namespace(ctx context.Context, name string) error {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	u.SetName(name)
	return s.applyOne(ctx, u)
}

// await polls until done is true. Its error says what was waited for.
func await(ctx context.Context, what string, done func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, installPatience)
	defer cancel()
	for {
		ok, err := done(ctx)
		if err != nil {
			return fmt.Errorf("wait for %s: %w", what, err)
		}
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, ctx.Err())
		case <-time.After(pollInterval):
		}
	}
}

// established waits until the API server serves all CRDs of the objects.
func (s *Stack) established(ctx context.Context, objects manifests) error {
	for _, u := range objects.kind(crdKind) {
		if err := s.servedCRD(ctx, u.GetName()); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stack) servedCRD(ctx context.Context, name string) error {
	return await(ctx, "CustomResourceDefinition "+name, func(ctx context.Context) (bool, error) {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := s.client.Get(ctx, client.ObjectKey{Name: name}, crd); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		return Serves(s.client.RESTMapper(), crd)
	})
}

// Serves reports whether the API server serves the kind of a CustomResourceDefinition. Established alone does not say it:
// discovery, which the mapper reads, follows a moment later.
func Serves(mapper meta.RESTMapper, crd *apiextensionsv1.CustomResourceDefinition) (bool, error) {
	if !apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) {
		return false, nil
	}
	kind := schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}
	for _, v := range crd.Spec.Versions {
		if !v.Served {
			continue
		}
		if _, err := mapper.RESTMapping(kind, v.Name); meta.IsNoMatchError(err) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	return true, nil
}

// conditionTrue waits until an object's condition is True.
func (s *Stack) conditionTrue(ctx context.Context, gvk schema.GroupVersionKind, name, condition string) error {
	return await(ctx, fmt.Sprintf("%s %s to be %s", gvk.Kind, name, condition), func(ctx context.Context) (bool, error) {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(gvk)
		if err := s.client.Get(ctx, client.ObjectKey{Name: name}, u); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		return hasCondition(u, condition), nil
	})
}

// hasCondition reports whether status.conditions has the condition with status True.
func hasCondition(u *unstructured.Unstructured, condition string) bool {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		if m, ok := c.(map[string]any); ok && m["type"] == condition {
			return m["status"] == "True"
		}
	}
	return false
}

// aggregated waits until a ClusterRole has been given the rules that it aggregates.
func (s *Stack) aggregated(ctx context.Context, role string) error {
	return await(ctx, "ClusterRole "+role+" to be aggregated", func(ctx context.Context) (bool, error) {
		cr := &rbacv1.ClusterRole{}
		err := s.client.Get(ctx, client.ObjectKey{Name: role}, cr)
		return err == nil && len(cr.Rules) > 0, client.IgnoreNotFound(err)
	})
}
