package e2e

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

const (
	// typedBeside is a cluster of typed kinds in the namespace of one of ASO kinds, typedSecret ASO's credential for it.
	typedBeside = "typed"
	typedSecret = typedBeside + "-aso-secret"
)

var namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

// namespaceDeleted deletes a namespace in which a cluster of each family runs, with all that they sign in to Azure with: the Secret of
// the namespace, and an AzureClusterIdentity with its Secret.
var namespaceDeleted = &scenario{
	name: "namespace", calmOnly: true,
	steps: []step{
		{
			name: "create a cluster of each family", lasts: 20 * time.Second,
			act: all(applyExample("aks-aso", onePool), applyTyped("aks", onePool, beside)),
			expect: []expectation{
				available, contractKept, condition(clusterKind, typedBeside, "Available", "True", ""),
				kept(secretKind, "aso-credential"), kept(secretKind, typedSecret), kept(identityKind, typedIdentity),
			},
		},
		{
			name: "delete the Secrets that ASO signs in with",
			act:  all(note("made", uidOf(secretKind, typedSecret)), func(w *world) error { return w.remove(secretKind, typedSecret) }, func(w *world) error { return w.remove(secretKind, "aso-credential") }),
			expect: []expectation{
				warned(secretKind, "aso-credential", "is being deleted and stays until Azure Service Operator no longer signs in with it"),
				kept(secretKind, "aso-credential"), kept(secretKind, typedSecret), madeAnew("made", secretKind, typedSecret), available,
			},
		},
		{
			name: "scale with them", act: scaleTo(systemPool, 3),
			expect: []expectation{replicas(systemPool, 3), available},
		},
		{
			name: "delete the namespace", deletes: true, lasts: 30 * time.Second,
			act:    deleteNamespace,
			expect: []expectation{azureEmpty, namespaceGone},
		},
	},
}

func deleteNamespace(w *world) error {
	return client.IgnoreNotFound(w.client.Delete(w.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}))
}

// beside gives everything of an example other names than those of the cluster that is there.
func beside(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return each(func(u *unstructured.Unstructured) error {
		raw, err := u.MarshalJSON()
		if err != nil {
			return err
		}
		return u.UnmarshalJSON(bytes.ReplaceAll(raw, []byte(clusterName), []byte(typedBeside)))
	})(objects)
}

// kept expects an object that a finalizer of provider-capz keeps while it is used.
func kept(gvk schema.GroupVersionKind, name string) expectation {
	return on(gvk, name, func(u *unstructured.Unstructured) []string {
		ours := func(f string) bool {
			return f == names.CredentialFinalizer || strings.HasPrefix(f, "identity.infrastructure.cluster.x-k8s.io/")
		}
		if !slices.ContainsFunc(u.GetFinalizers(), ours) {
			return []string{fmt.Sprintf("nothing keeps %s %s", gvk.Kind, name)}
		}
		return nil
	})
}

func uidOf(gvk schema.GroupVersionKind, name string) func(*world) (any, error) {
	return func(w *world) (any, error) {
		u, err := w.get(gvk, name)
		if err != nil || u == nil {
			return nil, fmt.Errorf("%s %s: %w", gvk.Kind, name, err)
		}
		return u.GetUID(), nil
	}
}

// madeAnew expects another object of the name than the one noted, which is not being deleted.
func madeAnew(noted string, gvk schema.GroupVersionKind, name string) expectation {
	return func(w *world) []string {
		return on(gvk, name, func(u *unstructured.Unstructured) []string {
			if u.GetUID() == w.noted[noted] || u.GetDeletionTimestamp() != nil {
				return []string{fmt.Sprintf("%s %s is not made anew", gvk.Kind, name)}
			}
			return nil
		})(w)
	}
}

// namespaceGone expects the end of the scenario's namespace, and says what keeps it.
func namespaceGone(w *world) []string {
	namespace := object(namespaceKind, "", w.namespace)
	left := w.still(namespace)
	if len(left) == 0 {
		return nil
	}
	if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(namespace), namespace); err == nil {
		for _, c := range mapsAt(namespace, "status", "conditions") {
			left = append(left, fmt.Sprintf("%v: %v", c["type"], c["message"]))
		}
	}
	return left
}
