package azure

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// inSecret stands in every secret of a fuzzed Secret: no error may have it.
const inSecret = "planted-4711-secret"

// FuzzCredential puts anything into a credential Secret. It makes a credential or an error, and none has what is secret.
func FuzzCredential(f *testing.F) {
	f.Add(uint8(0), "", "", "", "", "", "")
	f.Add(uint8(255), "x", "-----BEGIN CERTIFICATE-----\nx", "../../etc/passwd", "WorkloadIdentity", "https://x", "a,,b")
	f.Add(uint8(2), "", "-----BEGIN PRIV"+"ATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "", "podidentity", "://", ",")
	f.Add(uint8(1), "\x00\xff", "0\x82\x01", "", "nonsense", "http://[::1", "\u202e")
	f.Fuzz(func(t *testing.T, keys uint8, secret, certificate, path, mode, endpoint, tenants string) {
		s := credentialSecret("ns", "s")
		for bit, entry := range [][2]string{
			{keyClientSecret, inSecret + secret}, {keyClientCertificate, certificate + inSecret}, {keyCertificatePassword, inSecret + secret}, {keyAuthMode, mode},
			{keyAuthorityHost, endpoint}, {keyARMEndpoint, endpoint}, {keyARMAudience, endpoint}, {keyAdditionalTenants, tenants},
		} {
			if keys&(1<<bit) != 0 {
				s.Data[entry[0]] = []byte(entry[1])
			}
		}
		if strings.Contains(path, "pass") {
			s.Data[keyUserAssignedFile] = []byte("/nowhere/" + strings.TrimLeft(path, "./"))
		}
		obj := credentialSecret("ns", "object")
		obj.ObjectMeta = metav1.ObjectMeta{Namespace: "ns", Name: "object", Annotations: map[string]string{CredentialFromAnnotation: "s"}}
		credentials := &Credentials{Operators: Operators{Secrets: fake.NewClientBuilder().WithObjects(s).Build(), Namespaces: []string{"aso"}}}
		credential, err := credentials.For(context.Background(), obj)
		if (credential == nil) == (err == nil) {
			t.Errorf("credential %v and error %v", credential, err)
		}
		if err != nil && strings.Contains(err.Error(), inSecret) {
			t.Errorf("the error has what is secret: %v", err)
		}
	})
}

// FuzzEntraError shows that any answer of Entra becomes one line.
func FuzzEntraError(f *testing.F) {
	for _, s := range []string{
		"", "{}", "null", "[]", `{"error": "a", "error_description": "b\nc"}`, `{"error": 1}`, `{"error": "a", "error_description": "\r\n\u2028x"}`, "<html>", strings.Repeat(`{"error":`, 100),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		said := entraError(&http.Response{Status: "400 Bad Request", Body: io.NopCloser(strings.NewReader(string(body)))})
		if !strings.HasPrefix(said, "Entra answered 400 Bad Request") || strings.Contains(said, "\n") {
			t.Errorf("%q", said)
		}
	})
}
