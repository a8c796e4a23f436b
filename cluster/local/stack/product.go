package stack

import (
	"context"
	"fmt"
	"path/filepath"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// functionName is what the Compositions call function-capz: the package manager's name for the dependency.
const functionName = "crossplane-capz-function-capz"

// functionImage stands where a package's image is named: nothing is ever fetched from it.
const functionImage = "xpkg.crossplane-capz.invalid/function-capz:v0.0.0"

var (
	functionKind         = schema.GroupVersionKind{Group: "pkg.crossplane.io", Version: "v1", Kind: "Function"}
	functionRevisionKind = schema.GroupVersionKind{Group: "pkg.crossplane.io", Version: "v1", Kind: "FunctionRevision"}
	xrdKind              = schema.GroupVersionKind{
		Group: "apiextensions.crossplane.io", Version: "v2", Kind: "CompositeResourceDefinition",
	}
)

// installProduct tells Crossplane where function-capz is and installs the XRDs and Compositions.
func (s *Stack) installProduct(ctx context.Context, m milestones) error {
	if s.without(Function) {
		return nil
	}
	if err := s.registerFunction(ctx); err != nil {
		return err
	}
	configuration, err := readManifests(filepath.Join(s.sources.product, "configuration"))
	if err != nil {
		return err
	}
	// The package's own metadata is for the package manager.
	configuration = configuration.where(func(u *unstructured.Unstructured) bool {
		return u.GroupVersionKind().Group != "meta.pkg.crossplane.io"
	})
	if err := s.apply(ctx, configuration); err != nil {
		return err
	}
	if err := s.composites(ctx, configuration.kind(xrdKind.Kind)); err != nil {
		return err
	}
	close(m.xrKinds)
	s.logf("%d composite resource definitions are established", len(configuration.kind(xrdKind.Kind)))
	return nil
}

// composites waits until the XRDs' kinds are served and Crossplane may write them.
func (s *Stack) composites(ctx context.Context, xrds manifests) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, xrd := range xrds {
		g.Go(func() error {
			if err := s.conditionTrue(ctx, xrdKind, xrd.GetName(), "Established"); err != nil {
				return err
			}
			if err := s.servedCRD(ctx, xrd.GetName()); err != nil {
				return err
			}
			return s.aggregated(ctx, "crossplane:composite:"+xrd.GetName()+":aggregate-to-crossplane")
		})
	}
	return g.Wait()
}

// registerFunction installs function-capz without the package manager: Crossplane finds a function by the endpoint in
// the status of its active revision. Both objects are paused, so that nobody looks for the image.
func (s *Stack) registerFunction(ctx context.Context) error {
	function := paused(functionKind, functionName, map[string]any{"package": functionImage})
	revision := paused(functionRevisionKind, "function-capz-local", map[string]any{
		"desiredState": "Active", "image": functionImage, "revision": int64(1),
	})
	revision.SetLabels(map[string]string{"pkg.crossplane.io/package": functionName})
	for _, u := range []*unstructured.Unstructured{function, revision} {
		if err := s.awaitKind(ctx, u.GroupVersionKind()); err != nil {
			return err
		}
		if err := s.applyOne(ctx, u); err != nil {
			return err
		}
	}
	status := fmt.Sprintf(`{"status":{"endpoint":%q,"capabilities":["composition"]}}`, s.address(portFunction))
	if err := s.client.Status().Patch(ctx, revision, client.RawPatch(types.MergePatchType, []byte(status))); err != nil {
		return fmt.Errorf("endpoint of function-capz: %w", err)
	}
	return nil
}

func paused(gvk schema.GroupVersionKind, name string, spec map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetGroupVersionKind(gvk)
	u.SetName(name)
	u.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
	return u
}

// installProvider installs the RBAC that no package carries, starts provider-capz, and then has its webhooks called.
func (s *Stack) installProvider(ctx context.Context, m milestones) error {
	if s.without(Provider) {
		return nil
	}
	rbac, err := readManifests(filepath.Join(s.sources.product, "install", "rbac.yaml"))
	if err != nil {
		return err
	}
	webhooks, err := readManifests(filepath.Join(s.sources.product, "provider", "webhooks.yaml"))
	if err != nil {
		return err
	}
	ca, err := s.webhookCA()
	if err != nil {
		return err
	}
	if err := webhooks.serveWebhooks(s.state.Ports[portProviderHook], ca); err != nil {
		return err
	}
	if err := s.namespace(ctx, crossplaneNamespace); err != nil {
		return err
	}
	if err := s.apply(ctx, rbac); err != nil {
		return err
	}
	if err := s.grantToken(ctx, Provider, providerAccount); err != nil {
		return err
	}
	for _, milestone := range []chan struct{}{m.capiKinds, m.xrKinds} {
		if err := reach(ctx, milestone); err != nil {
			return err
		}
	}
	if err := s.aggregated(ctx, providerAccount.Name); err != nil {
		return err
	}
	if err := s.run(ctx, Provider); err != nil {
		return err
	}
	if err := s.apply(ctx, webhooks); err != nil {
		return err
	}
	s.logf("provider-capz is ready")
	return nil
}
