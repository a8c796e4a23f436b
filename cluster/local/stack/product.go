package stack

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

var xrdKind = schema.GroupVersionKind{
	Group: "apiextensions.crossplane.io", Version: "v2", Kind: "CompositeResourceDefinition",
}

// installProduct installs the product as a person does: what no package carries is applied, and the Crossplane CLI
// installs the Configuration, on which Crossplane's package manager brings the other two packages.
func (s *Stack) installProduct(ctx context.Context) error {
	if s.without(Node) || s.options.Predecessor {
		return nil
	}
	beside, err := s.besidePackages()
	if err != nil {
		return err
	}
	if err := s.apply(ctx, beside); err != nil {
		return err
	}
	version, err := xpkg.TreeVersion(s.options.Root)
	if err != nil {
		return err
	}
	if _, err := s.CrossplaneCLI(ctx, "xpkg", "install", "configuration", xpkg.Repository+xpkg.Configuration+":"+version); err != nil {
		return err
	}
	g, waiting := errgroup.WithContext(ctx)
	for _, p := range s.sources.packages {
		g.Go(func() error { return s.AwaitPackage(waiting, p.Name, version) })
	}
	g.Go(func() error { return s.aggregated(waiting, providerAccount.Name) })
	g.Go(func() error { return s.installedComposites(waiting) })
	if err := g.Wait(); err != nil {
		return err
	}
	s.logf("the packages %s are installed and healthy", version)
	return nil
}

// besidePackages returns what no package carries, and what has the packages run on this machine.
func (s *Stack) besidePackages() (manifests, error) {
	beside, err := readManifests(filepath.Join(s.sources.product, "install"))
	if err != nil {
		return nil, err
	}
	if err := s.fitToMachine(beside); err != nil {
		return nil, err
	}
	return append(beside, s.localPackages()...), nil
}

// Product returns all that brings the product, as a release has it in one file, fitted to this machine.
func (s *Stack) Product() ([]*unstructured.Unstructured, error) {
	objects, err := s.besidePackages()
	if err != nil {
		return nil, err
	}
	version, err := xpkg.TreeVersion(s.options.Root)
	if err != nil {
		return nil, err
	}
	configuration := object(packageKinds[xpkg.Configuration].Kind, "crossplane-capz-"+xpkg.Configuration, map[string]any{"package": xpkg.Repository + xpkg.Configuration + ":" + version})
	configuration.SetAPIVersion(packageKinds[xpkg.Configuration].GroupVersion().String())
	return append(objects, configuration), nil
}

// installedComposites waits until the kinds of the Configuration are served and Crossplane may write them.
func (s *Stack) installedComposites(ctx context.Context) error {
	configuration, err := readManifests(filepath.Join(s.sources.product, "configuration"))
	if err != nil {
		return err
	}
	return s.composites(ctx, configuration.kind(xrdKind.Kind))
}

// composites waits until the XRDs' kinds are served and Crossplane may write them. It looks at one at a time: an XRD is large.
func (s *Stack) composites(ctx context.Context, xrds manifests) error {
	for _, xrd := range xrds {
		if err := s.conditionTrue(ctx, xrdKind, xrd.GetName(), "Established"); err != nil {
			return err
		}
		if err := s.servedCRD(ctx, xrd.GetName()); err != nil {
			return err
		}
		if err := s.aggregated(ctx, "crossplane:composite:"+xrd.GetName()+":aggregate-to-crossplane"); err != nil {
			return err
		}
	}
	return nil
}

const (
	runtimeConfigKind = "DeploymentRuntimeConfig"
	imageConfigKind   = "ImageConfig"
	packagesVersion   = "pkg.crossplane.io/v1beta1"
)

