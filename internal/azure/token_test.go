package azure

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
)

// An entra answers token requests on 127.0.0.1 as Entra would.
func entra(t *testing.T, status int, body string) *httptest.Server {
	t.Helper()
	var server *httptest.Server
	server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/openid-configuration") {
			_, _ = fmt.Fprintf(w, `{"token_endpoint":"%[1]s/t/oauth2/v2.0/token","authorization_endpoint":"%[1]s/t/authorize","issuer":"%[1]s/t"}`, server.URL)
			return
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server
}

func TestTokenOverHTTP(t *testing.T) {
	tests := map[string]struct {
		status  int
		body    string
		want    string
		wantErr string
	}{
		"given":   {status: 200, body: `{"access_token":"abc","token_type":"Bearer","expires_in":3600}`, want: "abc"},
		"refused": {status: 401, body: `{"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1"}`, wantErr: "Entra answered 401 Unauthorized: invalid_client: AADSTS7000215: Invalid client secret provided."},
		"broken":  {status: 400, body: `<html>`, wantErr: "Entra answered 400 Bad Request"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			server := entra(t, tc.status, tc.body)
			credential, err := azidentity.NewClientSecretCredential("t", "c", "hush", &azidentity.ClientSecretCredentialOptions{
				ClientOptions: azcore.ClientOptions{
					Cloud: cloud.Configuration{ActiveDirectoryAuthorityHost: server.URL}, Transport: server.Client(),
				},
				DisableInstanceDiscovery: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			token, err := credential.GetToken(context.Background(), policy.TokenRequestOptions{Scopes: []string{"a/.default"}})
			if tc.wantErr == "" {
				if err != nil || token.Token != tc.want {
					t.Fatalf("GetToken = %q, %v", token.Token, err)
				}
				return
			}
			if err == nil {
				t.Fatal("GetToken gave a token")
			}
			if got := Explain(err); got != tc.wantErr {
				t.Errorf("Explain = %q, want %q", got, tc.wantErr)
			}
		})
	}
}

func TestExplainOtherErrors(t *testing.T) {
	if got := Explain(errors.New("no such file")); got != "no such file" {
		t.Errorf("Explain = %q", got)
	}
}
