package azure

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

const planted = "pl4nted-7f3a9c"

// TestExplainQuotesNoAnswer answers with a token in what cannot be decoded.
func TestExplainQuotesNoAnswer(t *testing.T) {
	for name, body := range map[string]string{
		"Cut":          `{"token_type":"Bearer","access_token":"` + planted,
		"WrongType":    `{"access_token":"` + planted + `","token_type":"Bearer","expires_in":{}}`,
		"NotJSON":      "access_token=" + planted,
		"OtherJSON":    `["` + planted + `"]`,
		"MoreThanJSON": `{"access_token":"` + planted + `","expires_in":3600}}` + planted,
		"NoLifetime":   `{"access_token":"` + planted + `","token_type":"Bearer","expires_in":"` + planted + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			for kind, credential := range credentialsOf(t, body) {
				_, err := credential.GetToken(context.Background(), policy.TokenRequestOptions{Scopes: []string{"a/.default"}})
				if err == nil {
					continue // It is taken as it is.
				}
				said := Explain(err)
				if strings.Contains(said, planted) {
					t.Errorf("%s: Explain quotes the answer: %s", kind, said)
				}
				if len(said) < 20 {
					t.Errorf("%s: Explain says too little: %s", kind, said)
				}
			}
		})
	}
}

// credentialsOf returns credentials of each kind that is answered so.
func credentialsOf(t *testing.T, body string) map[string]azcore.TokenCredential {
	t.Helper()
	server := entra(t, http.StatusOK, body)
	options := azcore.ClientOptions{
		Cloud: cloud.Configuration{ActiveDirectoryAuthorityHost: server.URL}, Transport: server.Client(), Retry: policy.RetryOptions{MaxRetries: -1},
	}
	secret, err := azidentity.NewClientSecretCredential("t", "c", "hush", &azidentity.ClientSecretCredentialOptions{ClientOptions: options, DisableInstanceDiscovery: true})
	if err != nil {
		t.Fatal(err)
	}
	assertion, err := azidentity.NewClientAssertionCredential("t", "c", func(context.Context) (string, error) { return "hush", nil },
		&azidentity.ClientAssertionCredentialOptions{ClientOptions: options, DisableInstanceDiscovery: true})
	if err != nil {
		t.Fatal(err)
	}
	metadata := options
	metadata.Transport = sendTo{server.Client(), server.URL}
	managed, err := azidentity.NewManagedIdentityCredential(&azidentity.ManagedIdentityCredentialOptions{ClientOptions: metadata})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]azcore.TokenCredential{"client secret": secret, "assertion": assertion, "managed identity": managed}
}

// sendTo sends every request to one server.
type sendTo struct {
	client *http.Client
	server string
}

func (s sendTo) Do(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "https", strings.TrimPrefix(s.server, "https://")
	return s.client.Do(r)
}

// TestExplainKeepsTheCause keeps what is of use of errors without an answer.
func TestExplainKeepsTheCause(t *testing.T) {
	server := entra(t, http.StatusOK, "{}")
	credential, err := azidentity.NewClientSecretCredential("t", "c", "hush", &azidentity.ClientSecretCredentialOptions{
		ClientOptions: azcore.ClientOptions{
			Cloud: cloud.Configuration{ActiveDirectoryAuthorityHost: server.URL}, Retry: policy.RetryOptions{MaxRetries: -1},
		},
		DisableInstanceDiscovery: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	// Its certificate is not trusted.
	_, err = credential.GetToken(context.Background(), policy.TokenRequestOptions{Scopes: []string{"a/.default"}})
	if err == nil {
		t.Fatal("GetToken gave a token")
	}
	if said := Explain(err); !strings.Contains(said, "certificate") || strings.Contains(said, "\n") {
		t.Errorf("Explain = %q", said)
	}
}

// TestErrorsTellNoValue puts something secret under each key of a credential Secret, as one that was meant for another key.
func TestErrorsTellNoValue(t *testing.T) {
	keys := []string{
		keySubscriptionID, keyTenantID, keyClientID, keyClientSecret, keyClientCertificate, keyCertificatePassword, keyUserAssignedFile,
		keyAdditionalTenants, keyAuthMode, keyAuthorityHost, keyARMEndpoint, keyARMAudience, keyMultiEnvironment, keyWorkloadIdentity,
	}
	values := []string{
		planted, "https://user:" + planted + "@host:port/", `{"client_secret":"` + planted + `"}`, "-----BEGIN PRIVATE KEY-----\n" + planted + "\n-----END PRIVATE KEY-----\n",
		planted + "/../x", "%zz" + planted, planted + "\n\x00",
	}
	base := map[string][]string{
		"secret": {keyClientSecret, "hush"}, "certificate": {keyClientCertificate, string(certificate(t))}, "file": {keyUserAssignedFile, "/nowhere"},
		"mode": {keyAuthMode, authModePodIdentity}, "none": nil,
	}
	failed := 0
	for kind, with := range base {
		for _, key := range keys {
			for _, value := range values {
				for _, global := range []bool{false, true} {
					if err := tryCredential(credentialSecret("n", "s", append(with, key, value)...), global); err != nil {
						failed++
						if strings.Contains(Explain(err), planted) || strings.Contains(err.Error(), planted) {
							t.Errorf("%s, %s %q, global %v: %v", kind, key, value, global, err)
						}
					}
				}
			}
		}
	}
	if failed < 50 {
		t.Errorf("only %d were refused", failed)
	}
}

// tryCredential makes the credential of the Secret, and asks it for a token that no server gives.
func tryCredential(secret *corev1.Secret, global bool) error {
	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "o", Annotations: map[string]string{CredentialFromAnnotation: "s"}}}
	if global {
		obj.Annotations = map[string]string{OperatorNamespaceAnnotation: "n"}
		secret.Name = SettingsSecret
	}
	credentials := &Credentials{Operators: Operators{Secrets: fake.NewClientBuilder().WithObjects(secret).Build(), Namespaces: []string{"n"}}, TokenFile: "/nowhere"}
	credential, err := credentials.For(context.Background(), obj)
	if err != nil {
		return err
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel() // Nothing gets to a server.
	_, err = credential.GetToken(ended, policy.TokenRequestOptions{Scopes: []string{"a/.default"}})
	return err
}
