package telemetry

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// certificateSecret has what the typed cluster's identity signs in with.
const certificateSecret = typed + "-identity"

// withCertificate has an AzureClusterIdentity sign in with a certificate.
func withCertificate(u *unstructured.Unstructured) error {
	if u.GetKind() != "AzureClusterIdentity" {
		return nil
	}
	return unstructured.SetNestedField(u.Object, "ServicePrincipalCertificate", "spec", "type")
}

// setCertificate writes a new certificate that ends after some time, and its key, into the Secret.
func (w *world) setCertificate(ends time.Duration) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "application"}, NotAfter: time.Now().Add(ends)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	secret := object("v1", "Secret", typed, certificateSecret)
	secret.Object["stringData"] = map[string]any{"certificate": string(slices.Concat(
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))}
	return w.apply(secret)
}
