package e2e

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// secretsMistaken has secrets that cannot be used, in the ways in which people get them wrong: what is said about it must not
// quote them, which the search at the end of the run would find.
var secretsMistaken = &scenario{
	name: "secrets-mistaken", family: typedFamily, calmOnly: true,
	steps: []step{
		{
			name: "a certificate that is none", act: all(createBootstrap, createNoCertificate, createIdentity, applyMistaken),
			expect: []expectation{warned(typedControlPlaneKind, clusterName, "is not a certificate with its RSA key"), gone(secretKind, asoSecret), azureEmpty},
			stays:  []expectation{because(typedControlPlaneKind.Kind, "is not a certificate with its RSA key")}, staysFor: time.Second,
		},
		{
			name: "a client secret that Entra refuses",
			act: func(w *world) error {
				if err := w.azure.SetClientSecret(w.ctx, w.subscription, w.planted("the right secret")); err != nil {
					return err
				}
				return w.set(typedControlPlaneKind, clusterName, "spec.identityRef.name", typedIdentity)
			},
			expect: []expectation{credentialIs("AZURE_CLIENT_SECRET", "client secret"), resourceGroupSays("AADSTS7000215"), azureEmpty},
			stays:  []expectation{because("ResourceGroup", "AADSTS7000215")}, staysFor: time.Second,
		},
		{
			name: "the right one", act: setSecret(typedIdentity, "clientSecret", "the right secret"),
			expect: []expectation{credentialIs("AZURE_CLIENT_SECRET", "the right secret")},
		},
		{
			name: "delete with both identities", deletes: true, lasts: 15 * time.Second, expect: downTyped.expect, never: downTyped.never,
			act: all(downTyped.act, func(w *world) error { return w.remove(identityKind, certificateIdentity) }),
		},
	},
}

// applyMistaken applies a cluster with the identity that has no certificate. The other identity's client is this scenario's alone,
// as what Entra knows of it is.
func applyMistaken(w *world) error {
	return applyTyped("aks", onePool, bootstrapped, withSpec(identityKind, "clientID: "+w.subscription), each(func(u *unstructured.Unstructured) error {
		if u.GetKind() != typedControlPlaneKind.Kind {
			return nil
		}
		return unstructured.SetNestedField(u.Object, certificateIdentity, "spec", "identityRef", "name")
	}))(w)
}

func createNoCertificate(w *world) error {
	return w.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: certificateIdentity},
		StringData: map[string]string{"certificate": w.planted("no certificate"), "password": w.planted("password of no certificate")},
	})
}

// bootstrapSecret has what a machine would be started with, which nobody has to read for AKS.
const bootstrapSecret = clusterName + "-bootstrap"

func createBootstrap(w *world) error {
	return w.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: bootstrapSecret, Labels: map[string]string{clusterv1.ClusterNameLabel: clusterName}},
		Type:       clusterv1.ClusterSecretType,
		StringData: map[string]string{"value": fmt.Sprintf("#cloud-config\nruncmd:\n- kubeadm join --token '%s'\n", w.planted("bootstrap token"))},
	})
}

// bootstrapped has the pools refer to that.
func bootstrapped(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return each(func(u *unstructured.Unstructured) error {
		if u.GetKind() != poolKind.Kind {
			return nil
		}
		return unstructured.SetNestedField(u.Object, bootstrapSecret, "spec", "template", "spec", "bootstrap", "dataSecretName")
	})(objects)
}

// resourceGroupSays expects a text in a condition of a resource group.
func resourceGroupSays(text string) expectation {
	return func(w *world) []string {
		groups, err := w.list(resourceGroupKind)
		if err != nil {
			return []string{err.Error()}
		}
		var said []string
		for i := range groups {
			for _, c := range conditions(&groups[i]) {
				said = append(said, fmt.Sprint(c["message"]))
			}
		}
		if all := strings.Join(said, "\n"); !strings.Contains(all, text) {
			return []string{fmt.Sprintf("the conditions of the resource groups say %q, want %q in it", all, text)}
		}
		return nil
	}
}
