package stack

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

// packageKinds are the kinds of installed packages, by the name of the package.
var packageKinds = map[string]schema.GroupVersionKind{
	xpkg.Function:      {Group: "pkg.crossplane.io", Version: "v1", Kind: "Function"},
	xpkg.Provider:      {Group: "pkg.crossplane.io", Version: "v1", Kind: "Provider"},
	xpkg.Configuration: {Group: "pkg.crossplane.io", Version: "v1", Kind: "Configuration"},
}

// servePackages starts the registry and pushes the product's packages to it.
func (s *Stack) servePackages(ctx context.Context) error {
	if s.without(Registry) {
		return nil
	}
	if err := s.run(ctx, Registry); err != nil {
		return err
	}
	version, err := xpkg.TreeVersion(s.options.Root)
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, p := range s.sources.packages {
		g.Go(func() error { return s.Push(ctx, p.File, p.Name+":"+version) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	s.logf("the packages %s are in the registry at %s", version, s.address(portRegistry))
	return nil
}

// Push pushes a package file to the stack's registry, where it stands for the repository and tag of the same name below
// xpkg.crossplane.io/crossplane-capz, such as "function-capz:v0.1.0".
func (s *Stack) Push(ctx context.Context, file, reference string) error {
	_, err := s.CrossplaneCLI(ctx, "xpkg", "push", "--package-files="+file, s.packagePrefix()+reference)
	return err
}

// packagePrefix is what the product's repositories have before their names in the stack's registry.
func (s *Stack) packagePrefix() string { return s.address(portRegistry) + "/crossplane-capz/" }

// AwaitPackage waits until a package of the product is installed and healthy at a version; its error says what it last
// was instead.
func (s *Stack) AwaitPackage(ctx context.Context, name, version string) error {
	last := "not there"
	err := await(ctx, fmt.Sprintf("package %s:%s to be installed and healthy", name, version), func(ctx context.Context) (bool, error) {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(packageKinds[name])
		if err := s.client.Get(ctx, client.ObjectKey{Name: "crossplane-capz-" + name}, u); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		last = conditionsOf(u)
		image, _, _ := unstructured.NestedString(u.Object, "spec", "package")
		current, _, _ := unstructured.NestedString(u.Object, "status", "currentIdentifier")
		return strings.HasSuffix(image, ":"+version) && current == image &&
			hasCondition(u, "Installed") && hasCondition(u, "Healthy"), nil
	})
	if err != nil {
		return fmt.Errorf("%w; it is %s", err, last)
	}
	return nil
}

// conditionsOf returns the conditions of an object in words.
func conditionsOf(u *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	var all []string
	for _, c := range conditions {
		if m, ok := c.(map[string]any); ok {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%v=%v %v", m["type"], m["status"], orEmpty(m["message"]))))
		}
	}
	if len(all) == 0 {
		return "without conditions"
	}
	return strings.Join(all, ", ")
}

func orEmpty(v any) any {
	if v == nil {
		return ""
	}
	return v
}
