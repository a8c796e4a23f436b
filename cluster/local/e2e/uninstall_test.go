package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// The kinds of what an installation consists of, and the names of its parts.
var (
	configurationKind         = packageKind("Configuration")
	configurationRevisionKind = packageKind("ConfigurationRevision")
	providerPackageKind       = packageKind("Provider")
	functionPackageKind       = packageKind("Function")
	usageKind                 = schema.GroupVersionKind{Group: "protection.crossplane.io", Version: "v1beta1", Kind: "ClusterUsage"}
	definitionKind            = schema.GroupVersionKind{Group: "apiextensions.crossplane.io", Version: "v2", Kind: "CompositeResourceDefinition"}
	compositionKind           = schema.GroupVersionKind{Group: "apiextensions.crossplane.io", Version: "v1", Kind: "Composition"}
	crdKind                   = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}
	mutatingKind              = schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "MutatingWebhookConfiguration"}
	validatingKind            = schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingWebhookConfiguration"}
)

const (
	configurationName = "crossplane-capz-configuration-capz"
	providerName      = "crossplane-capz-provider-capz"
	functionName      = "crossplane-capz-function-capz"
	usageName         = "crossplane-capz-configuration"
)

func packageKind(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "pkg.crossplane.io", Version: "v1", Kind: kind}
}

// TestUninstall has a person try to take away what a live cluster stands on, and then uninstall everything as
// docs/installation.md says. It is the last test, as nothing is installed after it.
func TestUninstall(t *testing.T) {
	w := newWorld(t, "uninstall")
	defer w.tidy()
	if err := w.enter(); err != nil {
		t.Fatal(err)
	}
	take(t, w, up("aks-aso", onePool))
	w.noted["begun"] = time.Now()
	guarded := standsOn(t, w)
	for _, u := range guarded {
		checkRefused(t, w, u)
	}
	take(t, w, step{
		name: "unlock the Configuration",
		act:  func(w *world) error { return w.delete(object(usageKind, "", usageName)) },
		expect: []expectation{func(w *world) []string { return w.still(object(usageKind, "", usageName)) }, func(w *world) []string {
			u := object(configurationKind, "", configurationName)
			if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(u), u); err != nil || u.GetLabels()["crossplane.io/in-use"] != "" {
				return []string{fmt.Sprintf("the Configuration is still marked as in use (%v)", err)}
			}
			return nil
		}},
	})
	checkRefused(t, w, object(configurationKind, "", configurationName))
	take(t, w, step{name: "look around", expect: []expectation{available, quietSince("begun", ""), kubeconfigWorks}})
	for _, u := range guarded {
		if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(u), u); err != nil || u.GetDeletionTimestamp() != nil {
			t.Errorf("%s %s is gone or going: %v", u.GetKind(), u.GetName(), err)
		}
	}
	take(t, w, down)
	// Templates of other tests would be refused to go with the Configuration.
	offered := object(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", "capz-platform")
	take(t, w, step{
		name:   "take away what the platform team offers",
		act:    func(w *world) error { return w.delete(offered) },
		expect: []expectation{func(w *world) []string { return w.still(offered) }}, deletes: true,
	})
	uninstall(t, w, guarded)
}

// standsOn returns what would take the cluster with it if it were deleted: the Configuration, its revision, its definitions,
// and their CustomResourceDefinitions.
func standsOn(t *testing.T, w *world) []*unstructured.Unstructured {
	t.Helper()
	all := []*unstructured.Unstructured{object(configurationKind, "", configurationName)}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(configurationRevisionKind)
	if err := w.client.List(w.ctx, list, client.MatchingLabels{"pkg.crossplane.io/package": configurationName}); err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		if state, _, _ := unstructured.NestedString(list.Items[i].Object, "spec", "desiredState"); state == "Active" {
			all = append(all, &list.Items[i])
		}
	}
	if len(all) != 2 {
		t.Fatalf("want one active revision, got %d", len(all)-1)
	}
	for _, kind := range asoFamily.kinds() {
		name := strings.ToLower(kind.Kind) + "s." + kind.Group
		all = append(all, object(definitionKind, "", name), object(crdKind, "", name))
	}
	return all
}

// checkRefused deletes an object, which has to be refused with the reason.
func checkRefused(t *testing.T, w *world, u *unstructured.Unstructured) {
	t.Helper()
	err := w.client.Delete(w.ctx, u)
	if err == nil {
		t.Fatalf("%s %s could be deleted, with a cluster that stands on it", u.GetKind(), u.GetName())
	}
	// Both guard the Configuration, and the API server tells the answer of one.
	if u.GetKind() == configurationKind.Kind && strings.Contains(err.Error(), "deleting the Configuration deletes all kinds of crossplane-capz") {
		return
	}
	kinds := []string{asoPoolKind.Kind}
	if i := strings.Index(u.GetName(), "."); i > 0 {
		kinds = nil
		for _, kind := range asoFamily.kinds() {
			if strings.EqualFold(kind.Kind+"s", u.GetName()[:i]) {
				kinds = append(kinds, kind.Kind)
			}
		}
	}
	for _, text := range append(kinds, "deleting "+u.GetKind()+" "+u.GetName()+" would delete these, and their resources in Azure", w.namespace+"/"+clusterName) {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the refusal to delete %s %s does not say %q: %v", u.GetKind(), u.GetName(), text, err)
		}
	}
}

