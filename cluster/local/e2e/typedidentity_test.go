package e2e

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The identity with a certificate that a cluster changes to, and the label of the namespaces that may use the first one.
const (
	certificateIdentity = "my-certificate"
	identityLabel       = "e2e.crossplane-capz/identity"
)

// typedIdentities gives a cluster its credential, takes another, and brings what it has been altered to back.
var typedIdentities = &scenario{
	name: "typed-identities", family: typedFamily, calmOnly: true,
	steps: []step{
		{
			name: "an identity for labelled namespaces", act: applyTyped("aks", onlyLabelled),
			expect: []expectation{
				warned(typedControlPlaneKind, clusterName, "spec.allowedNamespaces of AzureClusterIdentity"), gone(secretKind, asoSecret), azureEmpty,
				notAllowed(typedControlPlaneKind, "Ready"), notAllowed(typedControlPlaneKind, "Available"), notAllowed(typedClusterKind, "Ready"),
				condition(clusterKind, clusterName, "ControlPlaneAvailable", "False", "does not have namespace"),
			},
		},
		{
			name: "label the namespace", act: labelNamespace("allowed"), lasts: 15 * time.Second,
			expect: []expectation{available, contractKept, signedIn, credentialKeys("AZURE_CLIENT_SECRET")},
		},
		{
			name: "a new client secret", act: setSecret(typedIdentity, "clientSecret", "rotated secret"),
			expect: []expectation{available, credentialIs("AZURE_CLIENT_SECRET", "rotated secret")},
		},
		{
			name: "someone alters the copy", act: setSecret(asoSecret, "AZURE_CLIENT_SECRET", "altered secret"),
			expect: []expectation{available, credentialIs("AZURE_CLIENT_SECRET", "rotated secret")},
		},
		{
			name: "the namespace loses its label", act: labelNamespace(""),
			expect: []expectation{
				gone(secretKind, asoSecret), notAllowed(typedControlPlaneKind, "Ready"), notAllowed(typedControlPlaneKind, "CredentialReady"),
				notAllowed(typedClusterKind, "Ready"), condition(clusterKind, clusterName, "Available", "False", "does not have namespace"),
			},
		},
		{
			name: "scale without the right", act: scaleTo(userPool, 3),
			expect: []expectation{field(agentPoolKind, userPool, "spec.count", 3), condition(typedPoolKind, userPool, "Ready", "False", "does not have namespace")},
			stays:  []expectation{inAzure("/agentPools/pool1", "properties.count", 2)}, staysFor: 5 * time.Second,
		},
		{
			name: "the label is back", act: labelNamespace("allowed"), lasts: 15 * time.Second,
			expect: []expectation{
				available, contractKept, signedIn, replicas(userPool, 3), condition(typedControlPlaneKind, clusterName, "CredentialReady", "True", asoSecret),
				condition(typedControlPlaneKind, clusterName, "Ready", "True", ""),
			},
		},
		{
			name: "another identity, with a certificate",
			act: all(func(w *world) error { return w.create(w.certificate()) }, createIdentity, func(w *world) error {
				return w.set(typedControlPlaneKind, clusterName, "spec.identityRef.name", certificateIdentity)
			}),
			expect: []expectation{available, credentialKeys("AZURE_CLIENT_CERTIFICATE", "AZURE_CLIENT_CERTIFICATE_PASSWORD")},
		},
		{
			name: "scale with the certificate", act: scaleTo(userPool, 1),
			expect: []expectation{available, contractKept, replicas(userPool, 1)},
		},
		{
			name: "delete with both identities", deletes: true, lasts: 15 * time.Second, expect: downTyped.expect, never: downTyped.never,
			act: all(downTyped.act, func(w *world) error { return w.remove(identityKind, certificateIdentity) }),
		},
	},
}

// onlyLabelled lets labelled namespaces alone use the identity.
func onlyLabelled(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return withSpec(identityKind, "allowedNamespaces: {selector: {matchLabels: {"+identityLabel+": allowed}}}")(objects)
}

// labelNamespace sets the label by which the identity may be used.
func labelNamespace(value string) func(*world) error {
	return func(w *world) error {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}
		patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, identityLabel, value)
		return w.client.Patch(w.ctx, namespace, client.RawPatch(types.MergePatchType, []byte(patch)))
	}
}

// notAllowed expects a condition that says who has lost the right to an identity.
func notAllowed(gvk schema.GroupVersionKind, conditionType string) expectation {
	return condition(gvk, clusterName, conditionType, "False", "does not have namespace")
}

// setSecret sets a key of a Secret to a value that is planted for a use.
func setSecret(name, key, use string) func(*world) error {
	return func(w *world) error {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}}
		return w.client.Patch(w.ctx, secret, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"stringData":{%q:%q}}`, key, w.planted(use))))
	}
}

// createIdentity creates the identity with a certificate.
func createIdentity(w *world) error {
	identity := object(identityKind, w.namespace, certificateIdentity)
	identity.Object["spec"] = map[string]any{
		"type": "ServicePrincipalCertificate", "tenantID": "00000000-0000-0000-0000-000000000002", "clientID": "00000000-0000-0000-0000-000000000004",
		"clientSecret": map[string]any{"name": certificateIdentity}, "allowedNamespaces": map[string]any{"list": []any{w.namespace}},
	}
	return client.IgnoreAlreadyExists(w.client.Create(w.ctx, identity))
}

// certificate is a Secret with a certificate and its key.
func (w *world) certificate() *corev1.Secret {
	w.t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		w.t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "application"}, NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		w.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		w.t.Fatal(err)
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: certificateIdentity},
		Data: map[string][]byte{"certificate": slices.Concat(
			pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}),
			pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))},
	}
}

// credentialKeys expects these keys in ASO's Secret, beside those that say who and where.
func credentialKeys(keys ...string) expectation {
	want := slices.Sorted(slices.Values(append(keys, "AZURE_CLIENT_ID", "AZURE_SUBSCRIPTION_ID", "AZURE_TENANT_ID")))
	return func(w *world) []string {
		secret, missing := w.asoCredential()
		if got := slices.Sorted(maps.Keys(secret.Data)); missing == nil && !slices.Equal(got, want) {
			return []string{fmt.Sprintf("Secret %s has %v, not %v", asoSecret, got, want)}
		}
		return missing
	}
}

// credentialIs expects what is planted for a use in ASO's Secret.
func credentialIs(key, use string) expectation {
	return func(w *world) []string {
		secret, missing := w.asoCredential()
		if missing == nil && string(secret.Data[key]) != w.planted(use) {
			return []string{fmt.Sprintf("%s of Secret %s is not the %s", key, asoSecret, use)}
		}
		return missing
	}
}

func (w *world) asoCredential() (*corev1.Secret, []string) {
	secret := &corev1.Secret{}
	if err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: asoSecret}, secret); err != nil {
		return secret, []string{err.Error()}
	}
	return secret, nil
}
