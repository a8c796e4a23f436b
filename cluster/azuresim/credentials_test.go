package azuresim_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/golang-jwt/jwt/v5"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
)

// certificate returns a self-signed certificate of an application.
func certificate(t *testing.T) (*x509.Certificate, *rsa.PrivateKey) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "application"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return parsed, key
}

// TestCredentials takes a token with each of azidentity's credentials that a program without a person has.
func TestCredentials(t *testing.T) {
	a := start(t, t.TempDir(), "")
	client := policy.ClientOptions{Transport: a.transport}
	federated := func(context.Context) (string, error) {
		claims := jwt.RegisteredClaims{Subject: "system:serviceaccount:default:aso", ExpiresAt: jwt.NewNumericDate(time.Now().Add(time.Minute))}
		return jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte("the cluster's issuer"))
	}
	cases := map[string]func() (azcore.TokenCredential, error){
		"secret": func() (azcore.TokenCredential, error) {
			return azidentity.NewClientSecretCredential(tenant, "app", "secret", &azidentity.ClientSecretCredentialOptions{ClientOptions: client})
		},
		"certificate": func() (azcore.TokenCredential, error) {
			cert, key := certificate(t)
			return azidentity.NewClientCertificateCredential(tenant, "app", []*x509.Certificate{cert}, key, &azidentity.ClientCertificateCredentialOptions{ClientOptions: client})
		},
		"federated": func() (azcore.TokenCredential, error) {
			return azidentity.NewClientAssertionCredential(tenant, "app", federated, &azidentity.ClientAssertionCredentialOptions{ClientOptions: client})
		},
		"managed identity": func() (azcore.TokenCredential, error) {
			return azidentity.NewManagedIdentityCredential(&azidentity.ManagedIdentityCredentialOptions{ClientOptions: client, ID: azidentity.ClientID("app")})
		},
	}
	for name, newCredential := range cases {
		t.Run(name, func(t *testing.T) {
			credential, err := newCredential()
			if err != nil {
				t.Fatal(err)
			}
			token, err := credential.GetToken(context.Background(), policy.TokenRequestOptions{Scopes: []string{"https://management.azure.com/.default"}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.simulator.Directory.Verify(clouds.Public, token.Token, "https://management.azure.com"); err != nil {
				t.Errorf("Verify: %v", err)
			}
			if left := time.Until(token.ExpiresOn); left < 50*time.Minute || left > 70*time.Minute {
				t.Errorf("token expires in %s, want about an hour", left)
			}
		})
	}
}

// TestWrongSecret checks the error that azidentity makes of Entra's answer.
func TestWrongSecret(t *testing.T) {
	a := start(t, t.TempDir(), "")
	if err := a.admin.SetClientSecret(context.Background(), "client", "another"); err != nil {
		t.Fatal(err)
	}
	_, err := a.credential().GetToken(context.Background(), policy.TokenRequestOptions{Scopes: []string{"https://management.azure.com/.default"}})
	var failed *azidentity.AuthenticationFailedError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "AADSTS7000215") {
		t.Errorf("GetToken: %v, want AADSTS7000215", err)
	}
}