// uninstall does what docs/installation.md says, and expects nothing to be left but what it names.
func uninstall(t *testing.T, w *world, guarded []*unstructured.Unstructured) {
	t.Helper()
	gone := func(objects ...*unstructured.Unstructured) expectation {
		return func(w *world) []string { return w.still(objects...) }
	}
	configuration, provider, function := object(configurationKind, "", configurationName), object(providerPackageKind, "", providerName), object(functionPackageKind, "", functionName)
	installed, err := kubeyaml.Read(filepath.Join(w.root, "package", "install"))
	if err != nil {
		t.Fatal(err)
	}
	take(t, w, step{
		deletes: true,
		name:    "delete the Configuration",
		act:     func(w *world) error { return w.delete(configuration) },
		expect:  []expectation{gone(guarded...), noDefinitionsBut(installed)},
	})
	webhooks := []*unstructured.Unstructured{object(mutatingKind, "", "crossplane-provider-"+providerName), object(validatingKind, "", "crossplane-provider-"+providerName)}
	take(t, w, step{
		deletes: true,
		name:    "delete provider-capz and function-capz",
		act:     all(func(w *world) error { return w.delete(provider) }, func(w *world) error { return w.delete(function) }),
		expect:  []expectation{gone(provider, function), gone(webhooks...), noSecretKept},
	})
	w.granted.Until = time.Now()
	take(t, w, step{
		deletes: true,
		name:    "delete the rest",
		act: func(w *world) error {
			for _, u := range installed {
				if err := w.delete(u); err != nil {
					return err
				}
			}
			return nil
		},
		expect: []expectation{gone(installed...)},
	})
}

// delete deletes an object as kubectl does, without waiting. That it is gone already is fine, and so is that its kind is.
func (w *world) delete(u *unstructured.Unstructured) error {
	err := w.client.Delete(w.ctx, u, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil
	}
	return err
}

// still says which objects are still there.
func (w *world) still(objects ...*unstructured.Unstructured) []string {
	var left []string
	for _, u := range objects {
		err := w.client.Get(w.ctx, client.ObjectKeyFromObject(u), u.DeepCopy())
		if !apierrors.IsNotFound(err) && !meta.IsNoMatchError(err) {
			left = append(left, fmt.Sprintf("%s %s is still there (%v)", u.GetKind(), u.GetName(), err))
		}
	}
	return left
}

// noSecretKept expects that no Secret anywhere has the finalizer that provider-capz alone would take away.
func noSecretKept(w *world) []string {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(secretKind)
	if err := w.client.List(w.ctx, list); err != nil {
		return []string{err.Error()}
	}
	var kept []string
	for _, secret := range list.Items {
		if slices.Contains(secret.Finalizers, names.CredentialFinalizer) {
			kept = append(kept, fmt.Sprintf("Secret %s/%s is kept", secret.Namespace, secret.Name))
		}
	}
	return kept
}

// noDefinitionsBut expects that no kind of this project is left, and no Composition for one, but for the kinds that were installed beside the
// packages, such as AzureMachinePoolMachine, which is no composite resource: they go with the rest.
func noDefinitionsBut(installed []*unstructured.Unstructured) expectation {
	return func(w *world) []string {
		var left []string
		for _, gvk := range []schema.GroupVersionKind{definitionKind, crdKind, compositionKind} {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(gvk)
			if err := w.client.List(w.ctx, list); err != nil {
				left = append(left, err.Error())
			}
			for _, u := range list.Items {
				beside := slices.ContainsFunc(installed, func(i *unstructured.Unstructured) bool {
					return i.GetKind() == u.GetKind() && i.GetName() == u.GetName()
				})
				if ofThisProject(&u) && !beside {
					left = append(left, fmt.Sprintf("%s %s is left", u.GetKind(), u.GetName()))
				}
			}
		}
		return left
	}
}

// ofThisProject reports whether a definition is of one of this project's kinds, or a Composition is one that the Configuration
// brought: those have the names of their kinds, unlike what examples and tests have applied by hand.
func ofThisProject(u *unstructured.Unstructured) bool {
	group, _, _ := unstructured.NestedString(u.Object, "spec", "group")
	apiVersion, _, _ := unstructured.NestedString(u.Object, "spec", "compositeTypeRef", "apiVersion")
	kind, _, _ := unstructured.NestedString(u.Object, "spec", "compositeTypeRef", "kind")
	if apiVersion != "" && u.GetName() != strings.ToLower(kind)+"s" {
		return false
	}
	group += strings.Split(apiVersion, "/")[0]
	return group == infrastructureGroup || group == platformGroup
}
