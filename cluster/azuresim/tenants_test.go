package azuresim_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/golang-jwt/jwt/v5"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/workload"
)

// Two tenants with a subscription and an application each, and one of the US Government cloud. Team b's application has rights on
// nothing of team a; the subscription of team a has a second application, which has no rights at all.
const (
	tenantA, tenantB, tenantUS = "aaaaaaaa-0000-0000-0000-000000000001", "bbbbbbbb-0000-0000-0000-000000000001", "cccccccc-0000-0000-0000-000000000001"
	subA, subB, subUS          = "aaaaaaaa-0000-0000-0000-000000000002", "bbbbbbbb-0000-0000-0000-000000000002", "cccccccc-0000-0000-0000-000000000002"
	appA, appB, appUS, appNone = "app-a", "app-b", "app-us", "app-none"
)

func (a *azure) registerTenants() {
	a.t.Helper()
	ctx := context.Background()
	for _, s := range []admin.Subscription{{ID: subA, TenantID: tenantA}, {ID: subB, TenantID: tenantB, Cloud: clouds.PublicName}, {ID: subUS, TenantID: tenantUS, Cloud: clouds.USGovernmentName}} {
		if err := a.admin.RegisterSubscription(ctx, s); err != nil {
			a.t.Fatal(err)
		}
	}
	for _, application := range []admin.Application{
		{TenantID: tenantA, ClientID: appA, Secret: "secret of a", Subscriptions: []string{subA}},
		{TenantID: tenantB, ClientID: appB, Secret: "secret of b", Subscriptions: []string{subB}},
		{TenantID: tenantUS, ClientID: appUS, Secret: "secret of us", Subscriptions: []string{subUS}},
		{TenantID: tenantA, ClientID: appNone, Secret: "secret of none"},
	} {
		if err := a.admin.RegisterApplication(ctx, application); err != nil {
			a.t.Fatal(err)
		}
	}
}

var configurations = map[*clouds.Cloud]cloud.Configuration{
	clouds.Public: cloud.AzurePublic, clouds.USGovernment: cloud.AzureGovernment, clouds.China: cloud.AzureChina,
}

// token signs an application in with a secret.
func (a *azure) token(in *clouds.Cloud, tenantID, clientID, secret, audience string) (string, error) {
	a.t.Helper()
	options := policy.ClientOptions{Transport: a.transport, Cloud: configurations[in], Retry: policy.RetryOptions{MaxRetries: -1}}
	credential, err := azidentity.NewClientSecretCredential(tenantID, clientID, secret, &azidentity.ClientSecretCredentialOptions{ClientOptions: options})
	if err != nil {
		a.t.Fatal(err)
	}
	token, err := credential.GetToken(context.Background(), policy.TokenRequestOptions{Scopes: []string{audience + "/.default"}})
	return token.Token, err
}

