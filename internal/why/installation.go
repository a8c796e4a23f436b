package why

import (
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/remedy"
)

// What package/install has.
const (
	aggregatedRole   = "crossplane-capz:aggregate-to-crossplane"
	providerBinding  = "provider-capz"
	providerAccount  = "provider-capz"
	runtimeNamespace = "crossplane-system"
)

const (
	packages = "pkg.crossplane.io"
	rights   = "rbac.authorization.k8s.io"
)

var (
	clusterRoleKind    = schema.GroupVersionKind{Group: rights, Version: "v1", Kind: "ClusterRole"}
	clusterBindingKind = schema.GroupVersionKind{Group: rights, Version: "v1", Kind: "ClusterRoleBinding"}
	deploymentKind     = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	providerKind       = schema.GroupVersionKind{Group: packages, Version: "v1", Kind: "Provider"}
	providerConfigKind = schema.GroupVersionKind{Group: "provider.capz.crossplane.io", Version: "v1alpha1", Kind: "ProviderConfig"}

	packageImage    = field.At[string]("spec", "package")
	currentRevision = field.At[string]("status", "currentRevision")
	podAccount      = field.At[string]("spec", "template", "spec", "serviceAccountName")
)

// installed are the packages of this project.
var installed = []struct {
	kind  schema.GroupVersionKind
	image string
}{
	{schema.GroupVersionKind{Group: packages, Version: "v1", Kind: "Function"}, "function-capz"},
	{providerKind, "provider-capz"},
	{schema.GroupVersionKind{Group: packages, Version: "v1", Kind: "Configuration"}, "configuration-capz"},
}

// installation looks at what this project consists of in the cluster, where what was found explains nothing, or says that it is that.
func (w *walk) installation(chain *Link) {
	if obviously(chain) && !slices.ContainsFunc(syncedOf(chain), ofFunction) {
		return
	}
	for _, p := range installed {
		chain.add(w.pkg(p.kind, p.image))
	}
	chain.add(w.granted(clusterRoleKind, aggregatedRole, "by which Crossplane has the rights that it needs"),
		w.granted(clusterBindingKind, providerBinding, "by which provider-capz has its rights"))
	if provider := w.pkgNamed(providerKind, "provider-capz"); provider != nil {
		chain.add(w.runtime(provider))
	}
	w.settings(chain)
}

// ofFunction reports whether it is functions or Compositions that Crossplane has trouble with.
func ofFunction(s Saying) bool {
	return strings.Contains(s.Message, "unction") || strings.Contains(s.Message, "omposition")
}

// syncedOf returns what Crossplane says in condition Synced.
func syncedOf(chain *Link) []Saying {
	var all []Saying
	chain.each(func(l *Link) {
		for _, s := range l.Says {
			if s.Condition == "Synced" {
				all = append(all, s)
			}
		}
	})
	return all
}

// pkgNamed returns the package with an image; nil when there is none or it may not be read.
func (w *walk) pkgNamed(kind schema.GroupVersionKind, image string) *unstructured.Unstructured {
	all, err := w.reader.List(w.ctx, kind, "", "")
	if err != nil {
		return nil
	}
	for _, p := range all {
		name, _, _ := strings.Cut(packageImage.Value(p), "@")
		name = name[strings.LastIndex(name, "/")+1:]
		if name, _, _ = strings.Cut(name, ":"); name == image {
			return p
		}
	}
	return nil
}

// pkg looks at a package.
func (w *walk) pkg(kind schema.GroupVersionKind, image string) *Link {
	o := Object{Group: kind.Group, Kind: kind.Kind, Name: image}
	_, err := w.reader.List(w.ctx, kind, "", "")
	if apierrors.IsForbidden(err) {
		w.note("whether %s is installed and healthy is not known: %v", o, err)
		return nil
	}
	if err != nil {
		return w.unread(o, false, err)
	}
	found := w.pkgNamed(kind, image)
	if found == nil {
		return &Link{Object: o, Says: []Saying{{Reason: reasonPackageMissing, Message: "is not installed", own: true}}}
	}
	link := &Link{Object: objectOf(found), Says: unmet(found)}
	for i := range link.Says {
		link.Says[i].own = true
	}
	return link.orNil()
}

// granted looks whether something of package/install/rbac.yaml is there.
func (w *walk) granted(kind schema.GroupVersionKind, name, what string) *Link {
	o := Object{Group: kind.Group, Kind: kind.Kind, Name: name}
	found, err := w.reader.Metadata(w.ctx, kind, "", name)
	switch {
	case apierrors.IsForbidden(err):
		w.note("whether %s is there, %s, is not known: %v", o, what, err)
		return nil
	case err != nil:
		return w.unread(o, false, err)
	case found == nil:
		return &Link{Object: o, Says: []Saying{{Reason: reasonMissingRight, Message: "does not exist, " + what, own: true}}}
	}
	return nil
}

// runtime looks whether provider-capz runs under the ServiceAccount that has the rights.
func (w *walk) runtime(provider *unstructured.Unstructured) *Link {
	revision := currentRevision.Value(provider)
	if revision == "" {
		return nil
	}
	deployment, err := w.reader.Get(w.ctx, deploymentKind, runtimeNamespace, revision)
	if apierrors.IsForbidden(err) {
		w.note("under which ServiceAccount provider-capz runs is not known: %v", err)
		return nil
	}
	if err != nil {
		return w.unread(Object{Group: deploymentKind.Group, Kind: deploymentKind.Kind, Namespace: runtimeNamespace, Name: revision}, false, err)
	}
	account := podAccount.Value(deployment)
	if deployment == nil || account == providerAccount || account == "" {
		return nil // Where there is no Deployment it runs in a way of its own.
	}
	return &Link{Object: objectOf(deployment), Says: []Saying{{Reason: reasonRuntime, own: true,
		Message: "runs under ServiceAccount " + account + ", but the rights are those of " + providerAccount}}}
}

// settings looks whether the settings of provider-capz are in force.
func (w *walk) settings(chain *Link) {
	config, err := w.reader.Get(w.ctx, providerConfigKind, "", "default")
	if err != nil || config == nil {
		return // There need not be one.
	}
	link := &Link{Object: objectOf(config), Says: unmet(config)}
	for i, s := range link.Says {
		link.Says[i].own = !remedy.Of(s.Reason, s.Message).Waiting
	}
	chain.add(link.orNil())
}
