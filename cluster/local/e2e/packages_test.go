package e2e

import (
	"fmt"
	"os/exec"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

// A packageObject is one of the product's packages as Crossplane has it.
type packageObject struct {
	// source is the last part of where it comes from.
	source string
	kind   schema.GroupVersionKind
	// component is the process that runs the package's binary; none for the Configuration.
	component string
}

// packages are the product's, in the order in which they are updated: a Configuration wants the others to be as new as
// itself.
var packages = []packageObject{
	{xpkg.Function, pkgKind("Function"), stack.Function},
	{xpkg.Provider, pkgKind("Provider"), stack.Provider},
	{xpkg.Configuration, pkgKind("Configuration"), ""},
}

// name is what the package manager calls a package that it installs for another's sake; the Configuration's is the same.
func (p packageObject) name() string { return "crossplane-capz-" + p.source }

func pkgKind(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "pkg.crossplane.io", Version: "v1", Kind: kind}
}

// installedAt says what keeps a package from being installed and healthy at a version; nothing when it is.
func (e *environment) installedAt(p packageObject, version string) []string {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(p.kind)
	if err := e.client.Get(e.ctx, client.ObjectKey{Name: p.name()}, u); err != nil {
		return []string{err.Error()}
	}
	var missing []string
	current, _, _ := unstructured.NestedString(u.Object, "status", "currentIdentifier")
	if want := xpkg.Repository + p.source + ":" + version; current != want {
		missing = append(missing, fmt.Sprintf("%s %s is at %q, want %q", p.kind.Kind, p.name(), current, want))
	}
	for _, c := range conditions(u) {
		if c["status"] != "True" {
			missing = append(missing, fmt.Sprintf("%s %s: %v is %v: %v", p.kind.Kind, p.name(), c["type"], c["status"], c["message"]))
		}
	}
	if len(conditions(u)) < 2 {
		missing = append(missing, fmt.Sprintf("%s %s has not been looked at", p.kind.Kind, p.name()))
	}
	return append(missing, e.runsAt(p, version)...)
}

// runsAt says so when the process of a package is of another version.
func (e *environment) runsAt(p packageObject, version string) []string {
	if p.component == "" {
		return nil
	}
	pid, err := e.stack.PID(p.component)
	if err != nil {
		return []string{err.Error()}
	}
	out, err := exec.CommandContext(e.ctx, fmt.Sprintf("/proc/%d/exe", pid), "--version").CombinedOutput()
	if have := strings.TrimSpace(string(out)); err != nil || !strings.Contains(have, version) {
		return []string{fmt.Sprintf("%s runs at %q, %v, want %s", p.component, have, err, version)}
	}
	return nil
}