// fitToMachine adds to provider-capz's DeploymentRuntimeConfig what a process of this machine needs beside it, and has
// the ImageConfigs match the images of the stack's registry too: that is where images are looked up after a rewrite.
func (s *Stack) fitToMachine(objects manifests) error {
	for _, u := range objects.kind(imageConfigKind) {
		matches, _, err := unstructured.NestedSlice(u.Object, "spec", "matchImages")
		if err != nil {
			return fmt.Errorf("%s: %w", u.GetName(), err)
		}
		for _, m := range matches {
			prefix, _, _ := unstructured.NestedString(m.(map[string]any), "prefix") //nolint:forcetypeassert // By the CRD.
			if name, ok := strings.CutPrefix(prefix, xpkg.Repository); ok {
				matches = append(matches, prefixMatch(s.packagePrefix()+name))
			}
		}
		if err := unstructured.SetNestedSlice(u.Object, matches, "spec", "matchImages"); err != nil {
			return fmt.Errorf("%s: %w", u.GetName(), err)
		}
	}
	for _, u := range objects.kind(runtimeConfigKind) {
		if u.GetName() != xpkg.Provider {
			continue
		}
		if err := unstructured.SetNestedMap(u.Object, s.providerTemplate(), "spec", "deploymentTemplate"); err != nil {
			return err
		}
		return nil
	}
	return fmt.Errorf("there is no DeploymentRuntimeConfig %s in package/install", xpkg.Provider)
}

// localPackages returns what has Crossplane fetch the product's packages from the stack's registry, so that they are
// byte for byte those of a release, and run function-capz on ports of its own.
func (s *Stack) localPackages() manifests {
	rewrite := object(imageConfigKind, "local-registry", map[string]any{
		"matchImages":  []any{prefixMatch(xpkg.Repository)},
		"rewriteImage": map[string]any{"prefix": s.packagePrefix()},
	})
	function := object(runtimeConfigKind, "local-"+xpkg.Function, map[string]any{"deploymentTemplate": s.functionTemplate()})
	runtime := object(imageConfigKind, "local-"+xpkg.Function, map[string]any{
		"matchImages": []any{prefixMatch(s.packagePrefix() + xpkg.Function)},
		"runtime":     map[string]any{"configRef": map[string]any{"name": function.GetName()}},
	})
	return manifests{rewrite, function, runtime}
}

func object(kind, name string, spec map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetAPIVersion(packagesVersion)
	u.SetKind(kind)
	u.SetName(name)
	return u
}

func prefixMatch(prefix string) map[string]any {
	return map[string]any{"type": "Prefix", "prefix": prefix}
}

// functionTemplate is the Deployment of function-capz on this machine.
func (s *Stack) functionTemplate() map[string]any {
	return template(map[string]any{
		"args":           s.withDebug("--address", s.address(portFunction), "--metrics-address", s.address(portFunctionStat)),
		"ports":          []any{s.containerPort("grpc", portFunction), s.containerPort("metrics", portFunctionStat)},
		"readinessProbe": map[string]any{"tcpSocket": map[string]any{"port": "grpc"}},
	})
}

// providerTemplate is the Deployment of provider-capz on this machine, where the simulated Azure stands for Azure.
func (s *Stack) providerTemplate() map[string]any {
	var env []any
	for _, variable := range s.azureEnv() {
		name, value, _ := strings.Cut(variable, "=")
		env = append(env, map[string]any{"name": name, "value": value})
	}
	return template(map[string]any{
		"args": s.withDebug(
			"--leader-elect", "--leader-election-namespace", crossplaneNamespace,
			"--health-addr", s.address(portProvider), "--metrics-addr", s.address(portProviderStat),
			"--webhook-host", "127.0.0.1", "--webhook-port", s.port(portProviderHook),
		),
		"env": env,
		"ports": []any{
			s.containerPort("webhook", portProviderHook), s.containerPort("metrics", portProviderStat),
			s.containerPort("health", portProvider),
		},
		"readinessProbe": map[string]any{"httpGet": map[string]any{"path": "/readyz", "port": "health"}},
	})
}

// withDebug returns the arguments of a process of the product.
func (s *Stack) withDebug(args ...any) []any {
	if s.options.Observed {
		args = append(args, "--debug")
	}
	return args
}

// template returns the template of a Deployment whose only container is what the package manager calls it.
func template(container map[string]any) map[string]any {
	container["name"] = "package-runtime"
	return map[string]any{"spec": map[string]any{
		"selector": map[string]any{},
		"template": map[string]any{"spec": map[string]any{"hostNetwork": true, "containers": []any{container}}},
	}}
}

func (s *Stack) containerPort(name, port string) map[string]any {
	return map[string]any{"name": name, "containerPort": int64(s.state.Ports[port])}
}
