package identity

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/golang-jwt/jwt/v5"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/entra"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/requestlog"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/workload"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

const (
	theTenant       = "00000000-0000-0000-0000-0000000000aa"
	theSubscription = "00000000-0000-0000-0000-0000000000bb"
	serviceAccount  = "system:serviceaccount:azureserviceoperator-system:azureserviceoperator-default"
)

// appIn is the application in a cloud. Each has another: azidentity keeps tokens of managed identities for the whole process.
func appIn(in *clouds.Cloud) string { return "app-in-" + in.Name }

// simulate runs a simulated Azure, and returns it with a client that reaches nothing else.
func simulate(t *testing.T) (*azuresim.Simulator, *requestlog.Log, *http.Client) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := &requestlog.Log{}
	simulator, err := azuresim.New(azuresim.Options{
		Journal: state.InMemory(), Clock: clock.RealClock{}, TenantID: "another", Log: log, Report: func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	proxy := simulator.Proxy()
	go func() {
		if err := proxy.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		if err := proxy.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(simulator.Authority.PEM())
	through := http.ProxyURL(&url.URL{Scheme: "http", Host: listener.Addr().String()})
	return simulator, log, &http.Client{Transport: &http.Transport{Proxy: through, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
}

// A way is a type of AzureClusterIdentity, with what the Azure side of it knows.
type way struct {
	identity string
	secret   map[string][]byte
	known    admin.Application
}

// ways returns one of each type. The files are those of provider-capz's container.
func ways(t *testing.T, in *clouds.Cloud) map[v1beta1.IdentityType]way {
	t.Helper()
	text := certificate(t)
	block, _ := pem.Decode([]byte(text))
	byCertificate := admin.Application{CertificatePEM: pem.EncodeToMemory(block)}
	file, err := json.Marshal(map[string]string{
		"client_id": appIn(in), "tenant_id": theTenant, "authentication_endpoint": "https://" + in.EntraHosts[0] + "/", "client_secret": base64.StdEncoding.EncodeToString([]byte(text)),
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "identity.json")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	secret := map[string][]byte{clientSecretKey: []byte(hush)}
	return map[v1beta1.IdentityType]way{
		v1beta1.ServicePrincipal:               {secret: secret, known: admin.Application{Secret: hush}},
		v1beta1.ManualServicePrincipal:         {secret: secret, known: admin.Application{Secret: hush}},
		v1beta1.ServicePrincipalCertificate:    {secret: map[string][]byte{certificateKey: []byte(text)}, known: byCertificate},
		v1beta1.UserAssignedMSI:                {},
		v1beta1.WorkloadIdentity:               {known: admin.Application{FederatedSubject: serviceAccount}},
		v1beta1.UserAssignedIdentityCredential: {identity: path, known: byCertificate},
	}
}

// tokenFile is the token of provider-capz's ServiceAccount.
func tokenFile(t *testing.T) string {
	t.Helper()
	claims := jwt.RegisteredClaims{Subject: serviceAccount, Issuer: "https://issuer", ExpiresAt: jwt.NewNumericDate(time.Now().Add(time.Hour))}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte("the cluster's issuer"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "azure-identity")
	if err := os.WriteFile(path, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTokens takes a token for a cluster without local accounts with each type of identity in each cloud: made by provider-capz into
// a credential Secret, taken from there by azidentity, given by the simulated Entra, and checked as an AKS API server would.
func TestTokens(t *testing.T) {
	types := 0
	for _, in := range clouds.All() {
		for kind, w := range ways(t, in) {
			types++
			t.Run(in.Name+"/"+string(kind), func(t *testing.T) {
				simulator, log, transport := simulate(t)
				register(t, simulator, in, w.known)
				credentials := azure.Credentials{Operators: operators(t), TokenFile: tokenFile(t), Transport: transport}
				obj := w.managedCluster(t, &credentials, kind, in)
				credential, err := credentials.For(t.Context(), obj)
				if err != nil {
					t.Fatal(err)
				}
				token, err := credential.GetToken(t.Context(), policy.TokenRequestOptions{Scopes: []string{azure.KubernetesScope}})
				if err != nil {
					t.Fatal(err)
				}
				claims, err := simulator.Directory.Verify(in, token.Token, workload.Audience)
				if err != nil || claims.TenantID != theTenant || claims.AppID != appIn(in) {
					t.Errorf("%v, %v", claims, err)
				}
				hosts := in.EntraHosts
				if kind == v1beta1.UserAssignedMSI {
					hosts = []string{entra.MetadataHost}
				}
				asked, err := log.Select(admin.RequestFilter{Path: "token$"})
				if err != nil || len(asked) != 1 || !slices.Contains(hosts, asked[0].Host) {
					t.Errorf("asked for a token: %v, %v", asked, err)
				}
			})
		}
	}
	if types != 18 {
		t.Errorf("%d types and clouds, want 6 types in 3 clouds", types)
	}
}

// operators is an ASO in the public cloud that allows others.
func operators(t *testing.T) azure.Operators {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return azure.Operators{Secrets: fake.NewClientBuilder().WithScheme(scheme).WithObjects(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "azureserviceoperator-system", Name: azure.SettingsSecret}, Data: map[string][]byte{azure.AnyCloudKey: []byte("true")},
	}).Build()}
}

// register tells the simulated Azure of the subscription, and of the application that the identity is.
func register(t *testing.T, simulator *azuresim.Simulator, in *clouds.Cloud, known admin.Application) {
	t.Helper()
	known.TenantID, known.ClientID, known.Subscriptions = theTenant, appIn(in), []string{theSubscription}
	if err := errors.Join(
		simulator.RegisterSubscription(admin.Subscription{ID: theSubscription, TenantID: theTenant, Cloud: in.Name}), simulator.RegisterApplication(known),
	); err != nil {
		t.Fatal(err)
	}
}

// managedCluster returns an object whose credential Secret is made from the identity.
func (w way) managedCluster(t *testing.T, credentials *azure.Credentials, kind v1beta1.IdentityType, in *clouds.Cloud) *corev1.ConfigMap {
	t.Helper()
	identity := &v1beta1.AzureClusterIdentity{ObjectMeta: metav1.ObjectMeta{Namespace: "ids", Name: "id"}, Spec: v1beta1.AzureClusterIdentitySpec{
		Type: kind, TenantID: theTenant, ClientID: appIn(in), ClientSecret: corev1.SecretReference{Name: "s"}, UserAssignedIdentityCredentialsPath: w.identity,
	}}
	from := fake.NewClientBuilder().WithObjects(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ids", Name: "s"}, Data: w.secret}).Build()
	cp := &carrier{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "cp"}}
	cp.Spec.SubscriptionID, cp.Spec.AzureEnvironment = theSubscription, in.Name
	data, err := source{secrets: from, operators: credentials.Operators, identity: identity}.data(t.Context(), cp)
	if err != nil {
		t.Fatal(err)
	}
	if has := data["AZURE_AUTHORITY_HOST"] != nil; has == (in == clouds.Public) {
		t.Errorf("the Secret names a cloud: %t", has)
	}
	all := fake.NewClientBuilder().WithObjects(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "c-aso-secret"}, Data: data})
	settings := &corev1.Secret{}
	operator, err := credentials.Operators.For(t.Context(), "team")
	if err != nil {
		t.Fatal(err)
	}
	if err := credentials.Operators.Secrets.Get(t.Context(), operator.Secret, settings); err != nil {
		t.Fatal(err)
	}
	settings.ResourceVersion = ""
	credentials.Operators.Secrets = all.WithObjects(settings).Build()
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "mc", Annotations: map[string]string{
		azure.CredentialFromAnnotation: "c-aso-secret", azure.OperatorNamespaceAnnotation: operator.Secret.Namespace,
	}}}
}
