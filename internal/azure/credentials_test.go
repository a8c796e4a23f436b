package azure

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-service-operator/v2/pkg/common/config"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	gopkcs12 "software.sslmate.com/src/go-pkcs12"
)

const (
	testTenant = "00000000-0000-0000-0000-000000000001"
	testClient = "00000000-0000-0000-0000-000000000002"
)

// certificate returns a new key and its certificate, as PEM.
func certificate(t *testing.T) []byte {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	for _, block := range []*pem.Block{{Type: "PRIVATE KEY", Bytes: keyDER}, {Type: "CERTIFICATE", Bytes: der}} {
		if err := pem.Encode(out, block); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// pkcs12 returns the key and certificate of the PEM as PKCS#12 under the password.
func pkcs12(t *testing.T, pemText []byte, password string) string {
	t.Helper()
	key, rest := pem.Decode(pemText)
	certificate, _ := pem.Decode(rest)
	parsedKey, err := x509.ParsePKCS8PrivateKey(key.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(certificate.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	content, err := gopkcs12.LegacyDES.Encode(parsedKey, parsed, nil, password)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// identityFile returns the path of a credential file as the managed identity data plane writes it.
func identityFile(t *testing.T) string {
	t.Helper()
	content, err := json.Marshal(map[string]string{
		"client_id": testClient, "tenant_id": testTenant, "authentication_endpoint": "https://login.microsoftonline.com/",
		"client_secret": base64.StdEncoding.EncodeToString(certificate(t)),
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "identity.json")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// credentialSecret returns a Secret with a subscription, tenant and client, and the given keys.
func credentialSecret(namespace, name string, keysAndValues ...string) *corev1.Secret {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Data:       map[string][]byte{keySubscriptionID: []byte("s"), keyTenantID: []byte(testTenant), keyClientID: []byte(testClient)},
	}
	for i := 0; i < len(keysAndValues); i += 2 {
		secret.Data[keysAndValues[i]] = []byte(keysAndValues[i+1])
	}
	return secret
}

func without(secret *corev1.Secret, key string) *corev1.Secret {
	delete(secret.Data, key)
	return secret
}

// object returns an ASO object in namespace default with the annotations, managed by an ASO in namespace aso.
func object(annotations map[string]string) client.Object {
	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: "o", Annotations: map[string]string{OperatorNamespaceAnnotation: "aso"},
	}}
	for key, value := range annotations {
		obj.Annotations[key] = value
	}
	return obj
}

// multiCloud returns the settings of an ASO that allows several clouds.
func multiCloud(keysAndValues ...string) []client.Object {
	return []client.Object{credentialSecret("aso", "aso-controller-settings", append(keysAndValues, keyMultiEnvironment, "true")...)}
}

// elsewhere gives a credential Secret an authority host of its own.
func elsewhere(secret *corev1.Secret, host string) *corev1.Secret {
	for key, value := range map[string]string{keyAuthorityHost: host, keyARMEndpoint: "https://arm.example", keyARMAudience: "https://arm.example"} {
		secret.Data[key] = []byte(value)
	}
	return secret
}

func TestCredentialsFor(t *testing.T) {
	pemText := string(certificate(t))
	p12 := pkcs12(t, []byte(pemText), "open")
	file := identityFile(t)
	from := map[string]string{CredentialFromAnnotation: "mine"}
	tests := map[string]struct {
		annotations map[string]string
		secrets     []client.Object
		want        string
		wantErr     string
	}{
		"none":                    {wantErr: "no credential"},
		"named":                   {annotations: from, secrets: []client.Object{credentialSecret("default", "mine", keyClientSecret, "x"), credentialSecret("default", "aso-credential", keyAuthMode, "podidentity")}, want: "*azidentity.ClientSecretCredential"},
		"named, absent":           {annotations: from, secrets: []client.Object{credentialSecret("default", "aso-credential", keyClientSecret, "x")}, wantErr: "names Secret default/mine, which does not exist"},
		"named elsewhere":         {annotations: map[string]string{CredentialFromAnnotation: "other/mine"}, wantErr: "must be the name of a Secret in the same namespace"},
		"named nothing":           {annotations: map[string]string{CredentialFromAnnotation: ""}, wantErr: "must be the name of a Secret"},
		"of the namespace":        {secrets: []client.Object{credentialSecret("default", "aso-credential", keyClientSecret, "x"), credentialSecret("aso", "aso-controller-settings")}, want: "*azidentity.ClientSecretCredential"},
		"of ASO":                  {secrets: []client.Object{credentialSecret("aso", "aso-controller-settings", keyClientSecret, "x")}, want: "*azidentity.ClientSecretCredential"},
		"of an ASO elsewhere":     {secrets: []client.Object{credentialSecret("other", "aso-controller-settings", keyClientSecret, "x")}, wantErr: "no credential"},
		"certificate":             {secrets: []client.Object{credentialSecret("default", "aso-credential", keyClientCertificate, pemText)}, want: "*azidentity.ClientCertificateCredential"},
		"PKCS#12":                 {secrets: []client.Object{credentialSecret("default", "aso-credential", keyClientCertificate, p12, keyCertificatePassword, "open")}, want: "*azidentity.ClientCertificateCredential"},
		"PKCS#12, wrong password": {secrets: []client.Object{credentialSecret("default", "aso-credential", keyClientCertificate, p12, keyCertificatePassword, "hush")}, wantErr: "neither PEM nor PKCS#12"},
		"certificate, unusable":   {secrets: []client.Object{credentialSecret("default", "aso-credential", keyClientCertificate, "hush")}, wantErr: "neither PEM nor PKCS#12"},
		"credential file":         {secrets: []client.Object{credentialSecret("default", "aso-credential", keyUserAssignedFile, file)}, want: "*azidentity.ClientCertificateCredential"},
		"credential file absent":  {secrets: []client.Object{credentialSecret("default", "aso-credential", keyUserAssignedFile, "/nowhere/hush")}, wantErr: "is not the path in provider-capz's container"},
		"pod identity":            {secrets: []client.Object{credentialSecret("default", "aso-credential", keyAuthMode, "podidentity")}, want: "*azidentity.ManagedIdentityCredential"},
		"workload identity":       {secrets: []client.Object{credentialSecret("default", "aso-credential")}, want: "*azidentity.WorkloadIdentityCredential"},
		"workload identity, named so": {secrets: []client.Object{credentialSecret("default", "aso-credential", keyAuthMode, "workloadidentity")},
			want: "*azidentity.WorkloadIdentityCredential"},
		"unknown mode": {secrets: []client.Object{credentialSecret("default", "aso-credential", keyAuthMode, "magic")}, wantErr: "must be podidentity or workloadidentity"},
		"incomplete":   {secrets: []client.Object{without(without(credentialSecret("default", "aso-credential", keyClientSecret, "hush"), keyTenantID), keySubscriptionID)}, wantErr: "it lacks AZURE_SUBSCRIPTION_ID, AZURE_TENANT_ID"},
		"an ASO that nobody allowed": {annotations: map[string]string{OperatorNamespaceAnnotation: "team"}, secrets: []client.Object{credentialSecret("team", "aso-controller-settings", keyClientSecret, "x"), credentialSecret("default", "aso-credential", keyClientSecret, "x")},
			wantErr: `annotation serviceoperator.azure.com/operator-namespace is "team"; it must be aso or aso-of-default or aso-of-team, where Azure Service Operator may run by the settings of provider-capz`},
		"an ASO of other namespaces": {annotations: map[string]string{OperatorNamespaceAnnotation: "aso-of-team"}, secrets: []client.Object{credentialSecret("aso-of-team", "aso-controller-settings", keyClientSecret, "x", config.TargetNamespaces, "team, team-b")},
			wantErr: "Azure Service Operator there does not serve namespace default"},
		"an ASO of the namespace": {annotations: map[string]string{OperatorNamespaceAnnotation: "aso-of-default"}, secrets: []client.Object{credentialSecret("aso-of-default", "aso-controller-settings", keyClientSecret, "x", config.TargetNamespaces, "default")}, want: "*azidentity.ClientSecretCredential"},
		"workload identity at another host": {secrets: append(multiCloud(), elsewhere(credentialSecret("default", "aso-credential"), "https://evil.example")),
			wantErr: "its AZURE_AUTHORITY_HOST is neither an Azure cloud's nor that of aso-controller-settings, so no identity of this cluster is shown to it"},
		"managed identity at another host":    {secrets: append(multiCloud(), elsewhere(credentialSecret("default", "aso-credential", keyAuthMode, "podidentity"), "https://evil.example")), wantErr: "so no identity of this cluster is shown to it"},
		"workload identity in another cloud":  {secrets: append(multiCloud(), elsewhere(credentialSecret("default", "aso-credential"), "https://login.microsoftonline.us")), want: "*azidentity.WorkloadIdentityCredential"},
		"workload identity in ASO's own":      {secrets: append(multiCloud(keyAuthorityHost, "https://login.example/"), elsewhere(credentialSecret("default", "aso-credential"), "https://Login.example")), want: "*azidentity.WorkloadIdentityCredential"},
		"a secret of its own at its own host": {secrets: append(multiCloud(), elsewhere(credentialSecret("default", "aso-credential", keyClientSecret, "x"), "https://stack.example")), want: "*azidentity.ClientSecretCredential"},
		"ASO's, workload":                     {secrets: []client.Object{credentialSecret("aso", "aso-controller-settings", keyWorkloadIdentity, "true", keyClientSecret, "x")}, want: "*azidentity.WorkloadIdentityCredential"},
		"ASO's, garbage":                      {secrets: []client.Object{credentialSecret("aso", "aso-controller-settings", keyWorkloadIdentity, "hush")}, wantErr: "must be true or false"},
		"ASO's, cert":                         {secrets: []client.Object{credentialSecret("aso", "aso-controller-settings", keyClientCertificate, pemText, keyClientSecret, "x")}, want: "*azidentity.ClientCertificateCredential"},
		"ASO's, file":                         {secrets: []client.Object{credentialSecret("aso", "aso-controller-settings", keyUserAssignedFile, file, keyClientSecret, "x")}, want: "*azidentity.ClientCertificateCredential"},
		"ASO's, managed":                      {secrets: []client.Object{credentialSecret("aso", "aso-controller-settings")}, want: "*azidentity.ManagedIdentityCredential"},
		"ASO's, switched off": {secrets: []client.Object{without(credentialSecret("aso", "aso-controller-settings", keyClientSecret, "x"), keySubscriptionID)},
			wantErr: "it lacks AZURE_SUBSCRIPTION_ID"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			credentials := Credentials{Operators: Operators{Secrets: fake.NewClientBuilder().WithObjects(tc.secrets...).Build(), Namespaces: []string{"aso", "aso-of-default", "aso-of-team"}}}
			credential, err := credentials.For(context.Background(), object(tc.annotations))
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Fatalf("error %v, want one with %q", err, tc.wantErr)
				}
				if strings.Contains(err.Error(), "hush") && !strings.Contains(err.Error(), "/nowhere/hush") {
					t.Errorf("the error tells a secret: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%T", credential); got != tc.want {
				t.Errorf("credential %s, want %s", got, tc.want)
			}
		})
	}
}

func TestScopedCloud(t *testing.T) {
	own := settings{keyAuthorityHost: []byte("https://own/"), keyARMEndpoint: []byte("https://arm.own"), keyARMAudience: []byte("https://aud.own")}
	global := settings{keyAuthorityHost: []byte("https://global/")}
	tests := map[string]struct {
		scoped, global settings
		wantHost       string
		wantEndpoint   string
		wantErr        bool
	}{
		"public":               {wantHost: "https://login.microsoftonline.com/", wantEndpoint: "https://management.azure.com"},
		"ASO's":                {global: global, wantHost: "https://global/", wantEndpoint: "https://management.azure.com"},
		"its own":              {scoped: own, global: settings{keyMultiEnvironment: []byte("true")}, wantHost: "https://own/", wantEndpoint: "https://arm.own"},
		"its own, not allowed": {scoped: own, global: global, wantErr: true},
		"a part of its own":    {scoped: settings{keyAuthorityHost: []byte("https://own/")}, global: settings{keyMultiEnvironment: []byte("true")}, wantErr: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := scopedCloud(tc.scoped, tc.global)
			if (err != nil) != tc.wantErr {
				t.Fatalf("error %v, want one: %v", err, tc.wantErr)
			}
			if err != nil {
				return
			}
			if got.ActiveDirectoryAuthorityHost != tc.wantHost || got.Services[cloud.ResourceManager].Endpoint != tc.wantEndpoint {
				t.Errorf("cloud %+v, want %s and %s", got, tc.wantHost, tc.wantEndpoint)
			}
		})
	}
}

func TestAdditionalTenants(t *testing.T) {
	got := settings{keyAdditionalTenants: []byte(" a, ,b")}.additionalTenants()
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestAccounts tells accounts apart by all that they are made from.
func TestAccounts(t *testing.T) {
	account := func(secrets ...client.Object) Account {
		t.Helper()
		c := &Credentials{Operators: Operators{Secrets: fake.NewClientBuilder().WithObjects(secrets...).Build(), Namespaces: []string{"aso"}}}
		got, err := c.Account(t.Context(), object(map[string]string{CredentialFromAnnotation: "mine"}))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	mine := func(keysAndValues ...string) client.Object {
		return credentialSecret("default", "mine", keysAndValues...)
	}
	first := account(mine(keyClientSecret, "a"))
	if first.SubscriptionID != "s" || first.TenantID != testTenant || first.ClientID != testClient || first.Credential == nil {
		t.Errorf("got %v, %v, %v", first.SubscriptionID, first.TenantID, first.ClientID)
	}
	if again := account(mine(keyClientSecret, "a")); again.Fingerprint != first.Fingerprint {
		t.Error("the same settings are another account")
	}
	for name, other := range map[string]Account{
		"another secret":       account(mine(keyClientSecret, "b")),
		"another subscription": account(mine(keyClientSecret, "a", keySubscriptionID, "other")),
		"another cloud": account(mine(keyClientSecret, "a"), &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "aso", Name: SettingsSecret}, Data: map[string][]byte{keyARMEndpoint: []byte("https://other")},
		}),
	} {
		if other.Fingerprint == first.Fingerprint {
			t.Errorf("%s is the same account", name)
		}
	}
}