// put creates something in Azure and returns what it answers.
func (a *azure) put(in *clouds.Cloud, token, path, body string) string {
	a.t.Helper()
	request, err := http.NewRequest(http.MethodPut, "https://"+in.ARMHost+path+"?api-version=2025-08-01", strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := a.transport.Do(request)
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return response.Status + " " + response.Header.Get("Azure-AsyncOperation") + " " + string(answer)
}

// TestTenants checks what keeps applications, tenants and clouds apart, also after a restart.
func TestTenants(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir, "")
	first.registerTenants()
	first.stop()
	a := start(t, dir, "")
	public, us := clouds.Public, clouds.USGovernment
	cases := map[string]struct {
		cloud                  *clouds.Cloud
		tenant, client, secret string
		at                     *clouds.Cloud
		subscription, body     string
		want                   string
	}{
		"its own":                        {public, tenantA, appA, "secret of a", public, subA, "", "201 Created"},
		"in another cloud":               {us, tenantUS, appUS, "secret of us", us, subUS, `{"location":"usgovvirginia"}`, "201 Created"},
		"wrong secret":                   {public, tenantA, appA, "guessed", public, subA, "", "AADSTS7000215"},
		"another's secret":               {public, tenantA, appA, "secret of b", public, subA, "", "AADSTS7000215"},
		"application of another tenant":  {public, tenantA, appB, "secret of b", public, subA, "", "AADSTS700016: Application with identifier 'app-b' was not found in the directory '" + tenantA + "'."},
		"tenant of another cloud":        {public, tenantUS, appUS, "secret of us", public, subUS, "", "AADSTS90002: Tenant '" + tenantUS + "' not found."},
		"another tenant's subscription":  {public, tenantB, appB, "secret of b", public, subA, "", `401 Unauthorized  {"error":{"code":"InvalidAuthenticationTokenTenant","message":"The access token is from the wrong issuer 'https://sts.windows.net/` + tenantB + `/'. It must match the tenant 'https://sts.windows.net/` + tenantA + `/'`},
		"no rights":                      {public, tenantA, appNone, "secret of none", public, subA, "", "does not have authorization to perform action 'Microsoft.Resources/subscriptions/resourceGroups/write' over scope '/subscriptions/" + subA + "/resourcegroups/rg'"},
		"not registered for it":          {public, tenantA, "any", "any", public, subA, "", `403 Forbidden  {"error":{"code":"AuthorizationFailed"`},
		"an unregistered subscription":   {public, tenantA, appA, "secret of a", public, subscription, "", `403 Forbidden  {"error":{"code":"AuthorizationFailed"`},
		"subscription in another cloud":  {us, tenantUS, appUS, "secret of us", us, subA, "", `404 Not Found  {"error":{"code":"SubscriptionNotFound","message":"The subscription '` + subA + `' could not be found."`},
		"token of another cloud":         {us, tenantUS, appUS, "secret of us", public, subUS, "", `401 Unauthorized  {"error":{"code":"InvalidAuthenticationToken"`},
		"nothing registered":             {public, tenant, "any", "any", public, subscription, "", "201 Created"},
		"a resource of another tenant":   {public, tenantB, appB, "secret of b", public, subB, linkTo(subA), "the current tenant '" + tenantB + "' is not authorized to access linked subscription '" + subA + "'."},
		"a resource it has no rights on": {public, tenantB, appB, "secret of b", public, subB, linkTo(subscription), "it does not have permission to perform action(s) 'Microsoft.Network/virtualNetworks/subnets/join/action' on the linked scope(s)"},
		"a resource of its own":          {public, tenantB, appB, "secret of b", public, subB, linkTo(subB), "201 Created"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			token, err := a.token(c.cloud, c.tenant, c.client, c.secret, c.cloud.ARMAudiences[1]+"/")
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				body := c.body
				if body == "" {
					body = `{"location":"eastus"}`
				}
				got = a.put(c.at, token, "/subscriptions/"+c.subscription+"/resourcegroups/rg", body)
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

func linkTo(subscription string) string {
	return `{"location":"eastus","tags":{"a":"/subscriptions/` + subscription + `/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v/subnets/s"}}`
}

// TestGovernmentCluster brings a cluster without local accounts up in another cloud.
func TestGovernmentCluster(t *testing.T) {
	a := start(t, t.TempDir(), "")
	a.registerTenants()
	us, group := clouds.USGovernment, "/subscriptions/"+subUS+"/resourceGroups/rg"
	token, err := a.token(us, tenantUS, appUS, "secret of us", us.ARMAudiences[0])
	if err != nil {
		t.Fatal(err)
	}
	if answer := a.put(us, token, group, `{"location":"usgovvirginia"}`); !strings.HasPrefix(answer, "201 Created") {
		t.Fatal(answer)
	}
	answer := a.put(us, token, group+"/providers/Microsoft.ContainerService/managedClusters/aks", `{"location":"usgovvirginia","properties":{"dnsPrefix":"aks","disableLocalAccounts":true,
		"aadProfile":{"managed":true},"agentPoolProfiles":[{"name":"pool0","mode":"System","count":1,"vmSize":"x"}]}}`)
	if want := "201 Created https://management.usgovcloudapi.net/subscriptions/" + subUS + "/providers/"; !strings.HasPrefix(answer, want) {
		t.Fatalf("%s\nwant %s", answer, want)
	}
	id := group + "/providers/Microsoft.ContainerService/managedClusters/aks"
	var config []byte
	eventually(t, "the cluster is up", func() string {
		config, err = a.simulator.Clusters.Kubeconfig(id, workload.User)
		if err != nil {
			return err.Error()
		}
		return ""
	})
	for _, want := range []string{".hcp.usgovvirginia.cx.aks.containerservice.azure.us:443", "AzureUSGovernmentCloud", tenantUS} {
		if !strings.Contains(string(config), want) {
			t.Errorf("the kubeconfig has no %s:\n%s", want, config)
		}
	}
	for name, c := range map[string]struct {
		cloud                  *clouds.Cloud
		tenant, client, secret string
		ok                     func(error) bool
	}{
		"its own":           {us, tenantUS, appUS, "secret of us", func(err error) bool { return err == nil }},
		"of another tenant": {clouds.Public, tenantA, appA, "secret of a", apierrors.IsUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := a.token(c.cloud, c.tenant, c.client, c.secret, workload.Audience)
			if err != nil {
				t.Fatal(err)
			}
			signedIn, err := clientcmd.RESTConfigFromKubeConfig(config)
			if err != nil {
				t.Fatal(err)
			}
			signedIn.ExecProvider, signedIn.BearerToken = nil, token
			client, err := kubernetes.NewForConfig(signedIn)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.CoreV1().Nodes().List(context.Background(), metav1.ListOptions{}); !c.ok(err) {
				t.Error(err)
			}
		})
	}
	requests, err := a.admin.Requests(context.Background(), admin.RequestFilter{Path: "^/subscriptions/" + subUS})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		if r.TenantID != tenantUS || r.ClientID != appUS || r.Host != us.ARMHost {
			t.Errorf("%s %s of application %s of tenant %s at %s", r.Method, r.Path, r.ClientID, r.TenantID, r.Host)
		}
	}
	if signIns, err := a.admin.Requests(context.Background(), admin.RequestFilter{Method: "POST", Host: "login.microsoftonline.com"}); err != nil || len(signIns) != 1 || signIns[0].ClientID != appA {
		t.Errorf("sign-ins at the public cloud: %v, %v", signIns, err)
	}
}

// TestAssertions checks who must have signed what a registered application signs in with.
func TestAssertions(t *testing.T) {
	a := start(t, t.TempDir(), "")
	known, key := certificate(t)
	another, anotherKey := certificate(t)
	for _, application := range []admin.Application{
		{TenantID: tenantA, ClientID: "by-certificate", CertificatePEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: known.Raw})},
		{TenantID: tenantA, ClientID: "by-federation", FederatedSubject: "system:serviceaccount:aso:aso"},
		{TenantID: tenantA, ClientID: "managed"},
	} {
		if err := a.admin.RegisterApplication(context.Background(), application); err != nil {
			t.Fatal(err)
		}
	}
	client := policy.ClientOptions{Transport: a.transport, Retry: policy.RetryOptions{MaxRetries: -1}}
	signed := func(clientID string, right bool) func() (azcore.TokenCredential, error) {
		return func() (azcore.TokenCredential, error) {
			options := &azidentity.ClientCertificateCredentialOptions{ClientOptions: client}
			if !right {
				return azidentity.NewClientCertificateCredential(tenantA, clientID, []*x509.Certificate{another}, anotherKey, options)
			}
			return azidentity.NewClientCertificateCredential(tenantA, clientID, []*x509.Certificate{known}, key, options)
		}
	}
	federated := func(clientID, subject string) func() (azcore.TokenCredential, error) {
		return func() (azcore.TokenCredential, error) {
			return azidentity.NewClientAssertionCredential(tenantA, clientID, func(context.Context) (string, error) {
				claims := jwt.RegisteredClaims{Subject: subject, Issuer: "https://issuer", ExpiresAt: jwt.NewNumericDate(time.Now().Add(time.Minute))}
				return jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte("the cluster's issuer"))
			}, &azidentity.ClientAssertionCredentialOptions{ClientOptions: client})
		}
	}
	managed := func(clientID string) func() (azcore.TokenCredential, error) {
		return func() (azcore.TokenCredential, error) {
			return azidentity.NewManagedIdentityCredential(&azidentity.ManagedIdentityCredentialOptions{ClientOptions: client, ID: azidentity.ClientID(clientID)})
		}
	}
	for name, c := range map[string]struct {
		credential func() (azcore.TokenCredential, error)
		want       string
	}{
		"certificate":                    {signed("by-certificate", true), ""},
		"another certificate":            {signed("by-certificate", false), "AADSTS700027"},
		"certificate, but none is known": {signed("by-federation", true), "AADSTS700027"},
		"federated":                      {federated("by-federation", "system:serviceaccount:aso:aso"), ""},
		"another subject":                {federated("by-federation", "system:serviceaccount:team:default"), "AADSTS700213: No matching federated identity record found for presented assertion subject 'system:serviceaccount:team:default'"},
		"federated, but none is known":   {federated("by-certificate", ""), "AADSTS700213"},
		"managed identity":               {managed("managed"), ""},
		"an application is no identity":  {managed("by-certificate"), "Identity not found"},
		"an identity has no certificate": {signed("managed", true), "AADSTS700027"},
	} {
		t.Run(name, func(t *testing.T) {
			credential, err := c.credential()
			if err != nil {
				t.Fatal(err)
			}
			token, err := credential.GetToken(context.Background(), policy.TokenRequestOptions{Scopes: []string{"https://management.azure.com/.default"}})
			switch {
			case c.want != "":
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %s", err, c.want)
				}
			case err != nil:
				t.Error(err)
			default:
				claims, err := a.simulator.Directory.Verify(clouds.Public, token.Token, "https://management.azure.com")
				if err != nil || claims.TenantID != tenantA {
					t.Errorf("%v, %v", claims, err)
				}
			}
		})
	}
}
